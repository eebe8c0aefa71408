/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of judge/: samples -> picks -> log-ratios of pairs -> effect. */
#ifndef JUDGE_INTERNAL_H
#define JUDGE_INTERNAL_H

#include "judge/judge.h"

/* The value that counts for a round; of an imported run of many samples, for each of them. */
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

/*
 * The good samples of one variant of one row; the bad ones are counted in @ret_side. A run that
 * left many samples counts once, with their mean, unless @by_sample.
 */
void judge_pick_rounds(const struct store_data *d, const struct store_series *series,
		       bool by_sample, struct judge_picks *ret, struct judge_side *ret_side);

/* A side is one run only, with many samples: they are all that varies. */
bool judge_one_run(const struct store_data *d, const struct store_series *series);

struct judge_pairs {
	double *log_ratio; /* variant over base */
	unsigned *label;   /* the round of each, or which pair of boots, from 1 */
	size_t n;
	size_t n_no_ratio; /* further pairs with a value <= 0 */
	bool by_boot, single_boot;
};
void judge_pairs_done(struct judge_pairs *p);
void judge_pair(const struct judge_picks *base, const struct judge_picks *variant,
		struct judge_pairs *ret);

/* The logs of both sides, for values that are no pairs: sorted. */
struct judge_sides {
	double *base, *variant;
	size_t n_base, n_variant;
	size_t n_no_ratio; /* values <= 0 */
	bool by_boot, single_boot;
};
void judge_sides_done(struct judge_sides *s);
void judge_split(const struct judge_picks *base, const struct judge_picks *variant,
		 bool boots_known, struct judge_sides *ret);

/* What the rounds of an experiment mean (its order). */
enum judge_pairing { JUDGE_PAIRED, JUDGE_UNPAIRED, JUDGE_BOOTS_UNKNOWN, JUDGE_COUNTED };

/*
 * Counts of the same machine: those that most of them agree on stay, the others are marked; all
 * are when there is no such value.
 */
void judge_agree(struct judge_picks *p, struct judge_side *side);

enum judge_pairing judge_pairing_of(const struct store_experiment *x);
/* Has some variant of this metric of a case one run only? Then samples are what varies. */
bool judge_by_sample(const struct store_experiment *x, const struct store_data *d,
		     const struct store_case *c, const struct store_metric *m);
size_t judge_count_failed(const struct store_data *d, int64_t case_id, int64_t variant);

/*
 * Two-sided p of the same test against the change @bound (> -1) instead of none. For constant
 * sides it is that of arithmetic, 0 or 1.
 */
double judge_p_at(const struct judge_picks *base, const struct judge_picks *variant,
		  enum judge_pairing pairing, double bound);

/* Standard deviation of the log-ratios behind a minimal detectable effect, and the planning of
 * rounds from it: the signed-rank test of normal data needs a few more than the t test. */
double judge_spread(const struct judge_effect *f);
#define JUDGE_RANK_EFFICIENCY (3 / M_PI)
/* Fewest pairs, or values, that can decide so many comparisons. */
unsigned judge_least_n(const struct judge_effect *f, size_t family);

/* Everything in an effect but p_adjusted, real_small, more_rounds and verdict. */
void judge_measure(const struct judge_picks *base, const struct judge_picks *variant,
		   enum judge_pairing pairing, struct judge_effect *ret);

/* The parts of it: nothing is known yet; decided by arithmetic; (variant - base) / |base|. */
void judge_unknown(struct judge_effect *f);
void judge_measure_exact(double change, struct judge_effect *f);
double judge_exact_change(double base, double variant);

/* judge_verdict of an effect that can be tested. */
enum verdict judge_decide(const struct judge_effect *f, double margin, bool higher_is_better);

/* Can a test of this effect count: none of the reasons that forbid a verdict? */
bool judge_testable(const struct judge_effect *f);

bool judge_side_untrustworthy(const struct judge_side *s);

/* Pairs that an inconclusive effect still lacks; see docs/statistics.md. */
unsigned judge_more_rounds(const struct judge_effect *f, double margin, size_t family);

#endif
