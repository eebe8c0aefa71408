// SPDX-License-Identifier: GPL-2.0-or-later
/* The only parser of placements: key=value text becomes a struct place_spec. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "place/place.h"

#define DEPTH_MAX 64
#define GROUPS_MAX 10000

static int parse_word(const char *val, const char *const *words, size_t n, unsigned *ret,
		      struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(val, words[i]) == 0) {
			*ret = (unsigned)i;
			return 0;
		}
	(void)err_set(e, -EINVAL, "\"%s\" is not one of the choices", val);
	err_hint(e, "choose %s%s%s%s%s", words[0], n > 1 ? ", " : "", n > 1 ? words[1] : "",
		 n > 2 ? ", " : "", n > 2 ? words[2] : "");
	return -EINVAL;
}

static int parse_count(const char *val, uint64_t min, uint64_t max, unsigned *ret, struct err *e)
{
	uint64_t v;
	int r = num_u64(val, &v, e);

	if (r == 0 && (v < min || v > max))
		return err_set(e, -ERANGE, "\"%s\" is not from %u to %u", val, (unsigned)min,
			       (unsigned)max);
	if (r == 0)
		*ret = (unsigned)v;
	return r;
}

static int set_depth(struct place_spec *s, const char *val, struct err *e)
{
	s->depth_given = true;
	return parse_count(val, 0, DEPTH_MAX, &s->depth, e);
}

static int set_groups(struct place_spec *s, const char *val, struct err *e)
{
	return parse_count(val, 1, GROUPS_MAX, &s->groups, e);
}

static int set_fanout(struct place_spec *s, const char *val, struct err *e)
{
	static const char *const words[] = { "leaf", "top" };
	unsigned v = 0;
	int r = parse_word(val, words, ARRAY_LEN(words), &v, e);

	s->fanout = (enum place_fanout)v;
	return r;
}

static int set_spread(struct place_spec *s, const char *val, struct err *e)
{
	static const char *const words[] = { "compact", "cores", "nodes" };
	unsigned v = 0;
	int r = parse_word(val, words, ARRAY_LEN(words), &v, e);

	s->spread = (enum place_spread)v;
	return r;
}

static int set_cgroup(struct place_spec *s, const char *val, struct err *e)
{
	static const char *const words[] = { "start", "root" };
	unsigned v = 0;
	int r = parse_word(val, words, ARRAY_LEN(words), &v, e);

	s->root_group = v == 1;
	return r;
}

/* What is noted in the journal must mean the same from any folder. */
static int check_path(const char *val, struct err *e)
{
	if (*val != '/') {
		(void)err_set(e, -EINVAL, "\"%s\" is not a path that begins with \"/\"", val);
		err_hint(e, "give the whole path");
		return -EINVAL;
	}
	for (const char *p = val; (p = strstr(p, "/..")); p += 3)
		if (!p[3] || p[3] == '/')
			return err_set(e, -EINVAL, "path \"%s\" holds \"..\"", val);
	return 0;
}

static int set_parent(struct place_spec *s, const char *val, struct err *e)
{
	int r = check_path(val, e);
	size_t len = strlen(val);

	if (r < 0)
		return r;
	while (len > 1 && val[len - 1] == '/')
		len--;
	s->parent = xstrndup(val, len);
	return 0;
}

static int set_cpus(struct place_spec *s, const char *val, struct err *e)
{
	int r = num_set_parse(val, &s->cpus, e);

	if (r == 0 && num_set_count(&s->cpus) == 0)
		r = err_set(e, -EINVAL, "the list is empty");
	s->pinned = true;
	return r;
}

static int set_mems(struct place_spec *s, const char *val, struct err *e)
{
	int r = num_set_parse(val, &s->mems, e);

	if (r == 0 && num_set_count(&s->mems) == 0)
		r = err_set(e, -EINVAL, "the list is empty");
	s->bound = true;
	return r;
}

static int set_sock(struct place_spec *s, const char *val, struct err *e)
{
	return num_bool(val, &s->sock_account, e);
}

/* "KIND" or "KIND:SIZE"; returns whether @val is of that kind and its size is one. */
static int check_sized(const char *val, const char *kind, bool size_needed, struct err *e)
{
	size_t len = strlen(kind);
	uint64_t bytes;

	if (strncmp(val, kind, len) != 0 || (val[len] && val[len] != ':'))
		return 0;
	if (!val[len])
		return !size_needed ? 1 :
				      err_set(e, -EINVAL, "\"%s\" wants a size: %s:512M", val,
					      kind);
	return num_size(val + len + 1, &bytes, e) < 0 ? -EINVAL : 1;
}

