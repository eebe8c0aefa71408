// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairing, counting, the rules of the verdict. */
#include <errno.h>

#include "judge_fixture.h"
#include "tap.h"

/* Noise that repeats: about 1 % spread, mean 0, no two equal. */
static double wobble(unsigned round)
{
	static const double w[] = { 0.4, -1.1, 0.9, -0.3, 1.3, -0.8, 0.2, -1.4, 1.0, -0.2,
				    0.7, -0.9, 1.2, -0.6, 0.1, -0.5 };

	return w[round % ARRAY_LEN(w)] / 100;
}

static void add_side(struct fix *f, size_t metric, size_t variant, unsigned rounds, double factor)
{
	for (unsigned r = 1; r <= rounds; r++)
		fix_add(f, metric, variant, r,
			1000 * factor * exp(wobble(variant ? 3 * r + 5 : r)));
}

static void add_both(struct fix *f, size_t metric, unsigned rounds, double factor)
{
	add_side(f, metric, 0, rounds, 1);
	add_side(f, metric, 1, rounds, factor);
}

static void names(void)
{
	CHECK_STR(verdict_name(VERDICT_REGRESSED), "regressed");
	CHECK_STR(verdict_name(VERDICT_NO_CHANGE), "no change");
	CHECK_STR(verdict_name(VERDICT_UNTRUSTWORTHY), "untrustworthy");
}

static void directions(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	add_both(&f, 0, 10, 0.95);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.n_rows, 1);
	CHECK_EQ(f.t.family, 1);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_REGRESSED);
	CHECK_NEAR(f.t.rows[0].effect[1].change, -0.05, 0.2);
	CHECK(f.t.rows[0].effect[1].lo < -0.05 && f.t.rows[0].effect[1].hi > -0.05);
	CHECK(f.t.rows[0].effect[1].lo <= f.t.rows[0].effect[1].lo90);
	CHECK(f.t.rows[0].effect[1].mde > 0.005 && f.t.rows[0].effect[1].mde < 0.03);
	f.metrics[0].higher_is_better = false;
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_IMPROVED);
}

/* Identical noise on both sides leaves only the change itself. */
static void real_but_small(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	for (unsigned r = 1; r <= 8; r++)
		fix_add(&f, 0, 0, r, 1000 + r);
	for (unsigned r = 1; r <= 8; r++)
		fix_add(&f, 0, 1, r, (1000 + r) * (0.991 + 0.0001 * r));
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_NO_CHANGE);
	CHECK(f.t.rows[0].effect[1].real_small);
	CHECK_NEAR(f.t.rows[0].effect[1].p, 2 / 256., 1e-12);
}

/* The functions by themselves, at the edges. */
static void verdict_rules(void)
{
	struct judge_effect f = { .n = 10, .change = 0.03, .lo = 0.01, .hi = 0.05, .lo90 = 0.012,
				  .hi90 = 0.048, .p = 0.01, .p_adjusted = 0.05 };

	CHECK_EQ(judge_verdict(&f, 0.02, true), VERDICT_IMPROVED);
	CHECK_EQ(judge_verdict(&f, 0.02, false), VERDICT_REGRESSED);
	f.p_adjusted = 0.051;
	CHECK_EQ(judge_verdict(&f, 0.02, true), VERDICT_INCONCLUSIVE);
	CHECK_EQ(judge_verdict(&f, 0.06, true), VERDICT_NO_CHANGE);
	f.p_adjusted = 0.01;
	CHECK_EQ(judge_verdict(&f, 0.06, true), VERDICT_NO_CHANGE);
	CHECK_EQ(judge_verdict(&f, 0.05, true), VERDICT_IMPROVED); /* touching isn't inside */
	CHECK_EQ(judge_verdict(&f, 0.049, true), VERDICT_IMPROVED);
	f.single_boot = true;
	CHECK_EQ(judge_verdict(&f, 0.02, true), VERDICT_INCONCLUSIVE);
	f.single_boot = false;
	f.no_ratio = true;
	CHECK_EQ(judge_verdict(&f, 0.02, true), VERDICT_INCONCLUSIVE);
	f.no_ratio = false;
	f.n = 5;
	CHECK_EQ(judge_verdict(&f, 0.02, true), VERDICT_INCONCLUSIVE);
	f.n = 0;
	CHECK_EQ(judge_verdict(&f, 0.02, true), VERDICT_NONE);
}

