// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From drafts to cases: every combination of the values of a workload's parameters becomes one
 * case; the parameter named first varies slowest. All jobs (case x variant) are checked here, so
 * that a plan that parses has no bad value in it.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/draft.h"
#include "workload/argv.h"

#define TITLE_MAX 1024
#define VECTOR_MAX 24000u /* two fit into the 64 KiB of a job's settings */
#define ID_MAX ((size_t)4 * DOC_TEXT_MAX) /* an encoded byte takes three */

/* A case that was made, to find the same one again; sorted by text in a tree of search.h. */
struct seen {
	char *id;
	const struct draft_case *from;
};

struct expansion {
	const struct draft *draft;
	struct plan *plan;
	void *seen;
	size_t cap;
};

static int seen_compare(const void *a, const void *b)
{
	return strcmp(((const struct seen *)a)->id, ((const struct seen *)b)->id);
}

static void seen_free(void *p)
{
	free(((struct seen *)p)->id);
	free(p);
}

static bool is_overridden(const struct plan *p, const char *param)
{
	for (size_t i = 0; i < p->n_variants; i++)
		if (kvs_get(&p->variants[i].params, param))
			return true;
	return false;
}

/* A message about one parameter is told where its value is. */
static int parse_params(const struct expansion *x, const struct draft_case *dc,
			const struct kvs *params, struct params *ret, struct err *e)
{
	int r = params_parse(dc->workload, params, ret, e);

	for (size_t i = 0; r < 0 && i < dc->n_params; i++)
		if (draft_is_about(e, dc->params[i].spec->name))
			return doc_wrap(x->draft->doc, dc->params[i].node, e, r);
	return r < 0 ? doc_wrap(x->draft->doc, dc->node, e, r) : 0;
}

/* Jobs under variants that change parameters; the case's own were checked before. */
static int check_jobs(const struct expansion *x, const struct draft_case *dc,
		      const struct plan_case *c, struct err *e)
{
	for (size_t i = 0; i < x->plan->n_variants; i++) {
		const struct plan_variant *v = &x->plan->variants[i];
		_cleanup_kvs_ struct kvs job = { 0 };
		struct params params;
		int r;

		if (v->params.n == 0)
			continue;
		plan_job_params(c, v, &job);
		r = params_parse(c->workload, &job, &params, e);
		if (r < 0)
			return doc_wrap(x->draft->doc, dc->node, e,
					err_wrap(e, r, "under variant \"%s\"", v->name));
		params_done(&params);
	}
	return 0;
}

/* Text of a parameter's default in canonical form. */
static const char *default_text(const struct params *defaults, size_t i)
{
	return defaults->n ? defaults->v[i].text : defaults->spec[i].def;
}

static void add_vector(struct str *out, const struct strv *argv)
{
	for (size_t i = 0; i < argv->n; i++)
		str_addf(out, " %s", argv->v[i]);
}

static char *make_title(const struct plan *p, const struct draft_case *dc,
			const struct params *params, const struct params *defaults)
{
	_cleanup_str_ struct str out = STR_INIT(TITLE_MAX);

	str_add(&out, dc->workload->name);
	for (size_t i = 0; i < params->n; i++) {
		const char *name = params->spec[i].name;

		if (!is_overridden(p, name) && !draft_is_vector(dc->workload, name) &&
		    !str_eq(params->v[i].text, default_text(defaults, i)))
			str_addf(&out, " %s=%s", name, params->v[i].text);
	}
	for (size_t i = 0; i < dc->place.n; i++)
		str_addf(&out, " %s=%s", dc->place.v[i].key, dc->place.v[i].val);
	add_vector(&out, &dc->argv);
	return xstrdup(str_text(&out));
}

static void add_id(struct str *out, const char *key, const char *val)
{
	str_addf(out, "%s=%zu:%s\n", key, strlen(val), val);
}

/* Everything that tells one case from another, unambiguous. */
static char *make_id(const struct draft_case *dc, const struct params *params)
{
	_cleanup_str_ struct str out = STR_INIT(ID_MAX);

	str_addf(&out, "%s\n", dc->workload->name);
	for (size_t i = 0; i < params->n; i++)
		add_id(&out, params->spec[i].name, params->v[i].text);
	for (size_t i = 0; i < dc->place.n; i++)
		add_id(&out, dc->place.v[i].key, dc->place.v[i].val);
	return xstrdup(str_text(&out));
}

/*
 * 1 when the case is new, 0 when the same sweep made it before (values that became equal on this
 * machine, such as 1 and cpus), an error when another line of the plan did.
 */
static int note_seen(struct expansion *x, const struct draft_case *dc, const struct params *params,
		     struct err *e)
{
	struct seen *s = xcalloc(1, sizeof(*s)), **found;

	*s = (struct seen){ make_id(dc, params), dc };
	found = tsearch(s, &x->seen, seen_compare);
	if (!found) {
		seen_free(s);
		return err_set(e, -ENOMEM, "could not note a case: out of memory");
	}
	if (*found == s)
		return 1;
	seen_free(s);
	if ((*found)->from == dc)
		return 0;
	return doc_fail(x->draft->doc, dc->node, e, -EINVAL,
			"a case of \"%s\" is given twice, first %s%u", dc->workload->name,
			(*found)->from->node->origin ? "in another argument" : "in line ",
			(*found)->from->node->line);
}

static struct plan_case *push_case(struct expansion *x)
{
	struct plan *p = x->plan;

