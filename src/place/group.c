// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of a placement. With fanout=leaf all but the last level are one chain:
 *
 *	parent / mmgauge-ID / l2 / l3 / g0 g1 g2
 *
 * with fanout=top (or depth=1) the split is at the first level:
 *
 *	parent / mmgauge-ID-g0 / l2 / l3	mmgauge-ID-g1 / l2 / l3	…
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "place/internal.h"
#include "undo/undo.h"

/* What is noted is taken back whole, tasks included: it must not be somebody else's. */
static int note_new(struct place *p, const char *dir, struct err *e)
{
	int r;

	if (!fsx_exists(p->rootfd, dir + 1))
		return undo_note_rmdir_cgroup(p->undo, dir, e);
	r = err_set(e, -EEXIST, "cgroup \"%s\" is there already", dir);
	err_hint(e, "\"mmgauge clean\" takes back what a killed run left");
	return r;
}

/* Journal first, the twin before the group: taking back goes the other way round. */
static int note_group(struct place *p, const char *path, struct err *e)
{
	_cleanup_free_ char *dir = cg_dir(&p->env, path);
	_cleanup_free_ char *twin = cg_cpu_dir(&p->env, path);
	int r = twin ? note_new(p, twin, e) : 0;

	return r < 0 ? r : note_new(p, dir, e);
}

/* "memory" and what else the knobs need: "cpu.max" needs "cpu". v1 has one hierarchy for each. */
static char *controllers_of(const struct place_spec *s)
{
	_cleanup_str_ struct str list = STR_INIT(4096);

	str_add(&list, "memory");
	for (size_t i = 0; i < s->n_knobs; i++) {
		const char *file = s->knobs[i].file;
		size_t len = strcspn(file, ".");
		_cleanup_free_ char *name = xasprintf(",%.*s", (int)len, file);

		if (!str_starts(file, "memory.") && !strstr(str_text(&list), name))
			str_add(&list, name);
	}
	return xstrdup(str_text(&list));
}

/* Makes one group below @parent and sets the knobs of its level. */
static int make_group(struct place *p, const struct cg *parent, const char *name, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", str_eq(parent->path, "/") ? "" :
								parent->path, name);
	_cleanup_free_ char *controllers = controllers_of(p->spec);
	int r = note_group(p, path, e);

	if (r == 0)
		r = cg_make(parent, name, controllers, &p->made[p->n_made], e);
	if (r == 0)
		p->n_made++;
	return r;
}

/* Sizes may be rounded to a page; of "100000" some files make "100000 100000". */
static bool same_value(const char *want, const char *got)
{
	uint64_t a, b, page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t len = strlen(want);

	if (!*got || (strncmp(want, got, len) == 0 && (!got[len] || got[len] == ' ')))
		return true;
	if (num_size(want, &a, NULL) < 0 || num_size(got, &b, NULL) < 0)
		return false;
	return (a > b ? a - b : b - a) <= page;
}

/* Remembers a group that can be reached by a limit; several knobs count once. */
static void note_limit(struct place *p, const struct cg *cg, const struct place_knob *k)
{
	size_t index = (size_t)(cg - p->made);

	if (str_eq(k->value, "max") ||
	    (!str_eq(k->file, "memory.max") && !str_eq(k->file, "memory.high")) ||
	    (p->n_limited && p->limited[p->n_limited - 1] == index))
		return;
	p->limited = xrealloc(p->limited, p->n_limited + 1, sizeof(*p->limited));
	p->limited[p->n_limited++] = index;
}

static int set_knob(struct place *p, unsigned group, const struct cg *cg,
		    const struct place_knob *k, struct err *e)
{
	_cleanup_free_ char *got = NULL;
	const char *file;
	int r = cg_set(cg, k->file, k->value, &got, &file, e);

	if (r < 0)
		return r;
	place_record(p, group, cg->level, cg->path, k->file, k->value, got, file)->kind =
		RECORD_KNOB;
	note_limit(p, cg, k);
	if (same_value(k->value, got))
		return 0;
	(void)err_set(e, -EINVAL, "\"%s\" of group \"%s\" was set to %s but reads %s", k->file,
		      cg->path, k->value, got);
	err_hint(e, "give a value that the kernel takes as it is");
	return -EINVAL;
}