static void arithmetic(void)
{
	CHECK_EQ(judge_can_decide(10), 25);
	CHECK_EQ(judge_can_decide(6), 1);
	CHECK_EQ(judge_can_decide(7), 3);
	CHECK_EQ(judge_can_decide(5), 0);
	CHECK_EQ(judge_can_decide(0), 0);
	CHECK(judge_can_decide(64) == (UINT64_C(1) << 63) / 20);
	CHECK(judge_can_decide(65) == UINT64_MAX);
	CHECK_EQ(judge_rounds_for(0), 6);
	CHECK_EQ(judge_rounds_for(1), 6);
	CHECK_EQ(judge_rounds_for(25), 10);
	CHECK_EQ(judge_rounds_for(26), 11);
	CHECK(judge_rounds_for(UINT64_MAX) == 65);
	for (unsigned n = 6; n < 40; n++)
		CHECK(2 / ldexp(1, (int)n) * (double)judge_can_decide(n) <= 0.05 &&
		      2 / ldexp(1, (int)n) * (double)(judge_can_decide(n) + 1) > 0.05);
}

static void few_rounds(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 1, 1);
	add_both(&f, 0, 4, 0.5);
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK_EQ(g->verdict, VERDICT_INCONCLUSIVE);
	CHECK_EQ(g->n, 4);
	CHECK_EQ(g->more_rounds, 2);
	CHECK(isinf(g->lo) && isinf(g->hi90) && isinf(g->mde));
	CHECK(isfinite(g->t_lo) && g->change < -0.4);
}

/* The estimate holds: so many rounds of the same spread and effect do decide. */
static void more_rounds_decide(void)
{
	unsigned n = 6;
	struct rng r;

	for (int step = 0; step < 12; step++) {
		_cleanup_fix_ struct fix f;
		struct err e;

		fix_init(&f, 2, 1, 1);
		rng_init(&r, 2);
		for (size_t v = 0; v < 2; v++)
			for (unsigned i = 1; i <= n; i++)
				fix_add(&f, 0, v, i, 500 * exp(0.04 * fix_normal(&r)));
		CHECK_OK(fix_judge(&f, &e));
		if (f.t.rows[0].effect[1].verdict != VERDICT_INCONCLUSIVE) {
			CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_NO_CHANGE);
			CHECK(step > 0);
			CHECK(n > 30 && n < 1000); /* 2 % margin, 5.7 % spread: about 70 */
			return;
		}
		CHECK(f.t.rows[0].effect[1].more_rounds > 0);
		n += f.t.rows[0].effect[1].more_rounds;
	}
	CHECK(!"decided");
}

static void constants(void)
{
	static const struct {
		double base, variant, change;
		enum verdict verdict;
	} v[] = {
		{ 1000, 1000, 0, VERDICT_NO_CHANGE },
		{ 1000, 1010, 0.01, VERDICT_NO_CHANGE },
		{ 1000, 1030, 0.03, VERDICT_IMPROVED },
		{ 1000, 900, -0.1, VERDICT_REGRESSED },
		{ 0, 0, 0, VERDICT_NO_CHANGE },
		{ 0, 5, HUGE_VAL, VERDICT_IMPROVED },
		{ 5, 0, -1, VERDICT_REGRESSED },
	};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		_cleanup_fix_ struct fix f;
		const struct judge_effect *g;
		struct err e;

		fix_init(&f, 2, 1, 1);
		for (unsigned r = 1; r <= 2; r++)
			fix_add(&f, 0, 0, r, v[i].base)->boot = 1;
		for (unsigned r = 1; r <= 2; r++)
			fix_add(&f, 0, 1, r, v[i].variant)->boot = 2; /* counting: allowed */
		CHECK_OK(fix_judge(&f, &e));
		g = &f.t.rows[0].effect[1];
		CHECK_EQ(g->verdict, v[i].verdict);
		CHECK(g->exact && g->change >= v[i].change - 1e-12 &&
		      g->change <= v[i].change + 1e-12);
		CHECK_EQ(g->n, 2);
		CHECK_EQ(f.t.family, 0);
		CHECK_EQ(g->real_small, v[i].verdict == VERDICT_NO_CHANGE && v[i].change > 0);
		f.x.margin = 0;
		CHECK_OK(fix_judge(&f, &e));
		CHECK_EQ(f.t.rows[0].effect[1].verdict == VERDICT_NO_CHANGE,
			 v[i].change > -1e-9 && v[i].change < 1e-9);
	}
}

