/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Experiments made up for the tests of report/, in memory and, by fixture_store, in a store.
 * Values come from a seed, so that golden files hold.
 */
#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "report/report.h"

#define FIXTURE_METRICS 4 /* per case */

struct fixture {
	struct store_experiment x;
	struct store_boot boot;
	struct kvs *env;
	struct store_run *runs;
	size_t n_runs, cap_runs;
	struct rng rng;
};

static inline struct store_variant *fixture_variant(struct fixture *f, const char *name,
						    const char *spec)
{
	struct store_experiment *x = &f->x;
	struct store_variant *v;

	x->variants = xrealloc(x->variants, x->n_variants + 1, sizeof(*v));
	f->env = xrealloc(f->env, x->n_variants + 1, sizeof(*f->env));
	f->env[x->n_variants] = (struct kvs){ 0 };
	v = &x->variants[x->n_variants++];
	*v = (struct store_variant){ .id = (int64_t)x->n_variants, .name = xstrdup(name),
				     .target = xstrdup("local"), .spec = xstrdup(spec) };
	return v;
}

static inline void fixture_metric(struct fixture *f, int64_t c, const char *name, const char *unit,
				  bool higher, bool primary)
{
	struct store_experiment *x = &f->x;

	x->metrics = xrealloc(x->metrics, x->n_metrics + 1, sizeof(*x->metrics));
	x->metrics[x->n_metrics] = (struct store_metric){
		.id = (int64_t)x->n_metrics + 1, .case_id = c, .name = xstrdup(name),
		.unit = xstrdup(unit), .higher_is_better = higher, .primary = primary,
		.help = xstrdup("what it is"),
	};
	x->n_metrics++;
}

/* A case with its metrics: a rate (or, for a batch, the seconds), then the wall rate. */
static inline void fixture_case(struct fixture *f, const char *workload, const char *params,
				const char *title, const char *op, bool batch)
{
	struct store_experiment *x = &f->x;
	struct store_case *c;

	x->cases = xrealloc(x->cases, x->n_cases + 1, sizeof(*c));
	c = &x->cases[x->n_cases++];
	*c = (struct store_case){ .id = (int64_t)x->n_cases, .workload = xstrdup(workload),
				  .revision = 1, .params = xstrdup(params),
				  .title = xstrdup(title), .op = xstrdup(op),
				  .primary_row = true };
	if (batch)
		fixture_metric(f, c->id, "elapsed_s", "s", false, true);
	else
		fixture_metric(f, c->id, "ops_per_cpu_s", "op/s", true, true);
	fixture_metric(f, c->id, "ops_per_s", "op/s", true, false);
	fixture_metric(f, c->id, "faults_per_op", "fault/op", false, false);
	fixture_metric(f, c->id, "bytes_per_fault", "B/fault", true, false);
}

static inline double fixture_noise(struct fixture *f, double cv)
{
	double s = 0;

	for (int i = 0; i < 12; i++)
		s += rng_unit(&f->rng) - 0.5; /* near enough to normal */
	return 1 + cv * s;
}

/* One run with its samples; case and variant are indices. */
static inline struct store_run *fixture_run(struct fixture *f, unsigned round, size_t c, size_t v,
					    double primary, double wall)
{
	struct store_sample *s = xcalloc(FIXTURE_METRICS, sizeof(*s));
	struct store_run *r;

	if (f->n_runs == f->cap_runs) {
		f->cap_runs = f->cap_runs ? 2 * f->cap_runs : 64;
		f->runs = xrealloc(f->runs, f->cap_runs, sizeof(*f->runs));
	}
	s[0] = (struct store_sample){ f->x.metrics[c * FIXTURE_METRICS].id, primary, 0 };
	s[1] = (struct store_sample){ f->x.metrics[c * FIXTURE_METRICS + 1].id, wall, 0 };
	s[2] = (struct store_sample){ f->x.metrics[c * FIXTURE_METRICS + 2].id, 1, 0 };
	s[3] = (struct store_sample){ f->x.metrics[c * FIXTURE_METRICS + 3].id, 4096, 0 };
	r = &f->runs[f->n_runs++];
	*r = (struct store_run){
		.id = (int64_t)f->n_runs, .experiment = 1, .variant = f->x.variants[v].id,
		.case_id = f->x.cases[c].id, .boot = 1, .round = round,
		.seq = (unsigned)f->n_runs, .start_ns = 1000000000ull * f->n_runs,
		.end_ns = 1000000000ull * f->n_runs + 900000000, .wall_ns = 1700000000000000000,
		.status = "ok", .samples = s, .n_samples = FIXTURE_METRICS,
	};
	return r;
}

