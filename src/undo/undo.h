/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of what must be taken back: groups, mounts, loop devices, swap, settings, files,
 * processes. An entry is appended and fsync'ed BEFORE the thing is changed; undo_replay takes
 * everything back in reverse. Entries are idempotent: what is already gone is fine.
 *
 * One file per process that changes things, DIR/ID.journal, flock'ed while its owner lives, so
 * that undo_clean can tell a dead owner's journal from a running one. DIR is /run/mmgauge for
 * root, else $XDG_RUNTIME_DIR/mmgauge, else /tmp/mmgauge-UID.
 */
#ifndef UNDO_UNDO_H
#define UNDO_UNDO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

struct err;
struct undo;

/* malloc'd path of the default journal directory. */
char *undo_default_dir(void);

/* Creates DIR (0700) and the journal. -EEXIST when one of that id is there. */
__must_check int undo_open(const char *dir, const char *id, struct undo **ret, struct err *e);
/* Replays what is left, removes the file, frees. NULL is fine. Errors: first one, rest tried. */
__must_check int undo_close(struct undo *u, struct err *e);

/*
 * In a forked child: closes the journal there. The lock belongs to the open file, so a child
 * that kept it would make a dead owner look alive.
 */
void undo_after_fork(struct undo *u);

/* Entries. Paths are absolute; text may hold any byte but NUL. */
__must_check int undo_note_rmdir_cgroup(struct undo *u, const char *abs_dir, struct err *e);
__must_check int undo_note_umount(struct undo *u, const char *mount_point, struct err *e);
__must_check int undo_note_loop(struct undo *u, const char *loop_dev, const char *backing,
				struct err *e); /* only while it has that backing file */
__must_check int undo_note_swapoff(struct undo *u, const char *dev, struct err *e);
__must_check int undo_note_zram(struct undo *u, unsigned dev, int hot_added, struct err *e);
__must_check int undo_note_write(struct undo *u, const char *file, const char *old_value,
				 struct err *e); /* settings: writes it back */
__must_check int undo_note_unlink(struct undo *u, const char *file, struct err *e);
__must_check int undo_note_rmtree(struct undo *u, const char *dir, struct err *e);
__must_check int undo_note_rmdir(struct undo *u, const char *dir, struct err *e);
/* Kills the process if pid still has that start time (field 22 of /proc/PID/stat). */
__must_check int undo_note_kill(struct undo *u, pid_t pid, uint64_t start_time, struct err *e);
/* Moves the processes of group @from back to group @to (cgroup.procs), both absolute. */
__must_check int undo_note_move_procs(struct undo *u, const char *from, const char *to,
				      struct err *e);

/* Marks: entries after the mark are taken back by undo_back_to, the rest stays. */
size_t undo_mark(const struct undo *u);
__must_check int undo_back_to(struct undo *u, size_t mark, struct err *e);

/*
 * Replays every journal in @dir whose owner is gone. Calls @report for each thing taken back
 * (text like "removed group /sys/…") and for each failure. Returns how many journals were
 * replayed, or the first error after trying all.
 */
__must_check int undo_clean(const char *dir, void (*report)(const char *what, const struct err *e,
							    void *arg),
			    void *arg, struct err *e);

/* Start time of a process for undo_note_kill, 0 when it is gone. */
uint64_t undo_start_time(pid_t pid);

#endif
