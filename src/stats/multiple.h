/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adjusting p for many tests. Results are comparable to the level directly, in the order of the
 * input, and never above 1. @ret may be @p. p must not be NaN.
 */
#ifndef STATS_MULTIPLE_H
#define STATS_MULTIPLE_H

#include <stddef.h>

/* Any false finding in the family, whatever the dependence (Holm 1979). */
void multiple_holm(const double *p, size_t n, double *ret);

/*
 * Share of false findings among the findings (Benjamini and Hochberg 1995); independent or
 * positively dependent tests.
 */
void multiple_bh(const double *p, size_t n, double *ret);

#endif
