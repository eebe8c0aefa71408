// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of one comparison, and the verdict that they allow. */
#include <math.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "judge/internal.h"
#include "stats/equiv.h"
#include "stats/power.h"
#include "stats/rank.h"
#include "stats/sorted.h"
#include "stats/summary.h"
#include "stats/ttest.h"

static const double interval_level = 1 - JUDGE_ALPHA;

const char *verdict_name(enum verdict v)
{
	switch (v) {
	case VERDICT_REGRESSED:
		return "regressed";
	case VERDICT_IMPROVED:
		return "improved";
	case VERDICT_NO_CHANGE:
		return "no change";
	case VERDICT_INCONCLUSIVE:
		return "inconclusive";
	case VERDICT_UNTRUSTWORTHY:
		return "untrustworthy";
	case VERDICT_NONE:
		break;
	}
	return "none";
}

static bool constant(const struct judge_picks *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->v[i].value < p->v[0].value || p->v[i].value > p->v[0].value)
			return false;
	return p->n > 1; /* a single value says nothing about its spread */
}

double judge_exact_change(double base, double variant)
{
	double diff = variant - base;

	if (!(diff < 0 || diff > 0))
		return 0;
	return base < 0 || base > 0 ? diff / fabs(base) : copysign(HUGE_VAL, diff);
}

void judge_measure_exact(double change, struct judge_effect *f)
{
	f->exact = true;
	f->no_ratio = false;
	f->change = f->lo = f->hi = f->lo90 = f->hi90 = f->t_lo = f->t_hi = change;
	f->p = change < 0 || change > 0 ? 0 : 1;
	f->mde = 0;
}

void judge_unknown(struct judge_effect *f)
{
	f->lo = f->lo90 = f->t_lo = -HUGE_VAL;
	f->hi = f->hi90 = f->t_hi = HUGE_VAL;
	f->mde = HUGE_VAL;
	f->p = 1;
}

static void interval(const double *d, size_t n, double level, double *ret_lo, double *ret_hi)
{
	double lo, hi;

	if (!rank_signed_interval(d, n, level, &lo, &hi))
		return;
	*ret_lo = expm1(lo);
	*ret_hi = expm1(hi);
}

static void measure_ratios(const double *log_ratio, size_t n, struct judge_effect *f)
{
	_cleanup_free_ double *d = sorted_copy(log_ratio, n); /* sorted once for all that sort */
	struct ttest t;

	if (!n)
		return;
	t = ttest_one(d, n, interval_level);
	f->change = expm1(rank_centre(d, n));
	f->p = rank_signed_p(d, n);
	f->t_lo = expm1(t.lo);
	f->t_hi = expm1(t.hi);
	if (n < JUDGE_MIN_ROUNDS)
		return;
	interval(d, n, interval_level, &f->lo, &f->hi);
	interval(d, n, EQUIV_LEVEL, &f->lo90, &f->hi90);
	f->mde = expm1(power_mde(summary_stddev(d, n), n, JUDGE_ALPHA, POWER_USUAL));
}

/* Both sides on their own: differences of logs of any two of them. */
static void measure_shift(const struct judge_sides *s, struct judge_effect *f)
{
	double lo, hi, se_n;
	struct ttest t;

	if (!f->n)
		return;
	t = ttest_welch(s->variant, s->n_variant, s->base, s->n_base, interval_level);
	f->change = expm1(rank_shift(s->variant, s->n_variant, s->base, s->n_base));
	f->p = rank_sum_p(s->variant, s->n_variant, s->base, s->n_base);
	f->t_lo = expm1(t.lo);
	f->t_hi = expm1(t.hi);
	if (f->n < JUDGE_MIN_UNPAIRED)
		return;
	if (rank_shift_interval(s->variant, s->n_variant, s->base, s->n_base, interval_level, &lo,
				&hi)) {
		f->lo = expm1(lo);
		f->hi = expm1(hi);
	}
	if (rank_shift_interval(s->variant, s->n_variant, s->base, s->n_base, EQUIV_LEVEL, &lo,
				&hi)) {
		f->lo90 = expm1(lo);
		f->hi90 = expm1(hi);
	}
	/* as of n differences with the same standard error: n - 1 degrees are on the safe side */
	se_n = t.se * sqrt((double)f->n);
	f->mde = expm1(power_mde(se_n, f->n, JUDGE_ALPHA, POWER_USUAL));
}

