/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distribution functions; dist.c is the only user of libRmath. libRmath prints on stdout, exits
 * or hangs on bad or large arguments, so every argument is checked first: what is outside the
 * stated range gives NaN and libRmath is not called. Safe from several threads (libRmath
 * keeps tables of the rank distributions; they are freed after each call).
 */
#ifndef STATS_DIST_H
#define STATS_DIST_H

#include <stddef.h>

/* The exact rank distributions are used up to this n on each side, normal approximation above. */
#define DIST_EXACT_MAX 50

double dist_norm_cdf(double z);
double dist_norm_quantile(double p); /* 0 < p < 1 */

/* Student's t; @df finite and >= 1. */
double dist_t_cdf(double t, double df);
double dist_t_two_sided(double t, double df); /* P(|T| >= |t|) */
double dist_t_quantile(double p, double df);  /* 0 < p < 1 */

/* Wilcoxon's W+ of @n untied pairs, 1 <= n <= DIST_EXACT_MAX. */
double dist_signrank_cdf(double w, size_t n);	   /* P(W <= w) */
double dist_signrank_quantile(double p, size_t n); /* smallest w with P(W <= w) >= p */

/* Mann-Whitney's U of @m and @n untied values, both 1 to DIST_EXACT_MAX. */
double dist_ranksum_cdf(double u, size_t m, size_t n);
double dist_ranksum_quantile(double p, size_t m, size_t n);

#endif