static void one_value_is_no_constant(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	fix_add(&f, 0, 0, 1, 1000);
	fix_add(&f, 0, 1, 1, 2000);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_INCONCLUSIVE);
	CHECK(!f.t.rows[0].effect[1].exact);
	CHECK_EQ(f.t.rows[0].effect[1].more_rounds, 5);
	CHECK_NEAR(f.t.rows[0].effect[1].change, 1, 1e-12);
}

/* One side constant, the other not; and equal ratios from sides that both move. */
static void half_constant(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 2, 1);
	for (unsigned r = 1; r <= 8; r++)
		fix_add(&f, 0, 0, r, 1000);
	add_side(&f, 0, 1, 8, 0.9);
	for (unsigned r = 1; r <= 8; r++)
		fix_add(&f, 1, 0, r, 1 << r);
	for (unsigned r = 1; r <= 8; r++)
		fix_add(&f, 1, 1, r, 2 << r);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_REGRESSED);
	CHECK(!f.t.rows[0].effect[1].exact);
	g = &f.t.rows[1].effect[1];
	CHECK_EQ(g->verdict, VERDICT_IMPROVED);
	CHECK_NEAR(g->change, 1, 1e-12);
	CHECK_NEAR(g->lo, 1, 1e-12);
	CHECK_NEAR(g->t_hi, 1, 1e-9);
	CHECK_NEAR(g->p, 2 / 256., 1e-12);
	CHECK_EQ(f.t.family, 2);
}

static void no_ratio(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 1, 1);
	add_side(&f, 0, 0, 10, 1);
	for (unsigned r = 1; r <= 10; r++)
		fix_add(&f, 0, 1, r, r == 4 ? 0 : 500 * exp(wobble(r)));
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK(g->no_ratio && g->n == 9 && g->more_rounds == 0);
	CHECK_EQ(g->verdict, VERDICT_INCONCLUSIVE);
	CHECK(isfinite(g->change) && isfinite(g->lo));
}

/* The last good repeat counts, whatever came before or after; the others are counted. */
static void repeats(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_side *s;
	struct store_ref *o;
	struct err e;

	fix_init(&f, 2, 1, 1);
	for (unsigned r = 1; r <= 7; r++)
		fix_add(&f, 0, 0, r, 1000 * exp(wobble(r)));
	fix_add(&f, 0, 1, 1, 1e6)->untrustworthy = true;
	for (unsigned r = 2; r <= 7; r++)
		fix_add(&f, 0, 1, r, 1000 * exp(wobble(3 * r)));
	o = fix_add(&f, 0, 1, 1, 77);
	o->repeat = 1;
	o->seq = 100;
	o = fix_add(&f, 0, 1, 1, 1001);
	o->repeat = 2;
	o->seq = 101;
	o = fix_add(&f, 0, 1, 1, 1e9);
	o->repeat = 3;
	o->seq = 102;
	o->failed = true;
	fix_add(&f, 0, 1, 8, HUGE_VAL);
	CHECK_OK(fix_judge(&f, &e));
	s = &f.t.rows[0].side[1];
	CHECK_EQ(s->n, 7);
	CHECK_EQ(s->n_bad, 2);
	CHECK_EQ(s->n_failed, 1);
	CHECK(s->max < 1100 && s->min > 900);
	CHECK_EQ(f.t.rows[0].effect[1].n, 7);
	CHECK_EQ(f.t.rows[0].side[0].n_bad, 0);
}

