// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/binomial.h"

#include <math.h>

/* P(X <= x) of n draws; falls with @share. 0 < share < 1. */
static double cdf(uint64_t x, uint64_t n, double share)
{
	double sum = 0, log_p = log(share), log_q = log1p(-share);

	for (uint64_t k = 0; k <= x; k++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
			   lgamma((double)(n - k) + 1) + (double)k * log_p +
			   (double)(n - k) * log_q);
	return sum;
}

/* The share with P(X <= x) = p. */
static double share_at(uint64_t x, uint64_t n, double p)
{
	double lo = 0, hi = 1;

	for (int i = 0; i < 60; i++) {
		double mid = lo + (hi - lo) / 2;

		if (cdf(x, n, mid) > p)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

void binomial_interval(uint64_t x, uint64_t n, double level, double *ret_lo, double *ret_hi)
{
	double tail = (1 - level) / 2;

	*ret_lo = x == 0 ? 0 : share_at(x - 1, n, 1 - tail);
	*ret_hi = x >= n ? 1 : share_at(x, n, tail);
}