static inline void fixture_init(struct fixture *f, const char *name, unsigned rounds)
{
	*f = (struct fixture){ 0 };
	rng_init(&f->rng, 42);
	f->x = (struct store_experiment){
		.id = 1, .name = xstrdup(name), .plan_text = xstrdup("plan: text\n"),
		.plan_hash = xstrdup("00112233445566778899aabbccddeeff"),
		.command = xstrdup("mmgauge run page_fault1 page_fault2 page_fault3 -p tasks=2 "
				   "--variant base:depth=0 --variant "
				   "'deep:depth=4,memory.max=256M' --rounds 10 --time 1s "
				   "--seed 42"),
		.order = xstrdup("balanced"), .seed = 42, .margin = 0.02, .time_ns = 1000000000,
		.warmup_ns = 500000000, .rounds_planned = rounds,
		.wall_start_ns = 1700000000000000000, .tool = xstrdup("mmgauge 0.1 (0123456789ab)"),
		.status = xstrdup("done"), .skipped = xstrdup(""),
	};
	f->boot = (struct store_boot){ .id = 1, .experiment = 1, .boot_id = xstrdup("b00t"),
				       .kernel = xstrdup("6.18.0 #1 SMP PREEMPT_DYNAMIC"),
				       .machine = xstrdup("Virtual Machine, 2 CPUs, 8G") };
}

static inline void fixture_done(struct fixture *f)
{
	for (size_t i = 0; i < f->n_runs; i++)
		free((void *)(uintptr_t)f->runs[i].samples);
	free(f->runs);
	for (size_t v = 0; v < f->x.n_variants; v++)
		kvs_done(&f->env[v]);
	free(f->env);
	free(f->boot.boot_id);
	free(f->boot.kernel);
	free(f->boot.machine);
	store_experiment_done(&f->x);
}

/* Writes it all to a store; ids are filled in anew. */
static inline int fixture_store(struct fixture *f, struct store *s, struct err *e)
{
	int r = store_add_experiment(s, &f->x, e);

	for (size_t i = 0; r == 0 && i < f->x.n_metrics; i++) {
		f->x.metrics[i].case_id = f->x.cases[i / FIXTURE_METRICS].id;
		r = store_add_metric(s, &f->x.metrics[i], e);
	}
	f->boot.experiment = f->x.id;
	if (r == 0)
		r = store_add_boot(s, &f->boot, e);
	for (size_t v = 0; r == 0 && v < f->x.n_variants; v++)
		r = store_add_env(s, f->x.id, f->x.variants[v].id, &f->env[v], e);
	for (size_t i = 0; r == 0 && i < f->n_runs; i++) {
		struct store_run *run = &f->runs[i];

		run->experiment = f->x.id;
		run->boot = f->boot.id;
		run->variant = f->x.variants[run->variant - 1].id;
		for (size_t k = 0; k < run->n_samples; k++)
			((struct store_sample *)(uintptr_t)run->samples)[k].metric =
				f->x.metrics[(run->case_id - 1) * FIXTURE_METRICS + (int64_t)k].id;
		run->case_id = f->x.cases[run->case_id - 1].id;
		r = store_add_run(s, run, e);
	}
	if (r == 0)
		r = store_set_status(s, f->x.id, "done", e);
	return r;
}