/* Rounds that only one side has form no pair. */
static void unpaired_rounds(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	add_side(&f, 0, 0, 10, 1);
	for (unsigned r = 4; r <= 13; r++)
		fix_add(&f, 0, 1, r, 900 * exp(wobble(3 * r)));
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].n, 7);
	CHECK_EQ(f.t.rows[0].side[1].n, 10);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_REGRESSED);
}

static void untrustworthy(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	add_both(&f, 0, 12, 0.8);
	for (size_t i = 12; i < 18; i++)
		f.data.runs[i].untrustworthy = true; /* half: still judged */
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_REGRESSED);
	CHECK_EQ(f.t.rows[0].effect[1].n, 6);
	f.data.runs[18].untrustworthy = true;
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_UNTRUSTWORTHY);
	for (size_t i = 12; i < 24; i++) {
		f.data.runs[i].untrustworthy = false;
		f.data.runs[i].failed = true;
	}
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_UNTRUSTWORTHY);
	CHECK_EQ(f.t.rows[0].side[1].n_failed, 12);
	CHECK_EQ(f.t.family, 0);
}

/* "More than half" with an odd number of samples. */
static void untrustworthy_majority(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	add_both(&f, 0, 13, 0.8);
	for (size_t i = 0; i < 6; i++)
		f.data.runs[i].untrustworthy = true;
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_REGRESSED);
	f.data.runs[6].untrustworthy = true;
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].side[0].n_bad, 7);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_UNTRUSTWORTHY);
}

static void missing_side(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 2, 1);
	add_side(&f, 0, 0, 10, 1);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.n_rows, 2);
	CHECK_EQ(f.t.family, 0);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_NONE);
	CHECK_EQ(f.t.rows[1].effect[1].verdict, VERDICT_NONE);
	CHECK_EQ(f.t.rows[0].side[0].n, 10);
	CHECK_EQ(f.t.rows[1].side[0].n, 0);
}

/* Sides of different experiments: rank sum, n that of the smaller side, no pairs. */
static void joined_experiments(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 1, 1);
	f.x.order = (char []){ STORE_ORDER_JOINED };
	for (unsigned r = 1; r <= 9; r++)
		fix_add(&f, 0, 0, r, 1000 * exp(wobble(r)));
	for (unsigned r = 101; r <= 107; r++)
		fix_add(&f, 0, 1, r, 1300 * exp(wobble(3 * r)));
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK(g->unpaired && !g->by_boot && !g->single_boot && !g->by_sample);
	CHECK_EQ(g->n, 7);
	CHECK_EQ(g->verdict, VERDICT_IMPROVED);
	CHECK(g->lo < 0.3 && g->hi > 0.3 && g->lo > 0.2 && g->hi < 0.4);
	/* separate: of all 16 over 7 orders two are as far apart */
	CHECK(fabs(g->p - 2.0 / 11440) < 1e-12);
	CHECK(g->t_lo < 0.3 && g->t_hi > 0.3 && g->mde > 0 && g->mde < 0.1);
	/* of one boot each: shown, but no verdict */
	for (size_t i = 0; i < f.data.n_runs; i++)
		f.data.runs[i].boot = i < 9 ? 1 : 2;
	CHECK_OK(fix_judge(&f, &e));
	CHECK(f.t.rows[0].effect[1].single_boot);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_INCONCLUSIVE);
	/* unless nothing is known of boots */
	f.x.order = (char []){ STORE_ORDER_IMPORTED };
	CHECK_OK(fix_judge(&f, &e));
	CHECK(!f.t.rows[0].effect[1].single_boot);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_IMPROVED);
}

