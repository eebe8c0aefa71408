// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drift and levels against R 4.2: S, its variance and slopes by their definitions (p also by
 * cor.test(method = "kendall", exact = FALSE, continuity = TRUE)), levels by var of tapply.
 */
#include "stats/levels.h"
#include "stats/trend.h"
#include "tap.h"

#define R_TOLERANCE 1e-9

/* R: g <- function(n, k) { i <- 1:n; ((i * k) %% 10007) / 10007 } */
static double g(size_t i, size_t k)
{
	return (double)((i + 1) * k % 10007) / 10007;
}

static void no_drift(void)
{
	static const double x[] = { 0.83, 1.83, 1.96, 3.06, 2.71, -0.5, 1.31, -0.62, 1.45, 2.22,
				    -1.07 };
	struct trend t = trend_of(x, 11);

	CHECK_NEAR(t.s, -11, 0);
	CHECK_NEAR(t.p, 0.43627492884052915, R_TOLERANCE);
	CHECK_NEAR(t.slope, -0.11400000000000002, R_TOLERANCE);
	CHECK_NEAR(t.r1, -0.16958042992400965, R_TOLERANCE);
	CHECK_NEAR(t.r1_p, 0.79415164603474542, R_TOLERANCE);
}

static void drift_with_ties(void)
{
	static const double x[] = { 1, 2, 2, 3, 1, 4, 4, 4, 5, 6, 5, 7 };
	struct trend t = trend_of(x, 12);

	CHECK_NEAR(t.s, 52, 0);
	CHECK_NEAR(t.p, 0.00038037485606764039, R_TOLERANCE);
	CHECK_NEAR(t.slope, 0.5, R_TOLERANCE);
	CHECK_NEAR(t.r1, -0.48809523809523808, R_TOLERANCE);
}

static void long_series(void)
{
	struct trend t;
	double x[200];

	for (size_t i = 0; i < 200; i++)
		x[i] = g(i, 4241) + (double)(i + 1) * 0.001;
	t = trend_of(x, 200);
	CHECK_NEAR(t.s, 2552, 0);
	CHECK_NEAR(t.p, 0.0070232906795260324, R_TOLERANCE);
	CHECK_NEAR(t.slope, 0.0010745241043134208, R_TOLERANCE);
	CHECK_NEAR(t.r1, -0.46815438570797435, R_TOLERANCE);
	CHECK(t.r1_p < 1e-9);
}

static void few_and_constant(void)
{
	static const double x[] = { 3, 3, 3, 3, 3 };

	for (size_t n = 0; n <= 5; n++) {
		struct trend t = trend_of(x, n);

		CHECK_NEAR(t.p, 1, 0);
		CHECK_NEAR(t.r1_p, 1, 0);
		CHECK_NEAR(t.slope, 0, 0);
	}
}

static void boots_and_runs(void)
{
	static const double boot[] = { 0.3, -0.2, 0.1, 0.5 };
	struct levels l;
	double x[60];

	for (size_t i = 0; i < 60; i++)
		x[i] = 1 + 0.1 * g(i, 7919) + boot[i / 15] + 0.4 * g(i / 5, 4241);
	l = levels_of(x, 4, 15);
	CHECK_NEAR(l.run, 0.010884548861973820, R_TOLERANCE);
	CHECK_NEAR(l.boot, 0.078756441622373843, R_TOLERANCE);
	CHECK_NEAR(l.boot_share, 0.878576209352858628, R_TOLERANCE);
	CHECK_NEAR(levels_best_runs(&l, 15), 2, 0); /* sqrt(15 * 0.138) = 1.44 */
}

/* Kalibera and Jones's example: a boot of 30 s, runs of 2 s, 1.5 % and 3 %. */
static void best_runs(void)
{
	struct levels l = { .run = 0.0009, .boot = 0.000225 };

	CHECK_NEAR(levels_best_runs(&l, 15), 8, 0);
	CHECK_NEAR(levels_best_runs(&l, 2.5), 4, 0);
	CHECK_NEAR(levels_best_runs(&l, 0.01), 1, 0);
	l.boot = 0;
	CHECK(isinf(levels_best_runs(&l, 15)));
}

int main(void)
{
	TAP_RUN(no_drift);
	TAP_RUN(drift_with_ties);
	TAP_RUN(long_series);
	TAP_RUN(few_and_constant);
	TAP_RUN(boots_and_runs);
	TAP_RUN(best_runs);
	return tap_done();
}
