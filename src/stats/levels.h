/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the spread is: between boots, or between the runs of one (Kalibera and Jones, ISMM 2013,
 * for two levels with the same number of runs in every boot). S_i^2 = variance of the means of
 * level i, averaged over the level above; T_run^2 = S_run^2, T_boot^2 = S_boot^2 - S_run^2 / runs,
 * unbiased, and 0 where that is negative.
 */
#ifndef STATS_LEVELS_H
#define STATS_LEVELS_H

#include <stddef.h>

struct levels {
	double run, boot;  /* T^2 */
	double boot_share; /* T_boot^2 / (T_run^2 + T_boot^2); 0 without any spread */
};

/* @x holds the runs of one boot after those of another. @boots and @runs are at least 2. */
struct levels levels_of(const double *x, size_t boots, size_t runs);

/*
 * Runs a boot that give the narrowest interval for the time: ceil(sqrt(c T_run^2 / T_boot^2)), at
 * least 1, where a further boot costs @boot_cost times what a further run does (> 0). Infinite
 * when boots don't differ.
 */
double levels_best_runs(const struct levels *l, double boot_cost);

#endif
