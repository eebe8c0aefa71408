/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What parsers said, until all of it is there: a store wants its cases first. Eight bytes a value.
 * Private to import/.
 */
#ifndef IMPORT_COLLECT_H
#define IMPORT_COLLECT_H

#include "import/internal.h"

struct collect_row { /* a metric of a case */
	char *workload, *params, *title, *metric, *unit, *op;
	bool higher, primary;
	size_t case_i; /* rows of one workload and params have one */
	int64_t id;    /* of the metric, when stored */
};

/* The values of one row in one run, or why there is none. */
struct collect_values {
	size_t row, run;
	double *v;
	size_t n, cap;
	char *why;
};

struct collect {
	struct strv variants;
	size_t *run_variant; /* of each run, an index */
	size_t n_runs;
	struct collect_row *rows;
	size_t n_rows;
	struct collect_values *values; /* in the order in which they came */
	size_t n_values;
	size_t n_cases;
	int64_t newest_ns; /* of the files' times: when the import is said to be of */
};

/* The sink of a new run of @variant. */
struct import_sink collect_run(struct collect *c, const char *variant);
/* Writes it all as one experiment, in one batch that the caller has begun. */
__must_check int collect_store(struct collect *c, const struct import_options *o, const char *name,
			       struct store *s, struct err *e);
void collect_done(struct collect *c);

#endif
