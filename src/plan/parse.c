// SPDX-License-Identifier: GPL-2.0-or-later
/* From a document to a plan: the top-level keys and the variants. Cases are in cases.c. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/draft.h"
#include "plan/sweep.h"
#include "target/target.h"

#define VARIANTS_MAX 64
#define VARIANT_NAME_MAX 40
#define NEAR_WORDS_MAX 256
#define OPTION_MAX 8192

static const char *const sections[] = { "place", "variants", "cases", "primary" };

static int unknown_top_key(const struct doc *doc, const struct doc_node *key, struct err *e)
{
	const char *words[32];
	size_t n = 0;

	for (size_t i = 0; i < plan_setting_count; i++)
		words[n++] = plan_setting_names[i];
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		words[n++] = sections[i];
	return doc_unknown(doc, key, e, "key of a plan", words, n);
}

static bool is_section(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (strcmp(key, sections[i]) == 0)
			return true;
	return false;
}

static int read_settings(const struct doc *doc, struct plan *p, struct err *e)
{
	const struct doc_node *root = doc->root;

	if (root->kind != DOC_MAP) {
		doc_fail(doc, root, e, -EINVAL, "a plan is a mapping of keys like \"cases:\"");
		err_hint(e, "docs/plans.md shows one");
		return -EINVAL;
	}
	for (size_t i = 0; i < root->n; i += 2) {
		const struct doc_node *key = root->v[i], *value = root->v[i + 1];
		int r;

		if (is_section(key->text))
			continue;
		if (!plan_is_setting(key->text))
			return unknown_top_key(doc, key, e);
		if (value->kind != DOC_TEXT || value->blank)
			return doc_fail(doc, value, e, -EINVAL, "\"%s\" needs one value",
					key->text);
		r = plan_setting(p, key->text, value->text, e);
		if (r < 0)
			return doc_wrap(doc, value, e, err_wrap(e, r, "\"%s\"", key->text));
	}
	return 0;
}

/* The placement common to all variants. */
static int read_place(struct draft *d, struct err *e)
{
	const struct doc_node *map = doc_get(d->doc->root, "place");

	if (!map || map->blank)
		return 0;
	if (map->kind != DOC_MAP)
		return doc_fail(d->doc, map, e, -EINVAL,
				"\"place\" must be a mapping like {cpus: 0-1}");
	for (size_t i = 0; i < map->n; i += 2) {
		const char *key = map->v[i]->text, *near = place_nearest(key);
		int r;

		if (!place_is_key(key))
			return doc_unknown(d->doc, map->v[i], e, "placement key", &near,
					   near ? 1 : 0);
		r = draft_read_place(d, key, map->v[i + 1], &d->place, e);
		if (r < 0)
			return r;
	}
	return draft_check_place(d, &d->place, map, e);
}

