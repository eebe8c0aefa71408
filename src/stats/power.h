/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a number of rounds can see, for the t test of n differences with standard deviation @sd
 * (all in the unit of the differences: log-ratios here). The signed-rank test needs about 5 %
 * more rounds for normal data, fewer for heavy tails. @sd is itself an estimate: from 10 rounds
 * it is known to about a quarter.
 */
#ifndef STATS_POWER_H
#define STATS_POWER_H

#include <stdint.h>

#define POWER_USUAL 0.80
#define POWER_MAX_ROUNDS 1000000 /* more is "never" */

/*
 * Smallest effect that a two-sided test at @alpha finds with probability @power:
 * (t(1 - alpha/2, n - 1) + t(power, n - 1)) sd / sqrt(n). Infinite for n < 2, 0 for sd 0.
 */
double power_mde(double sd, uint64_t n, double alpha, double power);

/* Fewest rounds, at least 2, whose power_mde is at most |@effect|. 0: more than the maximum. */
uint64_t power_rounds(double sd, double effect, double alpha, double power);

/*
 * Fewest rounds with which the effect is shown to be between the bounds of a margin, each test
 * at @alpha, when it really is @below above the lower and @above below the upper one. 0: never,
 * because a distance is not positive, or more than the maximum.
 */
uint64_t power_equiv_rounds(double sd, double below, double above, double alpha, double power);

#endif
