/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims of a contract about an experiment: held, broken, or can't tell. A claim with margin M is
 * a range in which the change of a row must lie; better and worse follow the metric's direction:
 *
 *   no loss beyond M      no worse than M
 *   no change beyond M    between -M and +M
 *   a gain of at least M  better by M or more
 *
 * *Held*: the 90 % interval is inside the range; each end is a one-sided 95 % bound. A contract is
 * held when every claim is. As all of them have to pass, the chance to pass wrongly is at most the
 * 5 % of a single one and nothing is adjusted (intersection-union test, Berger 1982).
 *
 * *Broken*: the estimate is outside the range, and the two-sided test (signed rank; rank sum
 * without pairs) of the bound that it is beyond rejects at 5 % after Holm over all comparisons of
 * the contract. One broken claim breaks the contract, whatever the others: so wrongly, at most
 * 5 % of the time in all.
 *
 * *Can't tell*: all else, with the reason. Two constant sides (counting) are decided by arithmetic,
 * outside the family; exactly M is then within the range.
 */
#ifndef JUDGE_CLAIM_H
#define JUDGE_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "judge/judge.h"

struct err;

enum claim_kind { CLAIM_NO_LOSS, CLAIM_NO_CHANGE, CLAIM_GAIN };

struct judge_claim {
	const char *row;     /* see judge_row_matches */
	const char *variant; /* NULL: every one but the base */
	const char *metric;  /* NULL: the primary one */
	enum claim_kind kind;
	double margin;
};

enum ruling { RULING_HELD, RULING_BROKEN, RULING_CANT_TELL };
const char *ruling_name(enum ruling r); /* "held", "broken", "can't tell" */

/* Why it can't be told. */
enum ruling_why {
	WHY_DECIDED,	   /* it can */
	WHY_NO_ROW,	   /* no case is like that */
	WHY_NO_VARIANT,
	WHY_NO_METRIC,
	WHY_NO_SAMPLES,	   /* of a side; see n_failed */
	WHY_UNTRUSTWORTHY, /* more than half of the samples of a side are marked */
	WHY_SINGLE_BOOT,   /* kernels compared from one boot each */
	WHY_NO_RATIO,	   /* a value <= 0 */
	WHY_FEW,	   /* too few rounds for an interval */
	WHY_SPREAD,	   /* the interval reaches over the bound */
	WHY_IMPOSSIBLE,	   /* nothing can fall by 100 % and more */
};

/* One claim about one case under one variant; a claim that finds none has a single entry. */
struct judge_checked {
	const struct judge_claim *claim; /* borrowed */
	const struct store_case *c;	 /* NULL: no such row */
	const struct store_metric *m;	 /* NULL: no such metric */
	size_t variant;			 /* index; 0 with WHY_NO_VARIANT and WHY_NO_ROW */
	struct judge_side side[2];	 /* base, variant */
	struct judge_effect effect;	 /* its verdict isn't set */
	double p, p_adjusted;		 /* of the nearest bound, see above; 1: not beyond it */
	unsigned more_rounds;		 /* with WHY_FEW and WHY_SPREAD; 0 unknown */
	enum ruling ruling;
	enum ruling_why why;
};

struct judge_contract {
	const struct store_experiment *x; /* borrowed */
	size_t base;
	struct judge_checked *v; size_t n;
	size_t family;
	enum ruling ruling; /* of all */
};

/*
 * @base: name of a variant, NULL for the first; -ENOENT when there is none of that name. @x, @d
 * and @claims must outlive *@ret. An experiment of one variant gives WHY_NO_VARIANT.
 */
__must_check int judge_claims(const struct store_experiment *x, const struct store_data *d,
			      const char *base, const struct judge_claim *claims, size_t n,
			      struct judge_contract *ret, struct err *e);
void judge_contract_done(struct judge_contract *c);

/*
 * Does the pattern "WORKLOAD [KEY=VALUE]..." fit a case? The workload may hold * and ?, and so may
 * values; "*" and "all" are every one. Each KEY=VALUE must be one of @params (key=value text;
 * sizes, times and booleans are compared by value) or a word of @title.
 */
bool judge_row_matches(const char *pattern, const char *workload, const char *params,
		       const char *title);

#endif