static int set_fs(struct place_spec *s, const char *val, struct err *e)
{
	static const char *const kinds[] = { "tmpfs", "xfs-loop", "ext4-loop" };
	int r = strcmp(val, "dir") == 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(kinds); i++)
		r = check_sized(val, kinds[i], false, e);
	if (r < 0)
		return r;
	if (r == 0) {
		(void)err_set(e, -EINVAL, "there is no file system \"%s\"", val);
		err_hint(e, "choose dir, tmpfs[:SIZE], xfs-loop[:SIZE] or ext4-loop[:SIZE]");
		return -EINVAL;
	}
	s->fs = xstrdup(val);
	return 0;
}

static int set_dir(struct place_spec *s, const char *val, struct err *e)
{
	int r = check_path(val, e);

	if (r == 0)
		s->dir = xstrdup(val);
	return r;
}

static int set_swap(struct place_spec *s, const char *val, struct err *e)
{
	int r = check_sized(val, "zram", true, e);

	if (r < 0)
		return r;
	if (r == 0) {
		(void)err_set(e, -EINVAL, "there is no swap \"%s\"", val);
		err_hint(e, "say zram:SIZE");
		return -EINVAL;
	}
	s->swap = xstrdup(val);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct place_spec *s, const char *val, struct err *e);
} plain_keys[] = {
	{ "depth", set_depth },	  { "groups", set_groups }, { "fanout", set_fanout },
	{ "cgroup", set_cgroup }, { "cgroup-parent", set_parent }, { "cpus", set_cpus },
	{ "mems", set_mems },	  { "spread", set_spread }, { "fs", set_fs },
	{ "dir", set_dir },	  { "swap", set_swap },	    { "sock", set_sock },
};

/* Kernel names, for suggestions: knobs of both versions, and settings people slip on most. */
static const char *const common_names[] = {
	"memory.max", "memory.high", "memory.low", "memory.min", "memory.swap.max",
	"memory.swap.high", "memory.zswap.max", "memory.zswap.writeback", "memory.oom.group",
	"memory.limit_in_bytes", "memory.soft_limit_in_bytes", "memory.memsw.limit_in_bytes",
	"memory.kmem.limit_in_bytes", "memory.kmem.tcp.limit_in_bytes", "memory.swappiness",
	"memory.oom_control", "memory.use_hierarchy", "memory.move_charge_at_immigrate",
	"memory.peak", "memory.reclaim", "memory.force_empty", "memory.swap.peak",
	"vm.swappiness", "vm.percpu_pagelist_high_fraction",
};

static bool is_knob(const char *key)
{
	return str_starts(key, "memory.") || str_starts(key, "cpu.") || str_starts(key, "pids.") ||
	       str_starts(key, "cpuset.") || str_starts(key, "io.");
}

static bool is_setting(const char *key)
{
	return str_starts(key, "vm.") || str_starts(key, "kernel.") || str_starts(key, "fs.") ||
	       str_starts(key, "sys.") || str_starts(key, "/sys/") ||
	       str_starts(key, "/proc/sys/");
}

bool place_is_key(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(plain_keys); i++)
		if (strcmp(plain_keys[i].key, key) == 0)
			return true;
	return is_knob(key) || is_setting(key);
}

const char *place_nearest(const char *key)
{
	const char *names[ARRAY_LEN(plain_keys) + ARRAY_LEN(common_names)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain_keys); i++)
		names[n++] = plain_keys[i].key;
	for (size_t i = 0; i < ARRAY_LEN(common_names); i++)
		names[n++] = common_names[i];
	return str_nearest(key, names, n);
}

#define SLIP_LETTERS 2

/*
 * A name that is a slip away from a known one is refused; any other may be a file of a kernel
 * that is newer than this table, and the kernel will tell.
 */
static int check_knob_name(const char *file, struct err *e)
{
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(common_names); i++)
		if (strcmp(common_names[i], file) == 0)
			return 0;
	near = str_starts(file, "memory.") ? place_nearest(file) : NULL;
	if (!near || labs((long)strlen(near) - (long)strlen(file)) > SLIP_LETTERS)
		return 0;
	(void)err_set(e, -EINVAL, "there is no knob \"%s\"", file);
	err_hint(e, "did you mean \"%s\"?", near);
	return -EINVAL;
}

static int check_knob_value(const char *file, const char *val, struct err *e)
{
	static const char *const sizes[] = {
		"memory.max", "memory.high", "memory.low", "memory.min", "memory.swap.max",
		"memory.swap.high", "memory.zswap.max", "memory.limit_in_bytes",
		"memory.soft_limit_in_bytes", "memory.memsw.limit_in_bytes",
		"memory.kmem.limit_in_bytes", "memory.kmem.tcp.limit_in_bytes",
	};
	uint64_t bytes;

	if (strcmp(val, "max") == 0 || strcmp(val, "-1") == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		if (strcmp(file, sizes[i]) != 0)
			continue;
		if (num_size(val, &bytes, e) == 0)
			return 0;
		err_hint(e, "a size is a number with K, M, G or T, or \"max\"");
		return -EINVAL;
	}
	return *val ? 0 : err_set(e, -EINVAL, "the value is empty");
}

