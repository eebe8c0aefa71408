/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory cgroups, v1 and v2 behind one interface. Which hierarchy holds the memory controller
 * comes from mountinfo. Everything works below @rootfd (a descriptor of "/", or of a tree of
 * fixtures). CPU time of a group comes from whichever hierarchy can tell: cpu.stat of v2 (also a
 * v2 mount without controllers), else v1 cpuacct; the second group is made beside the first and
 * called its twin.
 *
 * A struct cg is one group that exists. Who makes a group removes it (cg_remove); the undo
 * journal is the business of place/, which notes the path before it calls cg_make.
 */
#ifndef CGROUP_CGROUP_H
#define CGROUP_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

struct err;

enum cg_version { CG_NONE, CG_V1, CG_V2 };

/* One mounted hierarchy as this process sees it. All strings are NULL when there is none. */
struct cg_mount {
	enum cg_version version; /* CG_NONE: no such hierarchy */
	char *dir;	/* mount point, absolute, "/sys/fs/cgroup/memory" */
	char *root;	/* group that is mounted there: "/", or "/docker/ID" in a container */
	char *start;	/* group of this process, at or below root: "/", "/a/b" */
	char *options;	/* super options of the mount, for the record: "rw,nsdelegate" */
	bool foreign;	/* our group was searched for or lies outside root (start is then root) */
};

struct cg_env {
	int rootfd;		/* borrowed */
	struct cg_mount memory; /* holds the memory controller */
	struct cg_mount cpu;	/* tells CPU time: the same hierarchy on v2, or CG_NONE */
	char *controllers;	/* available where we start: "memory,cpu,pids"; v1: those mounted */
};

/*
 * Reads proc/self/mountinfo and proc/self/cgroup. No memory controller is not an error. *@ret
 * must not move while a struct cg points to it.
 */
__must_check int cg_probe(int rootfd, struct cg_env *ret, struct err *e);
void cg_env_done(struct cg_env *env);
#define _cleanup_cg_env_ __attribute__((cleanup(cg_env_done)))
const char *cg_version_name(enum cg_version v); /* "v1", "v2", "none" */
bool cg_has_controller(const struct cg_env *env, const char *name);
/* Components of a path: "/" is 0, "/a/b" is 2. */
unsigned cg_path_level(const char *path);

struct cg {
	const struct cg_env *env; /* borrowed */
	char *path;   /* within the hierarchy: "/a/mmgauge-x/l2" */
	unsigned level; /* components of path: the root is 0 */
	int dirfd;    /* of the memory hierarchy */
	int cpufd;    /* same place for CPU time, or -EBADF; the same directory on v2 */
};
#define CG_INIT ((struct cg){ .dirfd = -EBADF, .cpufd = -EBADF })

/* Opens a group that exists; -ENODEV without a memory controller, -ENOENT when it is missing. */
__must_check int cg_open(const struct cg_env *env, const char *path, struct cg *ret, struct err *e);
/*
 * Makes one group below an existing one (also its twin for CPU time) and opens it. On v2 the
 * controllers of @controllers ("memory", "cpuset"; comma-separated, may be NULL) are enabled in
 * the parent's cgroup.subtree_control first; a parent that holds processes gives -EBUSY with an
 * explanation, a controller that the parent doesn't have -EOPNOTSUPP. A twin that may not be
 * made (no permission) is done without: its counters are then CG_UNKNOWN.
 */
__must_check int cg_make(const struct cg *parent, const char *name, const char *controllers,
			 struct cg *ret, struct err *e);
void cg_close(struct cg *cg); /* the descriptors, not the group; fine on CG_INIT */
#define _cleanup_cg_ __attribute__((cleanup(cg_close)))

/*
 * Sets a knob by its v2 name ("memory.max", "memory.high", "memory.swap.max", …; any other file
 * name of the group is written as it stands) and reads it back. @value as the user writes it:
 * a size ("256M"), "max", or text. On v1 memory.max is memory.limit_in_bytes and memory.swap.max
 * is memory.memsw.limit_in_bytes less the limit; memory.high, .low, .min, .zswap.max have no v1
 * counterpart and give -EOPNOTSUPP. *@ret_got is the value read back, malloc'd: spelled as
 * @value when it is the same amount, else as the shortest exact size; "" when the file can only
 * be written. *@ret_file is the file written (static for knobs of the table, else @knob). Either
 * may be NULL. A value that the kernel rounded is no error: compare it yourself. On v1
 * memory.swap.max needs memory.max set first; changing memory.max later keeps it.
 */
__must_check int cg_set(const struct cg *cg, const char *knob, const char *value, char **ret_got,
			const char **ret_file, struct err *e);
/* Reads a knob by its v2 name: bytes as a plain number, "max" when there is no limit. */
__must_check int cg_get(const struct cg *cg, const char *knob, char **ret_value, struct err *e);
/* NULL when the knob can be set in this version, else the reason ("has no counterpart on v1"). */
const char *cg_knob_refusal(enum cg_version v, const char *knob);
/* The file behind a knob in this version ("memory.limit_in_bytes"), or @knob itself. */
const char *cg_knob_file(enum cg_version v, const char *knob);

/*
 * Moves a process (0: the caller) into the group in both hierarchies and checks in
 * proc/PID/cgroup that it is there.
 */
__must_check int cg_enter(const struct cg *cg, pid_t pid, struct err *e);
/*
 * Process ids in the group itself, at most @max; returns how many there are. Processes of
 * another pid namespace are 0, as in the kernel's file.
 */
