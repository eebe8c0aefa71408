/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Equivalence by two one-sided tests (Schuirmann 1987): at 5 % each, the effect is inside the
 * margin exactly if the 90 % interval is. A margin M is a fraction of change of a ratio, so its
 * bounds for a log-ratio are ln(1 - M) and ln(1 + M): not symmetric, but what "within 2 %" says.
 */
#ifndef STATS_EQUIV_H
#define STATS_EQUIV_H

#include <stdbool.h>
#include <stddef.h>

#define EQUIV_LEVEL 0.90 /* of the interval that makes it a test at 5 % */

/* 0 <= @margin < 1. */
double equiv_log_lower(double margin);
double equiv_log_upper(double margin);

/* Is the interval of a log-ratio wholly inside the margin? Touching is not inside. */
bool equiv_inside(double lo, double hi, double margin);

/*
 * p of the t form: the larger of the two one-sided tests of the mean log-ratio of @x. 1 for
 * n < 2; 0 or 1 without spread.
 */
double equiv_t_p(const double *x, size_t n, double margin);

#endif
