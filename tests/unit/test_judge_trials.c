// SPDX-License-Identifier: GPL-2.0-or-later
/* The self-check: trials cut from an experiment, exact rates, what rounds can see, its report. */
#include "judge/trials.h"
#include "judge_fixture.h"
#include "report/report.h"
#include "report/selfcheck.h"
#include "stats/binomial.h"
#include "tap.h"

#include <string.h>

static void exact_intervals(void)
{
	double lo, hi;

	binomial_interval(0, 10, 0.95, &lo, &hi); /* closed forms at the ends */
	CHECK_NEAR(hi, 1 - pow(0.025, 0.1), 1e-9);
	CHECK(lo <= 0);
	binomial_interval(10, 10, 0.95, &lo, &hi);
	CHECK_NEAR(lo, pow(0.025, 0.1), 1e-9);
	CHECK(hi >= 1);
	binomial_interval(1, 20, 0.95, &lo, &hi); /* R: binom.test(1, 20), (5, 20) */
	CHECK_NEAR(lo, 0.001265089, 1e-6);
	CHECK_NEAR(hi, 0.248732763, 1e-6);
	binomial_interval(5, 20, 0.95, &lo, &hi);
	CHECK_NEAR(lo, 0.08657147, 1e-6);
	CHECK_NEAR(hi, 0.49104587, 1e-6);
	binomial_interval(0, 0, 0.95, &lo, &hi);
	CHECK(lo <= 0 && hi >= 1);
	binomial_interval(500, 1000, 0.95, &lo, &hi);
	CHECK_NEAR(lo, 1 - hi, 1e-9);
	CHECK(lo > 0.46 && lo < 0.47);
}

/* Summed over all outcomes, weighted by how likely they are, it covers at least its level. */
static void exact_intervals_cover(void)
{
	for (int i = 1; i < 20; i++) {
		double share = i / 20., covered = 0;

		for (uint64_t x = 0; x <= 12; x++) {
			double lo, hi;

			binomial_interval(x, 12, 0.95, &lo, &hi);
			if (lo <= share && share <= hi)
				covered += exp(lgamma(13) - lgamma(x + 1.) - lgamma(13. - x)) *
					   pow(share, x) * pow(1 - share, 12. - x);
		}
		CHECK(covered >= 0.95);
	}
}

/* @sd of noise; the variant is @factor times the base. */
static void fill(struct fix *f, unsigned rounds, double factor, double sd, uint64_t seed)
{
	struct rng r;

	rng_init(&r, seed);
	fix_init(f, 2, 1, 1);
	for (size_t v = 0; v < 2; v++)
		for (unsigned i = 1; i <= rounds; i++)
			fix_add(f, 0, v, i, 1000 * (v ? factor : 1) * exp(sd * fix_normal(&r)));
}

static void trials(struct fix *f, unsigned rounds, double shift, struct judge_trials *t)
{
	judge_trials(&f->x, &f->data, &f->cases[0], &f->metrics[0], 1, rounds, 0.02, shift, t);
}

static void cuts_into_trials(void)
{
	_cleanup_fix_ struct fix f;
	struct judge_trials t;

	fill(&f, 83, 1, 0.005, 3);
	trials(&f, 8, 0, &t);
	CHECK_EQ(t.n, 10); /* three rounds are left over */
	CHECK_EQ(t.n_pairs, 83);
	CHECK_EQ(t.regressed + t.improved + t.no_change + t.inconclusive, t.n);
	CHECK_EQ(t.regressed + t.improved, 0);
	CHECK(t.no_change >= 8);
	CHECK_NEAR(t.sd, 0.005 * sqrt(2), 0.25);
	CHECK(t.lo < 0 && t.hi > 0);
	trials(&f, 84, 0, &t);
	CHECK_EQ(t.n, 0);
	trials(&f, 0, 0, &t);
	CHECK_EQ(t.n, 0);
}

/* On paper or in truth: the same verdicts. */
static void shifting_is_as_measuring(void)
{
	static struct fix f, g; /* too large for a stack, both of them */
	struct judge_trials a, b;

	fill(&f, 80, 1, 0.01, 4);
	fill(&g, 80, 1 / 1.05, 0.01, 4);
	trials(&f, 8, 1 / 1.05 - 1, &a);
	trials(&g, 8, 0, &b);
	CHECK_EQ(a.n, 10);
	CHECK_EQ(a.regressed, b.regressed);
	CHECK(a.regressed >= 8);
	CHECK_NEAR(a.change, b.change, 1e-9);
	f.metrics[0].higher_is_better = false;
	trials(&f, 8, 0.05, &a);
	CHECK(a.regressed >= 8);
	fix_done(&f);
	fix_done(&g);
}