/* KNOB or KNOB@LEVEL */
static int add_knob(struct place_spec *s, const char *key, const char *val, struct err *e)
{
	const char *at = strchr(key, '@');
	_cleanup_free_ char *file = at ? xstrndup(key, (size_t)(at - key)) : xstrdup(key);
	uint64_t level = 0;
	int r = at ? num_u64(at + 1, &level, e) : 0;

	if (r == 0 && at && (level < 1 || level > DEPTH_MAX))
		r = err_set(e, -ERANGE, "level \"%s\" is not from 1 to %d", at + 1, DEPTH_MAX);
	if (r == 0)
		r = check_knob_name(file, e);
	if (r == 0)
		r = check_knob_value(file, val, e);
	if (r < 0)
		return r;
	s->knobs = xrealloc(s->knobs, s->n_knobs + 1, sizeof(*s->knobs));
	s->knobs[s->n_knobs++] = (struct place_knob){
		.file = steal_ptr(&file),
		.level = (int)level,
		.value = xstrdup(val),
	};
	return 0;
}

/*
 * "vm.swappiness" is proc/sys/vm/swappiness, "sys.kernel.mm.x" is sys/kernel/mm/x; a path is for
 * names that hold points themselves. NULL when @key is no such name.
 */
static char *setting_path(const char *key)
{
	char *path;

	if (*key == '/')
		return check_path(key, NULL) < 0 ? NULL : xstrdup(key + 1);
	if (strstr(key, "..") || strchr(key, '/'))
		return NULL;
	path = xasprintf("%s%s", str_starts(key, "sys.") ? "" : "proc/sys/", key);
	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
	return path;
}

static int add_setting(struct place_spec *s, const char *key, const char *val, struct err *e)
{
	char *path = setting_path(key);

	if (!path)
		return err_set(e, -EINVAL, "\"%s\" is no name of a setting", key);
	s->settings = xrealloc(s->settings, s->n_settings + 1, sizeof(*s->settings));
	s->settings[s->n_settings++] = (struct place_setting){
		.key = xstrdup(key),
		.path = path,
		.value = xstrdup(val),
	};
	return 0;
}

static int set_key(struct place_spec *s, const char *key, const char *val, struct err *e)
{
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(plain_keys); i++)
		if (strcmp(plain_keys[i].key, key) == 0)
			return plain_keys[i].set(s, val, e);
	if (is_knob(key))
		return add_knob(s, key, val, e);
	if (is_setting(key))
		return add_setting(s, key, val, e);
	near = place_nearest(key);
	(void)err_set(e, -EINVAL, "it is no key of a placement");
	if (near)
		err_hint(e, "did you mean \"%s\"?", near);
	return -EINVAL;
}

/* What the keys must satisfy among themselves, whatever the machine. */
static int check_together(const struct place_spec *s, struct err *e)
{
	if (s->groups > 1 && s->depth == 0) {
		(void)err_set(e, -EINVAL, "%u groups need a level of their own", s->groups);
		err_hint(e, "say depth=1 or more");
		return -EINVAL;
	}
	if (s->root_group && (s->depth || s->n_knobs || s->parent))
		return err_set(e, -EINVAL,
			       "cgroup=root excludes depth, cgroup-parent and knobs of a group");
	for (size_t i = 0; i < s->n_knobs; i++)
		if (s->knobs[i].level > (int)s->depth)
			return err_set(e, -EINVAL, "\"%s@%d\" is deeper than depth=%u",
				       s->knobs[i].file, s->knobs[i].level, s->depth);
	return 0;
}

int place_parse(const struct kvs *kvs, struct place_spec *ret, struct err *e)
{
	struct place_spec s = { .groups = 1 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < kvs->n; i++) {
		r = set_key(&s, kvs->v[i].key, kvs->v[i].val, e);
		if (r < 0)
			r = err_wrap(e, r, "\"%s\"", kvs->v[i].key);
	}
	if (r == 0)
		r = check_together(&s, e);
	if (r < 0) {
		place_spec_done(&s);
		return r;
	}
	*ret = s;
	return 0;
}

void place_spec_done(struct place_spec *s)
{
	for (size_t i = 0; i < s->n_knobs; i++) {
		free(s->knobs[i].file);
		free(s->knobs[i].value);
	}
	for (size_t i = 0; i < s->n_settings; i++) {
		free(s->settings[i].key);
		free(s->settings[i].path);
		free(s->settings[i].value);
	}
	free(s->knobs);
	free(s->settings);
	free(s->parent);
	free(s->fs);
	free(s->dir);
	free(s->swap);
	*s = (struct place_spec){ 0 };
}
