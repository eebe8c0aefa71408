/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans: what to run. A plan comes from a YAML file (docs/plans.md) or from the short form of
 * the command line; both end as the same struct: variants x expanded cases x rounds.
 *
 * In a mapping of settings, a key that place_is_key() knows is placement, any other must be a
 * parameter of the workload. Values of a case's parameters may sweep: a YAML list or "1,2,4";
 * "A..B" (every whole number), "A..B/N" (N values spaced evenly on a log scale, rounded to the
 * nearest whole number, sizes to 4096; the ends are exact, values that became equal are one).
 * Numbers may be "cpus", "N*cpus" (CPUs of the target): "4K*cpus". Values of a variant and of a
 * placement don't sweep, but may be products with "cpus".
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kv.h"
#include "base/str.h"
#include "place/place.h"
#include "workload/workload.h"

struct err;

struct plan_variant {
	char *name;
	char *target;	    /* "local", "vm" */
	struct kvs options; /* of the target */
	struct kvs place;   /* placement keys of this variant */
	struct kvs params;  /* workload parameters that this variant overrides */
	struct place_spec spec; /* parsed: the plan's common placement, then place */
};

struct plan_case {
	const struct workload *workload;
	struct kvs params;    /* one value each; without those that variants override */
	struct kvs fallback;  /* those, as given with the case: for variants that don't name them */
	struct kvs place;     /* the plan's common placement, then what is given with the case */
	char *title;	      /* "page_fault1 tasks=2" : name and what differs from the default */
	bool primary;	      /* in the family of verdicts; all are unless the plan names some */
	struct strv argv;     /* exec: program and arguments, also in params; else empty */
	struct strv prepare;  /* exec: set-up program, also in params */
};

struct plan {
	char *name;
	char *text;	      /* the file, or YAML made of arguments: what hash and store hold */
	unsigned rounds;      /* default 10 */
	bool rounds_given, time_given, warmup_given, margin_given;
	bool count;	      /* instructions instead of time; needs variants that boot kernels */
	uint64_t budget_ns;   /* 0: none */
	uint64_t time_ns;     /* default 3 s */
	uint64_t warmup_ns;   /* default 500 ms */
	uint64_t seed;	      /* 0: draw one; at most INT64_MAX */
	double margin;	      /* default 0.02 */
	struct plan_variant *variants; size_t n_variants; /* the first is the base */
	struct plan_case *cases; size_t n_cases;	  /* expanded */
};

/*
 * @file is for messages ("FILE:LINE:COLUMN: message; did you mean \"X\"?"). @n_cpus resolves
 * "cpus". A plan without variants gets one named "base", one without a name that of the file.
 * At most 100,000 cases. Every placement and every set of parameters that will run has been
 * through place_parse and params_parse; whether they fit a machine is place_check's to say.
 */
__must_check int plan_parse(const char *file, const char *text, unsigned n_cpus, struct plan *ret,
			    struct err *e);
__must_check int plan_read(const char *path, unsigned n_cpus, struct plan *ret, struct err *e);

/*
 * Short form. @workloads: "NAME" or "NAME:key=value,…"; @variants: "NAME:key=value,…" or "NAME";
 * @common: "key=value,…" given with -p for all workloads and variants (a workload that has no
 * such parameter does without, but one must have it); @settings: "rounds=10" and other keys of
 * the plan itself; @argv: the program after "--" for exec, which is implied when no workload is
 * named, or NULL. Messages name the argument. text is YAML that gives the same plan.
 */
struct plan_args {
	char *const *workloads; size_t n_workloads;
	char *const *variants; size_t n_variants;
	char *const *common; size_t n_common;
	char *const *settings; size_t n_settings;
	char *const *argv;
};
__must_check int plan_from_args(const struct plan_args *a, unsigned n_cpus, struct plan *ret,
				struct err *e);
void plan_done(struct plan *p);
#define _cleanup_plan_ __attribute__((cleanup(plan_done)))

/*
 * Sets name, rounds, time, warmup, margin, seed, budget or count from text, as an option that
 * overrides the file does. text gets a comment that says so: the hash of the plan must tell them
 * apart.
 */
__must_check int plan_set(struct plan *p, const char *key, const char *value, struct err *e);

/*
 * The job of a case under a variant: merged parameters and placement text for the agent, set in
 * *@ret, which must be initialised. Later wins: params and fallback of the case, params of the
 * variant that the workload has; place of the case (with the plan's), place of the variant.
 */
void plan_job_params(const struct plan_case *c, const struct plan_variant *v, struct kvs *ret);
void plan_job_place(const struct plan_case *c, const struct plan_variant *v, struct kvs *ret);
/* plan_job_place, parsed. */
__must_check int plan_job_spec(const struct plan_case *c, const struct plan_variant *v,
			       struct place_spec *ret, struct err *e);

/* Options of the target, placement and parameters as one key=value text, appended to @out. */
void plan_variant_spec(const struct plan_variant *v, struct str *out);
/* Does some variant boot a kernel of its own? Then all cases of a boot run together. */
bool plan_boots(const struct plan *p);

#endif
