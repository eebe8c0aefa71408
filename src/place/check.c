// SPDX-License-Identifier: GPL-2.0-or-later
/* Can a placement be made on a target? Every refusal says what to do about it. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "place/place.h"

static int refuse_set(const char *what, const struct num_set *want, const struct num_set *have,
		      struct err *e)
{
	_cleanup_free_ char *w = num_set_format(want);
	_cleanup_free_ char *h = num_set_format(have);
	int r = err_set(e, -EINVAL, "%s=%s: not all of these may be used here", what, w);

	err_hint(e, "%s that may be used: %s", what, h);
	return r;
}

/* Whether anything is asked of groups at all. */
static bool wants_group(const struct place_spec *s)
{
	return s->depth || s->n_knobs || s->root_group || s->parent || s->sock_account;
}

/* As needs_groups() in group.c decides where the placement is made. */
static bool makes_groups(const struct place_facts *f, const struct place_spec *s)
{
	return s->depth > 0 || (f->version == CG_V2 && !s->root_group &&
				(s->depth_given || s->n_knobs || s->parent));
}

static int check_groups(const struct place_facts *f, const struct place_spec *s, struct err *e)
{
	int r;

	if (!wants_group(s) && !makes_groups(f, s))
		return 0;
	if (f->version == CG_NONE) {
		r = err_set(e, -ENODEV, "no memory controller is mounted here");
		err_hint(e, "boot without cgroup_disable=memory and mount a cgroup hierarchy, or "
			    "leave depth and knobs out");
		return r;
	}
	if (makes_groups(f, s) && !s->parent && !f->may_make_groups) {
		r = err_set(e, -EACCES, "no right to make groups below \"%s\"", f->start_path);
		err_hint(e, "run as root, in a delegated group (systemd-run --user --scope -p "
			    "Delegate=yes), or name one with cgroup-parent=PATH");
		return r;
	}
	if (s->sock_account && f->version == CG_V1 && s->depth == 0) {
		r = err_set(e, -EINVAL, "sock=on would change the group that we were started in");
		err_hint(e, "say depth=1 or more");
		return r;
	}
	if (s->root_group && !f->root) {
		r = err_set(e, -EACCES, "only root may move tasks to the root group");
		err_hint(e, "run as root");
		return r;
	}
	return 0;
}

