/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An experiment made by hand: "base" and one or more variants, cases with a few metrics. */
#ifndef TESTS_UNIT_JUDGE_FIXTURE_H
#define TESTS_UNIT_JUDGE_FIXTURE_H

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "judge/judge.h"

enum { FIX_VARIANTS = 3, FIX_CASES = 60, FIX_METRICS = 3 };

struct fix {
	struct store_experiment x;
	struct store_variant variants[FIX_VARIANTS];
	struct store_case cases[FIX_CASES];
	struct store_metric metrics[FIX_CASES * FIX_METRICS];
	struct store_data data;
	struct judge_table t;
};

/* Every case has the metrics ops_per_cpu_s (primary), ops_per_s and faults, up to @n_metrics. */
static inline void fix_init(struct fix *f, size_t n_variants, size_t n_cases, size_t n_metrics)
{
	static char *const names[] = { "ops_per_cpu_s", "ops_per_s", "faults" };

	*f = (struct fix){ .x = { .margin = 0.02, .variants = f->variants, .cases = f->cases,
				  .metrics = f->metrics, .n_variants = n_variants,
				  .n_cases = n_cases } };
	for (size_t v = 0; v < n_variants; v++)
		f->variants[v].id = 10 + (int64_t)v;
	for (size_t c = 0; c < n_cases; c++) {
		f->cases[c] = (struct store_case){ .id = 100 + (int64_t)c, .primary_row = true };
		for (size_t m = 0; m < n_metrics; m++)
			f->metrics[f->x.n_metrics++] = (struct store_metric){
				.id = 1000 + (int64_t)(c * n_metrics + m),
				.case_id = f->cases[c].id,
				.name = names[m],
				.higher_is_better = true,
				.primary = m == 0,
			};
	}
}

/* Must be called in the store's order: case, metric, variant, round. Returns the run. */
static inline struct store_ref *fix_add(struct fix *f, size_t metric, size_t variant,
					unsigned round, double value)
{
	unsigned run = store_data_add_run(&f->data, &(struct store_ref){
		.id = (int64_t)f->data.n_runs + 1,
		.variant = f->variants[variant].id,
		.case_id = f->metrics[metric].case_id,
		.boot = 1,
		.round = round,
		.seq = 2 * round + (unsigned)variant,
	});

	store_data_add(&f->data, f->metrics[metric].id, run, 0, value);
	return &f->data.runs[run];
}

static inline int fix_judge(struct fix *f, struct err *e)
{
	judge_table_done(&f->t);
	return judge_experiment(&f->x, &f->data, -1, &f->t, e);
}

static inline void fix_done(struct fix *f)
{
	judge_table_done(&f->t);
	store_data_done(&f->data);
}
#define _cleanup_fix_ __attribute__((cleanup(fix_done)))

/* Normal by Box and Muller. */
static inline double fix_normal(struct rng *r)
{
	double u = 1 - rng_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * rng_unit(r));
}

#endif
