// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which cases are in the family of verdicts: those that an item of "primary" names. The rest is
 * exploratory. An item that names none is a mistake, not an empty family.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "plan/draft.h"

/* One spelling for all that mean the same ("64K", "65536"), malloc'd. */
static char *normal_text(const struct param_spec *spec, const char *text)
{
	uint64_t v = 0;
	bool yes = false;
	int r = -EINVAL;

	if (spec->type == PARAM_U64)
		r = num_u64(text, &v, NULL);
	else if (spec->type == PARAM_SIZE)
		r = num_size(text, &v, NULL);
	else if (spec->type == PARAM_DURATION)
		r = num_duration(text, &v, NULL);
	else if (spec->type == PARAM_BOOL)
		r = num_bool(text, &yes, NULL);
	return r < 0 ? xstrdup(text) : xasprintf("%" PRIu64, v + yes);
}

/* The values of an item are normal, see below. */
static bool any_value(const struct draft_param *p, const char *have)
{
	_cleanup_free_ char *normal = normal_text(p->spec, have);

	for (size_t i = 0; i < p->values.n; i++)
		if (strcmp(normal, p->values.v[i]) == 0)
			return true;
	return false;
}

static void make_normal(struct draft_case *want)
{
	for (size_t i = 0; i < want->n_params; i++) {
		struct draft_param *p = &want->params[i];

		for (size_t j = 0; j < p->values.n; j++) {
			char *normal = normal_text(p->spec, p->values.v[j]);

			free(p->values.v[j]);
			p->values.v[j] = normal;
		}
	}
}

static bool same_strv(const struct strv *a, const struct strv *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]) != 0)
			return false;
	return true;
}

static bool matches(const struct draft_case *want, const struct plan_case *c)
{
	if (want->workload != c->workload || (want->argv.n && !same_strv(&want->argv, &c->argv)) ||
	    (want->prepare.n && !same_strv(&want->prepare, &c->prepare)))
		return false;
	for (size_t i = 0; i < want->n_params; i++) {
		const struct draft_param *p = &want->params[i];
		const char *have = kvs_get(&c->params, p->spec->name);

		if (!any_value(p, have ? have : p->spec->def))
			return false;
	}
	for (size_t i = 0; i < want->place.n; i++)
		if (!str_eq(kvs_get(&c->place, want->place.v[i].key), want->place.v[i].val))
			return false;
	return true;
}

/* A parameter that a variant sets is no property of a row. */
static int refuse_overridden(const struct draft *d, const struct plan *p,
			     const struct draft_case *want, struct err *e)
{
	for (size_t i = 0; i < want->n_params; i++) {
		const struct draft_param *param = &want->params[i];
		const char *name = param->spec->name;

		for (size_t j = 0; j < p->n_variants; j++)
			if (kvs_get(&p->variants[j].params, name))
				return doc_fail(d->doc, param->node, e, -EINVAL,
						"\"%s\" is set by variant \"%s\"", name,
						p->variants[j].name);
	}
	return 0;
}

int draft_mark_primary(struct draft *d, struct plan *p, struct err *e)
{
	for (size_t i = 0; d->primary.n && i < p->n_cases; i++)
		p->cases[i].primary = false;
	for (size_t i = 0; i < d->primary.n; i++) {
		struct draft_case *want = &d->primary.v[i];
		size_t found = 0;
		int r = refuse_overridden(d, p, want, e);

		if (r < 0)
			return r;
		make_normal(want);
		for (size_t j = 0; j < p->n_cases; j++) {
			if (!matches(want, &p->cases[j]))
				continue;
			p->cases[j].primary = true;
			found++;
		}
		if (!found)
			return doc_fail(d->doc, want->node, e, -EINVAL,
					"primary \"%s\" is none of the cases",
					want->workload->name);
	}
	return 0;
}
