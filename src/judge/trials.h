/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One long experiment read as many short ones: rounds 1 to R are the first trial, R + 1 to 2R the
 * second, and so on. What the verdict says of them, where the truth is known, is how often it is
 * wrong. Each trial is judged alone, as a table of one row.
 */
#ifndef JUDGE_TRIALS_H
#define JUDGE_TRIALS_H

#include <stddef.h>

#include "judge/judge.h"

struct judge_trials {
	size_t n;	  /* trials with a verdict: these sum up to it */
	size_t regressed, improved, no_change, inconclusive;
	size_t too_few;	  /* further ones that had fewer than 6 good rounds left */
	size_t n_pairs;	  /* good rounds in all, also of an unfinished trial */
	double sd;	  /* of their log-ratios; 0 below two */
	double change, lo, hi; /* of all rounds as one, 95 %; lo, hi infinite below 6 */
};

/*
 * @c, @m, @variant: what is compared with variant 0. @shift: each value of the variant counts as
 * 1 + @shift times itself; 0 for what was measured.
 */
void judge_trials(const struct store_experiment *x, const struct store_data *d,
		  const struct store_case *c, const struct store_metric *m, size_t variant,
		  unsigned rounds, double margin, double shift, struct judge_trials *ret);

#endif
