/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scratch directory and a small store in it, for the tests of store/. */
#ifndef TESTS_UNIT_STORE_SAMPLE_H
#define TESTS_UNIT_STORE_SAMPLE_H

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "store/store.h"
#include "tap.h"

struct scratch {
	char dir[64];
	char db[80];
};

static inline void scratch_done(struct scratch *t)
{
	struct err e;

	if (t->dir[0] && fsx_remove_tree(AT_FDCWD, t->dir, &e) < 0)
		TAP_FAIL("%s", e.msg);
}
#define _cleanup_scratch_ __attribute__((cleanup(scratch_done)))

static inline struct scratch scratch_make(void)
{
	struct scratch t = { 0 };

	snprintf(t.dir, sizeof(t.dir), "/tmp/mmgauge-store-XXXXXX");
	if (!mkdtemp(t.dir)) {
		perror("mkdtemp");
		abort();
	}
	snprintf(t.db, sizeof(t.db), "%s/test.db", t.dir);
	return t;
}

static inline void store_closep(struct store **s)
{
	store_close(*s);
}
#define _cleanup_store_ __attribute__((cleanup(store_closep)))
#define _cleanup_experiment_ __attribute__((cleanup(store_experiment_done)))
#define _cleanup_runs_ __attribute__((cleanup(store_runs_done)))

/* Ids of what sample_begin made. */
struct sample {
	int64_t experiment;
	int64_t variant[2];
	int64_t case_id[2];
	int64_t metric[2][2]; /* of case: ops_per_cpu_s, ops_per_s */
	int64_t boot;
};

/* An experiment of two variants and two cases, without runs. */
static inline int sample_begin(struct store *s, struct sample *ret, struct err *e)
{
	static char *const titles[] = { "page_fault1", "page_fault1 tasks=2" };
	static char *const metrics[] = { "ops_per_cpu_s", "ops_per_s" };
	struct store_variant v[] = {
		{ .name = "base", .target = "local", .spec = "depth=0" },
		{ .name = "deep", .target = "local", .spec = "depth=4,memory.max=256M" },
	};
	struct store_case c[] = {
		{ .workload = "page_fault1", .revision = 1, .params = "tasks=1",
		  .title = titles[0], .op = "page touched", .primary_row = true },
		{ .workload = "page_fault1", .revision = 1, .params = "tasks=2",
		  .title = titles[1], .op = "page touched" },
	};
	struct store_experiment x = {
		.name = "quick", .plan_text = "workloads: [page_fault1]\n", .plan_hash = "1f00",
		.command = "mmgauge run page_fault1", .order = "balanced",
		.seed = UINT64_MAX - 6, .margin = 0.02, .time_ns = 3000000000,
		.warmup_ns = 500000000, .rounds_planned = 3, .wall_start_ns = 1700000000123456789,
		.tool = "mmgauge 0.1", .skipped = "",
		.variants = v, .n_variants = 2, .cases = c, .n_cases = 2,
	};
	struct store_boot b = { .boot_id = "b0", .kernel = "6.1.0", .machine = "2 CPUs" };
	int r = store_add_experiment(s, &x, e);

	*ret = (struct sample){ .experiment = x.id, .variant = { v[0].id, v[1].id },
				.case_id = { c[0].id, c[1].id } };
	b.experiment = x.id;
	if (r >= 0)
		r = store_add_boot(s, &b, e);
	ret->boot = b.id;
	/* the second case's metrics first: ids of metrics don't follow those of cases */
	for (int i = 3; r >= 0 && i >= 0; i--) {
		struct store_metric m = {
			.case_id = c[i / 2].id, .name = metrics[i % 2], .unit = "op/s",
			.higher_is_better = true, .primary = i % 2 == 0, .help = "operations",
		};

		r = store_add_metric(s, &m, e);
		ret->metric[i / 2][i % 2] = m.id;
	}
	return r;
}

static inline double sample_value(unsigned seq, unsigned metric)
{
	return 1000.0 + seq + metric * 0.125;
}

/* The run @seq of case @c under variant @v, with one of everything. */
static inline int sample_run(struct store *s, const struct sample *x, unsigned c, unsigned v,
			     unsigned round, unsigned seq, const char *status, struct err *e)
{
	const struct store_sample samples[] = {
		{ x->metric[c][0], sample_value(seq, 0), 0 },
		{ x->metric[c][1], sample_value(seq, 1), 0 },
	};
	const struct store_counter counters[] = {
		{ "task", "minflt", "faults", 4096.0 * seq },
		{ "group", "usage", "bytes", 1e6 },
		{ "task", "minflt", "faults", 7 }, /* the same name again: both are kept */
	};
	const struct store_place places[] = {
		{ 0, 2, "/a/b", "memory.max", "256M", "268435456", "memory.limit_in_bytes" },
		{ 0, 1, "/a", "", "", "", "" },
	};
	const struct store_note notes[] = { { "untrustworthy", "steal", "12 % steal time" } };
	struct store_run r = {
		.experiment = x->experiment, .variant = x->variant[v], .case_id = x->case_id[c],
		.boot = x->boot, .round = round, .seq = seq, .start_ns = 1000 * seq,
		.end_ns = 1000 * seq + 900, .wall_ns = 1700000000000000000, .status = status,
		.samples = samples, .n_samples = strcmp(status, "failed") == 0 ? 0 : 2,
		.counters = counters, .n_counters = 3, .places = places, .n_places = 2,
		.notes = notes, .n_notes = strcmp(status, "ok") == 0 ? 0 : 1,
	};

	return store_add_run(s, &r, e);
}

/* @rounds rounds of both cases and variants, the variants in ABBA order. */
static inline int sample_fill(struct store *s, const struct sample *x, unsigned rounds,
			      struct err *e)
{
	unsigned seq = 1;
	int r = 0;

	for (unsigned i = 0; i < rounds; i++)
		for (unsigned c = 0; c < 2; c++)
			for (unsigned v = 0; r >= 0 && v < 2; v++, seq++)
				r = sample_run(s, x, c, v ^ (i & 1), i + 1, seq,
					       seq == 3 ? "untrustworthy" : "ok", e);
	return r;
}

#endif