/* v1 wants memory.max before memory.swap.max, so that goes first whatever the order given. */
static int set_knobs(struct place *p, unsigned group, unsigned level, const struct cg *cg,
		     struct err *e)
{
	bool leaf = level == p->spec->depth || p->spec->depth == 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < p->spec->n_knobs; i++) {
			const struct place_knob *k = &p->spec->knobs[i];
			bool max = str_eq(k->file, "memory.max");
			int r;

			if (max != (pass == 0) ||
			    !(k->level ? k->level == (int)level : leaf))
				continue;
			r = set_knob(p, group, cg, k, e);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* cgroup v1 accounts sockets of a group only once its TCP limit was set (mm/memcontrol-v1.c). */
static int activate_sockets(struct place *p, unsigned group, const struct cg *cg, struct err *e)
{
	struct place_knob k = {
		.file = (char[]){ "memory.kmem.tcp.limit_in_bytes" },
		.value = (char[]){ "1T" },
	};

	if (!p->spec->sock_account || p->env.memory.version != CG_V1)
		return 0;
	return set_knob(p, group, cg, &k, e);
}

static int add_level(struct place *p, unsigned group, unsigned level, const struct cg *parent,
		     const char *name, struct err *e)
{
	const struct cg *cg;
	int r = make_group(p, parent, name, e);

	if (r < 0)
		return r;
	cg = &p->made[p->n_made - 1];
	place_record(p, group, cg->level, cg->path, "group", "", "", "");
	return set_knobs(p, group, level, cg, e);
}

static void level_name(const struct place *p, unsigned level, unsigned group, bool split,
		       char *buf, size_t len)
{
	if (level == 1 && split)
		(void)snprintf(buf, len, "mmgauge-%s-g%u", p->id, group);
	else if (level == 1)
		(void)snprintf(buf, len, "mmgauge-%s", p->id);
	else if (split)
		(void)snprintf(buf, len, "g%u", group);
	else
		(void)snprintf(buf, len, "l%u", level);
}

/* The levels from @from to the leaf of one group, below made[@parent] or, at 1, below base. */
static int make_chain(struct place *p, unsigned group, unsigned from, unsigned to, size_t parent,
		      const struct cg *base, struct err *e)
{
	const struct place_spec *s = p->spec;
	unsigned split_level = s->fanout == FANOUT_TOP ? 1 : s->depth;

	for (unsigned level = from; level <= to; level++) {
		const struct cg *above = level == 1 ? base : &p->made[parent];
		char name[128];
		int r;

		level_name(p, level, group, s->groups > 1 && level == split_level, name,
			   sizeof(name));
		r = add_level(p, group, level, above, name, e);
		if (r < 0)
			return r;
		parent = p->n_made - 1;
	}
	return 0;
}

#define FDS_BESIDES 256 /* descriptors that workers, workload and the rest may need */

/* Every group is held open in both hierarchies. */
static int allow_files(size_t n_groups, struct err *e)
{
	rlim_t want = 2 * n_groups + FDS_BESIDES;
	struct rlimit lim;
	int r;

	if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return err_errno(e, errno, "could not read the limit of open files");
	if (lim.rlim_cur >= want)
		return 0;
	if (lim.rlim_max < want) {
		r = err_set(e, -EMFILE, "%zu groups need %llu open files, the limit is %llu",
			    n_groups, (unsigned long long)want, (unsigned long long)lim.rlim_max);
		err_hint(e, "raise it (ulimit -Hn), or use fewer groups");
		return r;
	}
	lim.rlim_cur = want;
	if (setrlimit(RLIMIT_NOFILE, &lim) < 0)
		return err_errno(e, errno, "could not raise the limit of open files");
	return 0;
}

static int make_groups(struct place *p, const struct cg *base, struct err *e)
{
	const struct place_spec *s = p->spec;
	unsigned shared = s->fanout == FANOUT_TOP || s->depth == 0 ? 0 : s->depth - 1;
	size_t most = (size_t)s->groups * (s->depth - shared + (s->depth == 0)) + shared;
	size_t shared_end = 0;
	int r = allow_files(most, e);

	/* never reallocated: struct cg are pointed to */
	p->made = xcalloc(most, sizeof(*p->made));
	p->leaf = xcalloc(s->groups, sizeof(*p->leaf));
	if (r == 0)
		r = make_chain(p, 0, 1, shared, 0, base, e);
	if (r == 0 && shared)
		shared_end = p->n_made - 1;
	for (unsigned g = 0; r == 0 && g < s->groups; g++) {
		unsigned depth = s->depth ? s->depth : 1; /* v2: a leaf directly in the scope */

		r = make_chain(p, g, shared + 1, depth, shared_end, base, e);
		if (r < 0)
			break;
		p->leaf[g] = p->n_made - 1;
		r = activate_sockets(p, g, &p->made[p->leaf[g]], e);
	}
	return r;
}

/* Notes what entering the scope will change, then enters it. */
static int enter_scope(struct place *p, struct err *e)
{
	struct cg_scope_plan plan = { 0 };
	int r = cg_scope_plan(&p->env, p->spec->parent, p->id, &plan, e);

	if (r == 0 && plan.way == CG_SCOPE_SIBLING)
		r = note_group(p, plan.base, e);
	if (r == 0 && plan.way == CG_SCOPE_SUPERVISOR) {
		_cleanup_free_ char *from = cg_dir(&p->env, plan.supervisor);
		_cleanup_free_ char *to = cg_dir(&p->env, plan.base);

		r = undo_note_rmdir(p->undo, from, e);
		if (r == 0)
			r = undo_note_move_procs(p->undo, from, to, e);
	}
	cg_scope_plan_done(&plan);
	if (r == 0)
		r = cg_scope_enter(&p->env, p->spec->parent, p->id, &p->scope, e);
	p->have_scope = r == 0;
	return r;
}

/*
 * The group that tasks run in without one of our own. Only to be told about the start group is
 * no need; a group that was asked for by name must be there.
 */
static int use_own(struct place *p, struct err *e)
{
	const char *path = p->spec->root_group ? "/" :
			   p->spec->parent     ? p->spec->parent :
						 p->env.memory.start;
	bool asked = p->spec->root_group || p->spec->parent;
	int r = cg_open(&p->env, path, &p->own, asked ? e : NULL);

	p->have_own = r == 0;
	if (p->have_own)
		place_record(p, 0, p->own.level, p->own.path, "group", "", "", "");
	return asked ? r : 0;
}

static bool needs_groups(const struct place *p)
{
	const struct place_spec *s = p->spec;

	if (s->depth > 0)
		return true;
	/* depth 0 on v2 is a leaf in the scope, when a group was asked for at all */
	return p->env.memory.version == CG_V2 && !s->root_group &&
	       (s->depth_given || s->n_knobs || s->parent);
}

int place_open_groups(struct place *p, struct err *e)
{
	int r = cg_probe(p->rootfd, &p->env, e);

	if (r < 0)
		return r;
	p->have_env = true;
	if (p->env.memory.version == CG_NONE)
		return needs_groups(p) ?
			       err_set(e, -ENODEV, "no memory controller is mounted here") : 0;
	if (!needs_groups(p))
		return use_own(p, e);
	r = enter_scope(p, e);
	return r < 0 ? r : make_groups(p, &p->scope.base, e);
}

int place_enter(const struct place *p, unsigned group, bool entered, struct err *e)
{
	const struct cg *cg = NULL;

	undo_after_fork(p->undo);
	if (!entered && p->leaf)
		cg = &p->made[p->leaf[group]];
	else if ((p->spec->root_group || p->spec->parent) && p->have_own)
		cg = &p->own;
	if (cg) {
		int r = cg_enter(cg, 0, e);

		if (r < 0)
			return r;
	}
	return place_bind_mems(p, e);
}

int place_reread_knob(const struct place *p, const struct place_record *rec, char **ret,
		      struct err *e)
{
	_cleanup_free_ char *now = NULL;
	char buf[24];
	uint64_t a, b;
	int r;

	for (size_t i = 0; i < p->n_made; i++) {
		if (strcmp(p->made[i].path, rec->path) != 0)
			continue;
		r = cg_get(&p->made[i], rec->key, &now, e);
		if (r < 0)
			return r;
		/* spelled as it was asked for when it is the same amount, as cg_set does */
		if (num_size(now, &b, NULL) == 0 && num_size(rec->want, &a, NULL) == 0)
			*ret = xstrdup(a == b ? rec->want : num_fmt_size(buf, sizeof(buf), b));
		else
			*ret = steal_ptr(&now);
		return 0;
	}
	return err_set(e, -ENOENT, "cgroup \"%s\" is gone", rec->path);
}