	if (p->n_cases == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 16;
		p->cases = xrealloc(p->cases, x->cap, sizeof(*p->cases));
	}
	p->cases[p->n_cases] = (struct plan_case){ .primary = true };
	return &p->cases[p->n_cases++];
}

static void copy_strv(struct strv *to, const struct strv *from)
{
	for (size_t i = 0; i < from->n; i++)
		strv_add(to, from->v[i]);
}

static int set_vector(const struct expansion *x, const struct draft_case *dc, const char *key,
		      const struct strv *argv, struct kvs *params, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(VECTOR_MAX);

	if (argv->n == 0)
		return 0;
	argv_encode((const char *const *)argv->v, argv->n, &text);
	if (!str_ok(&text)) {
		doc_fail(x->draft->doc, dc->map, e, -E2BIG,
			 "\"%s\" is longer than %u bytes, encoded", key, VECTOR_MAX);
		err_hint(e, "put the arguments in a file that the program reads");
		return -E2BIG;
	}
	kvs_set(params, key, str_text(&text));
	return 0;
}

/* One combination: value pick[i] of parameter i. */
static int add_case(struct expansion *x, const struct draft_case *dc, const size_t *pick,
		    const struct params *defaults, struct err *e)
{
	_cleanup_(params_done) struct params params = { 0 };
	_cleanup_kvs_ struct kvs all = { 0 };
	struct plan_case *c;
	int r;

	for (size_t i = 0; i < dc->n_params; i++)
		kvs_set(&all, dc->params[i].spec->name, dc->params[i].values.v[pick[i]]);
	r = set_vector(x, dc, "argv", &dc->argv, &all, e);
	if (r == 0)
		r = set_vector(x, dc, "prepare", &dc->prepare, &all, e);
	if (r == 0)
		r = parse_params(x, dc, &all, &params, e);
	if (r == 0)
		r = note_seen(x, dc, &params, e);
	if (r <= 0)
		return r;
	c = push_case(x);
	c->workload = dc->workload;
	for (size_t i = 0; i < all.n; i++)
		kvs_set(is_overridden(x->plan, all.v[i].key) ? &c->fallback : &c->params,
			all.v[i].key, all.v[i].val);
	kvs_copy(&c->place, &x->draft->place);
	kvs_copy(&c->place, &dc->place);
	copy_strv(&c->argv, &dc->argv);
	copy_strv(&c->prepare, &dc->prepare);
	c->title = make_title(x->plan, dc, &params, defaults);
	return check_jobs(x, dc, c, e);
}

/* The next combination, last parameter fastest; false after the last one. */
static bool next_pick(const struct draft_case *dc, size_t *pick)
{
	for (size_t i = dc->n_params; i-- > 0;) {
		if (++pick[i] < dc->params[i].values.n)
			return true;
		pick[i] = 0;
	}
	return false;
}

static int check_count(const struct expansion *x, const struct draft_case *dc, struct err *e)
{
	size_t n = 1;

	for (size_t i = 0; i < dc->n_params; i++) {
		const struct draft_param *p = &dc->params[i];

		if (p->values.n > 1 && is_overridden(x->plan, p->spec->name))
			return doc_fail(x->draft->doc, p->node, e, -EINVAL,
					"\"%s\" sweeps here although a variant sets it",
					p->spec->name);
		if (__builtin_mul_overflow(n, p->values.n, &n))
			n = SIZE_MAX;
	}
	if (n > PLAN_CASES_MAX || x->plan->n_cases + n > PLAN_CASES_MAX)
		return doc_fail(x->draft->doc, dc->node, e, -E2BIG,
				"the sweeps make more than %d cases", PLAN_CASES_MAX);
	return 0;
}

/* The placement of a workload's cases with each variant's on top. */
static int check_places(const struct expansion *x, const struct draft_case *dc, struct err *e)
{
	for (size_t i = 0; dc->place.n && i < x->plan->n_variants; i++) {
		_cleanup_kvs_ struct kvs place = { 0 };
		int r;

		kvs_copy(&place, &x->draft->place);
		kvs_copy(&place, &dc->place);
		kvs_copy(&place, &x->plan->variants[i].place);
		r = draft_check_place(x->draft, &place, dc->map, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int expand_one(struct expansion *x, const struct draft_case *dc, struct err *e)
{
	_cleanup_(params_done) struct params defaults = { 0 };
	_cleanup_free_ size_t *pick = xcalloc(dc->n_params + 1, sizeof(*pick));
	const struct kvs none = { 0 };
	int r;

	if (draft_is_vector(dc->workload, "argv") && dc->argv.n == 0) {
		doc_fail(x->draft->doc, dc->node, e, -EINVAL, "workload \"%s\" needs a program",
			 dc->workload->name);
		err_hint(e, "in a plan \"argv: [./program, argument]\", else after \"--\"");
		return -EINVAL;
	}
	r = check_count(x, dc, e);
	if (r == 0)
		r = check_places(x, dc, e);
	if (r < 0)
		return r;
	if (params_parse(dc->workload, &none, &defaults, NULL) < 0)
		defaults = (struct params){ .spec = dc->workload->params };
	do {
		r = add_case(x, dc, pick, &defaults, e);
	} while (r == 0 && next_pick(dc, pick));
	return r;
}

int draft_expand(const struct draft *d, struct plan *p, struct err *e)
{
	struct expansion x = { .draft = d, .plan = p };
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->cases.n; i++)
		r = expand_one(&x, &d->cases.v[i], e);
	tdestroy(x.seen, seen_free);
	return r;
}
