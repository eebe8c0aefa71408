/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptions of one sample. All values must be finite; an empty sample gives n = 0 and NaN
 * elsewhere, a single value a spread of 0. Sums are Neumaier-compensated (1974), left to right.
 */
#ifndef STATS_SUMMARY_H
#define STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

struct summary {
	size_t n;
	double mean;	  /* arithmetic */
	double hmean;	  /* n / sum(1/x): the mean of rates over equal work; NaN if any x <= 0 */
	double stddev;	  /* sqrt(sum((x - mean)^2) / (n - 1)), two passes; 0 for n = 1 */
	double coeff_var; /* stddev / mean, a fraction; NaN for mean 0 with spread, 0 without */
	double min, max;
	double median;
	double mad;	  /* median of |x - median|; times 1.4826 it estimates a normal's sigma */
};

struct summary summary_of(const double *x, size_t n);

/* @x must be sorted upwards. Linear between order statistics (Hyndman and Fan 1996, type 7). */
double summary_quantile(const double *x, size_t n, double q);

/*
 * Mean of the best max(1, floor(n * percent / 100)) values, the "BAmean-50" and "BHmean-50" of
 * the classic tables. Best = largest if @higher_is_better, and then harmonic (NaN if a value is
 * <= 0); else smallest and arithmetic.
 */
double summary_best_mean(const double *x, size_t n, unsigned percent, bool higher_is_better);

/* No two values differ. False for an empty sample. */
bool summary_constant(const double *x, size_t n);

double summary_mean(const double *x, size_t n);
double summary_stddev(const double *x, size_t n); /* 0 for n < 2 */

#endif
