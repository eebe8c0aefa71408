// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which cases are in the family of verdicts: those that an item of "primary" names. The rest is
 * exploratory. An item that names none is a mistake, not an empty family.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "plan/draft.h"

/* Does the canonical value @have, of which @want may be another spelling, mean the same? */
static bool same_value(const struct param_spec *spec, const char *have, const char *want)
{
	uint64_t a, b;
	bool x, y;

	switch (spec->type) {
	case PARAM_U64:
		return num_u64(have, &a, NULL) == 0 && num_u64(want, &b, NULL) == 0 && a == b;
	case PARAM_SIZE:
		return num_size(have, &a, NULL) == 0 && num_size(want, &b, NULL) == 0 && a == b;
	case PARAM_DURATION:
		return num_duration(have, &a, NULL) == 0 && num_duration(want, &b, NULL) == 0 &&
		       a == b;
	case PARAM_BOOL:
		return num_bool(have, &x, NULL) == 0 && num_bool(want, &y, NULL) == 0 && x == y;
	case PARAM_CHOICE:
	case PARAM_TEXT:
		break;
	}
	return strcmp(have, want) == 0;
}

static bool any_value(const struct draft_param *p, const char *have)
{
	for (size_t i = 0; i < p->values.n; i++)
		if (same_value(p->spec, have, p->values.v[i]))
			return true;
	return false;
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
	for (size_t i = 0; i < want->n_params; i++)
		for (size_t j = 0; j < p->n_variants; j++)
			if (kvs_get(&p->variants[j].params, want->params[i].spec->name))
				return doc_fail(d->doc, want->params[i].node, e, -EINVAL,
						"\"%s\" is set by variant \"%s\": rows don't differ in it",
						want->params[i].spec->name, p->variants[j].name);
	return 0;
}

int draft_mark_primary(const struct draft *d, struct plan *p, struct err *e)
{
	for (size_t i = 0; d->primary.n && i < p->n_cases; i++)
		p->cases[i].primary = false;
	for (size_t i = 0; i < d->primary.n; i++) {
		const struct draft_case *want = &d->primary.v[i];
		size_t found = 0;
		int r = refuse_overridden(d, p, want, e);

		if (r < 0)
			return r;
		for (size_t j = 0; j < p->n_cases; j++) {
			if (!matches(want, &p->cases[j]))
				continue;
			p->cases[j].primary = true;
			found++;
		}
		if (!found)
			return doc_fail(d->doc, want->node, e, -EINVAL,
					"primary \"%s\" is none of the cases", want->workload->name);
	}
	return 0;
}
