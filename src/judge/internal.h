/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of judge/: samples -> picks -> log-ratios of pairs -> effect. */
#ifndef JUDGE_INTERNAL_H
#define JUDGE_INTERNAL_H

#include "judge/judge.h"

/* The sample that counts for a round. */
struct judge_pick {
	unsigned round, repeat, seq;
	int64_t boot;
	double value;
};

struct judge_picks {
	struct judge_pick *v; /* by round */
	size_t n;
};
void judge_picks_done(struct judge_picks *p);

/* The good samples of one variant of one row; the bad ones are counted in @ret_side. */
void judge_pick_rounds(const struct store_obs *obs, size_t n, struct judge_picks *ret,
		       struct judge_side *ret_side);

struct judge_pairs {
	double *log_ratio; /* variant over base */
	size_t n;
	size_t n_no_ratio; /* further pairs with a value <= 0 */
	bool by_boot, single_boot;
};
void judge_pairs_done(struct judge_pairs *p);
void judge_pair(const struct judge_picks *base, const struct judge_picks *variant,
		struct judge_pairs *ret);

/* Everything in an effect but p_adjusted, real_small, more_rounds and verdict. */
void judge_measure(const struct judge_picks *base, const struct judge_picks *variant,
		   struct judge_effect *ret);

/* Can a test of this effect count: none of the reasons that forbid a verdict? */
bool judge_testable(const struct judge_effect *f);

bool judge_side_untrustworthy(const struct judge_side *s);

/* Pairs that an inconclusive effect still lacks; see docs/statistics.md. */
unsigned judge_more_rounds(const struct judge_effect *f, double margin, size_t family);

#endif
