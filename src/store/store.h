/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result store: one SQLite file, the only SQL of the project. Schema in docs/store.md. The
 * store knows names, parameters, units and numbers, not workloads. Levels: experiment > boot >
 * run > sample; counters say where they were read.
 *
 * Strings in structs handed in are borrowed; those handed out belong to the object that they
 * came with. All times are nanoseconds, CLOCK_MONOTONIC unless the name says wall.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/kv.h"

struct err;
struct store;

#define STORE_SCHEMA_VERSION 3

enum store_mode { STORE_READ, STORE_WRITE };

/*
 * STORE_WRITE creates the file when it isn't there and takes the writer's lock: a second writer
 * is -EBUSY with a message. A newer schema, or a file that is no store, is refused.
 */
__must_check int store_open(const char *path, enum store_mode mode, struct store **ret,
			    struct err *e);
/* An empty store in memory, to write to and read from: what imports are compared through. */
__must_check int store_open_memory(struct store **ret, struct err *e);
void store_close(struct store *s); /* NULL is fine */

#define STORE_ORDER_BALANCED "balanced"
#define STORE_ORDER_JOINED   "joined"
#define STORE_ORDER_IMPORTED "imported"
#define STORE_ORDER_COUNTED  "counted"

struct store_variant {
	int64_t id;
	char *name;
	char *target;	/* "local" */
	char *spec;	/* key=value text: placement, settings, overridden parameters */
};

struct store_case {
	int64_t id;
	char *workload;
	unsigned revision;
	char *params;	/* key=value text, canonical */
	char *title;	/* what tables print: only parameters that differ from the default */
	char *op;	/* what one operation is */
	bool primary_row; /* in the family of the table; else exploratory */
	double floor;	/* fraction: a change below it is none, whatever the margin (counting); 0 */
};

struct store_metric {
	int64_t id;
	int64_t case_id;
	char *name;	/* "ops_per_cpu_s" */
	char *unit;	/* "op/s" */
	bool higher_is_better;
	bool primary;	/* the one with a verdict */
	char *help;
};

struct store_experiment {
	int64_t id;
	char *name;
	char *plan_text;  /* the plan file, or the expanded short form */
	char *plan_hash;
	char *command;	  /* to run it again */
	/*
	 * What rounds mean: STORE_ORDER_BALANCED, variants side by side in every round;
	 * STORE_ORDER_JOINED, variants from different experiments; STORE_ORDER_IMPORTED, values
	 * whose order and boots are unknown; STORE_ORDER_COUNTED, instructions: every round is the
	 * same restored machine again. Only in the first are rounds pairs.
	 */
	char *order;
	uint64_t seed;
	double margin;	  /* fraction */
	uint64_t time_ns, warmup_ns;
	unsigned rounds_planned;
	int64_t wall_start_ns;
	char *tool;	  /* version and build id of the tool and of the agent */
	char *status;	  /* "running", "done", "interrupted", "failed" */
	char *skipped;	  /* variants dropped by --skip-unplaceable, one a line, or "" */
	struct store_variant *variants; size_t n_variants; /* in the order of the plan */
	struct store_case *cases; size_t n_cases;
	struct store_metric *metrics; size_t n_metrics;
};
void store_experiment_done(struct store_experiment *x);

/*
 * Writes experiment, variants and cases; fills in their ids. Metrics follow by store_add_metric.
 * Status NULL is "running".
 */
__must_check int store_add_experiment(struct store *s, struct store_experiment *x, struct err *e);
__must_check int store_set_status(struct store *s, int64_t experiment, const char *status,
				  struct err *e);
/*
 * The same metric of the same case again is fine and gives the same id; with another unit or
 * direction it is refused.
 */
__must_check int store_add_metric(struct store *s, struct store_metric *m, struct err *e);

/* A boot of a kernel on a target; the same boot_id in the same experiment gives the same row. */
struct store_boot {
	int64_t id;
	int64_t experiment;
	char *boot_id;
	char *kernel;	/* uname -r and -v */
	char *machine;
};
__must_check int store_add_boot(struct store *s, struct store_boot *b, struct err *e);
/*
 * Environment facts at this moment, by variant (0: of the whole experiment); key and value text.
 * Only what differs from the newest value of a key makes a row.
 */
__must_check int store_add_env(struct store *s, int64_t experiment, int64_t variant,
			       const struct kvs *facts, struct err *e);

/* @idx: iteration within the run, from 0; an imported run may hold many values of a metric. */
struct store_sample { int64_t metric; double value; unsigned idx; };
struct store_counter { const char *where; const char *name; const char *unit; double value; };
struct store_place {
	unsigned group, level;
	const char *path, *key, *want, *got, *file;
};
struct store_note { /* warnings and errors */
	const char *kind; /* "warning" (marks nothing), "untrustworthy", "error" */
	const char *code; /* "steal", "worker_died", "limit_not_reached" */
	const char *text;
};

