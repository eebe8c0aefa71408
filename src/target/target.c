// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

static const struct target_ops *const targets[] = {
	&target_local,
	&target_vm,
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

/* Folder of the running program, malloc'd, or NULL. */
static char *own_folder(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return xstrdup(self);
}

/* Beside the tool, then where make install puts it, then $MMGAUGE_AGENT. */
int target_find_agent(char **ret, struct err *e)
{
	_cleanup_free_ char *own = own_folder();
	_cleanup_free_ char *beside = xasprintf("%s/mmgauge-agent", own ? own : ".");
	_cleanup_free_ char *libexec = xasprintf("%s/../libexec/mmgauge/mmgauge-agent",
						 own ? own : ".");
	const char *const places[] = { beside, libexec, getenv("MMGAUGE_AGENT") };
	int r;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (!places[i] || access(places[i], X_OK) < 0)
			continue;
		*ret = xstrdup(places[i]);
		return 0;
	}
	r = err_set(e, -ENOENT, "could not find the program mmgauge-agent");
	err_hint(e, "it is looked for beside mmgauge, in ../libexec/mmgauge and in $MMGAUGE_AGENT");
	return r;
}

int target_find_plugin(char **ret, struct err *e)
{
	_cleanup_free_ char *own = own_folder();
	_cleanup_free_ char *beside = xasprintf("%s/mmgauge-tcg.so", own ? own : ".");
	_cleanup_free_ char *lib = xasprintf("%s/../lib/mmgauge/mmgauge-tcg.so", own ? own : ".");
	const char *const places[] = { beside, lib };
	int r;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (access(places[i], R_OK) < 0)
			continue;
		*ret = xstrdup(places[i]);
		return 0;
	}
	r = err_set(e, -ENOENT, "could not find the plugin mmgauge-tcg.so");
	err_hint(e, "it is looked for beside mmgauge and in ../lib/mmgauge");
	return r;
}

bool target_has_option(const struct target_ops *ops, const char *key)
{
	for (size_t i = 0; ops->options[i]; i++)
		if (strcmp(ops->options[i], key) == 0)
			return true;
	return false;
}

int target_check_options(const char *name, const struct kvs *options, struct err *e)
{
	const struct target_ops *ops = target_find(name);

	if (!ops)
		return err_set(e, -EINVAL, "there is no target \"%s\"", name);
	for (size_t i = 0; i < options->n; i++)
		if (!target_has_option(ops, options->v[i].key))
			return err_set(e, -EINVAL, "target \"%s\" has no option \"%s\"", name,
				       options->v[i].key);
	return ops->check ? ops->check(options, e) : 0;
}

int target_open(struct target *t, const char *name, const struct kvs *options, struct err *e)
{
	*t = (struct target){ .ops = target_find(name) };
	if (!t->ops)
		return err_set(e, -EINVAL, "there is no target \"%s\"", name);
	return t->ops->open(t, options, e);
}

bool target_boots(const struct target *t)
{
	return t->ops->boot != NULL;
}

int target_boot(struct target *t, struct err *e)
{
	return t->ops->boot ? t->ops->boot(t, e) : 0;
}

bool target_is_up(const struct target *t)
{
	return !t->ops->is_up || t->ops->is_up(t);
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
	free(r->profile);
	*r = (struct target_result){ 0 };
}