static int check_variant_name(const struct draft *d, const struct doc_node *name, struct err *e)
{
	size_t len = strlen(name->text);

	for (const char *c = name->text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-+", *c))
			return doc_fail(d->doc, name, e, -EINVAL,
					"variants are named by letters, digits and \"._-+\"");
	if (len == 0 || len > VARIANT_NAME_MAX)
		return doc_fail(d->doc, name, e, -EINVAL,
				"the name of a variant has 1 to %d characters", VARIANT_NAME_MAX);
	return 0;
}

static int unknown_variant_key(const struct draft *d, const struct plan_variant *v,
			       const struct doc_node *key, struct err *e)
{
	const char *words[NEAR_WORDS_MAX], *near_place = place_nearest(key->text);
	size_t n = 0;

	words[n++] = "target";
	for (size_t i = 0; target_find(v->target)->options[i] && n < NEAR_WORDS_MAX; i++)
		words[n++] = target_find(v->target)->options[i];
	if (near_place)
		words[n++] = near_place;
	for (size_t i = 0; i < d->cases.n; i++) {
		const struct param_spec *s = d->cases.v[i].workload->params;

		for (; s && s->name && n < NEAR_WORDS_MAX; s++)
			words[n++] = s->name;
	}
	if (str_nearest(key->text, words, n))
		return doc_unknown(d->doc, key, e, "key of a variant", words, n);
	doc_fail(d->doc, key, e, -EINVAL,
		 "\"%s\" is neither a placement key nor a parameter of any case", key->text);
	err_hint(e, "\"mmgauge list\" shows the parameters of each workload");
	return -EINVAL;
}

/* The one value of an overridden parameter; @spec is that of some workload that has it. */
static int read_override(const struct draft *d, const struct param_spec *spec,
			 const struct doc_node *value, struct kvs *ret, struct err *e)
{
	_cleanup_strv_ struct strv l = { 0 };
	int r;

	if (value->kind != DOC_TEXT || value->blank)
		return doc_fail(d->doc, value, e, -EINVAL, "\"%s\" of a variant needs one value",
				spec->name);
	r = sweep_expand(spec, value->text, d->n_cpus, &l, e);
	if (r < 0)
		return doc_wrap(d->doc, value, e, r);
	if (l.n != 1) {
		doc_fail(d->doc, value, e, -EINVAL, "\"%s\" of a variant needs one value, not %zu",
			 spec->name, l.n);
		err_hint(e, "make one variant for each, or let the cases sweep");
		return -EINVAL;
	}
	kvs_set(ret, spec->name, l.v[0]);
	return 0;
}

/* Is it a good value by itself for each workload that has it? All jobs are checked later. */
static int check_override(const struct draft *d, const char *key, const char *val,
			  const struct doc_node *value, struct err *e)
{
	_cleanup_kvs_ struct kvs one = { 0 };

	kvs_set(&one, key, val);
	for (size_t i = 0; i < d->cases.n; i++) {
		const struct workload *w = d->cases.v[i].workload;
		struct params params;
		struct err why = { 0 };
		int r;

		if (!draft_find_param(w, key))
			continue;
		r = params_parse(w, &one, &params, &why);
		if (r == 0)
			params_done(&params);
		if (r == 0 || !draft_is_about(&why, key))
			continue;
		if (e)
			*e = why;
		return doc_wrap(d->doc, value, e, r);
	}
	return 0;
}

static const struct param_spec *find_any_param(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->cases.n; i++) {
		const struct param_spec *s = draft_find_param(d->cases.v[i].workload, name);

		if (s)
			return s;
	}
	return NULL;
}

static bool is_any_vector(const struct draft *d, const char *key)
{
	for (size_t i = 0; i < d->cases.n; i++)
		if (draft_is_vector(d->cases.v[i].workload, key))
			return true;
	return false;
}

/* "cgroup" is a key of both: a version is for the target that boots, a group for the placement. */
static bool is_option(const struct plan_variant *v, const char *key, const struct doc_node *value)
{
	if (!target_has_option(target_find(v->target), key))
		return false;
	return !place_is_key(key) || (value->kind == DOC_TEXT && (str_eq(value->text, "v1") ||
								  str_eq(value->text, "v2")));
}

/* One value, or a list that is joined by commas. */
static int read_option(const struct draft *d, const char *key, const struct doc_node *value,
		       struct plan_variant *v, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(OPTION_MAX);

	for (size_t i = 0; value->kind == DOC_LIST && i < value->n; i++)
		str_addf(&text, "%s%s", i ? "," : "",
			 value->v[i]->kind == DOC_TEXT ? value->v[i]->text : "");
	if (value->kind == DOC_TEXT)
		str_add(&text, value->text);
	if (value->kind == DOC_MAP || value->blank || !str_ok(&text))
		return doc_fail(d->doc, value, e, -EINVAL, "\"%s\" needs one value", key);
	kvs_set(&v->options, key, str_text(&text));
	return 0;
}

static int read_target(const struct draft *d, const struct doc_node *map, struct plan_variant *v,
		       struct err *e)
{
	const struct doc_node *value = doc_get(map, "target");
	const char *near;

	if (value && (value->kind != DOC_TEXT || !target_find(value->text))) {
		doc_fail(d->doc, value, e, -EINVAL, "there is no target \"%s\"",
			 value->kind == DOC_TEXT ? value->text : "");
		near = value->kind == DOC_TEXT ? target_nearest(value->text) : NULL;
		if (near)
			err_hint(e, "did you mean \"%s\"?", near);
		else
			err_hint(e, "targets are \"local\" and \"vm\"");
		return -EINVAL;
	}
	v->target = xstrdup(value ? value->text : "local");
	return 0;
}

static int read_variant_key(const struct draft *d, const struct doc_node *key,
			    const struct doc_node *value, struct plan_variant *v, struct err *e)
{
	const struct param_spec *spec;
	int r;

	if (strcmp(key->text, "target") == 0)
		return 0; /* read before the others */
	if (is_option(v, key->text, value))
		return read_option(d, key->text, value, v, e);
	if (place_is_key(key->text))
		return draft_read_place(d, key->text, value, &v->place, e);
	spec = find_any_param(d, key->text);
	if (spec && is_any_vector(d, key->text)) {
		doc_fail(d->doc, key, e, -EINVAL, "\"%s\" can't be set by a variant", key->text);
		err_hint(e, "another program is another case");
		return -EINVAL;
	}
	if (!spec)
		return unknown_variant_key(d, v, key, e);
	r = read_override(d, spec, value, &v->params, e);
	if (r == 0)
		r = check_override(d, spec->name, kvs_get(&v->params, spec->name), value, e);
	return r;
}

