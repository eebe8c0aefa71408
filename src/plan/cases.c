// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of workloads with settings, as under "cases" and "primary": which workload, which of its
 * keys are placement and which parameters, and the values that each parameter takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/draft.h"
#include "plan/sweep.h"

const struct param_spec *draft_find_param(const struct workload *w, const char *name)
{
	for (const struct param_spec *s = w->params; s && s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

int draft_read_place(const struct draft *d, const char *key, const struct doc_node *value,
		     struct kvs *place, struct err *e)
{
	_cleanup_str_ struct str joined = STR_INIT(DOC_TEXT_MAX);
	_cleanup_free_ char *number = NULL;

	if (value->kind == DOC_MAP || value->blank)
		return doc_fail(d->doc, value, e, -EINVAL, "\"%s\" needs one value", key);
	if (value->kind == DOC_LIST && value->n == 0)
		return doc_fail(d->doc, value, e, -EINVAL, "the list of \"%s\" is empty", key);
	for (size_t i = 0; i < value->n; i++) {
		if (value->v[i]->kind != DOC_TEXT)
			return doc_fail(d->doc, value->v[i], e, -EINVAL,
					"\"%s\" must be a list of single values", key);
		str_addf(&joined, i ? ",%s" : "%s", value->v[i]->text);
	}
	if (value->kind == DOC_TEXT)
		number = sweep_product(value->text, d->n_cpus);
	kvs_set(place, key, number ? number : value->text ? value->text : str_text(&joined));
	return 0;
}

bool draft_is_about(const struct err *e, const char *key)
{
	static const char kind[] = "parameter ";
	const char *msg = e ? e->msg : "";
	size_t len = strlen(key);

	if (str_starts(msg, kind))
		msg += strlen(kind);
	return *msg == '"' && strncmp(msg + 1, key, len) == 0 && msg[len + 1] == '"';
}

int draft_check_place(const struct draft *d, const struct kvs *place, const struct doc_node *map,
		      struct err *e)
{
	struct place_spec spec;
	int r = place_parse(place, &spec, e);

	if (r == 0) {
		place_spec_done(&spec);
		return 0;
	}
	for (size_t i = 0; map->kind == DOC_MAP && i < map->n; i += 2)
		if (draft_is_about(e, map->v[i]->text))
			return doc_wrap(d->doc, map->v[i + 1], e, r);
	return doc_wrap(d->doc, map, e, r);
}

static int read_vector(const struct draft *d, const struct doc_node *key,
		       const struct doc_node *value, struct strv *ret, struct err *e)
{
	if (value->kind == DOC_MAP || value->blank || (value->kind == DOC_LIST && value->n == 0))
		return doc_fail(d->doc, value, e, -EINVAL,
				"\"%s\" needs a list: a program and its arguments", key->text);
	if (value->kind == DOC_TEXT)
		strv_add(ret, value->text);
	for (size_t i = 0; i < value->n; i++) {
		if (value->v[i]->kind != DOC_TEXT)
			return doc_fail(d->doc, value->v[i], e, -EINVAL,
					"an argument must be a single text");
		strv_add(ret, value->v[i]->text);
	}
	if (!*ret->v[0])
		return doc_fail(d->doc, value, e, -EINVAL, "the name of the program is empty");
	return 0;
}

static int add_values(const struct draft *d, const struct doc_node *value, struct draft_param *p,
		      struct err *e)
{
	int r;

	if (value->kind != DOC_TEXT)
		return doc_fail(d->doc, value, e, -EINVAL,
				"a value of \"%s\" must be a single text", p->spec->name);
	r = sweep_expand(p->spec, value->text, d->n_cpus, &p->values, e);
	if (r < 0)
		return doc_wrap(d->doc, value, e, r);
	if (p->values.n > SWEEP_MAX)
		return doc_fail(d->doc, value, e, -E2BIG, "\"%s\" has more than %d values",
				p->spec->name, SWEEP_MAX);
	return 0;
}

static int refuse_twice(const struct draft *d, const struct doc_node *list, struct err *e)
{
	for (size_t i = 0; i < list->n; i++)
		for (size_t j = 0; j < i; j++)
			if (str_eq(list->v[i]->text, list->v[j]->text))
				return doc_fail(d->doc, list->v[i], e, -EINVAL,
						"value \"%s\" is given twice", list->v[i]->text);
	return 0;
}

static int read_param(const struct draft *d, const struct param_spec *spec,
		      const struct doc_node *value, struct draft_case *c, struct err *e)
{
	struct draft_param *p;
	int r = 0;

	c->params = xrealloc(c->params, c->n_params + 1, sizeof(*c->params));
	p = &c->params[c->n_params++];
	*p = (struct draft_param){ .spec = spec, .node = value };
	if (value->kind == DOC_MAP || value->blank)
		return doc_fail(d->doc, value, e, -EINVAL, "\"%s\" needs a value", spec->name);
	if (value->kind == DOC_TEXT)
		return add_values(d, value, p, e);
	if (value->n == 0)
		return doc_fail(d->doc, value, e, -EINVAL, "the list of \"%s\" is empty",
				spec->name);
	for (size_t i = 0; r == 0 && i < value->n; i++)
		r = add_values(d, value->v[i], p, e);
	return r < 0 ? r : refuse_twice(d, value, e);
}

static int unknown_key(const struct draft *d, const struct workload *w, const struct doc_node *key,
		       struct err *e)
{
	const char *near_place = place_nearest(key->text);
	const char *words[128];
	char what[100];
	size_t n = 0;

	for (const struct param_spec *s = w->params; s && s->name && n < ARRAY_LEN(words) - 1; s++)
		words[n++] = s->name;
	if (near_place)
		words[n++] = near_place;
	(void)snprintf(what, sizeof(what), "parameter of workload %s, or placement key,", w->name);
	return doc_unknown(d->doc, key, e, what, words, n);
}

bool draft_is_vector(const struct workload *w, const char *key)
{
	return draft_find_param(w, "argv") &&
	       (strcmp(key, "argv") == 0 || strcmp(key, "prepare") == 0);
}

static int read_setting(const struct draft *d, const struct doc_node *key,
			const struct doc_node *value, struct draft_case *c, struct err *e)
{
	const struct param_spec *spec = draft_find_param(c->workload, key->text);

	if (draft_is_vector(c->workload, key->text))
		return read_vector(d, key, value,
				   strcmp(key->text, "argv") == 0 ? &c->argv : &c->prepare, e);
	if (place_is_key(key->text))
		return draft_read_place(d, key->text, value, &c->place, e);
	if (spec)
		return read_param(d, spec, value, c, e);
	return unknown_key(d, c->workload, key, e);
}

/*
 * "NAME", or a mapping with the one key NAME and settings below it. Returns the node of the name
 * or NULL with an error; *@ret_map is NULL when there are no settings.
 */
static const struct doc_node *split_item(const struct draft *d, const struct doc_node *item,
					 const struct doc_node **ret_map, struct err *e)
{
	const struct doc_node *name = item, *map = NULL;

	if (item->kind == DOC_MAP && item->n == 2) {
		name = item->v[0];
		map = item->v[1]->blank ? NULL : item->v[1];
	} else if (item->kind == DOC_MAP && item->n > 2) {
		doc_fail(d->doc, item->v[2], e, -EINVAL, "\"%s\" beside the workload \"%s\"",
			 item->v[2]->text, item->v[0]->text);
		err_hint(e, "indent parameters below the workload, or write \"- %s: {%s: …}\"",
			 item->v[0]->text, item->v[2]->text);
		return NULL;
	}
	if (name->kind != DOC_TEXT || name->blank) {
		doc_fail(d->doc, item, e, -EINVAL, "the name of a workload is missing");
		return NULL;
	}
	if (map && map->kind != DOC_MAP) {
		doc_fail(d->doc, map, e, -EINVAL,
			 "settings of workload \"%s\" must be a mapping like {tasks: 2}",
			 name->text);
		return NULL;
	}
	*ret_map = map;
	return name;
}

static int find_workload(const struct draft *d, const struct doc_node *name,
			 const struct workload **ret, struct err *e)
{
	const struct workload *w = workload_find(name->text);
	const char *near = w ? NULL : workload_nearest(name->text);

	if (w) {
		*ret = w;
		return 0;
	}
	if (near)
		return doc_fail(d->doc, name, e, -EINVAL,
				"unknown workload \"%s\"; did you mean \"%s\"?", name->text, near);
	doc_fail(d->doc, name, e, -EINVAL, "unknown workload \"%s\"", name->text);
	err_hint(e, "\"mmgauge list\" shows all");
	return -EINVAL;
}

static int read_case(const struct draft *d, const struct doc_node *item, struct draft_case *c,
		     struct err *e)
{
	const struct doc_node *map = NULL, *name = split_item(d, item, &map, e);
	int r;

	if (!name)
		return -EINVAL;
	r = find_workload(d, name, &c->workload, e);
	if (r < 0)
		return r;
	c->node = name;
	c->map = map ? map : name;
	for (size_t i = 0; r == 0 && map && i < map->n; i += 2)
		r = read_setting(d, map->v[i], map->v[i + 1], c, e);
	return r;
}

int draft_read_cases(const struct draft *d, const struct doc_node *list, struct draft_cases *ret,
		     struct err *e)
{
	int r = 0;

	if (list->kind != DOC_LIST) {
		doc_fail(d->doc, list, e, -EINVAL, "workloads must be a list");
		err_hint(e, "begin each with a dash: \"- page_fault1: {tasks: 2}\"");
		return -EINVAL;
	}
	if (list->n == 0)
		return doc_fail(d->doc, list, e, -EINVAL, "the list of workloads is empty");
	ret->v = xcalloc(list->n, sizeof(*ret->v));
	ret->n = list->n;
	for (size_t i = 0; r == 0 && i < list->n; i++)
		r = read_case(d, list->v[i], &ret->v[i], e);
	return r;
}

static void cases_done(struct draft_cases *l)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t j = 0; j < l->v[i].n_params; j++)
			strv_done(&l->v[i].params[j].values);
		free(l->v[i].params);
		kvs_done(&l->v[i].place);
		strv_done(&l->v[i].argv);
		strv_done(&l->v[i].prepare);
	}
	free(l->v);
}

void draft_done(struct draft *d)
{
	kvs_done(&d->place);
	cases_done(&d->cases);
	cases_done(&d->primary);
	*d = (struct draft){ 0 };
}
