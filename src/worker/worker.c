// SPDX-License-Identifier: GPL-2.0-or-later
/* One case from start to end. Next: crew.c (tasks), host.c (the child's side), metric.c (rates). */
#include "worker/worker.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "cgroup/cgroup.h"
#include "place/place.h"
#include "worker/crew.h"
#include "worker/groups.h"

/* While a limit is being filled: how often to look, and when to stop hoping. */
#define FILL_POLL_NS (20 * NSEC_PER_MSEC)
#define FILL_STALL_NS (500 * NSEC_PER_MSEC)
#define FILL_MAX_NS (60 * NSEC_PER_SEC)

/*
 * With a limit the steady state begins when it was hit: growing into fresh memory costs
 * something else. Waits until every group hit its limit, or until no group has grown for a
 * while: then it never will, and the report says so.
 */
static int fill_limits(struct crew *c, const struct groups *g, struct err *e)
{
	uint64_t started = clock_mono_ns(), grown_at = started, peak = 0;

	while (groups_unreached(g)) {
		uint64_t now = clock_mono_ns();
		uint64_t sum = groups_peak_sum(g);
		int r;

		if (sum > peak) {
			peak = sum;
			grown_at = now;
		}
		if (now - grown_at > FILL_STALL_NS || now - started > FILL_MAX_NS)
			return 0;
		r = crew_watch(c, now + FILL_POLL_NS, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run_rate(struct crew *c, struct measured *m, struct groups *g, struct err *e)
{
	const struct worker_job *job = c->job;
	int r;

	m->gate_ns = clock_mono_ns();
	crew_open_gate(c);
	r = crew_watch(c, m->gate_ns + job->warmup_ns, e);
	if (r == 0 && place_limited(job->place))
		r = fill_limits(c, g, e);
	if (r == 0)
		r = groups_read_before(g, e);
	if (r == 0)
		r = machine_stamp(job->rootfd, &m->before, e);
	if (r < 0)
		return r;
	crew_set_phase(c, PHASE_RUN);
	r = crew_watch(c, clock_mono_ns() + job->time_ns, e);
	crew_set_phase(c, PHASE_STOP);
	/* on the one CPU of a counting guest our own reading would count as theirs */
	if (r == 0 && !job->count)
		r = machine_stamp(job->rootfd, &m->after, e);
	if (r == 0)
		r = crew_await(c, SLOT_DONE, clock_mono_ns() + job->ready_ns, e);
	if (r == 0 && job->count)
		r = machine_stamp(job->rootfd, &m->after, e);
	return r;
}

/* A fixed amount of work takes as long as it takes: no deadline but the user's patience. */
static int run_to_end(struct crew *c, struct measured *m, struct groups *g, struct err *e)
{
	int r = groups_read_before(g, e);

	if (r == 0)
		r = machine_stamp(c->job->rootfd, &m->before, e);
	if (r < 0)
		return r;
	crew_set_phase(c, PHASE_RUN);
	m->gate_ns = clock_mono_ns();
	crew_open_gate(c);
	r = crew_await(c, SLOT_DONE, 0, e);
	if (r == 0)
		r = machine_stamp(c->job->rootfd, &m->after, e);
	return r;
}

static int wait_for_start(const struct worker_events *ev, struct err *e)
{
	uint64_t at_ns = 0;
	int r = ev->ready ? ev->ready(ev->arg, &at_ns, e) : 0;

	if (r == 0 && at_ns)
		clock_sleep_until_ns(at_ns);
	return r;
}

static void window(const struct crew *c, const struct measured *m, struct worker_result *ret)
{
	ret->start_ns = c->job->w->kind == WORKLOAD_RATE ? UINT64_MAX : m->gate_ns;
	ret->end_ns = 0;
	for (unsigned i = 0; i < c->ctx.n_tasks; i++) {
		const struct task *t = &c->shm->slots[i].task;

		if (t->start_ns < ret->start_ns)
			ret->start_ns = t->start_ns;
		if (t->end_ns > ret->end_ns)
			ret->end_ns = t->end_ns;
	}
}

static int run_crew(struct crew *c, struct groups *g, const struct worker_events *ev,
		    struct worker_result *ret, struct err *e)
{
	struct measured m = { 0 };
	struct num_set cpus;
	int r = crew_start(c, e);

	place_step_aside(c->job->place, &cpus);
	if (r == 0)
		r = crew_await(c, SLOT_READY, clock_mono_ns() + c->job->ready_ns, e);
	if (r == 0)
		r = wait_for_start(ev, e);
	if (r == 0)
		r = c->job->w->kind == WORKLOAD_RATE ? run_rate(c, &m, g, e) :
						       run_to_end(c, &m, g, e);
	if (r == 0)
		r = groups_read_after(g, e);
	place_step_back(c->job->place, &cpus);
	if (r < 0)
		return r;
	window(c, &m, ret);
	measure_report(c, g, &m, ev);
	groups_report(g, &m, ev);
	r = crew_leave(c, e);
	ret->untrustworthy = m.untrustworthy;
	return r;
}

int worker_run(const struct worker_job *job, const struct worker_events *ev,
	       struct worker_result *ret, struct err *e)
{
	struct groups g = { 0 };
	struct worker_result res = { 0 };
	struct crew c;
	int r = crew_init(&c, job, e);

	if (r == 0)
		r = groups_init(&g, job->place, e);
	if (r == 0)
		r = run_crew(&c, &g, ev, &res, e);
	crew_done(&c);
	groups_done(&g);
	if (r == 0)
		*ret = res;
	return r;
}