/* Three boots of three rounds on each side: too few values, whatever the number of runs. */
static void joined_boots(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	f.x.order = (char []){ STORE_ORDER_JOINED };
	for (size_t v = 0; v < 2; v++)
		for (unsigned r = 0; r < 12; r++)
			fix_add(&f, 0, v, r + 1, 1000 * (v ? 1.3 : 1) * exp(wobble(r)))->boot =
				(int64_t)(10 * v + r / 4);
	CHECK_OK(fix_judge(&f, &e));
	CHECK(f.t.rows[0].effect[1].by_boot && f.t.rows[0].effect[1].n == 3);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_INCONCLUSIVE);
	CHECK_EQ(f.t.rows[0].effect[1].more_rounds, 1); /* the fourth makes 2/70 possible */
}

/* Imported: one run of many values counts each of them, several runs count once each. */
static void samples_of_a_run(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	f.x.order = (char []){ STORE_ORDER_IMPORTED };
	for (size_t v = 0; v < 2; v++) {
		struct store_ref run = { .id = 1 + (int64_t)v, .variant = f.variants[v].id,
					 .case_id = f.cases[0].id, .boot = 1, .round = 1 };
		unsigned at = store_data_add_run(&f.data, &run);

		for (unsigned i = 0; i < 20; i++)
			store_data_add(&f.data, f.metrics[0].id, at, i,
				       1000 * (v ? 0.7 : 1) * exp(wobble(i + 3 * (unsigned)v)));
	}
	CHECK_OK(fix_judge(&f, &e));
	CHECK(f.t.rows[0].effect[1].by_sample && f.t.rows[0].effect[1].unpaired);
	CHECK_EQ(f.t.rows[0].effect[1].n, 20);
	CHECK_EQ(f.t.rows[0].side[0].n, 20);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_REGRESSED);
	/* cut into runs of four */
	for (unsigned k = 1; k < 5; k++) {
		for (size_t v = 0; v < 2; v++) {
			struct store_ref run = f.data.runs[v];

			run.round = 1 + k;
			run.id = 10 * k + (int64_t)v;
			for (unsigned i = 4 * k, at = store_data_add_run(&f.data, &run);
			     i < 4 * k + 4; i++)
				f.data.obs[20 * v + i].run = at;
		}
	}
	CHECK_OK(fix_judge(&f, &e));
	CHECK(!f.t.rows[0].effect[1].by_sample);
	CHECK_EQ(f.t.rows[0].effect[1].n, 5);
	CHECK_EQ(f.t.rows[0].side[0].n, 5);
}

/* So many samples that rows are measured side by side: each comes out as it does alone. */
static void many_samples(void)
{
	enum { CASES = 6, ROUNDS = 5000 };
	static struct fix all, one; /* too large for a stack, both of them */
	struct err e;

	fix_init(&all, 2, CASES, 1);
	for (size_t c = 0; c < CASES; c++)
		for (size_t v = 0; v < 2; v++)
			for (unsigned r = 1; r <= ROUNDS; r++)
				fix_add(&all, c, v, r, (1000 + (double)(c * v)) *
					exp(wobble(r * 7 + (unsigned)(c + 3 * v))));
	CHECK_OK(fix_judge(&all, &e));
	for (size_t c = 0; c < CASES; c++) {
		const struct judge_effect *a = &all.t.rows[c].effect[1], *b;

		fix_init(&one, 2, 1, 1);
		for (size_t v = 0; v < 2; v++)
			for (unsigned r = 1; r <= ROUNDS; r++)
				fix_add(&one, 0, v, r, (1000 + (double)(c * v)) *
					exp(wobble(r * 7 + (unsigned)(c + 3 * v))));
		CHECK_OK(fix_judge(&one, &e));
		b = &one.t.rows[0].effect[1];
		CHECK(a->n == ROUNDS && b->n == ROUNDS);
		CHECK(a->change <= b->change && a->change >= b->change);
		CHECK(a->lo <= b->lo && a->lo >= b->lo && a->hi90 <= b->hi90 && a->hi90 >= b->hi90);
		CHECK(a->p <= b->p && a->p >= b->p);
		fix_done(&one);
	}
	fix_done(&all);
}

