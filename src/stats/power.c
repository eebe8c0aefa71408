// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/power.h"

#include <math.h>
#include <stdbool.h>

#include "stats/dist.h"

double power_mde(double sd, uint64_t n, double alpha, double power)
{
	double df = (double)n - 1;

	if (n < 2)
		return HUGE_VAL;
	return (dist_t_quantile(1 - alpha / 2, df) + dist_t_quantile(power, df)) * sd /
	       sqrt((double)n);
}

struct aim {
	double sd, below, above, alpha, power;
};

static bool change_seen(const struct aim *a, uint64_t n)
{
	return power_mde(a->sd, n, a->alpha, a->power) <= a->above;
}

/* Probability of both one-sided tests, from below: one minus what each may miss. */
static bool equivalence_seen(const struct aim *a, uint64_t n)
{
	double df = (double)n - 1, se = a->sd / sqrt((double)n);
	double t = dist_t_quantile(1 - a->alpha, df);

	if (!(se > 0))
		return true;
	return dist_t_cdf(t - a->below / se, df) + dist_t_cdf(t - a->above / se, df) <=
	       1 - a->power;
}

/* Both grow with n, so bisection finds where they begin to hold. */
static uint64_t fewest(const struct aim *a, bool (*seen)(const struct aim *a, uint64_t n))
{
	uint64_t lo = 1, hi = POWER_MAX_ROUNDS;

	if (!seen(a, hi))
		return 0;
	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (seen(a, mid))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

uint64_t power_rounds(double sd, double effect, double alpha, double power)
{
	struct aim a = { .sd = sd, .above = fabs(effect), .alpha = alpha, .power = power };

	return fewest(&a, change_seen);
}

uint64_t power_equiv_rounds(double sd, double below, double above, double alpha, double power)
{
	struct aim a = { .sd = sd, .below = below, .above = above, .alpha = alpha, .power = power };

	return below > 0 && above > 0 ? fewest(&a, equivalence_seen) : 0;
}
