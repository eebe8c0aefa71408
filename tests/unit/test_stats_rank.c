// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rank estimates against R 4.2 (wilcox.test with exact = TRUE to n = 50, FALSE with correct = TRUE
 * above); intervals above 50 are order statistics of outer(v, v, "+") / 2 in R.
 */
#include "stats/rank.h"

#include "base/cleanup.h"
#include "base/rng.h"
#include "base/str.h"
#include "stats/select.h"
#include "stats/sorted.h"
#include "tap.h"

#define R_TOLERANCE 1e-9

/* R: x, y */
static const double X[] = { 0.83, 1.83, 1.96, 3.06, 2.71, -0.5, 1.31, -0.62, 1.45, 2.22, -1.07 };
static const double Y[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06001, 3.14, 1.29001 };

/* R: g <- function(n, k) { i <- 1:n; ((i * k) %% 10007) / 10007 - 0.4 } and g(n, k) - off */
static double *g(size_t n, uint64_t k, double off)
{
	double *v = xcalloc(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (double)((i + 1) * k % 10007) / 10007 - 0.4 - off;
	return v;
}

static void signed_rank_small(void)
{
	double lo, hi;

	CHECK_NEAR(rank_signed_p(X, 11), 0.018554687499999997, R_TOLERANCE);
	CHECK_NEAR(rank_centre(X, 11), 1.295, R_TOLERANCE);
	CHECK(rank_signed_interval(X, 11, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 0.19, R_TOLERANCE);
	CHECK_NEAR(hi, 2.22, R_TOLERANCE);
	CHECK(rank_signed_interval(X, 11, 0.90, &lo, &hi));
	CHECK_NEAR(lo, 0.405, R_TOLERANCE);
	CHECK_NEAR(hi, 2.08, R_TOLERANCE);
}

static void signed_rank_at_50(void)
{
	_cleanup_free_ double *v = g(50, 7919, 0);
	double lo, hi;

	CHECK_NEAR(rank_signed_p(v, 50), 0.0069413795797625957, R_TOLERANCE);
	CHECK_NEAR(rank_centre(v, 50), 0.11778754871589883, R_TOLERANCE);
	CHECK(rank_signed_interval(v, 50, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 0.031248126311581886, R_TOLERANCE);
	CHECK_NEAR(hi, 0.21057259918057358, R_TOLERANCE);
}

static void signed_rank_above_50(void)
{
	_cleanup_free_ double *a = g(51, 7919, 0.02), *b = g(1100, 7919, 0.02);
	_cleanup_free_ double *c = g(100000, 7919, 0.0995);
	double lo, hi;

	CHECK_NEAR(rank_signed_p(a, 51), 0.027282535479514983, R_TOLERANCE);
	CHECK_NEAR(rank_centre(a, 51), 0.093940241830718474, R_TOLERANCE);
	CHECK(rank_signed_interval(a, 51, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 0.011248126311581855, R_TOLERANCE);
	CHECK_NEAR(hi, 0.18047966423503542, R_TOLERANCE);

	CHECK_NEAR(rank_signed_p(b, 1100), 7.0695075872250292e-18, R_TOLERANCE);
	CHECK_NEAR(rank_centre(b, 1100), 0.081399020685520115, R_TOLERANCE);
	CHECK(rank_signed_interval(b, 1100, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 0.064111122214449839, R_TOLERANCE);
	CHECK_NEAR(hi, 0.098736884181073181, R_TOLERANCE);

	CHECK_NEAR(rank_signed_p(c, 100000), 0.59490371473423931, R_TOLERANCE);
	CHECK(rank_signed_interval(c, 100000, 0.95, &lo, &hi));
	CHECK(lo < rank_centre(c, 100000) && rank_centre(c, 100000) < hi && hi - lo < 0.01);
}

/* R: all 2^n signs of the midranks of what is not zero, 2 * mean(W <= min(v, total - v)) */
static void signed_rank_ties_and_zeros(void)
{
	static const double a[] = { 1, 1, 2, -2, 3, 3, 0, 4, -1, 5, 5, 0, 6 };
	static const double b[] = { 2, 2, 2, 2, 2, 2, -2 };
	static const double c[] = { 1, 1, 1, 1, 1, 1 };
	static const double d[] = { 1, -1, 1, -1 };
	static const double zeros[8] = { 0 };
	_cleanup_free_ double *v = g(60, 7919, 0);
	double lo, hi;

	CHECK_NEAR(rank_signed_p(a, 13), 0.017578125, R_TOLERANCE);
	CHECK_NEAR(rank_signed_p(b, 7), 0.125, R_TOLERANCE);
	CHECK_NEAR(rank_signed_p(c, 6), 0.03125, R_TOLERANCE);
	CHECK_NEAR(rank_signed_p(d, 4), 1, R_TOLERANCE);
	CHECK_NEAR(rank_signed_p(zeros, 8), 1, R_TOLERANCE);
	CHECK(rank_signed_interval(zeros, 8, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 0, 0);
	CHECK_NEAR(hi, 0, 0);
	for (size_t i = 0; i < 60; i++)
		v[i] = nearbyint(v[i] * 10) / 10; /* R: round(v, 1) */
	CHECK_NEAR(rank_signed_p(v, 60), 0.0035923073053631287, 1e-6);
}

/* R: the same by multiplying (1 + z^rank) / 2 over the doubled midranks; 45 of 50 aren't zero */
static void signed_rank_ties_at_50(void)
{
	_cleanup_free_ double *v = g(50, 7919, 0);

	for (size_t i = 0; i < 50; i++)
		v[i] = nearbyint(v[i] * 10) / 10;
	CHECK_NEAR(rank_signed_p(v, 50), 0.006361320062296727, R_TOLERANCE);
}

static double p_of_shifted(const double *x, size_t n, double centre)
{
	_cleanup_free_ double *d = xcalloc(n, sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = x[i] - centre;
	return rank_signed_p(d, n);
}

/* The interval is the set of centres that the test doesn't reject, on both sides of n = 50. */
static void interval_inverts_test(void)
{
	static const double levels[] = { 0.5, 0.8, 0.9, 0.95, 0.99 };
	const double step = 1e-9;

	for (size_t n = 9; n <= 90; n += 3) {
		_cleanup_free_ double *v = xcalloc(n, sizeof(*v));
		struct rng r;

		rng_init(&r, n);
		for (size_t i = 0; i < n; i++)
			v[i] = rng_unit(&r);
		for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
			double alpha = 1 - levels[i], lo, hi;

			CHECK(rank_signed_interval(v, n, levels[i], &lo, &hi));
			CHECK(p_of_shifted(v, n, lo - step) <= alpha);
			CHECK(p_of_shifted(v, n, lo + step) > alpha);
			CHECK(p_of_shifted(v, n, hi - step) > alpha);
			CHECK(p_of_shifted(v, n, hi + step) <= alpha);
		}
	}
}

static void no_interval_for_few(void)
{
	double lo = 7, hi = 8;

	CHECK(!rank_signed_interval(X, 5, 0.95, &lo, &hi));
	CHECK(!rank_signed_interval(X, 4, 0.90, &lo, &hi));
	CHECK(!rank_signed_interval(X, 0, 0.95, &lo, &hi));
	CHECK(!rank_signed_interval(X, 10, 1, &lo, &hi));
	CHECK(!rank_shift_interval(X, 3, Y, 4, 0.95, &lo, &hi) || lo < hi);
	CHECK(!rank_shift_interval(X, 3, Y, 3, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 7, 0);
	CHECK_NEAR(hi, 8, 0);
	CHECK(rank_signed_interval(X, 6, 0.95, &lo, &hi)); /* the extremes */
	CHECK_NEAR(lo, -0.5, 0);
	CHECK_NEAR(hi, 3.06, 0);
	CHECK(rank_signed_interval(X, 5, 0.90, &lo, &hi));
	CHECK_NEAR(rank_signed_p(X, 0), 1, 0);
	CHECK(isnan(rank_centre(X, 0)));
	CHECK(isnan(rank_shift(X, 3, Y, 0)));
	CHECK_NEAR(rank_sum_p(X, 3, Y, 0), 1, 0);
}

static void rank_sum(void)
{
	_cleanup_free_ double *a = g(50, 7919, 0), *b = g(50, 4441, 0.1);
	double lo, hi;

	CHECK_NEAR(rank_sum_p(X, 11, Y, 9), 0.76643248392474406, R_TOLERANCE);
	CHECK_NEAR(rank_shift(X, 11, Y, 9), 0.17, R_TOLERANCE);
	CHECK(rank_shift_interval(X, 11, Y, 9, 0.95, &lo, &hi));
	CHECK_NEAR(lo, -1.56, R_TOLERANCE);
	CHECK_NEAR(hi, 1.082, R_TOLERANCE);

	CHECK_NEAR(rank_sum_p(a, 50, b, 50), 0.15720518110222076, R_TOLERANCE);
	CHECK_NEAR(rank_shift(a, 50, b, 50), 0.08246227640651535, R_TOLERANCE);
	CHECK(rank_shift_interval(a, 50, b, 50, 0.95, &lo, &hi));
	CHECK_NEAR(lo, -0.036004796642350401, R_TOLERANCE);
	CHECK_NEAR(hi, 0.20412711102228442, R_TOLERANCE);
}

static void rank_sum_above_50(void)
{
	_cleanup_free_ double *a = g(51, 7919, 0), *b = g(54, 4441, 0.03);
	_cleanup_free_ double *c = g(1100, 7919, 0), *d = g(1103, 4441, 0.03);
	_cleanup_free_ double *e = g(100000, 7919, 0), *f = g(100000, 4441, 0.003);
	double lo, hi;

	CHECK_NEAR(rank_sum_p(a, 51, b, 54), 0.8852971795179666, R_TOLERANCE);
	CHECK_NEAR(rank_shift(a, 51, b, 54), 0.0083651443989207763, R_TOLERANCE);
	CHECK(rank_shift_interval(a, 51, b, 54, 0.95, &lo, &hi));
	CHECK_NEAR(lo, -0.110101928649945, R_TOLERANCE);
	CHECK_NEAR(hi, 0.12703207754571799, R_TOLERANCE);

	CHECK_NEAR(rank_sum_p(c, 1100, d, 1103), 0.012502468611854228, R_TOLERANCE);
	CHECK_NEAR(rank_shift(c, 1100, d, 1103), 0.031199160587588676, R_TOLERANCE);
	CHECK(rank_shift_interval(c, 1100, d, 1103, 0.95, &lo, &hi));
	CHECK_NEAR(lo, 0.0067162985909864359, R_TOLERANCE);
	CHECK_NEAR(hi, 0.055582092535225364, R_TOLERANCE);

	CHECK_NEAR(rank_sum_p(e, 100000, f, 100000), 0.019052737093944349, 1e-6);
	CHECK(rank_shift_interval(e, 100000, f, 100000, 0.95, &lo, &hi) && lo < hi);
}

/* Against sorting all sums, over sizes, with and without many equal values. */
static void selection(void)
{
	struct rng r;

	rng_init(&r, 42);
	for (size_t n = 1; n <= 600; n = n * 2 + 1) {
		for (uint64_t grain = 3; grain <= 3000000; grain *= 1000) {
			_cleanup_free_ double *x = xcalloc(n, sizeof(*x));
			_cleanup_free_ double *all = xcalloc(n * (n + 1) / 2, sizeof(*all));
			size_t m = 0;

			for (size_t i = 0; i < n; i++)
				x[i] = (double)rng_below(&r, grain) / 7;
			sorted_sort(x, n);
			for (size_t i = 0; i < n; i++)
				for (size_t j = i; j < n; j++)
					all[m++] = x[i] + x[j];
			sorted_sort(all, m);
			for (size_t k = 0; k + 1 < m; k += 1 + m / 40) {
				struct select_two two = select_walsh_sum(x, n, k);

				CHECK_NEAR(two.at, all[k], 0);
				CHECK_NEAR(two.next, all[k + 1], 0);
			}
			CHECK_NEAR(select_walsh_sum(x, n, m - 1).at, all[m - 1], 0);
			CHECK(isinf(select_walsh_sum(x, n, m - 1).next));
		}
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Long samples are sorted in another way: against qsort, with signs, ties and extremes. */
static void sorting_long_samples(void)
{
	enum { N = 900 };
	double x[N], y[N];
	struct rng r;

	rng_init(&r, 7);
	for (uint64_t grain = 5; grain <= 5000000000; grain *= 1000) {
		for (size_t i = 0; i < N; i++)
			x[i] = ((double)rng_below(&r, grain) - (double)grain / 2) * 1e-3;
		x[5] = HUGE_VAL;
		x[6] = -HUGE_VAL;
		x[7] = 5e-324;
		x[8] = -1e308;
		memcpy(y, x, sizeof(y));
		sorted_sort(x, N);
		qsort(y, N, sizeof(*y), ascending);
		for (size_t i = 0; i < N; i++)
			CHECK(x[i] <= y[i] && x[i] >= y[i]);
	}
}

/* Sorted and turned round samples take the short way to their ranks: the same p as shuffled. */
static void order_changes_nothing(void)
{
	enum { N = 200 };
	double x[N], y[N], p, q;
	struct rng r;

	rng_init(&r, 9);
	for (size_t i = 0; i < N; i++) {
		x[i] = (double)rng_below(&r, 60) - 25;
		y[i] = (double)rng_below(&r, 60) - 30;
	}
	p = rank_signed_p(x, N);
	q = rank_sum_p(x, N, y, N);
	sorted_sort(x, N);
	CHECK(rank_signed_p(x, N) >= p && rank_signed_p(x, N) <= p);
	CHECK_NEAR(rank_sum_p(x, N, y, N), q, 0);
	sorted_sort(y, N);
	CHECK_NEAR(rank_sum_p(x, N, y, N), q, 0);
	for (size_t i = 0; i < N / 2; i++) {
		double swap = x[i];

		x[i] = x[N - 1 - i];
		x[N - 1 - i] = swap;
	}
	CHECK_NEAR(rank_sum_p(x, N, y, N), q, 0);
	CHECK_NEAR(rank_signed_p(x, N), p, 0);
}

int main(void)
{
	TAP_RUN(sorting_long_samples);
	TAP_RUN(order_changes_nothing);
	TAP_RUN(signed_rank_small);
	TAP_RUN(signed_rank_at_50);
	TAP_RUN(signed_rank_above_50);
	TAP_RUN(signed_rank_ties_and_zeros);
	TAP_RUN(signed_rank_ties_at_50);
	TAP_RUN(interval_inverts_test);
	TAP_RUN(no_interval_for_few);
	TAP_RUN(rank_sum);
	TAP_RUN(rank_sum_above_50);
	TAP_RUN(selection);
	return tap_done();
}
