// SPDX-License-Identifier: GPL-2.0-or-later
/* Summaries, t tests, equivalence, adjustments, power and distributions against R 4.2. */
#include "base/rng.h"
#include "stats/dist.h"
#include "stats/equiv.h"
#include "stats/multiple.h"
#include "stats/power.h"
#include "stats/sorted.h"
#include "stats/summary.h"
#include "stats/ttest.h"

#include "base/cleanup.h"
#include "base/compiler.h"
#include "tap.h"

#define R_TOLERANCE 1e-9

static const double X[] = { 0.83, 1.83, 1.96, 3.06, 2.71, -0.5, 1.31, -0.62, 1.45, 2.22, -1.07 };
static const double Y[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06001, 3.14, 1.29001 };

static void distributions(void)
{
	CHECK_NEAR(dist_norm_cdf(-1.7), 0.044565462758543041, R_TOLERANCE);
	CHECK_NEAR(dist_norm_quantile(0.003), -2.7477813854449931, R_TOLERANCE);
	CHECK_NEAR(dist_t_cdf(-2.3, 4.7), 0.03656026150476873, R_TOLERANCE);
	CHECK_NEAR(dist_t_quantile(0.975, 7.3), 2.3450667365477025, R_TOLERANCE);
	CHECK_NEAR(dist_signrank_cdf(8, 10), 0.0244140625, R_TOLERANCE);
	CHECK_NEAR(dist_signrank_quantile(0.025, 10), 9, 0);
	CHECK_NEAR(dist_signrank_cdf(500, 50), 0.093841952086707522, R_TOLERANCE);
	CHECK_NEAR(dist_ranksum_cdf(23, 10, 10), 0.021628526272489117, R_TOLERANCE);
	CHECK_NEAR(dist_ranksum_quantile(0.025, 10, 10), 24, 0);
	CHECK_NEAR(dist_ranksum_cdf(1000, 50, 50), 0.042725607759136364, R_TOLERANCE);
}

/* libRmath would print, exit or hang on these. */
static void refused_arguments(void)
{
	CHECK(isnan(dist_signrank_cdf(10, 0)) && isnan(dist_signrank_cdf(10, 51)));
	CHECK(isnan(dist_signrank_cdf(10, 1100)) && isnan(dist_signrank_quantile(0.5, 100000)));
	CHECK(isnan(dist_ranksum_cdf(10, 51, 4)) && isnan(dist_ranksum_quantile(0.5, 4, 100000)));
	CHECK(isnan(dist_signrank_quantile(0, 10)) && isnan(dist_signrank_quantile(1.5, 10)));
	CHECK(isnan(dist_ranksum_quantile((double)NAN, 5, 5)) &&
	      isnan(dist_signrank_cdf((double)NAN, 5)));
	CHECK(isnan(dist_t_quantile(0.5, 0)) && isnan(dist_t_quantile(0.5, HUGE_VAL)));
	CHECK(isnan(dist_t_cdf((double)NAN, 5)) && isnan(dist_t_two_sided(1, -3)));
	CHECK(isnan(dist_norm_quantile(-0.1)) && isnan(dist_norm_cdf((double)NAN)));
}

static void summaries(void)
{
	static const double rates[] = { 2, 3, 4.5, 7 };
	_cleanup_free_ double *sorted = sorted_copy(X, 11);
	struct summary s = summary_of(X, 11);

	CHECK_NEAR(s.mean, 1.1981818181818182, R_TOLERANCE);
	CHECK_NEAR(s.stddev, 1.3900130803831896, R_TOLERANCE);
	CHECK_NEAR(s.coeff_var, 1.1601019639009928, R_TOLERANCE);
	CHECK_NEAR(s.median, 1.45, R_TOLERANCE);
	CHECK_NEAR(s.mad, 0.77, R_TOLERANCE);
	CHECK_NEAR(s.min, -1.07, 0);
	CHECK_NEAR(s.max, 3.06, 0);
	CHECK(isnan(s.hmean)); /* there are negative ones */
	CHECK_NEAR(summary_of(rates, 4).hmean, 3.3377483443708611, R_TOLERANCE);
	CHECK_NEAR(summary_quantile(sorted, 11, 0.1), -0.62, R_TOLERANCE);
	CHECK_NEAR(summary_quantile(sorted, 11, 0.25), 0.165, R_TOLERANCE);
	CHECK_NEAR(summary_quantile(sorted, 11, 0.9), 2.71, R_TOLERANCE);
	CHECK_NEAR(summary_quantile(sorted, 11, 1), 3.06, 0);
}

