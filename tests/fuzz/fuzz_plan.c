// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans of any bytes: the parser must refuse or give a plan whose every job parses. The same
 * bytes as arguments, one a line: v… is a variant, -… common, +… a setting, a… of the program,
 * else a workload; a plan that comes of them must read back from its own text.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CPUS 3

static void check_jobs(const struct plan *p)
{
	assert(p->n_variants > 0 && p->n_cases > 0 && p->n_cases <= 100000);
	for (size_t i = 0; i < p->n_cases && i < 50; i++) {
		for (size_t j = 0; j < p->n_variants; j++) {
			_cleanup_kvs_ struct kvs job = { 0 };
			struct place_spec spec;
			struct params params;
			struct err e;

			plan_job_params(&p->cases[i], &p->variants[j], &job);
			if (params_parse(p->cases[i].workload, &job, &params, &e) < 0)
				abort();
			params_done(&params);
			if (plan_job_spec(&p->cases[i], &p->variants[j], &spec, &e) < 0)
				abort();
			place_spec_done(&spec);
		}
	}
}

static void try_file(const char *text)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	if (plan_parse("fuzz.yaml", text, CPUS, &p, &e) == 0)
		check_jobs(&p);
	else
		assert(e.msg[0] && !p.cases);
}

struct lists {
	struct strv workloads, variants, common, settings, argv;
};

static void sort_line(struct lists *l, const char *line)
{
	struct strv *to = *line == 'v'	 ? &l->variants
			  : *line == '-' ? &l->common
			  : *line == '+' ? &l->settings
			  : *line == 'a' ? &l->argv
					 : &l->workloads;

	strv_add(to, to == &l->workloads ? line : line + 1);
}

static void try_args(const struct lists *l, char *const *argv)
{
	struct plan_args a = {
		.workloads = l->workloads.v, .n_workloads = l->workloads.n,
		.variants = l->variants.v, .n_variants = l->variants.n,
		.common = l->common.v, .n_common = l->common.n,
		.settings = l->settings.v, .n_settings = l->settings.n,
		.argv = argv,
	};
	_cleanup_plan_ struct plan p = { 0 }, back = { 0 };
	struct err e = { 0 };

	if (plan_from_args(&a, CPUS, &p, &e) < 0) {
		assert(e.msg[0] && !p.cases);
		return;
	}
	check_jobs(&p);
	if (plan_parse("text", p.text, CPUS, &back, &e) < 0)
		abort();
	assert(back.n_cases == p.n_cases && back.n_variants == p.n_variants);
	assert(str_eq(back.name, p.name) && back.rounds == p.rounds);
}

/* Sweeps of many values are tested elsewhere: under the sanitizers they take seconds. */
static bool has_long_number(const uint8_t *data, size_t n)
{
	size_t digits = 0;

	for (size_t i = 0; i < n && digits < 4; i++)
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
	return digits >= 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, n);
	_cleanup_free_ char **argv = NULL;
	struct lists l = { 0 };
	char *rest = text, *line;

	if (has_long_number(data, n))
		return 0;
	try_file(text);
	while ((line = str_cut(&rest, "\n")))
		sort_line(&l, line);
	argv = xcalloc(l.argv.n + 1, sizeof(*argv));
	for (size_t i = 0; i < l.argv.n; i++)
		argv[i] = l.argv.v[i];
	try_args(&l, l.argv.n ? argv : NULL);
	strv_done(&l.workloads);
	strv_done(&l.variants);
	strv_done(&l.common);
	strv_done(&l.settings);
	strv_done(&l.argv);
	return 0;
}
