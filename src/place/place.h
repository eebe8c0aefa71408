/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tasks run: groups, knobs, CPUs, memory nodes, work directory, swap, settings. A spec is
 * parsed from key=value text (the only parser of it), checked against the facts of the target,
 * and then made by the agent that runs there. Whatever outlives the process is noted in the undo
 * journal before it is changed.
 *
 * Keys (place_is_key): depth, groups, fanout, cgroup, cgroup-parent, KNOB or KNOB@LEVEL with a
 * kernel name ("memory.max", "memory.high@2"), cpus, mems, spread, fs, dir, swap, sock, and
 * settings by their sysctl or sysfs path ("vm.percpu_pagelist_high_fraction",
 * "sys.kernel.mm.transparent_hugepage.enabled", or a whole "/sys/…" or "/proc/sys/…" where a name
 * holds points). Paths are absolute: the journal must mean the same from any folder.
 */
#ifndef PLACE_PLACE_H
#define PLACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kv.h"
#include "base/num.h"
#include "cgroup/cgroup.h"

struct err;
struct undo;

enum place_spread { SPREAD_COMPACT, SPREAD_CORES, SPREAD_NODES };
enum place_fanout { FANOUT_LEAF, FANOUT_TOP };

struct place_knob {
	char *file;  /* "memory.max" */
	int level;   /* 1..depth below the base; 0: the leaf */
	char *value; /* as given */
};

struct place_setting {
	char *key;  /* "vm.swappiness" */
	char *path; /* below the root: "proc/sys/vm/swappiness" */
	char *value;
};

struct place_spec {
	unsigned depth;	 /* nested groups made; 0: the start group (v1), a leaf in the scope (v2) */
	bool depth_given;
	unsigned groups; /* leaves side by side, at least 1 */
	enum place_fanout fanout;
	bool root_group; /* cgroup=root: the root group of the hierarchy */
	bool sock_account; /* v1: kmem.tcp accounting activated before sockets are made */
	char *parent;	 /* cgroup-parent, or NULL: the start group */
	struct place_knob *knobs;
	size_t n_knobs;
	struct place_setting *settings;
	size_t n_settings;
	bool pinned;	 /* cpus given */
	struct num_set cpus;
	bool bound;	 /* mems given */
	struct num_set mems;
	enum place_spread spread;
	char *fs;	 /* "dir", "tmpfs[:SIZE]", "xfs-loop[:SIZE]", "ext4-loop[:SIZE]", or NULL */
	char *dir;	 /* where the work directory is made, or NULL: $TMPDIR or /tmp */
	char *swap;	 /* "zram:SIZE" or NULL */
};

bool place_is_key(const char *key);
/* Nearest placement key for an error message, or NULL. */
const char *place_nearest(const char *key);
__must_check int place_parse(const struct kvs *kvs, struct place_spec *ret, struct err *e);
void place_spec_done(struct place_spec *s);

/* What a target says about itself in its hello; the host is not the guest. */
struct place_facts {
	enum cg_version version;
	char *controllers;
	char *start_path;
	unsigned start_level;
	bool root; /* effective uid 0 */
	bool may_make_groups;
	uint64_t mem_total_bytes, mem_avail_bytes;
	uint64_t swap_free_bytes;
	uint64_t start_usage_bytes; /* of the start group, CG_UNKNOWN when not readable */
	struct num_set cpus, mems; /* that may be used */
};
__must_check int place_facts_read(int rootfd, struct place_facts *ret, struct err *e);
/* As key=value for the wire and back. */
void place_facts_format(const struct place_facts *f, struct kvs *out);
__must_check int place_facts_parse(const struct kvs *kvs, struct place_facts *ret, struct err *e);
void place_facts_done(struct place_facts *f);

/*
 * Can this placement be made there? Refuses with cause and what to do: CPUs or nodes that aren't
 * there, no right to make groups, an absent controller, knobs unknown to the version, a limit
 * below @footprint_bytes where the rest has no swap to go to (@can_reclaim tells that the workload
 * stands a limit below its footprint because it is page cache: not on a tmpfs, whose pages have
 * nowhere else to go), more memory than the machine has. @default_fs as in place_open.
 */
__must_check int place_check(const struct place_facts *f, const struct place_spec *s,
			     const char *default_fs, uint64_t footprint_bytes, bool can_reclaim,
			     struct err *e);

/*
 * What else a workload may ask for. @default_fs as in place_open. A file system of memory has no
 * page cache of its own to measure: fs=tmpfs is refused where @real_cache is wanted.
 */
struct place_needs {
	bool root, real_cache, swap, memcg;
	const char *default_fs;
};
__must_check int place_check_needs(const struct place_facts *f, const struct place_spec *s,
				   const struct place_needs *n, struct err *e);

struct place; /* a placement that has been made */

/*
 * Makes it; only what wasn't there before (else -EEXIST). @default_fs is the workload's, used when
 * the spec names none (NULL: no directory is needed). @id names what is made ("mmgauge-ID…"). On
 * failure everything is taken back.
 */
__must_check int place_open(int rootfd, const struct place_spec *s, const char *default_fs,
			    const char *id, struct undo *undo, struct place **ret, struct err *e);
/* Evicts the groups' page cache (syncfs first), removes all, puts settings back. NULL is fine. */
__must_check int place_close(struct place *p, struct err *e);

unsigned place_groups(const struct place *p);
int place_dirfd(const struct place *p);		/* work directory, -EBADF when there is none */
const char *place_dir(const struct place *p);	/* its path, or NULL */
const struct cg *place_leaf(const struct place *p, unsigned group); /* NULL: no group is used */
/* The leaves were made by us: nothing but tasks and their descendants is in them. */
bool place_own_groups(const struct place *p);
/* For clone3(CLONE_INTO_CGROUP): descriptor of the leaf on v2, else -EBADF. */
int place_clone_fd(const struct place *p, unsigned group);
/*
 * In a fresh child: enters the leaf (when @entered is false) and binds memory nodes. Pins to the
 * CPU of task @index of @n_tasks when the spec pins; *@ret_cpu is that CPU or -1.
 */
__must_check int place_enter(const struct place *p, unsigned group, bool entered, struct err *e);
__must_check int place_pin(const struct place *p, unsigned index, unsigned n_tasks, int *ret_cpu,
			   struct err *e);
/* The groups, at whatever level, on which a memory.max or memory.high was set. */
size_t place_limited(const struct place *p);
const struct cg *place_limited_group(const struct place *p, size_t i);
/*
 * Moves the caller off the CPUs that tasks are pinned to, when others may be used. *@ret_old is
 * the mask before, for place_step_back; both do nothing where nothing is pinned.
 */
void place_step_aside(const struct place *p, struct num_set *ret_old);
void place_step_back(const struct place *p, const struct num_set *old);

/* What the kernel says the placement is, read back now: one call per group, level and knob. */
struct place_fact {
	unsigned group;
	unsigned level;	  /* absolute, counted from the root */
	const char *path; /* of the group, or "" for settings, cpus, fs */
	const char *key;
	const char *want; /* "" when only recorded */
	const char *got;
	const char *file; /* the kernel file behind it, or "" */
};
__must_check int place_each_fact(const struct place *p,
				 void (*fn)(const struct place_fact *f, void *arg), void *arg,
				 struct err *e);

#endif
