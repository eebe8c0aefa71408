/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries a plan out: opens targets, refuses what can't be placed before anything runs, runs the
 * schedule and stores every run as it ends. Reading results is the business of judge and report.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"
#include "plan/plan.h"

struct err;

struct run_opts {
	const char *store_path;
	const char *command;	/* that repeats it, for the record */
	bool resume;		/* go on with the last experiment of the store */
	bool skip_unplaceable;	/* drop variants that can't be placed instead of refusing */
	int stop_fd;		/* readable when the user wants to end; -1: none */
};

struct run_outcome {
	int64_t experiment;	/* 0 when none was begun */
	unsigned done;		/* runs stored in this call */
	unsigned failed;	/* of these */
	bool interrupted;
};

/*
 * Returns 0 when the schedule was run to its end or interrupted (see *@ret); negative when it
 * could not be. What was stored stays, whatever is returned; *@ret is always filled in.
 */
__must_check int run_plan(const struct plan *p, const struct run_opts *o,
			  struct run_outcome *ret, struct err *e);

/* What run_plan would do: cases, order of the first rounds, expected time, what can be decided. */
__must_check int run_describe(const struct plan *p, struct str *out, struct err *e);

/*
 * All parameters of a case as key=value text, malloc'd: defaults too, but for those that some
 * variant sets: what the case is in any store.
 */
char *run_case_params(const struct plan *p, const struct plan_case *c);

/*
 * Runs every case of a counted plan once under every variant with the TCG plugin, nothing stored:
 * @fn gets what the plugin wrote and the operations of all tasks. @seed: of the experiment.
 */
struct run_profile {
	size_t case_i, variant_i;
	const char *text;
	uint64_t ops;
};
__must_check int run_profiles(const struct plan *p, uint64_t seed, int stop_fd,
			      int (*fn)(const struct run_profile *p, void *arg, struct err *e),
			      void *arg, struct err *e);

/* Seconds that the rest of a plan takes: steps times warm-up, time and overhead. */
uint64_t run_expected_ns(const struct plan *p, const struct plan_case *c);

#endif