struct store_run {
	int64_t id;
	int64_t experiment, variant, case_id, boot;
	unsigned round;	 /* from 1 */
	unsigned seq;	 /* order in which runs were started, from 1 */
	unsigned repeat; /* 0; a spoilt round that is taken again counts up */
	uint64_t start_ns, end_ns; /* of the measured window */
	int64_t wall_ns;
	const char *status; /* "ok", "untrustworthy", "failed" */
	const struct store_sample *samples; size_t n_samples;
	const struct store_counter *counters; size_t n_counters;
	const struct store_place *places; size_t n_places;
	const struct store_note *notes; size_t n_notes;
};
/*
 * One transaction, durable when it returns. Fills in id. Values must be finite, variant, case, boot
 * and metrics of the same experiment and case, (case, variant, round, repeat) and (metric, idx)
 * new: else -EINVAL.
 */
__must_check int store_add_run(struct store *s, struct store_run *r, struct err *e);

/*
 * Between these two, what is added is durable only at the end, and all of it is lost when the end
 * fails: for importing many runs, not for measuring. Cancelling takes it back, as closing does.
 */
__must_check int store_begin_batch(struct store *s, struct err *e);
__must_check int store_end_batch(struct store *s, struct err *e);
void store_cancel_batch(struct store *s);

/* Reading. @id 0: the last experiment. -ENOENT when there is none. */
__must_check int store_read_experiment(struct store *s, int64_t id, struct store_experiment *ret,
				       struct err *e);
__must_check int store_list_experiments(struct store *s, struct store_experiment **ret, size_t *n,
					struct err *e); /* without variants, cases, metrics */
void store_experiments_done(struct store_experiment *v, size_t n);

/* A run as samples see it. */
struct store_ref {
	int64_t id, variant, case_id, boot;
	unsigned round, seq, repeat;
	bool untrustworthy, failed; /* its status */
	uint64_t start_ns, end_ns;
};
struct store_obs {
	double value;
	unsigned run; /* index into runs of the store_data */
	unsigned idx;
};
/* All samples of one metric of a case under a variant, by seq and idx; obs[first] and on. */
struct store_series {
	int64_t case_id, metric, variant;
	size_t first, n;
};
/* All samples of an experiment: the fast path, 16 bytes a sample. Zeroed is empty. */
struct store_data {
	struct store_ref *runs; size_t n_runs, cap_runs;
	struct store_obs *obs; size_t n_obs, cap_obs;
	struct store_series *series; size_t n_series, cap_series; /* by case, metric, variant */
};
__must_check int store_read_data(struct store *s, int64_t experiment, struct store_data *ret,
				 struct err *e);
void store_data_done(struct store_data *d);
#define _cleanup_store_data_ __attribute__((cleanup(store_data_done)))
/* NULL when there are no samples of it. */
const struct store_series *store_data_find(const struct store_data *d, int64_t case_id,
					   int64_t metric, int64_t variant);
/* For building: the index of the new run; then samples, in the order that a store_data has. */
unsigned store_data_add_run(struct store_data *d, const struct store_ref *run);
void store_data_add(struct store_data *d, int64_t metric, unsigned run, unsigned idx, double value);

/* Runs with all that belongs to them; strings live until store_runs_done. */
struct store_runs {
	struct store_run *v;
	size_t n;
	struct arena *memory;
};
/* All of them; without samples, of which there may be millions, unless @samples. */
__must_check int store_read_runs(struct store *s, int64_t experiment, bool samples,
				 struct store_runs *ret, struct err *e);
void store_runs_done(struct store_runs *r);
/* Newest facts of the environment of a variant (0: of the experiment), sorted by key. */
__must_check int store_read_env(struct store *s, int64_t experiment, int64_t variant,
				struct kvs *ret, struct err *e);
__must_check int store_read_boots(struct store *s, int64_t experiment, struct store_boot **ret,
				  size_t *n, struct err *e);
void store_boots_done(struct store_boot *v, size_t n);
/* Which (case, variant, round) have a finished run (any status), for --resume. */
__must_check int store_has_run(struct store *s, int64_t experiment, int64_t case_id,
			       int64_t variant, unsigned round, bool *ret, struct err *e);
/* Hex SHA-256-like hash over all rows of an experiment in a fixed order: "hash of the raw data". */
__must_check int store_hash(struct store *s, int64_t experiment, char ret_hex[33], struct err *e);
/* The same hash over a text: identifies a plan. */
void store_hash_text(const char *text, char ret_hex[33]);

#endif
