/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do values taken one after the other drift, or follow their predecessors? @x in the order of
 * measuring, finite. Both take the null of exchangeable values.
 *
 * S = sum over i < j of sign(x[j] - x[i]) (Mann 1945, Kendall 1975); its variance with ties
 * (n(n-1)(2n+5) - sum t(t-1)(2t+5)) / 18; p normal with continuity, two-sided: good from n = 10.
 * The slope is the median of (x[j] - x[i]) / (j - i) (Theil 1950, Sen 1968).
 *
 * Autocorrelation at lag 1 of what the slope leaves, r = sum d[i] d[i+1] / sum d[i]^2 about the
 * mean; z = (r + 1/n) sqrt(n), normal (Bartlett 1946): rough below n = 20, where the removed slope
 * makes r more negative and the test of a positive r conservative.
 */
#ifndef STATS_TREND_H
#define STATS_TREND_H

#include <stddef.h>

struct trend {
	double s, p;	  /* 0 and 1 below 4 values */
	double slope;	  /* a step from one of @x to the next; 0 below 2 */
	double r1, r1_p;  /* two-sided; 0 and 1 below 4 values, or without spread */
};

/* O(n^2) time and memory: for rounds, not for samples. */
struct trend trend_of(const double *x, size_t n);

#endif
