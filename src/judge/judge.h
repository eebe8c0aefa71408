/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the numbers allow to be said. Rows (case x metric), pairing of variants by round, the
 * family of a table and the one verdict function. Used by run (stopping), report, gate and
 * selfcheck; rules in design and docs/statistics.md.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "store/store.h"

struct err;

enum verdict {
	VERDICT_REGRESSED,
	VERDICT_IMPROVED,
	VERDICT_NO_CHANGE,	/* inside the margin */
	VERDICT_INCONCLUSIVE,
	VERDICT_UNTRUSTWORTHY,	/* too many of its runs are marked, or all failed */
	VERDICT_NONE,		/* not a primary metric, or nothing to compare */
};
const char *verdict_name(enum verdict v); /* "regressed", … */

/* One variant of one row. The numbers are 0 while n is 0. */
struct judge_side {
	size_t n;	  /* good samples: the last good repeat of each round */
	size_t n_bad;	  /* marked untrustworthy, or not finite: kept, counted, not used */
	size_t n_failed;  /* failed runs of the case */
	double median, mean, stddev, min, max;
	double cv;	  /* stddev / mean; infinite for mean 0 with spread */
};

/*
 * Without pairs (unpaired): the sides are of different experiments or of unknown order, and the
 * test is rank sum, the estimate the median of all differences of logs, the intervals its
 * inversion. Values are boots when both sides have several, else runs, or the samples of the one
 * run that a side has; n is that of the smaller side.
 *
 * What a pair is: a round, when both sides ran in the same single boot; else a boot, whose value
 * is the geometric mean of its rounds. Common boots pair with themselves, others in the order in
 * which they began. No field is ever NaN; what isn't known is infinite (intervals and mde below
 * JUDGE_MIN_ROUNDS or JUDGE_MIN_UNPAIRED, t interval below 2).
 */
struct judge_effect {
	size_t n;	      /* pairs, or values of the smaller side (top level that varies) */
	double change;	      /* Hodges-Lehmann of log-ratios, as fraction: +0.05 = 5 % more */
	double lo, hi;	      /* 95 % signed-rank interval, same scale */
	double lo90, hi90;    /* 90 %: the equivalence test */
	double t_lo, t_hi;    /* 95 % t interval of the mean log-ratio */
	/*
	 * Signed rank, two-sided. Adjusted by Holm over the family; for another metric of a primary
	 * row over the same metric of all primary rows ("as if it were the primary"); plain p
	 * in exploratory rows.
	 */
	double p, p_adjusted;
	double mde;	      /* smallest change that this n and spread see with 80 % power */
	bool exact;	      /* two or more equal values on each side: decided by arithmetic */
	bool unpaired;
	bool by_sample;	      /* values are those of one run: nothing is known of other runs */
	bool by_boot;	      /* pairs, or values, are boots */
	bool counted;	      /* counts of a machine that is the same every time */
	bool single_boot;     /* a side ran in one boot only, the other elsewhere: no verdict */
	bool no_ratio;	      /* a value <= 0 among others: those pairs are out, no verdict */
	bool real_small;      /* zero rejected although no change beyond the margin */
	unsigned more_rounds; /* inconclusive: how many further pairs would decide, 0 unknown */
	enum verdict verdict;
};

struct judge_row {
	const struct store_case *c;
	const struct store_metric *m;
	struct judge_side *side;     /* one per variant */
	struct judge_effect *effect; /* one per variant; [0] (the base) unused */
	bool disagree;		     /* another rate of this case would get another verdict */
};

struct judge_table {
	const struct store_experiment *x; /* borrowed */
	double margin;
	struct judge_row *rows; size_t n_rows; /* primary metrics first, in case order */
	/*
	 * Comparisons in the Holm family: primary metric of primary rows, every variant against the
	 * base, where both sides left samples; without those decided by arithmetic.
	 */
	size_t family;
};

/*
 * Builds and judges a table from all samples of an experiment. @margin < 0: the experiment's.
 * @x must outlive the table.
 */
__must_check int judge_experiment(const struct store_experiment *x, const struct store_data *d,
				  double margin, struct judge_table *ret, struct err *e);
void judge_table_done(struct judge_table *t);
/* The margin of a row: the table's, or the noise floor of the case where that is higher. */
double judge_margin(const struct judge_table *t, const struct judge_row *row);

/* The pairs behind an effect, for pictures: none when it is unpaired. The values to be freed. */
struct judge_ratio {
	unsigned label; /* the round, or which pair of boots (by_boot), from 1 */
	double change;	/* as fraction */
};
struct judge_ratio *judge_ratios(const struct store_experiment *x, const struct store_data *d,
				 const struct judge_row *row, size_t variant, size_t *ret_n);

/*
 * The verdict of one comparison from its numbers; pure. @higher_is_better gives the direction.
 * The margin's bounds for the ratio are 1 - M and 1 + M; touching them is not inside.
 * VERDICT_UNTRUSTWORTHY comes from the sides, not from here: more than half of the samples of a
 * side are marked, or none is good although there were some.
 */
enum verdict judge_verdict(const struct judge_effect *f, double margin, bool higher_is_better);

/* Are there enough pairs or values (or no spread) for the 95 % interval and a verdict? */
bool judge_has_interval(const struct judge_effect *f);

/* How many comparisons @rounds can decide at 5 % under Holm: the largest m with 2/2^n <= 0.05/m. */
uint64_t judge_can_decide(unsigned rounds);
/* Fewest rounds with which a family of @comparisons can be decided. */
unsigned judge_rounds_for(uint64_t comparisons);

#define JUDGE_ALPHA 0.05
#define JUDGE_MIN_ROUNDS 6 /* a 95 % signed-rank interval doesn't exist below */
#define JUDGE_MIN_UNPAIRED 4 /* nor one of the rank sum */

#endif
