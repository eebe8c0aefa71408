// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error rates by seeded simulation: limits plus two Monte-Carlo standard errors. Log-ratios of
 * rounds, as the judge makes them.
 */
#include "base/rng.h"
#include "stats/rank.h"

#include "tap.h"

enum { TRIALS = 3000, ROUNDS = 10 };

static double slack(double rate)
{
	return 2 * sqrt(rate * (1 - rate) / TRIALS);
}

/* Box-Muller. */
static double normal(struct rng *r)
{
	double u = 1 - rng_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * rng_unit(r));
}

/* One value in twenty is an outlier of 3 to 8 sd, symmetric. */
static double tailed(struct rng *r)
{
	double x = normal(r);

	if (rng_below(r, 20) == 0)
		x += (rng_below(r, 2) ? 1 : -1) * (3 + 5 * rng_unit(r));
	return x;
}

static double two_modes(struct rng *r)
{
	return normal(r) * 0.3 + (rng_below(r, 2) ? 1 : -1);
}

static double coverage(double (*noise)(struct rng *r), double *ret_false)
{
	unsigned covered = 0, flagged = 0;
	struct rng r;

	rng_init(&r, 20240501);
	for (int t = 0; t < TRIALS; t++) {
		double d[ROUNDS], lo, hi;

		for (int i = 0; i < ROUNDS; i++)
			d[i] = 0.01 * noise(&r);
		flagged += rank_signed_p(d, ROUNDS) <= 0.05;
		if (!rank_signed_interval(d, ROUNDS, 0.95, &lo, &hi))
			return 0;
		covered += lo <= 0 && 0 <= hi;
	}
	*ret_false = (double)flagged / TRIALS;
	return (double)covered / TRIALS;
}

static void check_coverage(double (*noise)(struct rng *r))
{
	double wrong = 1, right = coverage(noise, &wrong);

	CHECK(right >= 0.94 - slack(0.94));
	CHECK(right <= 0.96 + slack(0.96));
	CHECK(wrong <= 0.05 + slack(0.05));
	CHECK(wrong >= 0.03); /* an interval and a test that say nothing would pass the rest */
}

static void normal_noise(void)
{
	check_coverage(normal);
}

static void heavy_tails(void)
{
	check_coverage(tailed);
}

static void two_mode_noise(void)
{
	check_coverage(two_modes);
}

/* Log-ratio of round @i when the clock drifts by @drift over the whole of it: ABBA or AABB. */
static double drifting(struct rng *r, unsigned i, double drift, bool balanced)
{
	double step = drift / (2 * ROUNDS), a, b;
	bool b_first = balanced && (i % 2);

	a = 2 * i + (b_first ? 1 : 0);
	b = 2 * i + (b_first ? 0 : 1);
	if (!balanced) {
		a = i;
		b = ROUNDS + i;
	}
	return (b - a) * step + 0.01 * (normal(r) - normal(r));
}

static double drift_flagged(bool balanced, double effect)
{
	unsigned flagged = 0;
	struct rng r;

	rng_init(&r, 77);
	for (int t = 0; t < TRIALS; t++) {
		double d[ROUNDS];

		for (unsigned i = 0; i < ROUNDS; i++)
			d[i] = effect + drifting(&r, i, 0.03, balanced);
		flagged += rank_signed_p(d, ROUNDS) <= 0.05;
	}
	return (double)flagged / TRIALS;
}

/* 3 % linear drift, 1 % noise: balanced order is immune, A before B isn't. */
static void drift(void)
{
	CHECK(drift_flagged(true, 0) <= 0.06 + slack(0.06));
	CHECK(drift_flagged(true, 0.02) >= 0.95 - slack(0.95));
	CHECK(drift_flagged(false, 0) > 0.5);
}

int main(void)
{
	TAP_RUN(normal_noise);
	TAP_RUN(heavy_tails);
	TAP_RUN(two_mode_noise);
	TAP_RUN(drift);
	return tap_done();
}