static void marked_rounds_are_left_out(void)
{
	_cleanup_fix_ struct fix f;
	struct judge_trials t;

	fill(&f, 24, 1, 0.01, 5);
	for (unsigned i = 8; i < 11; i++) /* of the second trial, base side */
		f.data.runs[i].untrustworthy = true;
	trials(&f, 8, 0, &t);
	CHECK_EQ(t.n, 2);
	CHECK_EQ(t.too_few, 1);
	CHECK_EQ(t.n_pairs, 21);
}

static void rounds_and_changes_agree(void)
{
	static const double margins[] = { 0.01, 0.02, 0.05 };

	for (size_t i = 0; i < ARRAY_LEN(margins); i++) {
		uint64_t n = selfcheck_rounds_find(0.03, margins[i]);

		CHECK(n >= JUDGE_MIN_ROUNDS);
		CHECK(selfcheck_mde(0.03, n) <= margins[i] * 1.01);
		CHECK(n < 8 || selfcheck_mde(0.03, n - 2) > margins[i]);
		CHECK(selfcheck_rounds_none(0.03, margins[i]) >= JUDGE_MIN_ROUNDS);
	}
	CHECK(isinf(selfcheck_mde(0.03, 5)));
	CHECK_EQ(selfcheck_rounds_find(0.0001, 0.05), JUDGE_MIN_ROUNDS);
}

static struct selfcheck example(void)
{
	return (struct selfcheck){
		.title = "page_fault1 size=64M", .trials = 20, .rounds = 8, .time_ns = 100000000,
		.margin = 0.02, .delta = 0.05, .round_s = 0.25,
		.same = { .n = 18, .no_change = 16, .inconclusive = 1, .improved = 1,
			  .too_few = 2, .n_pairs = 150, .sd = 0.012, .change = 0.001,
			  .lo = -0.002, .hi = 0.003 },
		.injected = { .n = 20, .regressed = 19, .improved = 1 },
		.shifted = { .n = 18, .regressed = 17, .inconclusive = 1 },
	};
}

static void report_says_all(void)
{
	static const char *const wanted[] = {
		"selfcheck of page_fault1 size=64M: 20 trials of 8 rounds, 100ms a run, margin",
		"false verdicts", "1 of 18", "5.6%", "0.1% to 27%", "19 of 20", "17 of 18",
		"computed, not run", "A against A over all 150 rounds: +0.10%",
		"improved, which is", "fewer than 6 rounds", "counted: 2.",
		"240", /* rounds in a minute */ "7200", /* in 30 */
	};
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct selfcheck s = example();
	struct err e;
	char *rest, *line;

	CHECK_OK(report_selfcheck(&s, &out, &e));
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		if (!strstr(out.buf, wanted[i]))
			CHECK_STR(out.buf, wanted[i]);
	CHECK(!strstr(out.buf, "MORE HERE"));
	rest = out.buf;
	while ((line = str_cut(&rest, "\n")))
		CHECK(strlen(line) <= REPORT_WIDTH);
}

static void report_of_little(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct selfcheck s = example();
	struct err e;

	s.same = (struct judge_trials){ .lo = -HUGE_VAL, .hi = HUGE_VAL, .n_pairs = 3 };
	s.injected = s.shifted = s.same;
	s.round_s = 0;
	CHECK_OK(report_selfcheck(&s, &out, &e));
	CHECK(strstr(out.buf, "0 of 0"));
	CHECK(strstr(out.buf, "0 of 20 trials were done"));
	CHECK(strstr(out.buf, "3 good rounds are too few"));
	CHECK(!strstr(out.buf, "nan") && !strstr(out.buf, "inf"));
}

static void too_many_false_verdicts(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct selfcheck s = example();
	struct err e;

	CHECK(!selfcheck_broken(&s)); /* 1 of 18 may be chance */
	s.same.improved = 5;
	s.same.no_change = 12;
	CHECK(selfcheck_broken(&s));
	CHECK_OK(report_selfcheck(&s, &out, &e));
	CHECK(strstr(out.buf, "MORE HERE"));
	s.same = (struct judge_trials){ 0 };
	CHECK(!selfcheck_broken(&s));
}

int main(void)
{
	TAP_RUN(exact_intervals);
	TAP_RUN(exact_intervals_cover);
	TAP_RUN(cuts_into_trials);
	TAP_RUN(shifting_is_as_measuring);
	TAP_RUN(marked_rounds_are_left_out);
	TAP_RUN(rounds_and_changes_agree);
	TAP_RUN(report_says_all);
	TAP_RUN(report_of_little);
	TAP_RUN(too_many_false_verdicts);
	return tap_done();
}
