/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be said from what people post: mean, standard deviation and number of runs of each
 * side, without the runs. Welch's test between the logs of the means (ttest_welch_log_summary),
 * Holm over all comparisons of the table, equivalence by its 90 % interval.
 *
 * It takes the runs as independent. How far boots differ can't be seen in a summary, so that the
 * intervals are too narrow for a statement about kernels that were booted once each.
 */
#ifndef JUDGE_POSTED_H
#define JUDGE_POSTED_H

#include <stdbool.h>
#include <stddef.h>

#include "judge/judge.h"

struct posted_side {
	char *variant;
	double mean, stddev;
	uint64_t n;
	size_t line; /* where it was read */
	struct judge_effect effect; /* against the first side of its row; unused there */
};

struct posted_row {
	char *label;
	struct posted_side *side; size_t n_sides;
};

struct posted {
	struct posted_row *rows; size_t n_rows;
	double margin;
	size_t family; /* comparisons that Holm counts */
};

/*
 * Fills in all effects, margin and family. With a mean <= 0 there is no ratio, with a single run
 * no spread: such a comparison is inconclusive. Two sides without any spread are decided.
 */
void judge_posted(struct posted *t, double margin, bool higher_is_better);
void posted_done(struct posted *t);
#define _cleanup_posted_ __attribute__((cleanup(posted_done)))

#endif
