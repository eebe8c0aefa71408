/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The k-th smallest of all pairwise sums of two sorted samples, without making the sums: the
 * Walsh averages (times two) and the differences x - y of the Hodges-Lehmann estimates.
 *
 * Selection in a matrix whose rows and columns are sorted (Johnson and Mizoguchi 1978; the
 * sampled pivots are Monahan's, 1984): O(n log n) expected, O(n) memory. The answer is exact and
 * doesn't depend on the pivots.
 */
#ifndef STATS_SELECT_H
#define STATS_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* The k-th sum, and the one after it (infinite when there is none): a median may need both. */
struct select_two {
	double at, next;
};

/* Both sorted upwards, m * n < 2^63. @k from 0, less than m * n. */
struct select_two select_sum(const double *x, size_t m, const double *y, size_t n, uint64_t k);

/* Of x[i] + x[j] with i <= j: twice the Walsh averages. @k from 0, less than n (n + 1) / 2. */
struct select_two select_walsh_sum(const double *x, size_t n, uint64_t k);

#endif