static bool measured_exactly(const struct judge_picks *base, const struct judge_picks *variant,
			     struct judge_effect *f)
{
	if (!constant(base) || !constant(variant))
		return false;
	judge_measure_exact(judge_exact_change(base->v[0].value, variant->v[0].value), f);
	return true;
}

static void measure_unpaired(const struct judge_picks *base, const struct judge_picks *variant,
			     bool boots_known, struct judge_effect *f)
{
	struct judge_sides s;

	judge_split(base, variant, boots_known, &s);
	f->unpaired = true;
	f->n = s.n_base < s.n_variant ? s.n_base : s.n_variant;
	f->by_boot = s.by_boot;
	f->single_boot = s.single_boot;
	f->no_ratio = s.n_no_ratio > 0;
	if (measured_exactly(base, variant, f))
		f->n = base->n < variant->n ? base->n : variant->n;
	else
		measure_shift(&s, f);
	judge_sides_done(&s);
}

static void measure_paired(const struct judge_picks *base, const struct judge_picks *variant,
			   struct judge_effect *f)
{
	struct judge_pairs pairs;

	judge_pair(base, variant, &pairs);
	f->n = pairs.n;
	f->by_boot = pairs.by_boot;
	f->single_boot = pairs.single_boot;
	f->no_ratio = pairs.n_no_ratio > 0;
	if (pairs.n + pairs.n_no_ratio > 0 && measured_exactly(base, variant, f))
		f->n += pairs.n_no_ratio;
	else
		measure_ratios(pairs.log_ratio, pairs.n, f);
	judge_pairs_done(&pairs);
}

/* One value a side, which repeating only confirms: boots and rounds have nothing to add. */
static void measure_counted(const struct judge_picks *base, const struct judge_picks *variant,
			    struct judge_effect *f)
{
	f->counted = true;
	f->n = base->n < variant->n ? base->n : variant->n;
	if (f->n)
		judge_measure_exact(judge_exact_change(base->v[0].value, variant->v[0].value), f);
	f->exact = f->n > 1; /* once is not yet confirmed */
}

void judge_measure(const struct judge_picks *base, const struct judge_picks *variant,
		   enum judge_pairing pairing, struct judge_effect *ret)
{
	*ret = (struct judge_effect){ .verdict = VERDICT_NONE };
	judge_unknown(ret);
	if (pairing == JUDGE_PAIRED)
		measure_paired(base, variant, ret);
	else if (pairing == JUDGE_COUNTED)
		measure_counted(base, variant, ret);
	else
		measure_unpaired(base, variant, pairing == JUDGE_UNPAIRED, ret);
	ret->p_adjusted = ret->p;
}

static double p_paired_at(const struct judge_picks *base, const struct judge_picks *variant,
			  double log_bound)
{
	struct judge_pairs pairs;
	double p;

	judge_pair(base, variant, &pairs);
	for (size_t i = 0; i < pairs.n; i++)
		pairs.log_ratio[i] -= log_bound;
	p = rank_signed_p(pairs.log_ratio, pairs.n);
	judge_pairs_done(&pairs);
	return p;
}

static double p_unpaired_at(const struct judge_picks *base, const struct judge_picks *variant,
			    bool boots_known, double log_bound)
{
	struct judge_sides s;
	double p;

	judge_split(base, variant, boots_known, &s);
	for (size_t i = 0; i < s.n_variant; i++)
		s.variant[i] -= log_bound;
	p = rank_sum_p(s.variant, s.n_variant, s.base, s.n_base);
	judge_sides_done(&s);
	return p;
}

double judge_p_at(const struct judge_picks *base, const struct judge_picks *variant,
		  enum judge_pairing pairing, double bound)
{
	struct judge_effect exact = { 0 };

	if (measured_exactly(base, variant, &exact))
		return exact.change < bound || exact.change > bound ? 0 : 1;
	if (pairing == JUDGE_PAIRED)
		return p_paired_at(base, variant, log1p(bound));
	return p_unpaired_at(base, variant, pairing == JUDGE_UNPAIRED, log1p(bound));
}

