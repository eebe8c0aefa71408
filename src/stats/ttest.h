/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Student's tests. Right for normal data, good for means of many; outliers widen them (rank.h
 * then sees more). Values must be finite.
 *
 * Without spread (standard error 0) the answer is arithmetic: the interval is the estimate
 * itself, p is 1 when it is zero and 0 when not. With fewer than two values on a side nothing is
 * known: interval -inf to inf, p 1. There is no NaN but the estimate of nothing.
 */
#ifndef STATS_TTEST_H
#define STATS_TTEST_H

#include <stddef.h>

struct ttest {
	double estimate; /* mean, or difference of means */
	double se;
	double df;
	double lo, hi; /* interval at the level asked for */
	double p;      /* two-sided, of 0 */
};

/* Mean of one sample (of differences, of log-ratios): se = s / sqrt(n), df = n - 1. */
struct ttest ttest_one(const double *x, size_t n, double level);

/* Mean of x[i] - y[i]. */
struct ttest ttest_paired(const double *x, const double *y, size_t n, double level);

/* A sample known by its summary only, as posted in mails. */
struct ttest_side {
	double mean, stddev;
	size_t n;
};
/*
 * mean(x) - mean(y), unequal variances (Welch 1947): se^2 = sx^2/m + sy^2/n,
 * df = se^4 / ((sx^2/m)^2/(m-1) + (sy^2/n)^2/(n-1)).
 */
struct ttest ttest_welch(const double *x, size_t m, const double *y, size_t n, double level);
struct ttest ttest_welch_summary(struct ttest_side x, struct ttest_side y, double level);
/*
 * ln mean(x) - ln mean(y), spreads carried over by stddev / mean (first-order delta method: fine
 * to a CV of about 20 %). Means must be > 0.
 */
struct ttest ttest_welch_log_summary(struct ttest_side x, struct ttest_side y, double level);

#endif