/* 16 pages at each fault. */
static inline void fixture_large_folios(struct store_run *r)
{
	struct store_sample *s = (struct store_sample *)(uintptr_t)r->samples;

	s[2].value = 0.0625;
	s[3].value = 65536;
}

/* The sample of metric @m that run @i has, if it is one of variant @v. */
static inline void fixture_obs(const struct fixture *f, struct report_input *in, size_t m, size_t v,
			       unsigned i)
{
	const struct store_run *r = &f->runs[i];

	if (r->case_id == f->x.metrics[m].case_id && r->variant == f->x.variants[v].id)
		store_data_add(&in->data, f->x.metrics[m].id, i, 0,
			       r->samples[m % FIXTURE_METRICS].value);
}

/* The fixture as reports take it; ended with fixture_input_done. */
static inline void fixture_input(struct fixture *f, struct report_input *in)
{
	*in = (struct report_input){ .x = f->x, .env = f->env, .boots = &f->boot, .n_boots = 1,
				     .runs = { .v = f->runs, .n = f->n_runs } };
	snprintf(in->hash, sizeof(in->hash), "0123456789abcdef0123456789abcdef");
	for (size_t i = 0; i < f->n_runs; i++) {
		const struct store_run *r = &f->runs[i];

		(void)store_data_add_run(&in->data, &(struct store_ref){
			.id = r->id, .variant = r->variant, .case_id = r->case_id,
			.boot = r->boot, .round = r->round, .seq = r->seq, .repeat = r->repeat,
			.untrustworthy = str_eq(r->status, "untrustworthy"),
			.failed = str_eq(r->status, "failed"),
			.start_ns = r->start_ns, .end_ns = r->end_ns,
		});
	}
	for (size_t m = 0; m < f->x.n_metrics; m++)
		for (size_t v = 0; v < f->x.n_variants; v++)
			for (size_t i = 0; i < f->n_runs; i++)
				fixture_obs(f, in, m, v, (unsigned)i);
}

static inline void fixture_input_done(struct report_input *in)
{
	store_data_done(&in->data);
}