/* Counts: one value a side, confirmed by a second; the one of three that differs is marked. */
static void counts(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 1, 1);
	f.x.order = (char []){ STORE_ORDER_COUNTED };
	f.x.margin = 0.0002;
	f.metrics[0].higher_is_better = false;
	fix_add(&f, 0, 0, 1, 5000);
	fix_add(&f, 0, 0, 2, 5000);
	fix_add(&f, 0, 1, 1, 5005)->boot = 2; /* another kernel's only boot: no matter */
	fix_add(&f, 0, 1, 2, 5005.25)->boot = 2;
	fix_add(&f, 0, 1, 3, 5005)->boot = 2;
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK(g->counted && g->exact && g->n == 2);
	CHECK_NEAR(g->change, 0.001, 1e-12);
	CHECK_EQ(g->verdict, VERDICT_REGRESSED);
	CHECK_EQ(f.t.rows[0].side[1].n_bad, 1);
	/* below the floor of the case, though above the margin */
	f.cases[0].floor = 0.007;
	CHECK_OK(fix_judge(&f, &e));
	CHECK_NEAR(judge_margin(&f.t, &f.t.rows[0]), 0.007, 0);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_NO_CHANGE);
	CHECK(f.t.rows[0].effect[1].real_small);
	/* no two agree: not deterministic, so nothing can be said */
	f.data.obs[4].value = 5006;
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_UNTRUSTWORTHY);
	CHECK_EQ(f.t.rows[0].side[1].n_bad, 3);
}

/* A count that nobody confirmed decides nothing. */
static void a_single_count(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	f.x.order = (char []){ STORE_ORDER_COUNTED };
	fix_add(&f, 0, 0, 1, 5000);
	fix_add(&f, 0, 1, 1, 6000);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_INCONCLUSIVE);
}

static void unsorted_samples(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 1, 1);
	fix_add(&f, 0, 0, 1, 5);
	fix_add(&f, 0, 1, 1, 5);
	fix_add(&f, 0, 0, 2, 5);
	CHECK_EQ(fix_judge(&f, &e), -EINVAL);
	CHECK_HAS(e.msg, "not sorted");
}

/* Boots: base 1, 3, 5 ...; variant 2, 4, 6 ...; three rounds in each. */
static void boots(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 1, 1);
	for (size_t v = 0; v < 2; v++)
		for (unsigned r = 0; r < 21; r++)
			fix_add(&f, 0, v, r + 1, 1000 * (v ? 1.1 : 1) *
				exp(wobble(r / 3 + (unsigned)v) + 0.01 * (r % 3)))->boot =
					(int64_t)(2 * (r / 3) + 1 + v);
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK(g->by_boot && !g->single_boot);
	CHECK_EQ(g->n, 7);
	CHECK_EQ(f.t.rows[0].side[1].n, 21);
	CHECK_EQ(g->verdict, VERDICT_IMPROVED);
	/* a single boot each: many rounds, nothing about kernels */
	for (size_t i = 0; i < f.data.n_runs; i++)
		f.data.runs[i].boot = i < 21 ? 1 : 2;
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK(g->single_boot && !g->by_boot && g->n == 21 && g->more_rounds == 0);
	CHECK_EQ(g->verdict, VERDICT_INCONCLUSIVE);
	/* all in one boot: rounds */
	for (size_t i = 0; i < f.data.n_runs; i++)
		f.data.runs[i].boot = 1;
	CHECK_OK(fix_judge(&f, &e));
	CHECK(!f.t.rows[0].effect[1].single_boot && f.t.rows[0].effect[1].n == 21);
	CHECK_EQ(f.t.rows[0].effect[1].verdict, VERDICT_IMPROVED);
}

