// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/trials.h"

#include "base/cleanup.h"
#include "judge/internal.h"
#include "stats/summary.h"

/* The picks of rounds @first to @last; borrowed. */
static struct judge_picks slice(const struct judge_picks *all, unsigned first, unsigned last)
{
	struct judge_picks part = { .v = all->v };

	while (part.v < all->v + all->n && part.v->round < first)
		part.v++;
	while (part.v + part.n < all->v + all->n && part.v[part.n].round <= last)
		part.n++;
	return part;
}

static void count(struct judge_effect *f, double margin, bool higher_is_better,
		  struct judge_trials *t)
{
	if (!judge_has_interval(f)) {
		t->too_few++;
		return;
	}
	t->n++;
	switch (judge_verdict(f, margin, higher_is_better)) {
	case VERDICT_REGRESSED:
		t->regressed++;
		break;
	case VERDICT_IMPROVED:
		t->improved++;
		break;
	case VERDICT_NO_CHANGE:
		t->no_change++;
		break;
	case VERDICT_INCONCLUSIVE:
	case VERDICT_UNTRUSTWORTHY:
	case VERDICT_NONE:
		t->inconclusive++;
		break;
	}
}

/* The last round that the case has finished under both variants, whatever came of the runs. */
static unsigned last_round(const struct store_experiment *x, const struct store_data *d,
			   const struct store_case *c, size_t variant)
{
	unsigned last[2] = { 0 };

	for (size_t i = 0; i < d->n_runs; i++) {
		const struct store_ref *r = &d->runs[i];

		if (r->case_id != c->id)
			continue;
		for (size_t v = 0; v < 2; v++)
			if (r->variant == x->variants[v ? variant : 0].id && r->round > last[v])
				last[v] = r->round;
	}
	return last[0] < last[1] ? last[0] : last[1];
}

static void pool(const struct judge_picks *p, struct judge_trials *t)
{
	struct judge_effect f;
	struct judge_pairs pairs;

	judge_measure(&p[0], &p[1], JUDGE_PAIRED, &f);
	t->change = f.change;
	t->lo = f.lo;
	t->hi = f.hi;
	judge_pair(&p[0], &p[1], &pairs);
	t->n_pairs = pairs.n;
	t->sd = summary_stddev(pairs.log_ratio, pairs.n);
	judge_pairs_done(&pairs);
}

void judge_trials(const struct store_experiment *x, const struct store_data *d,
		  const struct store_case *c, const struct store_metric *m, size_t variant,
		  unsigned rounds, double margin, double shift, struct judge_trials *ret)
{
	struct judge_picks p[2];
	unsigned last = last_round(x, d, c, variant);

	*ret = (struct judge_trials){ 0 };
	for (size_t i = 0; i < 2; i++) {
		int64_t id = x->variants[i ? variant : 0].id;
		struct judge_side side = { 0 };

		judge_pick_rounds(d, store_data_find(d, c->id, m->id, id), false, &p[i], &side);
	}
	for (size_t i = 0; i < p[1].n; i++)
		p[1].v[i].value *= 1 + shift;
	pool(p, ret);
	for (unsigned from = 1; rounds && last >= rounds && from <= last - rounds + 1;
	     from += rounds) {
		struct judge_picks a = slice(&p[0], from, from + rounds - 1);
		struct judge_picks b = slice(&p[1], from, from + rounds - 1);
		struct judge_effect f;

		judge_measure(&a, &b, JUDGE_PAIRED, &f);
		count(&f, margin, m->higher_is_better, ret);
	}
	judge_picks_done(&p[0]);
	judge_picks_done(&p[1]);
}