static void summaries_of_little(void)
{
	static const double constant[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	struct summary none = summary_of(X, 0), one = summary_of(X, 1), same;

	CHECK(none.n == 0 && isnan(none.mean) && isnan(none.median) && isnan(none.max));
	CHECK_NEAR(one.mean, 0.83, 0);
	CHECK_NEAR(one.stddev, 0, 0);
	CHECK_NEAR(one.mad, 0, 0);
	same = summary_of(constant, 7);
	CHECK_NEAR(same.stddev, 0, 0);
	CHECK_NEAR(same.coeff_var, 0, 0);
	CHECK(summary_constant(constant, 7) && summary_constant(X, 1));
	CHECK(!summary_constant(X, 2) && !summary_constant(X, 0));
}

/* Large common offset: what a naive sum of squares loses. */
static void cancellation(void)
{
	static const double x[] = { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 };

	CHECK_NEAR(summary_stddev(x, 4), sqrt(30), 1e-12);
	CHECK_NEAR(summary_mean(x, 4), 1e9 + 10, 0);
}

static void best_means(void)
{
	static const double x[] = { 5, 1, 4, 2, 3, 6, 7, 8, 9, 10, 11, 12 };

	/* n = 12: 6, 11 and 11 values */
	CHECK_NEAR(summary_best_mean(x, 12, 50, false), 3.5, R_TOLERANCE);
	CHECK_NEAR(summary_best_mean(x, 12, 95, false), 6, R_TOLERANCE);
	CHECK_NEAR(summary_best_mean(x, 12, 99, false), 6, R_TOLERANCE);
	CHECK_NEAR(summary_best_mean(x, 12, 50, true),
		   6 / (1 / 7. + 1 / 8. + 1 / 9. + 1 / 10. + 1 / 11. + 1 / 12.), R_TOLERANCE);
	CHECK_NEAR(summary_best_mean(x, 1, 50, true), 5, R_TOLERANCE);
	CHECK(isnan(summary_best_mean(x, 0, 50, true)));
	CHECK(isnan(summary_best_mean(X, 11, 99, true)));
}

static void t_tests(void)
{
	struct ttest t = ttest_one(X, 11, 0.95);

	CHECK_NEAR(t.p, 0.016988669553622212, R_TOLERANCE);
	CHECK_NEAR(t.lo, 0.26435832443683416, R_TOLERANCE);
	CHECK_NEAR(t.hi, 2.1320053119268021, R_TOLERANCE);
	t = ttest_welch(X, 11, Y, 9, 0.95);
	CHECK_NEAR(t.estimate, -0.13659818181818184, R_TOLERANCE);
	CHECK_NEAR(t.se, 0.49716719617249783, R_TOLERANCE);
	CHECK_NEAR(t.df, 16.402588170655154, R_TOLERANCE);
	CHECK_NEAR(t.p, 0.78693661419142402, R_TOLERANCE);
	CHECK_NEAR(t.lo, -1.1884470739853599, R_TOLERANCE);
	CHECK_NEAR(t.hi, 0.9152507103489963, R_TOLERANCE);
	t = ttest_paired(X, Y, 9, 0.95);
	CHECK_NEAR(t.estimate, 0.001886666666666666, R_TOLERANCE);
	CHECK_NEAR(t.p, 0.99749499241723572, R_TOLERANCE);
	CHECK_NEAR(t.lo, -1.3413372849898482, R_TOLERANCE);
	CHECK_NEAR(t.hi, 1.3451106183231814, R_TOLERANCE);
}

/* LABEL | MEAN | STDDEV of the will-it-scale post, n = 10: base, patched */
static const struct {
	struct ttest_side base, patched;
	bool says_nothing; /* at 5 % after Holm over the nine */
} post[] = {
	{ { 270249.164, 13451.836, 10 }, { 261368.709, 13394.767, 10 }, true },
	{ { 242111.345, 10026.031, 10 }, { 237057.109, 9769.687, 10 }, true },
	{ { 0.034387, 0.0018283, 10 }, { 0.033988, 0.0018056, 10 }, true },
	{ { 203561.836, 2550.764, 10 }, { 197195.945, 2264.263, 10 }, false },
	{ { 171046.473, 1509.679, 10 }, { 166626.327, 768.753, 10 }, false },
	{ { 0.054026, 0.00062121, 10 }, { 0.053329, 0.00048394, 10 }, false },
	{ { 1295807.782, 5907.585, 10 }, { 1275579.873, 8759.160, 10 }, false },
	{ { 391234.164, 1760.720, 10 }, { 377231.273, 1874.971, 10 }, false },
	{ { 0.60369, 0.0083029, 10 }, { 0.61733, 0.009855, 10 }, false },
};

static void posted_table(void)
{
	double p[ARRAY_LEN(post)];
	struct ttest t = ttest_welch_log_summary(post[7].patched, post[7].base, 0.95);

	CHECK_NEAR(expm1(t.estimate), -0.035791585419927663, R_TOLERANCE);
	CHECK_NEAR(expm1(t.lo), -0.040080257013860421, R_TOLERANCE);
	CHECK_NEAR(expm1(t.hi), -0.031483753157433791, R_TOLERANCE);
	CHECK_NEAR(t.p, 1.5347912126857417e-12, R_TOLERANCE);
	for (size_t i = 0; i < ARRAY_LEN(post); i++)
		p[i] = ttest_welch_log_summary(post[i].patched, post[i].base, 0.95).p;
	CHECK_NEAR(p[0], 0.15645955207409945, R_TOLERANCE);
	multiple_holm(p, ARRAY_LEN(post), p);
	for (size_t i = 0; i < ARRAY_LEN(post); i++)
		CHECK_EQ(p[i] > 0.05, post[i].says_nothing);
}

static void t_without_spread(void)
{
	static const double zeros[4] = { 0 }, ones[] = { 1, 1, 1, 1 };
	struct ttest t = ttest_one(ones, 4, 0.95);

	CHECK(t.p <= 0 && t.lo >= 1 && t.hi <= 1);
	CHECK_NEAR(ttest_one(zeros, 4, 0.95).p, 1, 0);
	t = ttest_welch(ones, 4, zeros, 4, 0.95);
	CHECK(t.p <= 0 && t.lo >= 1 && t.hi <= 1);
	t = ttest_welch(ones, 4, zeros, 1, 0.95);
	CHECK(t.p >= 1 && isinf(t.lo) && isinf(t.hi));
	t = ttest_one(ones, 1, 0.95);
	CHECK(t.p >= 1 && isinf(t.lo) && isinf(t.hi));
	CHECK(isnan(ttest_one(ones, 0, 0.95).estimate));
}

static void adjustments(void)
{
	static const double p[] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.005, 0.9, 0.02 };
	/* R: p.adjust(p, "holm"), p.adjust(p, "BH") */
	static const double holm[] = { 0.07, 0.12, 0.12, 0.12, 0.12, 0.04, 0.9, 0.12 };
	static const double bh[] = { 0.04, 0.04, 0.048, 0.05333333333333333,
				     0.057142857142857141, 0.04, 0.9, 0.04 };
	double got[8];

	multiple_holm(p, 8, got);
	for (size_t i = 0; i < 8; i++)
		CHECK_NEAR(got[i], holm[i], R_TOLERANCE);
	multiple_bh(p, 8, got);
	for (size_t i = 0; i < 8; i++)
		CHECK_NEAR(got[i], bh[i], R_TOLERANCE);
	multiple_holm(p, 0, got);
}

