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

static int set_parent(struct place_spec *s, const char *val, struct err *e)
{
	if (*val != '/')
		return err_set(e, -EINVAL, "\"%s\" is not a path that begins with \"/\"", val);
	s->parent = xstrdup(val);
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
	if (!*val)
		return err_set(e, -EINVAL, "the path is empty");
	s->dir = xstrdup(val);
	return 0;
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

/* Kernel names people slip on most; for suggestions only. */
static const char *const common_names[] = {
	"memory.max", "memory.high", "memory.low", "memory.min", "memory.swap.max",
	"memory.zswap.max", "memory.oom.group", "vm.swappiness", "vm.percpu_pagelist_high_fraction",
};

static bool is_knob(const char *key)
{
	return str_starts(key, "memory.") || str_starts(key, "cpu.") || str_starts(key, "pids.") ||
	       str_starts(key, "cpuset.") || str_starts(key, "io.");
}

static bool is_setting(const char *key)
{
	return str_starts(key, "vm.") || str_starts(key, "kernel.") || str_starts(key, "fs.") ||
	       str_starts(key, "sys.");
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

/* KNOB or KNOB@LEVEL */
static int add_knob(struct place_spec *s, const char *key, const char *val, struct err *e)
{
	const char *at = strchr(key, '@');
	uint64_t level = 0;
	int r = at ? num_u64(at + 1, &level, e) : 0;

	if (r == 0 && at && (level < 1 || level > DEPTH_MAX))
		r = err_set(e, -ERANGE, "level \"%s\" is not from 1 to %d", at + 1, DEPTH_MAX);
	if (r < 0)
		return r;
	s->knobs = xrealloc(s->knobs, s->n_knobs + 1, sizeof(*s->knobs));
	s->knobs[s->n_knobs++] = (struct place_knob){
		.file = at ? xstrndup(key, (size_t)(at - key)) : xstrdup(key),
		.level = (int)level,
		.value = xstrdup(val),
	};
	return 0;
}

/* "vm.swappiness" is proc/sys/vm/swappiness, "sys.kernel.mm.x" is sys/kernel/mm/x. */
static int add_setting(struct place_spec *s, const char *key, const char *val, struct err *e)
{
	bool sysfs = str_starts(key, "sys.");
	char *path;

	if (strstr(key, "..") || strchr(key, '/'))
		return err_set(e, -EINVAL, "\"%s\" is no name of a setting", key);
	path = xasprintf("%s%s", sysfs ? "" : "proc/sys/", key);
	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
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
