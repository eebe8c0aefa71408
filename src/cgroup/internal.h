/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of cgroup/ share; nobody else includes this. */
#ifndef CGROUP_INTERNAL_H
#define CGROUP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

struct cg;
struct cg_env;
struct cg_mount;
struct err;
struct str;

#define CG_TEXT_MAX (4u << 20)	  /* cgroup.procs of a group with half a million processes */
#define CG_UNLIMITED (1ull << 62) /* v1 shows "no limit" as a huge number of whole pages */

/* Path below the root descriptor: "/a" is "a", "/" is ".". */
const char *cg_below_root(const char *abs);
/* "/" + "x" is "/x", "/a" + "x" is "/a/x"; malloc'd. */
char *cg_join(const char *dir, const char *name);
/* What of @path is below @top: "" for itself, "/b" for "/a/b" below "/a", NULL when it isn't. */
const char *cg_path_below(const char *path, const char *top);
/* Whole-word search in a list that @seps separate. */
bool cg_has_word(const char *list, const char *word, const char *seps);

/*
 * Path in the hierarchy of @controller ("memory"; "" is cgroup2) by the text of proc/PID/cgroup;
 * malloc'd, or NULL.
 */
char *cg_path_in(const char *self_cgroup, const char *controller);

/* Pids of the file "cgroup.procs" in @dirfd; as cg_procs. */
__must_check ssize_t cg_read_pids(int dirfd, pid_t *pids, size_t max, struct err *e);
/* All pids of it, malloc'd; *@ret is NULL when there are none. Returns how many. */
__must_check ssize_t cg_list_pids(int dirfd, pid_t **ret, struct err *e);
/* "12 (cc1), 13 (make) and 4 more" for error messages, malloc'd. */
char *cg_name_pids(int rootfd, const pid_t *pids, size_t n);
/* One write(2) of one pid. */
__must_check int cg_write_pid(int dirfd, pid_t pid, struct err *e);

/*
 * Waits until the tasks that are in the group now have ended and a little longer, so that they
 * have left it; at most until @until_ns (CLOCK_MONOTONIC).
 */
void cg_wait_exits(int dirfd, uint64_t until_ns);

/* Enables (@on) or disables controllers (comma- or blank-separated) for the children of @dirfd,
 * each by a write of its own, and reads back. Only those that are not in that state yet. */
__must_check int cg_switch(int dirfd, const char *path, const char *controllers, bool on,
			   struct err *e);

#endif