static void equivalence(void)
{
	static const double same[] = { 0.01, 0.01, 0.01 };
	double d[11];

	for (size_t i = 0; i < 11; i++)
		d[i] = X[i] / 100;
	CHECK_NEAR(equiv_t_p(d, 11, 0.04), 3.4507443740902475e-05, R_TOLERANCE);
	CHECK_NEAR(equiv_t_p(d, 11, 0.02), 0.045798353000909522, R_TOLERANCE);
	CHECK_NEAR(equiv_t_p(same, 3, 0.02), 0, 0);
	CHECK_NEAR(equiv_t_p(same, 3, 0.005), 1, 0);
	CHECK_NEAR(equiv_t_p(d, 1, 0.04), 1, 0);
	CHECK(equiv_inside(-0.0201, 0.0197, 0.02)); /* ln 0.98 = -0.02020, ln 1.02 = 0.01980 */
	CHECK(!equiv_inside(-0.0201, 0.0199, 0.02));
	CHECK(!equiv_inside(-0.0203, 0, 0.02));
}

static void power(void)
{
	/* Rounds for "no loss beyond M" at 90 % power, CV 1 %, M 1, 2 and 5 % */
	static const uint64_t known[] = { 19, 6, 3 };
	static const double margin[] = { 0.01, 0.02, 0.05 };
	uint64_t n;

	/* R: (qt(.975, n - 1) + qt(.8, n - 1)) * s / sqrt(n) */
	CHECK_NEAR(power_mde(0.014, 10, 0.05, 0.8), 0.013925992290135426, R_TOLERANCE);
	CHECK_NEAR(power_mde(0.03, 50, 0.05, 0.8), 0.0121279856666224, R_TOLERANCE);
	CHECK(isinf(power_mde(0.014, 1, 0.05, 0.8)));
	CHECK_NEAR(power_mde(0, 5, 0.05, 0.8), 0, 0);
	n = power_rounds(0.03, 0.02, 0.05, 0.8);
	CHECK(power_mde(0.03, n, 0.05, 0.8) <= 0.02 && power_mde(0.03, n - 1, 0.05, 0.8) > 0.02);
	CHECK_EQ(power_rounds(0.03, 0, 0.05, 0.8), 0);
	CHECK_EQ(power_rounds(0, 0.01, 0.05, 0.8), 2);
	for (size_t i = 0; i < 3; i++)
		CHECK_EQ(power_equiv_rounds(0.01 * sqrt(2), -equiv_log_lower(margin[i]), 1e9,
					    0.05, 0.9), known[i]);
	CHECK_EQ(power_equiv_rounds(0.01, 0.01, -0.01, 0.05, 0.8), 0);
	/* Both bounds can be missed: more than for one alone. */
	CHECK(power_equiv_rounds(0.02, 0.02, 0.02, 0.05, 0.8) >
	      power_equiv_rounds(0.02, 0.02, 1e9, 0.05, 0.8));
}

/* The median of the distances, found without sorting them. */
static void median_of_distances(void)
{
	double x[41], d[41];
	struct rng r;

	rng_init(&r, 3);
	for (size_t n = 1; n <= 41; n++) {
		struct summary s;

		for (size_t i = 0; i < n; i++)
			x[i] = (double)rng_below(&r, n % 2 ? 9 : 9000) - 3;
		s = summary_of(x, n);
		for (size_t i = 0; i < n; i++)
			d[i] = fabs(x[i] - s.median);
		sorted_sort(d, n);
		CHECK_NEAR(s.mad, sorted_median(d, n), 0);
	}
}

int main(void)
{
	TAP_RUN(median_of_distances);
	TAP_RUN(distributions);
	TAP_RUN(refused_arguments);
	TAP_RUN(summaries);
	TAP_RUN(summaries_of_little);
	TAP_RUN(cancellation);
	TAP_RUN(best_means);
	TAP_RUN(t_tests);
	TAP_RUN(posted_table);
	TAP_RUN(t_without_spread);
	TAP_RUN(adjustments);
	TAP_RUN(equivalence);
	TAP_RUN(power);
	return tap_done();
}
