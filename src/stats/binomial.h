/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact interval of a share: @x of @n, Clopper and Pearson 1934. Each end is the share with which
 * so many or more (fewer) have probability (1 - @level) / 2; coverage is at least @level, mostly
 * more. From sums of the binomial distribution and bisection, to 1e-12. 0 <= x <= n, n from 1 to
 * 1e6, 0 < level < 1; n = 0 gives 0 and 1.
 */
#ifndef STATS_BINOMIAL_H
#define STATS_BINOMIAL_H

#include <stdint.h>

void binomial_interval(uint64_t x, uint64_t n, double level, double *ret_lo, double *ret_hi);

#endif
