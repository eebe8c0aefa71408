// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

static const struct target_ops *const targets[] = {
	&target_local,
};

const struct target_ops *target_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(targets); i++)
		if (strcmp(targets[i]->name, name) == 0)
			return targets[i];
	return NULL;
}

const char *target_nearest(const char *name)
{
	const char *names[ARRAY_LEN(targets)];

	for (size_t i = 0; i < ARRAY_LEN(targets); i++)
		names[i] = targets[i]->name;
	return str_nearest(name, names, ARRAY_LEN(targets));
}

int target_open(struct target *t, const char *name, const struct kvs *options, struct err *e)
{
	*t = (struct target){ .ops = target_find(name) };
	if (!t->ops)
		return err_set(e, -EINVAL, "there is no target \"%s\"", name);
	return t->ops->open(t, options, e);
}

int target_run(struct target *t, const struct target_job *job, struct target_result *ret,
	       struct err *e)
{
	return t->ops->run(t, job, ret, e);
}

void target_close(struct target *t)
{
	if (t->ops)
		t->ops->close(t);
	place_facts_done(&t->facts);
	kvs_done(&t->env);
	free(t->build);
	*t = (struct target){ 0 };
}

static void free_strings(char *const *strings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(strings[i]);
}

void target_result_done(struct target_result *r)
{
	for (size_t i = 0; i < r->n_samples; i++) {
		struct target_sample *s = &r->samples[i];

		free_strings((char *[]){ s->name, s->unit, s->help }, 3);
	}
	for (size_t i = 0; i < r->n_counters; i++) {
		struct target_counter *c = &r->counters[i];

		free_strings((char *[]){ c->where, c->name, c->unit }, 3);
	}
	for (size_t i = 0; i < r->n_places; i++) {
		struct target_place *p = &r->places[i];

		free_strings((char *[]){ p->path, p->key, p->want, p->got, p->file }, 5);
	}
	for (size_t i = 0; i < r->n_notes; i++) {
		struct target_note *n = &r->notes[i];

		free_strings((char *[]){ n->kind, n->code, n->text }, 3);
	}
	free(r->samples);
	free(r->counters);
	free(r->places);
	free(r->notes);
	free(r->status);
	free(r->hint);
	*r = (struct target_result){ 0 };
}
