/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans: what to run. A plan comes from a YAML file (docs/plans.md) or from the short form of
 * the command line; both end as the same struct: variants x expanded cases x rounds.
 *
 * In a mapping of settings, a key that place_is_key() knows is placement, any other must be a
 * parameter of the workload. Values of parameters may sweep: a YAML list or "1,2,4"; "A..B"
 * (every whole number), "A..B/N" (N values spaced evenly on a log scale, rounded to the nearest
 * whole number, sizes to 4096). Numbers may be "cpus", "N*cpus" (CPUs of the target): "4K*cpus".
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
	char *target;	    /* "local" */
	struct kvs place;   /* placement keys, as given */
	struct kvs params;  /* workload parameters that this variant overrides */
	struct place_spec spec; /* parsed place, plus the plan's common placement */
};

struct plan_case {
	const struct workload *workload;
	struct kvs params;    /* one value each, as given; without those that variants override */
	struct kvs place;     /* placement given with the case (fs=…), under the variant's */
	char *title;	      /* "page_fault1 tasks=2" : name and what differs from the default */
	bool primary;	      /* in the family of verdicts; all are unless the plan names some */
	struct strv argv;     /* exec: program and arguments; else empty */
	struct strv prepare;  /* exec: set-up program */
};

struct plan {
	char *name;
	char *text;	      /* canonical text: what the hash and the store hold */
	unsigned rounds;      /* default 10 */
	bool rounds_given;
	uint64_t budget_ns;   /* 0: none */
	uint64_t time_ns;     /* default 3 s */
	uint64_t warmup_ns;   /* default 500 ms */
	uint64_t seed;	      /* 0: draw one */
	double margin;	      /* default 0.02 */
	struct plan_variant *variants; size_t n_variants; /* the first is the base */
	struct plan_case *cases; size_t n_cases;	  /* expanded */
};

/*
 * @file is for messages ("FILE:LINE:COLUMN: message; did you mean \"X\"?"). @n_cpus resolves
 * "cpus". A plan without variants gets one named "base". At most 100,000 cases.
 */
__must_check int plan_parse(const char *file, const char *text, unsigned n_cpus, struct plan *ret,
			    struct err *e);
__must_check int plan_read(const char *path, unsigned n_cpus, struct plan *ret, struct err *e);

/*
 * Short form. @workloads: "NAME" or "NAME:key=value,…"; @variants: "NAME:key=value,…" or "NAME";
 * @common: "key=value" given with -p for all workloads and variants; @argv: the program after
 * "--" for exec, or NULL.
 */
struct plan_args {
	char *const *workloads; size_t n_workloads;
	char *const *variants; size_t n_variants;
	char *const *common; size_t n_common;
	char *const *argv;
};
__must_check int plan_from_args(const struct plan_args *a, unsigned n_cpus, struct plan *ret,
				struct err *e);
void plan_done(struct plan *p);

/* The job of a case under a variant: merged parameters and placement text for the agent. */
void plan_job_params(const struct plan_case *c, const struct plan_variant *v, struct kvs *ret);
void plan_job_place(const struct plan_case *c, const struct plan_variant *v, struct kvs *ret);

#endif
