// SPDX-License-Identifier: GPL-2.0-or-later
/* The schedule: one step after the other, each stored before the next begins. */
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/rng.h"
#include "run/internal.h"
#include "undo/undo.h"

#define READY_NS (60 * NSEC_PER_SEC)

/*
 * Patterns differ from round to round but never between the variants of a round. When counting a
 * round only repeats what was done.
 */
static uint64_t step_seed(const struct run *r, const struct plan_step *s)
{
	unsigned round = r->plan->count ? 1 : s->round;
	struct rng rng;

	rng_init(&rng, r->x.seed ^ ((uint64_t)round << 32) ^ s->case_i);
	return rng_next(&rng);
}

int run_job(struct run *r, const struct plan_step *s, struct target_result *res, struct err *e)
{
	const struct plan_case *c = &r->plan->cases[s->case_i];
	const struct plan_variant *v = &r->plan->variants[r->variants[s->variant_i]];
	/* a name of another length is another number of instructions */
	_cleanup_free_ char *id = r->plan->count ? xstrdup("case") :
						   xasprintf("%s-%u", r->id, r->seq + 1);
	_cleanup_str_ struct str params = STR_INIT(1 << 17), place = STR_INIT(1 << 17);
	_cleanup_kvs_ struct kvs params_kvs = { 0 }, place_kvs = { 0 };
	struct target_job job = {
		.id = id,
		.workload = c->workload->name,
		.time_ns = r->x.time_ns,
		.warmup_ns = r->x.warmup_ns,
		.ready_ns = READY_NS,
		.seed = step_seed(r, s),
		.count = r->plan->count,
		.abort_fd = r->opts->stop_fd,
	};

	plan_job_params(c, v, &params_kvs);
	plan_job_place(c, v, &place_kvs);
	kvs_format(&params_kvs, &params);
	kvs_format(&place_kvs, &place);
	job.params = str_text(&params);
	job.place = str_text(&place);
	return target_run(&r->targets[s->variant_i], &job, res, e);
}

/* An agent that broke off is a failed run of this case, with what is known as its error. */
static void broken_result(const struct err *why, struct target_result *res)
{
	*res = (struct target_result){
		.status = xstrdup("failed"),
		.hint = xstrdup(why->hint),
		.failure = why->code,
		.notes = xcalloc(1, sizeof(*res->notes)),
		.n_notes = 1,
	};
	res->notes[0] = (struct target_note){
		.kind = xstrdup("error"),
		.code = xstrdup("agent"),
		.text = xstrdup(why->msg),
	};
}

static void warn_of_failure(const struct run *r, const struct plan_step *s,
			    const struct run_pair *p, const struct target_result *res)
{
	const char *text = "no reason given";

	for (size_t i = 0; i < res->n_notes; i++)
		if (str_eq(res->notes[i].kind, "error"))
			text = res->notes[i].text;
	log_warn("round %u, %s @ %s: %s", s->round, r->x.cases[s->case_i].title,
		 r->x.variants[s->variant_i].name, text);
	if (res->hint[0])
		log_warn("  hint: %s", res->hint);
	if (p->failures == RUN_GIVE_UP)
		log_warn("%s @ %s failed %d times in a row and is left out from now on",
			 r->x.cases[s->case_i].title, r->x.variants[s->variant_i].name,
			 RUN_GIVE_UP);
}

static int store_result(struct run *r, const struct plan_step *s, const struct target_result *res,
			uint64_t tool_cpu_ns, struct err *e)
{
	struct run_pair *pair = run_pair(r, s->case_i, s->variant_i);
	bool failed = str_eq(res->status, "failed");
	double primary;
	int rc = run_record(r, s, res, tool_cpu_ns, &primary, e);

	if (rc < 0)
		return rc;
	r->out.done++;
	r->out.failed += failed;
	pair->failures = failed ? pair->failures + 1 : 0;
	if (failed)
		warn_of_failure(r, s, pair, res);
	else if (!isnan(primary) && str_eq(res->status, "ok"))
		run_note_value(pair, primary);
	return 0;
}

/* Every round of a variant is a boot; a case that took the kernel down needs another. */
static int boot_for(struct run *r, const struct plan_step *s, const struct plan_step *before,
		    struct err *e)
{
	const struct target *t = &r->targets[s->variant_i];
	bool goes_on = before && before->variant_i == s->variant_i;

	if (!target_boots(t) || (goes_on && target_is_up(t)))
		return 0;
	return run_boot(r, s->variant_i, e);
}

static int run_step(struct run *r, const struct plan_step *s, const struct plan_step *before,
		    struct err *e)
{
	struct target_result res = { 0 };
	uint64_t cpu_ns = clock_process_cpu_ns();
	struct err why = { 0 };
	int rc;

	if (run_pair(r, s->case_i, s->variant_i)->failures >= RUN_GIVE_UP)
		return 0;
	run_progress(r, s);
	rc = boot_for(r, s, before, &why);
	if (rc == 0)
		rc = run_job(r, s, &res, &why);
	if (rc == -EINTR) {
		*e = why;
		return rc;
	}
	if (rc < 0)
		broken_result(&why, &res);
	rc = store_result(r, s, &res, clock_process_cpu_ns() - cpu_ns, e);
	target_result_done(&res);
	return rc;
}

