// SPDX-License-Identifier: GPL-2.0-or-later
/* Error rates of the whole verdict, seeded; limits plus two Monte-Carlo standard errors. */
#include "judge_fixture.h"
#include "tap.h"

static double slack(double rate, int trials)
{
	return 2 * sqrt(rate * (1 - rate) / trials);
}

struct share {
	double changed, no_change, right_way;
};

/* @rounds pairs of log-normal noise @cv a side, truth @change, margin 2 %. */
static struct share trials(int n, unsigned rounds, double cv, double change, uint64_t seed)
{
	struct share s = { 0 };
	struct rng r;

	rng_init(&r, seed);
	for (int t = 0; t < n; t++) {
		_cleanup_fix_ struct fix f;
		enum verdict v;

		fix_init(&f, 2, 1, 1);
		for (size_t i = 0; i < 2; i++)
			for (unsigned k = 1; k <= rounds; k++)
				fix_add(&f, 0, i, k,
					1e5 * (i ? 1 + change : 1) * exp(cv * fix_normal(&r)));
		if (fix_judge(&f, NULL) < 0)
			return (struct share){ 1, 1, 0 };
		v = f.t.rows[0].effect[1].verdict;
		s.changed += (v == VERDICT_REGRESSED || v == VERDICT_IMPROVED) / (double)n;
		s.no_change += (v == VERDICT_NO_CHANGE) / (double)n;
		s.right_way += (v == (change > 0 ? VERDICT_IMPROVED : VERDICT_REGRESSED)) /
			       (double)n;
	}
	return s;
}

static void same_against_same(void)
{
	struct share s = trials(2000, 10, 0.01, 0, 1);

	CHECK(s.changed <= 0.05 + slack(0.05, 2000));
	CHECK(s.no_change >= 0.8); /* 1.41 % spread of pairs in a margin of 2 % */
}

static void five_percent_is_found(void)
{
	struct share slower = trials(500, 10, 0.01, -0.05, 2);
	struct share faster = trials(500, 10, 0.01, 0.05, 3);

	CHECK(slower.right_way >= 0.99 && faster.right_way >= 0.99);
	CHECK(slower.no_change <= 0 && faster.no_change <= 0);
}

/* Truth exactly at the margin, either side: "no change beyond it" is wrong. */
static void truth_at_margin(void)
{
	CHECK(trials(2000, 12, 0.01, 0.02, 4).no_change <= 0.05 + slack(0.05, 2000));
	CHECK(trials(2000, 12, 0.01, -0.02, 5).no_change <= 0.05 + slack(0.05, 2000));
}

/* Any flag in a table of 56 rows; margin 0, so that nothing but the family protects. */
static void large_table(void)
{
	enum { TABLES = 400, ROWS = 56, ROUNDS = 13 };
	unsigned flagged = 0;
	struct rng r;

	CHECK(judge_can_decide(ROUNDS) >= ROWS);
	rng_init(&r, 6);
	for (int t = 0; t < TABLES; t++) {
		_cleanup_fix_ struct fix f;
		bool any = false;

		fix_init(&f, 2, ROWS, 1);
		f.x.margin = 0;
		for (size_t c = 0; c < ROWS; c++)
			for (size_t i = 0; i < 2; i++)
				for (unsigned k = 1; k <= ROUNDS; k++)
					fix_add(&f, c, i, k, exp(0.03 * fix_normal(&r)));
		CHECK_EQ(fix_judge(&f, NULL), 0);
		CHECK_EQ(f.t.family, ROWS);
		for (size_t c = 0; c < ROWS; c++)
			any |= f.t.rows[c].effect[1].verdict == VERDICT_REGRESSED ||
			       f.t.rows[c].effect[1].verdict == VERDICT_IMPROVED;
		flagged += any;
	}
	CHECK((double)flagged / TABLES <= 0.06 + slack(0.06, TABLES));
	CHECK(flagged > 0);
}

/* Boots differ by 1.5 %, runs in a boot by 3 %; nothing changed. Ten boots a side. */
static double boots_flagged(int n, unsigned runs, unsigned boots)
{
	unsigned flagged = 0;
	struct rng r;

	rng_init(&r, 7 + runs);
	for (int t = 0; t < n; t++) {
		_cleanup_fix_ struct fix f;
		enum verdict v;

		fix_init(&f, 2, 1, 1);
		f.x.margin = 0;
		for (size_t i = 0; i < 2; i++)
			for (unsigned b = 0; b < boots; b++) {
				double level = 0.015 * fix_normal(&r);

				for (unsigned k = 0; k < runs; k++)
					fix_add(&f, 0, i, b * runs + k + 1,
						exp(level + 0.03 * fix_normal(&r)))->boot =
							(int64_t)(2 * b + i);
			}
		if (fix_judge(&f, NULL) < 0)
			return 1;
		v = f.t.rows[0].effect[1].verdict;
		flagged += v == VERDICT_REGRESSED || v == VERDICT_IMPROVED;
	}
	return (double)flagged / n;
}

static void boots_are_the_unit(void)
{
	CHECK(boots_flagged(1000, 1, 10) <= 0.06 + slack(0.06, 1000));
	CHECK(boots_flagged(1000, 10, 10) <= 0.06 + slack(0.06, 1000));
	CHECK(boots_flagged(200, 100, 10) <= 0.06 + slack(0.06, 200));
	CHECK(boots_flagged(500, 10, 10) > 0.02);
	CHECK(boots_flagged(200, 50, 1) <= 0); /* one boot each: no verdict at all */
}

int main(void)
{
	TAP_RUN(same_against_same);
	TAP_RUN(five_percent_is_found);
	TAP_RUN(truth_at_margin);
	TAP_RUN(large_table);
	TAP_RUN(boots_are_the_unit);
	return tap_done();
}
