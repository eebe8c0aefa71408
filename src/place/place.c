// SPDX-License-Identifier: GPL-2.0-or-later
/* Making a placement and taking it back, all of it through the journal. */
#include "place/place.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "place/internal.h"
#include "undo/undo.h"

static void place_free(struct place *p)
{
	for (size_t i = 0; i < p->n_records; i++) {
		struct place_record *r = &p->records[i];

		free(r->path);
		free(r->key);
		free(r->want);
		free(r->got);
		free(r->file);
	}
	for (size_t i = 0; i < p->n_made; i++)
		cg_close(&p->made[i]);
	if (p->have_own)
		cg_close(&p->own);
	if (p->have_scope) {
		cg_close(&p->scope.base);
		free(p->scope.enabled);
	}
	if (p->have_env)
		cg_env_done(&p->env);
	free(p->records);
	free(p->made);
	free(p->leaf);
	free(p->limited);
	free(p->cpus);
	free(p->dir);
	free(p);
}

static int open_all(struct place *p, const char *default_fs, struct err *e)
{
	int r = place_open_cpus(p, e);

	if (r == 0)
		r = place_open_settings(p, e);
	if (r == 0)
		r = place_open_swap(p, e);
	if (r == 0)
		r = place_open_groups(p, e);
	if (r == 0)
		r = place_open_dir(p, default_fs, e);
	return r;
}

int place_open(int rootfd, const struct place_spec *s, const char *default_fs, const char *id,
	       struct undo *undo, struct place **ret, struct err *e)
{
	struct place *p = xcalloc(1, sizeof(*p));
	int r;

	*p = (struct place){
		.rootfd = rootfd,
		.spec = s,
		.undo = undo,
		.mark = undo_mark(undo),
		.id = id,
		.dirfd = -EBADF,
	};
	r = open_all(p, default_fs, e);
	if (r < 0) {
		(void)!place_close(p, NULL);
		return r;
	}
	*ret = p;
	return 0;
}

/*
 * Files go first (their journal entries are the last ones), so that eviction finds nothing
 * dirty; then the groups are emptied of page cache and removed.
 */
int place_close(struct place *p, struct err *e)
{
	int r;

	if (!p)
		return 0;
	if (p->dirfd >= 0) {
		(void)syncfs(p->dirfd);
		(void)close(p->dirfd);
		p->dirfd = -EBADF;
	}
	r = undo_back_to(p->undo, p->mark, e);
	place_free(p);
	return r;
}

unsigned place_groups(const struct place *p)
{
	return p->spec->groups;
}

int place_dirfd(const struct place *p)
{
	return p->dirfd;
}

const char *place_dir(const struct place *p)
{
	return p->dir;
}

const struct cg *place_leaf(const struct place *p, unsigned group)
{
	if (p->leaf)
		return &p->made[p->leaf[group]];
	return p->have_own ? &p->own : NULL;
}

bool place_own_groups(const struct place *p)
{
	return p->leaf != NULL;
}

int place_clone_fd(const struct place *p, unsigned group)
{
	if (!p->have_env || p->env.memory.version != CG_V2 || !p->leaf)
		return -EBADF;
	return p->made[p->leaf[group]].dirfd;
}

size_t place_limited(const struct place *p)
{
	return p->n_limited;
}

const struct cg *place_limited_group(const struct place *p, size_t i)
{
	return &p->made[p->limited[i]];
}

struct place_record *place_record(struct place *p, unsigned group, unsigned level,
				  const char *path, const char *key, const char *want,
				  const char *got, const char *file)
{
	p->records = xrealloc(p->records, p->n_records + 1, sizeof(*p->records));
	p->records[p->n_records++] = (struct place_record){
		.group = group,
		.level = level,
		.path = xstrdup(path),
		.key = xstrdup(key),
		.want = xstrdup(want),
		.got = xstrdup(got),
		.file = xstrdup(file),
	};
	return &p->records[p->n_records - 1];
}

static int reread(const struct place *p, const struct place_record *r, char **ret, struct err *e)
{
	switch (r->kind) {
	case RECORD_KNOB:
		return *r->got ? place_reread_knob(p, r, ret, e) : 0; /* some can't be read */
	case RECORD_SETTING:
		return place_reread_setting(p, r, ret, e);
	case RECORD_FIXED:
		break;
	}
	return 0;
}

int place_each_fact(const struct place *p, void (*fn)(const struct place_fact *f, void *arg),
		    void *arg, struct err *e)
{
	for (size_t i = 0; i < p->n_records; i++) {
		const struct place_record *r = &p->records[i];
		_cleanup_free_ char *now = NULL;
		int rc = reread(p, r, &now, e);
		struct place_fact f = {
			.group = r->group,
			.level = r->level,
			.path = r->path,
			.key = r->key,
			.want = r->want,
			.got = now ? now : r->got,
			.file = r->file,
		};

		if (rc < 0)
			return err_wrap(e, rc, "could not read the placement back");
		fn(&f, arg);
	}
	return 0;
}