static bool stop_wanted(const struct run *r)
{
	struct pollfd p = { .fd = r->opts->stop_fd, .events = POLLIN };

	return r->opts->stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

static bool budget_spent(const struct run *r, unsigned round)
{
	uint64_t spent = clock_mono_ns() - r->started_ns;

	/* a round is only begun when it can be expected to fit */
	return r->plan->budget_ns && round > 1 &&
	       spent + spent / (round - 1) > r->plan->budget_ns;
}

static int run_round(struct run *r, const struct plan_step *steps, size_t n, struct err *e)
{
	const struct plan_step *before = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct plan_step *s = &steps[i];
		bool have = false;
		int rc = 0;

		if (stop_wanted(r))
			return err_set(e, -EINTR, "interrupted");
		if (r->opts->resume)
			rc = store_has_run(r->store, r->x.id, r->x.cases[s->case_i].id,
					   r->x.variants[s->variant_i].id, s->round, &have, e);
		if (rc == 0 && !have)
			rc = run_step(r, s, before, e);
		if (rc < 0)
			return rc;
		before = have ? before : s;
		r->steps_done++;
	}
	return 0;
}

static int run_rounds(struct run *r, struct err *e)
{
	size_t n = r->n_variants * r->plan->n_cases;
	_cleanup_free_ struct plan_step *steps = xcalloc(n, sizeof(*steps));

	r->steps_all = n * r->plan->rounds;
	r->started_ns = clock_mono_ns();
	for (unsigned round = 1; round <= r->plan->rounds; round++) {
		int rc;

		if (budget_spent(r, round))
			return 0;
		if (r->by_boot)
			plan_order_boots(r->n_variants, r->plan->n_cases, r->x.seed, round, steps);
		else
			plan_order_round(r->n_variants, r->plan->n_cases, r->x.seed, round, steps);
		rc = run_round(r, steps, n, e);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The rounds that were counted, do they agree? */
static bool settled(const struct run_pair *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->values[i] < p->values[0] || p->values[i] > p->values[0])
			return false;
	return true;
}

/* Where two counts differ, a third one tells which of them was the accident, or that both are. */
static int settle(struct run *r, struct err *e)
{
	size_t n = r->n_variants * r->plan->n_cases, wanted = 0;
	_cleanup_free_ struct plan_step *steps = xcalloc(n, sizeof(*steps));

	if (!r->plan->count)
		return 0;
	for (size_t c = 0; c < r->plan->n_cases; c++)
		for (size_t v = 0; v < r->n_variants; v++)
			if (!settled(run_pair(r, c, v)))
				steps[wanted++] = (struct plan_step){ r->plan->rounds + 1, c, v };
	r->steps_all += wanted;
	return run_round(r, steps, wanted, e);
}

/* Where a resumed experiment stands: the number of the last run. */
static int read_seq(struct run *r, struct err *e)
{
	struct store_runs runs = { 0 };
	int rc = r->opts->resume ? store_read_runs(r->store, r->x.id, false, &runs, e) : 0;

	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].seq > r->seq)
			r->seq = runs.v[i].seq;
	store_runs_done(&runs);
	return rc;
}

static void report_clean(const char *what, const struct err *e, void *arg)
{
	(void)arg;
	if (e)
		log_warn("left by a killed run: %s: %s", what, e->msg);
	else
		log_info("left by a killed run: %s", what);
}

static int prepare(struct run *r, struct err *e)
{
	_cleanup_free_ char *dir = undo_default_dir();
	int rc = run_lock(r, e);

	if (rc == 0)
		(void)!undo_clean(dir, report_clean, NULL, NULL);
	if (rc == 0)
		rc = run_open_targets(r, e);
	if (rc == 0)
		rc = run_open_store(r, e);
	if (rc == 0)
		rc = read_seq(r, e);
	return rc;
}

static int finish(struct run *r, int rc, struct err *e)
{
	const char *status = rc == 0 ? "done" : rc == -EINTR ? "interrupted" : "failed";
	struct err late = { 0 };

	log_status(NULL);
	if (!r->out.experiment)
		return rc;
	r->out.interrupted = rc == -EINTR;
	if (store_set_status(r->store, r->x.id, status, &late) < 0 && rc == 0) {
		*e = late;
		return late.code;
	}
	return rc == -EINTR ? 0 : rc;
}

int run_plan(const struct plan *p, const struct run_opts *o, struct run_outcome *ret,
	     struct err *e)
{
	struct run r = {
		.plan = p,
		.opts = o,
		.lock_fd = -EBADF,
		.id = xasprintf("%" PRIx64, rng_fresh_seed() & 0xffffffff),
	};
	int rc = prepare(&r, e);

	if (rc == 0)
		rc = run_rounds(&r, e);
	if (rc == 0)
		rc = settle(&r, e);
	rc = finish(&r, rc, e);
	*ret = r.out;
	run_done(&r);
	return rc;
}
