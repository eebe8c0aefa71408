// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/claim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "judge/internal.h"
#include "stats/equiv.h"
#include "stats/multiple.h"
#include "stats/power.h"

#define LEVEL_ONE_SIDED (2 * JUDGE_ALPHA) /* of a two-sided test whose one end is at 5 % */

const char *ruling_name(enum ruling r)
{
	switch (r) {
	case RULING_HELD:
		return "held";
	case RULING_BROKEN:
		return "broken";
	case RULING_CANT_TELL:
		break;
	}
	return "can't tell";
}

void judge_contract_done(struct judge_contract *c)
{
	free(c->v);
	*c = (struct judge_contract){ 0 };
}

/* The changes that a claim allows; an end that doesn't matter is infinite. */
struct range {
	double lo, hi;
};

static struct range range_of(const struct judge_claim *c, bool higher_is_better)
{
	struct range better_than = { 0, HUGE_VAL };

	if (c->kind == CLAIM_NO_CHANGE)
		return (struct range){ -c->margin, c->margin };
	better_than.lo = c->kind == CLAIM_GAIN ? c->margin : -c->margin;
	if (higher_is_better)
		return better_than;
	return (struct range){ -HUGE_VAL, -better_than.lo };
}

static bool inside(const struct range *r, double lo, double hi)
{
	return (isinf(r->lo) || lo > r->lo) && (isinf(r->hi) || hi < r->hi);
}

static bool outside(const struct range *r, double change)
{
	return change < r->lo || change > r->hi;
}

/* What stands against any ruling, before numbers are looked at. */
static enum ruling_why obstacle(const struct judge_checked *k, const struct range *r)
{
	const struct judge_effect *f = &k->effect;

	if (r->hi <= -1)
		return WHY_IMPOSSIBLE;
	if (judge_side_untrustworthy(&k->side[0]) || judge_side_untrustworthy(&k->side[1]))
		return k->side[0].n + k->side[0].n_bad && k->side[1].n + k->side[1].n_bad ?
			       WHY_UNTRUSTWORTHY : WHY_NO_SAMPLES;
	if (f->single_boot && !f->exact)
		return WHY_SINGLE_BOOT;
	if (f->no_ratio)
		return WHY_NO_RATIO;
	if (f->n == 0)
		return WHY_NO_SAMPLES;
	return judge_has_interval(f) ? WHY_DECIDED : WHY_FEW;
}

static void measure(const struct judge_contract *all, const struct store_data *d,
		    struct judge_checked *k)
{
	const struct store_experiment *x = all->x;
	enum judge_pairing pairing = judge_pairing_of(x);
	bool by_sample = judge_by_sample(x, d, k->c, k->m);
	struct range r = range_of(k->claim, k->m->higher_is_better);
	const size_t variant[] = { all->base, k->variant };
	struct judge_picks picks[2];

	for (size_t i = 0; i < 2; i++) {
		int64_t id = x->variants[variant[i]].id;

		judge_pick_rounds(d, store_data_find(d, k->c->id, k->m->id, id), by_sample,
				  &picks[i], &k->side[i]);
		k->side[i].n_failed = judge_count_failed(d, k->c->id, id);
	}
	judge_measure(&picks[0], &picks[1], pairing, &k->effect);
	k->effect.by_sample = by_sample;
	k->why = obstacle(k, &r);
	if (k->why == WHY_DECIDED && outside(&r, k->effect.change))
		k->p = judge_p_at(&picks[0], &picks[1], pairing,
				  k->effect.change < r.lo ? r.lo : r.hi);
	judge_picks_done(&picks[0]);
	judge_picks_done(&picks[1]);
}

/* Holm over all comparisons that were made; what can't be tested stays in with p = 1. */
static void adjust(struct judge_contract *all)
{
	_cleanup_free_ double *p = xcalloc(all->n + 1, sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].m && !all->v[i].effect.exact)
			p[n++] = all->v[i].p;
	all->family = n;
	multiple_holm(p, n, p);
	n = 0;
	for (size_t i = 0; i < all->n; i++)
		all->v[i].p_adjusted = all->v[i].m && !all->v[i].effect.exact ? p[n++] :
										all->v[i].p;
}

/* Pairs with which the estimate, were it the truth, would be shown in or out of the range. */
static double pairs_needed(const struct judge_effect *f, const struct range *r, size_t family)
{
	double sd = judge_spread(f), at = log1p(f->change);
	double below = at - (isinf(r->lo) ? -HUGE_VAL : log1p(r->lo));
	double above = (isinf(r->hi) ? HUGE_VAL : log1p(r->hi)) - at;
	uint64_t n;

	if (below < 0 || above < 0)
		n = power_rounds(sd, below < 0 ? below : above, JUDGE_ALPHA / (double)family,
				 POWER_USUAL);
	else if (isinf(below) || isinf(above))
		n = power_rounds(sd, fmin(below, above), LEVEL_ONE_SIDED, POWER_USUAL);
	else
		n = power_equiv_rounds(sd, below, above, JUDGE_ALPHA, POWER_USUAL);
	return ceil((double)n / JUDGE_RANK_EFFICIENCY);
}