static size_t least_n(const struct judge_effect *f)
{
	return f->unpaired ? JUDGE_MIN_UNPAIRED : JUDGE_MIN_ROUNDS;
}

bool judge_has_interval(const struct judge_effect *f)
{
	return f->exact || f->n >= least_n(f);
}

bool judge_testable(const struct judge_effect *f)
{
	return !f->single_boot && !f->no_ratio && f->n >= least_n(f);
}

bool judge_side_untrustworthy(const struct judge_side *s)
{
	return s->n_bad > s->n || (s->n == 0 && s->n_failed > 0);
}

static bool inside(double lo, double hi, double margin)
{
	return lo > -margin && hi < margin;
}

enum verdict judge_decide(const struct judge_effect *f, double margin, bool higher_is_better)
{
	bool moved = f->change < 0 || f->change > 0;

	if (f->exact && !moved)
		return VERDICT_NO_CHANGE;
	if (moved && f->p_adjusted <= JUDGE_ALPHA && !inside(f->lo, f->hi, margin))
		return (f->change > 0) == higher_is_better ? VERDICT_IMPROVED : VERDICT_REGRESSED;
	return inside(f->lo90, f->hi90, margin) ? VERDICT_NO_CHANGE : VERDICT_INCONCLUSIVE;
}

enum verdict judge_verdict(const struct judge_effect *f, double margin, bool higher_is_better)
{
	if (f->n == 0)
		return VERDICT_NONE;
	if (!f->exact && !judge_testable(f))
		return VERDICT_INCONCLUSIVE;
	return judge_decide(f, margin, higher_is_better);
}

uint64_t judge_can_decide(unsigned rounds)
{
	/* 2 / 2^n <= 1/20 / m; beyond 64 bits there is no limit that matters */
	if (rounds < JUDGE_MIN_ROUNDS)
		return 0;
	return rounds > 64 ? UINT64_MAX : (UINT64_C(1) << (rounds - 1)) / 20;
}

unsigned judge_rounds_for(uint64_t comparisons)
{
	unsigned n = JUDGE_MIN_ROUNDS;

	while (judge_can_decide(n) < comparisons)
		n++;
	return n;
}

/* The same without pairs: the smallest p of n v n is 2 / (2n over n). */
static unsigned values_for(uint64_t comparisons)
{
	double combinations = 70; /* 8 over 4 */
	unsigned n = JUDGE_MIN_UNPAIRED;

	while (2 / combinations > JUDGE_ALPHA / (double)comparisons) {
		n++;
		combinations *= 2 * (2.0 * n - 1) / n;
	}
	return n;
}

double judge_spread(const struct judge_effect *f)
{
	double unit = power_mde(1, f->n, JUDGE_ALPHA, POWER_USUAL);

	return log1p(f->mde) / unit;
}

static double pairs_needed(const struct judge_effect *f, double margin, size_t family)
{
	double centre = log1p(f->change), sd = judge_spread(f);
	double below = centre - equiv_log_lower(margin), above = equiv_log_upper(margin) - centre;
	uint64_t n;

	if (below > 0 && above > 0)
		n = power_equiv_rounds(sd, below, above, JUDGE_ALPHA, POWER_USUAL);
	else
		n = power_rounds(sd, centre, JUDGE_ALPHA / (double)family, POWER_USUAL);
	return ceil((double)n / JUDGE_RANK_EFFICIENCY);
}

unsigned judge_least_n(const struct judge_effect *f, size_t family)
{
	size_t m = family ? family : 1;

	return f->unpaired ? values_for(m) : judge_rounds_for(m);
}

unsigned judge_more_rounds(const struct judge_effect *f, double margin, size_t family)
{
	double least, need;

	if (f->single_boot || f->no_ratio || f->exact)
		return 0;
	least = judge_least_n(f, family);
	if (f->n < least_n(f))
		return (unsigned)least - (unsigned)f->n;
	need = pairs_needed(f, margin, family ? family : 1);
	if (!(need > 0))
		return 0;
	if (fabs(f->change) >= margin)
		need = fmax(need, least);
	return need > (double)f->n ? (unsigned)(need - (double)f->n) : 1;
}