/* Three page fault workloads; the deep variant is slower, the same, and too noisy to tell. */
static inline void fixture_pages(struct fixture *f)
{
	static const struct store_note steal[] = {
		{ "untrustworthy", "steal", "3.1 % of the window was stolen" },
	};
	static const struct store_note limit[] = {
		{ "warning", "limit_not_reached", "memory.max 256M, peak 132M" },
	};
	static const struct store_counter counters[] = {
		{ "task/0", "nivcsw", "switch", 3 },
		{ "task/1", "nivcsw", "switch", 5 },
		{ "machine", "steal", "s", 0.01 },
		{ "machine", "foreign_cpu", "s", 0.02 },
		{ "agent", "cpu", "s", 0.001 },
		{ "group/0", "failcnt", "", 0 },
	};
	static const struct store_place deep[] = {
		{ 0, 2, "/process_api/abc", "memory.max", "", "max", "memory.limit_in_bytes" },
		{ 0, 3, "/process_api/abc/mmgauge-1", "memory.max", "", "max",
		  "memory.limit_in_bytes" },
		{ 0, 4, "/process_api/abc/mmgauge-1/g0", "memory.max", "256M", "268435456",
		  "memory.limit_in_bytes" },
		{ 0, 0, "", "cpus", "", "0-1", "" },
		{ 1, 4, "/process_api/abc/mmgauge-1/g1", "memory.max", "256M", "268435456",
		  "memory.limit_in_bytes" },
	};
	static const struct store_place base[] = {
		{ 0, 2, "/process_api/abc", "memory.max", "", "max", "memory.limit_in_bytes" },
	};
	static const double shift[] = { 0.965, 0.992, 1.0 };
	static const double cv[] = { 0.006, 0.003, 0.05 };
	static const double level[] = { 431234, 198765, 1290000 };
	static const char *const names[] = { "page_fault1", "page_fault2", "page_fault3" };

	fixture_init(f, "pages", 10);
	(void)fixture_variant(f, "base", "depth=0");
	(void)fixture_variant(f, "deep", "depth=4,groups=2,memory.max=256M");
	for (size_t v = 0; v < 2; v++) {
		kvs_set(&f->env[v], "cpu.online", "0-1");
		kvs_set(&f->env[v], "node.online", "0");
		kvs_set(&f->env[v], "vm.swappiness", v ? "60" : "100");
		kvs_set(&f->env[v], "meminfo.MemFree", v ? "7000000 kB" : "6900000 kB");
		kvs_set(&f->env[v], "meminfo.MemTotal", v ? "8000000 kB" : "16000000 kB");
		kvs_set(&f->env[v], "uptime", v ? "12.3" : "12.4");
		kvs_set(&f->env[v], "cpuinfo.model_name", "Example CPU @ 2.00GHz");
	}
	for (size_t c = 0; c < 3; c++)
		fixture_case(f, names[c], "tasks=2,mode=process,size=128M", names[c],
			     "page touched", false);
	for (unsigned round = 1; round <= 10; round++) {
		for (size_t c = 0; c < 3; c++) {
			for (size_t k = 0; k < 2; k++) {
				size_t v = (k + round + c) % 2;
				double noise = fixture_noise(f, cv[c]);
				double val = level[c] * (v ? shift[c] : 1) * noise;
				struct store_run *r = fixture_run(f, round, c, v, val, val * 1.9);

				r->counters = counters;
				r->n_counters = ARRAY_LEN(counters);
				if (c == 1)
					fixture_large_folios(r);
				r->places = v ? deep : base;
				r->n_places = v ? ARRAY_LEN(deep) : ARRAY_LEN(base);
				if (c == 0 && v == 1 && round == 4) {
					r->status = "untrustworthy";
					r->notes = steal;
					r->n_notes = 1;
				} else if (c == 2 && v == 1) {
					r->notes = limit;
					r->n_notes = 1;
				}
			}
		}
	}
}

/* The createdelete sweep: 16 sizes, 1 to 6 tasks on 2 CPUs, two variants. */
static inline void fixture_createdelete(struct fixture *f)
{
	fixture_init(f, "pcp-lists", 6);
	(void)fixture_variant(f, "lists", "vm.percpu_pagelist_high_fraction=0");
	(void)fixture_variant(f, "small-lists", "vm.percpu_pagelist_high_fraction=8");
	for (size_t v = 0; v < 2; v++)
		kvs_set(&f->env[v], "cpu.online", "0-1");
	for (unsigned tasks = 1; tasks <= 6; tasks++) {
		for (unsigned i = 0; i < 16; i++) {
			unsigned long kib = (unsigned long)(8 * pow(512, i / 15.0) / 4 + 0.5) * 4;
			char params[100], title[100];

			snprintf(params, sizeof(params), "tasks=%u,mode=process,size=%luK", tasks,
				 kib);
			snprintf(title, sizeof(title), "createdelete size=%luK tasks=%u", kib,
				 tasks);
			fixture_case(f, "createdelete", params, title, "file written and truncated",
				     true);
		}
	}
	for (unsigned round = 1; round <= 6; round++) {
		for (size_t c = 0; c < f->x.n_cases; c++) {
			for (size_t v = 0; v < 2; v++) {
				double kib = 8 * pow(512, (double)(c % 16) / 15.0);
				double tasks = (double)(c / 16 + 1);
				double speedup = tasks > 1 ? 1.8 : 1;
				double s = (2e-5 * kib + 1e-4 * tasks) / speedup;

				s *= (v ? 1 + 0.1 * (kib > 512) : 1) * fixture_noise(f, 0.02);
				(void)fixture_run(f, round, c, v, s, 1 / s);
			}
		}
	}
}

#endif