static unsigned more_rounds(const struct judge_checked *k, const struct range *r, size_t family)
{
	const struct judge_effect *f = &k->effect;
	double least = judge_least_n(f, outside(r, f->change) ? family : 1), need;

	if (k->why == WHY_FEW)
		return (unsigned)fmax(1, least - (double)f->n);
	need = pairs_needed(f, r, family);
	if (!(need > 0))
		return 0;
	need = fmax(need, least);
	return need > (double)f->n ? (unsigned)(need - (double)f->n) : 1;
}

static void rule(const struct judge_contract *all, struct judge_checked *k)
{
	const struct judge_effect *f = &k->effect;
	struct range r;

	k->ruling = RULING_CANT_TELL;
	if (!k->m || (k->why != WHY_DECIDED && k->why != WHY_FEW))
		return;
	r = range_of(k->claim, k->m->higher_is_better);
	if (k->why == WHY_DECIDED && outside(&r, f->change)) {
		if (k->p_adjusted <= JUDGE_ALPHA)
			k->ruling = RULING_BROKEN;
	} else if (k->why == WHY_DECIDED && (f->exact || inside(&r, f->lo90, f->hi90))) {
		k->ruling = RULING_HELD;
	}
	if (k->ruling != RULING_CANT_TELL)
		return;
	if (k->why == WHY_DECIDED)
		k->why = WHY_SPREAD;
	k->more_rounds = more_rounds(k, &r, all->family ? all->family : 1);
}

static struct judge_checked *add(struct judge_contract *all, const struct judge_claim *claim)
{
	struct judge_checked *k;

	all->v = xrealloc(all->v, all->n + 1, sizeof(*all->v));
	k = &all->v[all->n++];
	*k = (struct judge_checked){ .claim = claim, .p = 1, .p_adjusted = 1,
				     .ruling = RULING_CANT_TELL };
	return k;
}

static const struct store_metric *metric_of(const struct store_experiment *x,
					    const struct store_case *c, const char *name)
{
	for (size_t i = 0; i < x->n_metrics; i++) {
		const struct store_metric *m = &x->metrics[i];

		if (m->case_id == c->id && (name ? str_eq(m->name, name) : m->primary))
			return m;
	}
	return NULL;
}

static void check_case(struct judge_contract *all, const struct store_data *d,
		       const struct judge_claim *claim, const struct store_case *c)
{
	const struct store_experiment *x = all->x;
	const struct store_metric *m = metric_of(x, c, claim->metric);
	bool found = false;

	for (size_t v = 0; v < x->n_variants; v++) {
		struct judge_checked *k;

		if (v == all->base ||
		    (claim->variant && !str_eq(x->variants[v].name, claim->variant)))
			continue;
		found = true;
		k = add(all, claim);
		k->c = c;
		k->m = m;
		k->variant = v;
		if (m)
			measure(all, d, k);
		else /* of a case whose runs all failed no metric is known */
			k->why = claim->metric ? WHY_NO_METRIC : WHY_NO_SAMPLES;
		if (!m)
			for (size_t i = 0; i < 2; i++)
				k->side[i].n_failed = judge_count_failed(
					d, c->id, x->variants[i ? v : all->base].id);
	}
	if (!found) {
		struct judge_checked *k = add(all, claim);

		k->c = c;
		k->why = WHY_NO_VARIANT;
	}
}

static void check_claim(struct judge_contract *all, const struct store_data *d,
			const struct judge_claim *claim)
{
	size_t before = all->n;

	for (size_t i = 0; i < all->x->n_cases; i++) {
		const struct store_case *c = &all->x->cases[i];

		if (judge_row_matches(claim->row, c->workload, c->params, c->title))
			check_case(all, d, claim, c);
	}
	if (all->n == before)
		add(all, claim)->why = WHY_NO_ROW;
}

static enum ruling overall(const struct judge_contract *all)
{
	enum ruling r = all->n ? RULING_HELD : RULING_CANT_TELL;

	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i].ruling == RULING_BROKEN)
			return RULING_BROKEN;
		if (all->v[i].ruling == RULING_CANT_TELL)
			r = RULING_CANT_TELL;
	}
	return r;
}

static int find_base(const struct store_experiment *x, const char *name, size_t *ret,
		     struct err *e)
{
	_cleanup_free_ const char **names = xcalloc(x->n_variants + 1, sizeof(*names));
	const char *near;
	int r;

	for (size_t i = 0; i < x->n_variants; i++) {
		names[i] = x->variants[i].name;
		if (!name || str_eq(name, names[i])) {
			*ret = i;
			return 0;
		}
	}
	r = err_set(e, -ENOENT, "the base \"%s\" is no variant of the experiment",
		    name ? name : "");
	near = str_nearest(name ? name : "", names, x->n_variants);
	if (near)
		err_hint(e, "did you mean \"%s\"?", near);
	return r;
}

int judge_claims(const struct store_experiment *x, const struct store_data *d, const char *base,
		 const struct judge_claim *claims, size_t n, struct judge_contract *ret,
		 struct err *e)
{
	struct judge_contract all = { .x = x };
	int r = find_base(x, base, &all.base, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		check_claim(&all, d, &claims[i]);
	adjust(&all);
	for (size_t i = 0; i < all.n; i++)
		rule(&all, &all.v[i]);
	all.ruling = overall(&all);
	*ret = all;
	return 0;
}