__must_check ssize_t cg_procs(const struct cg *cg, pid_t *pids, size_t max, struct err *e);
/*
 * Kills everything in the group and below it (cgroup.kill, else SIGKILL to each until empty) and
 * waits, bounded to 5 s, until no process is left. -EDEADLK when the caller itself is in it.
 */
__must_check int cg_kill(const struct cg *cg, struct err *e);

/* What a group says about itself; a value that this version can't tell is CG_UNKNOWN. */
#define CG_UNKNOWN UINT64_MAX
#define CG_NO_LIMIT (UINT64_MAX - 1)
struct cg_usage {
	uint64_t current_bytes, peak_bytes, limit_bytes; /* limit CG_NO_LIMIT: none */
	uint64_t swap_bytes;
	uint64_t limit_hits;   /* v2 memory.events max; v1 failcnt, and at least 1 when the limit of
				* memory and swap together was reached (newer kernels don't count
				* these) */
	uint64_t high_hits;    /* v2 memory.events high */
	uint64_t oom_kills;
	uint64_t cpu_ns, user_ns, sys_ns; /* of the group and its descendants */
	uint64_t pgfault, pgmajfault, pgscan, pgsteal, refault, pgactivate;
	uint64_t pgcharge; /* v1 pgpgin */
	uint64_t anon_bytes, file_bytes, kernel_bytes, sock_bytes;
	uint64_t psi_some_us, psi_full_us; /* memory pressure totals; v1: of the twin on v2 */
};
__must_check int cg_usage_read(const struct cg *cg, struct cg_usage *ret, struct err *e);
/*
 * Calls @fn for each field that is known: name ("pgfault"), unit ("event", "byte", "ns", "us").
 * Fields that only ever grow (counters) come without _bytes in their name.
 */
void cg_usage_each(const struct cg_usage *u, void (*fn)(const char *name, const char *unit,
							uint64_t value, void *arg), void *arg);
/* Only the count of limit hits: cheap enough to poll. */
__must_check int cg_limit_hits(const struct cg *cg, uint64_t *ret, struct err *e);
/*
 * Dead (removed, still charged) groups: v2 nr_dying_descendants of @cg; v1 of the whole
 * hierarchy, num_cgroups of proc/cgroups less the directories (-EOPNOTSUPP in a container).
 */
__must_check int cg_dying(const struct cg *cg, uint64_t *ret, struct err *e);

/* Reclaims all that can be: v1 memory.force_empty, v2 memory.reclaim until nothing moves. */
__must_check int cg_evict(const struct cg *cg, struct err *e);
/*
 * Removes the group (and its twin). A group that is still held by exiting tasks is waited for,
 * at most @timeout_ns; then -EBUSY names the processes. A missing group is fine. @cg stays open.
 */
__must_check int cg_remove(const struct cg *cg, uint64_t timeout_ns, struct err *e);
/* As cg_remove by path, for the journal: absolute directory name in one hierarchy. */
__must_check int cg_remove_dir(int rootfd, const char *abs_dir, uint64_t timeout_ns, struct err *e);
/* The absolute directory of a group, whether it exists or not (malloc'd). */
char *cg_dir(const struct cg_env *env, const char *path);
/*
 * The same for the twin: NULL when the memory hierarchy itself tells CPU time, when nothing does
 * or when the group has none. The twin of a group at or below the start group is at the same
 * place below the start group of the other hierarchy; of any other group it is what follows from
 * the first "mmgauge…" component on.
 */
char *cg_cpu_dir(const struct cg_env *env, const char *path);

/*
 * A place to make groups in. On v1, and in the root of v2, that is the start group (or @parent).
 * Elsewhere on v2 a group with processes can't enable controllers for its children: where the
 * parent of the start group is ours to write, a group "mmgauge-scope-ID" is made beside the start
 * group; where only a subtree is ours (container, delegated scope) the processes of the start
 * group move into its leaf "supervisor". See scope.c.
 */
enum cg_scope_way {
	CG_SCOPE_AS_IS,	     /* base exists and takes children */
	CG_SCOPE_SIBLING,    /* base is made by us */
	CG_SCOPE_SUPERVISOR, /* processes move from base to base/supervisor */
};
struct cg_scope_plan {
	enum cg_scope_way way;
	char *base;	  /* path; groups will be made below it */
	char *supervisor; /* path, for CG_SCOPE_SUPERVISOR only */
};
/* Decides without changing anything, so that the caller can note it in the journal first. */
__must_check int cg_scope_plan(const struct cg_env *env, const char *parent /* or NULL */,
			       const char *id, struct cg_scope_plan *ret, struct err *e);
void cg_scope_plan_done(struct cg_scope_plan *p);

struct cg_scope {
	struct cg base;	   /* groups are made below this one */
	bool own_group;	   /* base was made by us */
	bool moved;	   /* processes were moved to base/supervisor */
	char *enabled;	   /* controllers enabled before in the group that we changed, or NULL */
};
/* Does what cg_scope_plan says; undo with cg_scope_leave. *@ret must not move. */
__must_check int cg_scope_enter(const struct cg_env *env, const char *parent /* or NULL */,
				const char *id, struct cg_scope *ret, struct err *e);
/*
 * Takes back what cg_scope_enter did (groups below base must be gone) and closes base. Fine on a
 * zeroed scope and a second time.
 */
__must_check int cg_scope_leave(struct cg_scope *s, struct err *e);
/*
 * For the journal, v2: turns off the domain controllers that @to has enabled for its children
 * and moves all processes from @from to @to (absolute directories). A missing @from is fine.
 */
__must_check int cg_move_back(int rootfd, const char *from, const char *to, struct err *e);

#endif