/* "cpu.max" needs the controller "cpu". */
static bool has_controller(const struct place_facts *f, const char *knob)
{
	size_t len = strcspn(knob, ".");
	const char *p = f->controllers;

	while (*p) {
		size_t n = strcspn(p, ",");

		if (n == len && strncmp(p, knob, n) == 0)
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

static int check_knobs(const struct place_facts *f, const struct place_spec *s, struct err *e)
{
	for (size_t i = 0; i < s->n_knobs; i++) {
		const char *why = cg_knob_refusal(f->version, s->knobs[i].file);
		int r;

		if (why) {
			r = err_set(e, -EOPNOTSUPP, "\"%s\" %s", s->knobs[i].file, why);
			err_hint(e, "leave it out, or choose a target with cgroup %s",
				 f->version == CG_V1 ? "v2" : "v1");
			return r;
		}
		if (!has_controller(f, s->knobs[i].file)) {
			r = err_set(e, -EOPNOTSUPP, "\"%s\": its controller is not available "
				    "below \"%s\"", s->knobs[i].file, f->start_path);
			err_hint(e, "controllers there: %s", f->controllers);
			return r;
		}
		if (s->depth > 0 || f->version == CG_V2)
			continue;
		r = err_set(e, -EINVAL, "\"%s\" would change the group that we were started in",
			    s->knobs[i].file);
		err_hint(e, "say depth=1 or more");
		return r;
	}
	return 0;
}

/* The smallest memory.max of the levels; UINT64_MAX when there is none. */
static int smallest_limit(const struct place_spec *s, uint64_t *ret, struct err *e)
{
	uint64_t least = UINT64_MAX, v;

	for (size_t i = 0; i < s->n_knobs; i++) {
		if (strcmp(s->knobs[i].file, "memory.max") != 0 ||
		    strcmp(s->knobs[i].value, "max") == 0)
			continue;
		if (num_size(s->knobs[i].value, &v, e) < 0)
			return err_wrap(e, -EINVAL, "\"memory.max\"");
		/* a limit above the leaf is shared by all groups below it */
		if (s->knobs[i].level && s->knobs[i].level < (int)s->depth &&
		    s->fanout == FANOUT_LEAF)
			v /= s->groups;
		if (v < least)
			least = v;
	}
	*ret = least;
	return 0;
}

/* Bytes of swap that one group may use: what is there or will be, shared, below its limit. */
static uint64_t swap_bytes(const struct place_facts *f, const struct place_spec *s)
{
	const char *size = s->swap ? strchr(s->swap, ':') : NULL;
	uint64_t own = 0, limit, all;

	if (size && num_size(size + 1, &own, NULL) < 0)
		own = 0;
	all = (own + f->swap_free_bytes) / s->groups;
	for (size_t i = 0; i < s->n_knobs; i++)
		if (strcmp(s->knobs[i].file, "memory.swap.max") == 0 &&
		    num_size(s->knobs[i].value, &limit, NULL) == 0 && limit < all)
			all = limit;
	return all;
}

static int check_limit(const struct place_facts *f, const struct place_spec *s,
		       uint64_t footprint_bytes, uint64_t limit, struct err *e)
{
	uint64_t swap = swap_bytes(f, s);
	char a[24], b[24], c[24];
	int r;

	if (limit >= footprint_bytes || footprint_bytes - limit <= swap)
		return 0;
	(void)num_fmt_size(a, sizeof(a), footprint_bytes);
	(void)num_fmt_size(b, sizeof(b), limit);
	if (swap == 0)
		r = err_set(e, -ENOMEM, "it needs %s of memory, the limit is %s, and there is no "
					"swap to go to", a, b);
	else
		r = err_set(e, -ENOMEM, "it needs %s of memory, the limit is %s, and a group may "
					"use only %s of swap", a, b,
			    num_fmt_size(c, sizeof(c), swap));
	err_hint(e, "raise memory.max, use a smaller size, or add swap=zram:SIZE");
	return r;
}

static int check_memory(const struct place_facts *f, const struct place_spec *s,
			uint64_t footprint_bytes, bool can_reclaim, struct err *e)
{
	uint64_t limit = UINT64_MAX, all;
	char a[24], b[24];
	int r;

	if (can_reclaim)
		return 0;
	r = smallest_limit(s, &limit, e);
	if (r == 0)
		r = check_limit(f, s, footprint_bytes, limit, e);
	if (r < 0)
		return r;
	/* what is above the limit goes to swap, which zram keeps in memory, but compressed */
	if (__builtin_mul_overflow(limit < footprint_bytes ? limit : footprint_bytes, s->groups,
				   &all))
		all = UINT64_MAX;
	if (all <= f->mem_avail_bytes)
		return 0;
	r = err_set(e, -ENOMEM, "it needs %s of memory, %s are available",
		    num_fmt_size(a, sizeof(a), all),
		    num_fmt_size(b, sizeof(b), f->mem_avail_bytes));
	err_hint(e, "use a smaller size, fewer tasks or groups");
	return r;
}

static int check_rights(const struct place_facts *f, const struct place_spec *s, struct err *e)
{
	const char *what = NULL;
	int r;

	if (s->swap)
		what = s->swap;
	else if (s->fs && strcmp(s->fs, "dir") != 0)
		what = s->fs;
	else if (s->n_settings)
		what = s->settings[0].key;
	if (!what || f->root)
		return 0;
	r = err_set(e, -EPERM, "only root may set up \"%s\"", what);
	err_hint(e, "run as root, or leave it out (fs=dir works without)");
	return r;
}

/* The file system that the tasks will find; see place_open. */
static const char *fs_of(const struct place_spec *s, const char *default_fs)
{
	return s->fs ? s->fs : s->dir ? "dir" : default_fs;
}

/* What lies in a tmpfs can only go to swap. */
static bool in_memory(const char *fs)
{
	return fs && str_starts(fs, "tmpfs");
}

int place_check(const struct place_facts *f, const struct place_spec *s, const char *default_fs,
		uint64_t footprint_bytes, bool can_reclaim, struct err *e)
{
	int r;

	if (s->pinned && !num_set_within(&s->cpus, &f->cpus))
		return refuse_set("cpus", &s->cpus, &f->cpus, e);
	if (s->bound && !num_set_within(&s->mems, &f->mems))
		return refuse_set("mems", &s->mems, &f->mems, e);
	r = check_groups(f, s, e);
	if (r == 0)
		r = check_knobs(f, s, e);
	if (r == 0)
		r = check_rights(f, s, e);
	if (r == 0)
		r = check_memory(f, s, footprint_bytes,
				 can_reclaim && !in_memory(fs_of(s, default_fs)), e);
	return r;
}

static int need_refused(struct err *e, int code, const char *what, const char *hint)
{
	(void)err_set(e, code, "the workload %s", what);
	err_hint(e, "%s", hint);
	return code;
}

int place_check_needs(const struct place_facts *f, const struct place_spec *s,
		      const struct place_needs *n, struct err *e)
{
	const char *fs = fs_of(s, n->default_fs);

	if (n->root && !f->root)
		return need_refused(e, -EPERM, "needs root", "run as root");
	if (n->swap && swap_bytes(f, s) == 0)
		return need_refused(e, -EINVAL, "needs swap", "add swap=zram:SIZE");
	if (n->memcg && f->version == CG_NONE)
		return need_refused(e, -ENODEV, "needs a memory controller",
				    "boot without cgroup_disable=memory");
	if (n->real_cache && in_memory(fs))
		return need_refused(e, -EINVAL,
				    "needs a page-cache file system: reading a hole of tmpfs "
				    "allocates nothing",
				    "choose fs=xfs-loop, fs=ext4-loop or dir=PATH on a disk");
	if (n->real_cache && fs && !f->root && strcmp(fs, "dir") != 0 && s->fs)
		return need_refused(e, -EPERM, "wants a file system that only root may mount",
				    "choose dir=PATH on a disk");
	return 0;
}