/* Boots that both variants ran in pair with themselves, not by order. */
static void common_boots(void)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *g;
	struct err e;

	fix_init(&f, 2, 1, 1);
	for (unsigned r = 1; r <= 7; r++)
		fix_add(&f, 0, 0, r, 1000 << r)->boot = r;
	for (unsigned r = 2; r <= 8; r++)
		fix_add(&f, 0, 1, r, (1100 + r) << r)->boot = r;
	CHECK_OK(fix_judge(&f, &e));
	g = &f.t.rows[0].effect[1];
	CHECK(g->by_boot && g->n == 6);
	CHECK_NEAR(g->change, 0.1045, 0.01);
	CHECK_EQ(g->verdict, VERDICT_IMPROVED);
}

static void family(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 3, 3, 2);
	f.cases[2].primary_row = false;
	for (size_t m = 0; m < 6; m++)
		for (size_t v = 0; v < 3; v++)
			add_side(&f, m, v, 8, v ? 0.97 : 1);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.n_rows, 6);
	CHECK_EQ(f.t.family, 4);
	for (size_t r = 0; r < 6; r++) {
		const struct judge_row *row = &f.t.rows[r];
		double p = row->effect[2].p;

		CHECK_EQ(row->m->primary, r < 3);
		CHECK_NEAR(row->effect[2].p_adjusted, row->c->primary_row ? 4 * p : p, 1e-12);
		CHECK_EQ(row->effect[1].verdict,
			 r < 2 ? (4 * p <= 0.05 ? VERDICT_REGRESSED : VERDICT_INCONCLUSIVE) :
				 VERDICT_NONE);
		CHECK_EQ(row->effect[0].verdict, VERDICT_NONE);
	}
}

static void disagreeing_rates(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 2, 3, 3);
	add_both(&f, 0, 12, 0.9); /* case 0: changed against unchanged */
	add_both(&f, 1, 12, 1);
	add_both(&f, 2, 12, 2);
	add_both(&f, 3, 12, 0.9); /* case 1: both changed alike; faults aren't asked */
	add_both(&f, 4, 12, 0.85);
	add_both(&f, 5, 12, 2);
	add_both(&f, 6, 12, 1.1); /* case 2: opposite */
	add_both(&f, 7, 12, 0.9);
	add_both(&f, 8, 12, 1);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.n_rows, 9);
	CHECK(f.t.rows[0].disagree);
	CHECK(!f.t.rows[1].disagree);
	CHECK(f.t.rows[2].disagree);
	for (size_t i = 3; i < 9; i++)
		CHECK(!f.t.rows[i].disagree);
	CHECK_EQ(f.t.rows[2].effect[1].verdict, VERDICT_IMPROVED);
}

static void nothing(void)
{
	_cleanup_fix_ struct fix f;
	struct err e;

	fix_init(&f, 0, 0, 0);
	CHECK_OK(fix_judge(&f, &e));
	CHECK_EQ(f.t.n_rows, 0);
	judge_table_done(&f.t);
	judge_table_done(&f.t);
}

int main(void)
{
	TAP_RUN(names);
	TAP_RUN(directions);
	TAP_RUN(real_but_small);
	TAP_RUN(verdict_rules);
	TAP_RUN(arithmetic);
	TAP_RUN(few_rounds);
	TAP_RUN(more_rounds_decide);
	TAP_RUN(constants);
	TAP_RUN(one_value_is_no_constant);
	TAP_RUN(half_constant);
	TAP_RUN(no_ratio);
	TAP_RUN(repeats);
	TAP_RUN(unpaired_rounds);
	TAP_RUN(untrustworthy);
	TAP_RUN(untrustworthy_majority);
	TAP_RUN(missing_side);
	TAP_RUN(joined_experiments);
	TAP_RUN(joined_boots);
	TAP_RUN(samples_of_a_run);
	TAP_RUN(many_samples);
	TAP_RUN(counts);
	TAP_RUN(a_single_count);
	TAP_RUN(unsorted_samples);
	TAP_RUN(boots);
	TAP_RUN(common_boots);
	TAP_RUN(family);
	TAP_RUN(disagreeing_rates);
	TAP_RUN(nothing);
	return tap_done();
}
