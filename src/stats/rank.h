/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank estimates and tests (Hodges and Lehmann 1963; Wilcoxon 1945; Mann and Whitney 1947;
 * Hollander, Wolfe and Chicken 2014, chapters 3 and 4). Values must be finite, in any order.
 * Exact to DIST_EXACT_MAX values, normal with continuity correction above.
 *
 * One sample: symmetric about its centre under the null, which differences of exchangeable pairs
 * are whatever the distribution of the values. Two samples: same shape, shifted.
 */
#ifndef STATS_RANK_H
#define STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* Median of the Walsh averages (x[i] + x[j]) / 2, i <= j. NaN for n = 0. */
double rank_centre(const double *x, size_t n);

/*
 * Two-sided p of the signed-rank test of centre 0. Zeros are dropped (Wilcoxon). Up to
 * DIST_EXACT_MAX remaining values ties keep their midranks and the distribution is the exact
 * conditional one over all signs; above, normal with the variance corrected for ties. 1 when
 * nothing but zeros is left.
 */
double rank_signed_p(const double *x, size_t n);

/*
 * Interval of the centre: the order statistics of the Walsh averages that invert the signed-rank
 * test, coverage at least @level to DIST_EXACT_MAX (with ties conservative). False, and nothing
 * stored, when none exists at this n: 95 % needs 6 values, 90 % needs 5.
 */
bool rank_signed_interval(const double *x, size_t n, double level, double *ret_lo, double *ret_hi);

/* Median of all x[i] - y[j]. NaN when a side is empty. */
double rank_shift(const double *x, size_t m, const double *y, size_t n);

/*
 * Two-sided p of the rank-sum (U) test. Exact without ties to DIST_EXACT_MAX a side; else normal
 * with midranks, which is coarse for ties below about 8 a side. 1 when a side is empty.
 */
double rank_sum_p(const double *x, size_t m, const double *y, size_t n);

/* Interval of the shift x - y, as rank_signed_interval. 95 % needs 4 v 4. */
bool rank_shift_interval(const double *x, size_t m, const double *y, size_t n, double level,
			 double *ret_lo, double *ret_hi);

#endif
