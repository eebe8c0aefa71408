// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/posted.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "judge/internal.h"
#include "stats/equiv.h"
#include "stats/multiple.h"
#include "stats/power.h"
#include "stats/ttest.h"

#define POSTED_MIN 2 /* runs of a side: the t test needs a spread, not ranks */

static struct ttest_side summary(const struct posted_side *s)
{
	return (struct ttest_side){ s->mean, s->stddev, s->n };
}

static bool testable(const struct judge_effect *f)
{
	return !f->exact && !f->no_ratio && f->n >= POSTED_MIN;
}

static void measure_welch(const struct posted_side *base, const struct posted_side *v,
			  struct judge_effect *f)
{
	struct ttest t = ttest_welch_log_summary(summary(v), summary(base), 1 - JUDGE_ALPHA);
	struct ttest t90 = ttest_welch_log_summary(summary(v), summary(base), EQUIV_LEVEL);

	if (!isfinite(t.se) || !isfinite(t.lo) || !isfinite(t.hi) || !isfinite(t90.lo))
		return; /* spreads beyond reason: their squares overflow */
	f->lo = f->t_lo = expm1(t.lo);
	f->hi = f->t_hi = expm1(t.hi);
	f->lo90 = expm1(t90.lo);
	f->hi90 = expm1(t90.hi);
	f->p = t.p;
	/* as measure_shift has it: n differences with the same standard error */
	f->mde = expm1(power_mde(t.se * sqrt((double)f->n), f->n, JUDGE_ALPHA, POWER_USUAL));
}

static void measure(const struct posted_side *base, const struct posted_side *v,
		    struct judge_effect *f)
{
	*f = (struct judge_effect){ .unpaired = true };
	judge_unknown(f);
	f->n = base->n < v->n ? base->n : v->n;
	f->change = judge_exact_change(base->mean, v->mean);
	f->no_ratio = !(base->mean > 0) || !(v->mean > 0);
	if (f->n >= POSTED_MIN && !(base->stddev > 0) && !(v->stddev > 0))
		judge_measure_exact(f->change, f);
	else if (testable(f))
		measure_welch(base, v, f);
	f->p_adjusted = f->p;
}

/* All comparisons that aren't decided by arithmetic; those that can't be tested with p = 1. */
static void adjust(struct posted *t)
{
	size_t most = 0, n = 0;
	_cleanup_free_ struct judge_effect **f = NULL;
	_cleanup_free_ double *p = NULL;

	for (size_t i = 0; i < t->n_rows; i++)
		most += t->rows[i].n_sides;
	f = xcalloc(most + 1, sizeof(*f));
	p = xcalloc(most + 1, sizeof(*p));
	for (size_t i = 0; i < t->n_rows; i++) {
		for (size_t v = 1; v < t->rows[i].n_sides; v++) {
			struct judge_effect *effect = &t->rows[i].side[v].effect;

			if (effect->exact)
				continue;
			f[n] = effect;
			p[n++] = effect->p;
		}
	}
	multiple_holm(p, n, p);
	for (size_t i = 0; i < n; i++)
		f[i]->p_adjusted = p[i];
	t->family = n;
}

static void decide(const struct posted *t, bool higher_is_better, struct judge_effect *f)
{
	f->verdict = VERDICT_INCONCLUSIVE;
	if (f->exact || testable(f))
		f->verdict = judge_decide(f, t->margin, higher_is_better);
	f->real_small = f->verdict == VERDICT_NO_CHANGE && f->p_adjusted <= JUDGE_ALPHA;
	if (f->verdict == VERDICT_INCONCLUSIVE)
		f->more_rounds = judge_more_rounds(f, t->margin, t->family);
}

void judge_posted(struct posted *t, double margin, bool higher_is_better)
{
	t->margin = margin;
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t v = 1; v < t->rows[i].n_sides; v++)
			measure(&t->rows[i].side[0], &t->rows[i].side[v],
				&t->rows[i].side[v].effect);
	adjust(t);
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t v = 1; v < t->rows[i].n_sides; v++)
			decide(t, higher_is_better, &t->rows[i].side[v].effect);
}

void posted_done(struct posted *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		for (size_t v = 0; v < t->rows[i].n_sides; v++)
			free(t->rows[i].side[v].variant);
		free(t->rows[i].side);
		free(t->rows[i].label);
	}
	free(t->rows);
	*t = (struct posted){ 0 };
}
