/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to run/: the state of one experiment while it runs. */
#ifndef RUN_INTERNAL_H
#define RUN_INTERNAL_H

#include "plan/order.h"
#include "run/run.h"
#include "store/store.h"
#include "target/target.h"

/* A pair of case and variant that fails this often in a row is left out from then on. */
#define RUN_GIVE_UP 3

struct run_pair {
	double *values;	     /* primary metric of good runs, for the progress line */
	size_t n;
	unsigned failures;   /* in a row */
};

struct run {
	const struct plan *plan;
	const struct run_opts *opts;
	size_t *variants;    /* indexes into plan->variants of those that are run */
	size_t n_variants;
	struct target *targets; /* one per variant that is run */
	struct store *store;
	struct store_experiment x; /* variants and cases with their ids */
	int64_t *boots;	     /* store_boot of each variant; 0: a boot is to come */
	bool profile;	     /* count by function */
	bool by_boot;	     /* some variant boots a kernel of its own */
	struct store_metric *metrics; /* those seen so far */
	size_t n_metrics;
	struct run_pair *pairs; /* case-major */
	char *id;	     /* of this experiment in names of groups */
	int lock_fd;
	unsigned seq;	     /* of the run before */
	size_t steps_done, steps_all;
	uint64_t started_ns;
	struct run_outcome out;
};

/* setup.c */
__must_check int run_lock(struct run *r, struct err *e);
__must_check int run_open_targets(struct run *r, struct err *e);
__must_check int run_open_store(struct run *r, struct err *e);
/* A boot of its own for a variant whose target boots; its row is r->boots[variant_i]. */
__must_check int run_boot(struct run *r, size_t variant_i, struct err *e);
void run_done(struct run *r);

/* run.c: one run, not stored. */
__must_check int run_job(struct run *r, const struct plan_step *s, struct target_result *res,
			 struct err *e);

/* record.c: one result into the store; fills in *@ret_primary (NAN when there is none). */
__must_check int run_record(struct run *r, const struct plan_step *s,
			    const struct target_result *res, uint64_t tool_cpu_ns,
			    double *ret_primary, struct err *e);

/* progress.c */
struct run_pair *run_pair(struct run *r, size_t case_i, size_t variant_i);
void run_progress(struct run *r, const struct plan_step *s);
void run_note_value(struct run_pair *p, double value);

#endif
