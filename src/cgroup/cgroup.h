/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory cgroups, v1 and v2 behind one interface. Which hierarchy holds the memory controller
 * comes from mountinfo. Everything works below @rootfd (a descriptor of "/", or of a tree of
 * fixtures). CPU time of a group comes from whichever hierarchy can tell: cpu.stat of v2 (also a
 * v2 mount without controllers), else v1 cpuacct; the second group is made beside the first.
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
struct str;
struct strv;

enum cg_version { CG_NONE, CG_V1, CG_V2 };

/* One mounted hierarchy as this process sees it. */
struct cg_mount {
	enum cg_version version; /* CG_NONE: no such hierarchy */
	char *dir;	/* mount point, absolute, "/sys/fs/cgroup/memory" */
	char *start;	/* group of this process in it, as in /proc/self/cgroup: "/", "/a/b" */
	char *options;	/* super options of the mount, for the record */
};

struct cg_env {
	int rootfd;		/* borrowed */
	struct cg_mount memory; /* holds the memory controller */
	struct cg_mount cpu;	/* tells CPU time: the same hierarchy on v2, or CG_NONE */
	char *controllers;	/* available where we start: "memory,cpu,pids"; v1: those mounted */
};

/* Reads proc/self/mountinfo and proc/self/cgroup. No memory controller is not an error. */
__must_check int cg_probe(int rootfd, struct cg_env *ret, struct err *e);
void cg_env_done(struct cg_env *env);
const char *cg_version_name(enum cg_version v); /* "v1", "v2", "none" */

struct cg {
	const struct cg_env *env; /* borrowed */
	char *path;   /* within the hierarchy: "/a/mmgauge-x/l2" */
	unsigned level; /* components of path: the root is 0 */
	int dirfd;    /* of the memory hierarchy */
	int cpufd;    /* same place for CPU time, or -EBADF; equal to dirfd's group on v2 */
};

/* Opens a group that exists. */
__must_check int cg_open(const struct cg_env *env, const char *path, struct cg *ret, struct err *e);
/*
 * Makes one group below an existing one (also its twin for CPU time) and opens it. On v2 the
 * controllers of @controllers ("memory", "cpuset"; may be NULL) are enabled in the parent's
 * cgroup.subtree_control first; a parent that holds processes gives -EBUSY with an explanation.
 */
__must_check int cg_make(const struct cg *parent, const char *name, const char *controllers,
			 struct cg *ret, struct err *e);
void cg_close(struct cg *cg); /* the descriptors, not the group */

/*
 * Sets a knob by its v2 name ("memory.max", "memory.high", "memory.swap.max", …; any other file
 * name of the group is written as it stands) and reads it back. @value as the user writes it:
 * a size ("256M"), "max", or text. On v1 memory.max is memory.limit_in_bytes and memory.swap.max
 * is memory.memsw.limit_in_bytes less the limit; memory.high, .low, .min, .zswap.max have no v1
 * counterpart and give -EOPNOTSUPP. *@ret_got is the value read back in the same form as
 * *@value (malloc'd), *@ret_file the file written (static). A value that the kernel rounded is
 * no error: compare it yourself. v1 memsw needs memory.max set first.
 */
__must_check int cg_set(const struct cg *cg, const char *knob, const char *value, char **ret_got,
			const char **ret_file, struct err *e);
/* Reads a knob by its v2 name; "max" when there is no limit. */
__must_check int cg_get(const struct cg *cg, const char *knob, char **ret_value, struct err *e);
/* NULL when the knob can be set in this version, else the reason ("has no counterpart on v1"). */
const char *cg_knob_refusal(enum cg_version v, const char *knob);

/* Moves a process (0: the caller) into the group in both hierarchies. */
__must_check int cg_enter(const struct cg *cg, pid_t pid, struct err *e);
/* Process ids in the group itself, at most @max; returns how many there are. */
__must_check ssize_t cg_procs(const struct cg *cg, pid_t *pids, size_t max, struct err *e);
/* Kills everything in the group (cgroup.kill, else SIGKILL to each until empty, bounded 5 s). */
__must_check int cg_kill(const struct cg *cg, struct err *e);

/* What a group says about itself; a value that this version can't tell is CG_UNKNOWN. */
#define CG_UNKNOWN UINT64_MAX
struct cg_usage {
	uint64_t current_bytes, peak_bytes, limit_bytes; /* limit UINT64_MAX-1: none */
	uint64_t swap_bytes;
	uint64_t limit_hits;   /* v1 failcnt; v2 memory.events max */
	uint64_t high_hits;    /* v2 memory.events high */
	uint64_t oom_kills;
	uint64_t cpu_ns, user_ns, sys_ns; /* of the group and its descendants */
	uint64_t pgfault, pgmajfault, pgcharge /* v1 pgpgin */, pgscan, pgsteal, refault, pgactivate;
	uint64_t anon_bytes, file_bytes, kernel_bytes, sock_bytes;
	uint64_t psi_some_us, psi_full_us; /* memory pressure totals */
};
#define CG_NO_LIMIT (UINT64_MAX - 1)
__must_check int cg_usage_read(const struct cg *cg, struct cg_usage *ret, struct err *e);
/* Calls @fn for each field that is known: name ("pgfault"), unit ("event", "byte", "ns"). */
void cg_usage_each(const struct cg_usage *u, void (*fn)(const char *name, const char *unit,
							uint64_t value, void *arg), void *arg);
/* Only the count of limit hits: cheap enough to poll. */
__must_check int cg_limit_hits(const struct cg *cg, uint64_t *ret, struct err *e);
/* Dead (removed, still charged) groups: v2 nr_dying_descendants of @cg, v1 num_cgroups excess
 * from proc/cgroups against directories. */
__must_check int cg_dying(const struct cg *cg, uint64_t *ret, struct err *e);

/* Reclaims all that can be: v1 memory.force_empty, v2 memory.reclaim until nothing moves. */
__must_check int cg_evict(const struct cg *cg, struct err *e);
/*
 * Removes the group (and its twin). A group that is still held by exiting tasks is waited for,
 * at most @timeout_ns; then the error names the processes. A missing group is fine.
 */
__must_check int cg_remove(const struct cg *cg, uint64_t timeout_ns, struct err *e);
/* As cg_remove by path, for the journal: absolute directory names of both hierarchies. */
__must_check int cg_remove_dir(int rootfd, const char *abs_dir, uint64_t timeout_ns, struct err *e);
/* The absolute directories of a group: memory hierarchy, and the twin for CPU time or NULL. */
char *cg_dir(const struct cg_env *env, const char *path);
char *cg_cpu_dir(const struct cg_env *env, const char *path);

/*
 * v2 only: a place to make groups in although the start group holds processes. As root a new
 * group "mmgauge-scope-ID" beside the start group (child of its parent); where only a subtree is
 * ours (container, delegated scope) the processes of the start group move into its leaf
 * "supervisor". See scope.c. *@ret_moved tells which of the two; undo with cg_scope_leave.
 */
struct cg_scope {
	struct cg base;	   /* groups are made below this one */
	bool own_group;	   /* base was made by us */
	bool moved;	   /* processes were moved to base/supervisor */
};
__must_check int cg_scope_enter(const struct cg_env *env, const char *parent /* or NULL */,
				const char *id, struct cg_scope *ret, struct err *e);
__must_check int cg_scope_leave(struct cg_scope *s, struct err *e);

#endif
