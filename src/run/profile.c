// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting once more, by function: the same machines do the same again. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "run/internal.h"

static uint64_t ops_of(const struct target_result *res)
{
	double ops = 0;

	for (size_t i = 0; i < res->n_counters; i++)
		if (str_starts(res->counters[i].where, "task/") &&
		    str_eq(res->counters[i].name, "ops"))
			ops += res->counters[i].value;
	return (uint64_t)ops;
}

static int one(struct run *r, size_t case_i, size_t variant_i,
	       int (*fn)(const struct run_profile *p, void *arg, struct err *e), void *arg,
	       struct err *e)
{
	const struct plan_step step = { 1, case_i, variant_i };
	struct run_profile p = { .case_i = case_i, .variant_i = variant_i };
	struct target_result res = { 0 };
	int rc;

	log_info("%s under %s", r->plan->cases[case_i].title, r->plan->variants[variant_i].name);
	rc = run_job(r, &step, &res, e);
	if (rc < 0)
		return rc;
	p.text = res.profile;
	p.ops = ops_of(&res);
	if (!p.text || !p.ops)
		rc = err_set(e, -EIO, "%s under %s failed: %s", r->plan->cases[case_i].title,
			     r->plan->variants[variant_i].name,
			     res.n_notes ? res.notes[0].text : "no reason given");
	else
		rc = fn(&p, arg, e);
	target_result_done(&res);
	return rc;
}

int run_profiles(const struct plan *p, uint64_t seed, int stop_fd,
		 int (*fn)(const struct run_profile *p, void *arg, struct err *e), void *arg,
		 struct err *e)
{
	const struct run_opts opts = { .stop_fd = stop_fd };
	struct run r = { .plan = p, .opts = &opts, .lock_fd = -EBADF, .profile = true,
			 .id = xstrdup("explain") };
	int rc;

	r.x.seed = seed;
	r.x.time_ns = p->time_ns;
	r.x.warmup_ns = p->warmup_ns;
	rc = run_open_targets(&r, e);
	for (size_t c = 0; rc == 0 && c < p->n_cases; c++)
		for (size_t v = 0; rc == 0 && v < p->n_variants; v++)
			rc = one(&r, c, v, fn, arg, e);
	run_done(&r);
	return rc;
}