static int read_variant(const struct draft *d, const struct doc_node *name,
			const struct doc_node *map, struct plan_variant *v, struct err *e)
{
	_cleanup_kvs_ struct kvs place = { 0 };
	int r = check_variant_name(d, name, e);

	if (r < 0)
		return r;
	v->name = xstrdup(name->text);
	if (map->kind != DOC_MAP && !map->blank)
		return doc_fail(d->doc, map, e, -EINVAL,
				"variant \"%s\" must be a mapping like {depth: 4}", name->text);
	r = read_target(d, map, v, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < map->n; i += 2) {
		r = read_variant_key(d, map->v[i], map->v[i + 1], v, e);
		if (r < 0)
			return r;
	}
	r = target_check_options(v->target, &v->options, e);
	if (r < 0)
		return doc_wrap(d->doc, map, e, r);
	kvs_copy(&place, &d->place);
	kvs_copy(&place, &v->place);
	r = draft_check_place(d, &place, map, e);
	return r < 0 ? r : place_parse(&place, &v->spec, e);
}

static int default_variant(const struct draft *d, struct plan *p, struct err *e)
{
	p->variants = xcalloc(1, sizeof(*p->variants));
	p->n_variants = 1;
	p->variants[0].name = xstrdup("base");
	p->variants[0].target = xstrdup("local");
	return place_parse(&d->place, &p->variants[0].spec, e);
}

static int read_variants(struct draft *d, struct plan *p, struct err *e)
{
	const struct doc_node *map = doc_get(d->doc->root, "variants");
	size_t n;
	int r = 0;

	if (!map || map->blank)
		return default_variant(d, p, e);
	if (map->kind != DOC_MAP) {
		doc_fail(d->doc, map, e, -EINVAL, "\"variants\" must be a mapping of names");
		err_hint(e, "write \"base: {depth: 0}\", without a dash");
		return -EINVAL;
	}
	n = map->n / 2;
	if (n == 0)
		return doc_fail(d->doc, map, e, -EINVAL, "\"variants\" is empty");
	if (n > VARIANTS_MAX)
		return doc_fail(d->doc, map, e, -E2BIG, "%zu variants are more than %d", n,
				VARIANTS_MAX);
	d->variants = map;
	p->variants = xcalloc(n, sizeof(*p->variants));
	for (; r == 0 && p->n_variants < n; p->n_variants++) {
		size_t i = p->n_variants;

		r = read_variant(d, map->v[2 * i], map->v[2 * i + 1], &p->variants[i], e);
	}
	return r;
}

static int read_cases(struct draft *d, struct err *e)
{
	const struct doc_node *cases = doc_get(d->doc->root, "cases");
	const struct doc_node *primary = doc_get(d->doc->root, "primary");
	int r;

	if (!cases || cases->blank) {
		doc_fail(d->doc, cases ? cases : d->doc->root, e, -EINVAL,
			 "the plan has no cases: nothing to run");
		err_hint(e, "add \"cases:\" and below it \"- page_fault1\"");
		return -EINVAL;
	}
	r = draft_read_cases(d, cases, &d->cases, e);
	if (r == 0 && primary)
		r = draft_read_cases(d, primary, &d->primary, e);
	return r;
}

#define _cleanup_draft_ __attribute__((cleanup(draft_done)))

int plan_from_doc(const struct doc *doc, unsigned n_cpus, struct plan *ret, struct err *e)
{
	_cleanup_draft_ struct draft d = { .doc = doc, .n_cpus = n_cpus };
	_cleanup_plan_ struct plan p = { 0 };
	int r;

	plan_defaults(&p);
	r = read_settings(doc, &p, e);
	if (r == 0)
		r = read_place(&d, e);
	if (r == 0)
		r = read_cases(&d, e);
	if (r == 0)
		r = read_variants(&d, &p, e);
	if (r == 0)
		r = draft_expand(&d, &p, e);
	if (r == 0)
		r = draft_mark_primary(&d, &p, e);
	if (r < 0)
		return r;
	*ret = p;
	p = (struct plan){ 0 };
	return 0;
}
