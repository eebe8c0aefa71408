// SPDX-License-Identifier: GPL-2.0-or-later
/* One job: parse, place, run, report, take back. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/kv.h"
#include "place/place.h"
#include "sys/klog.h"
#include "undo/undo.h"
#include "worker/worker.h"
#include "workload/workload.h"

struct parsed {
	const struct workload *w;
	struct params params;
	struct place_spec place;
};

static void parsed_done(struct parsed *p)
{
	params_done(&p->params);
	place_spec_done(&p->place);
}

static int parse_workload(const struct agent_job *job, struct parsed *p, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r;

	p->w = workload_find(job->workload);
	if (!p->w) {
		const char *near = workload_nearest(job->workload);

		r = err_set(e, -EINVAL, "there is no workload \"%s\"", job->workload);
		if (near)
			err_hint(e, "did you mean \"%s\"?", near);
		return r;
	}
	r = kvs_parse(job->params, &kvs, e);
	if (r == 0)
		r = params_parse(p->w, &kvs, &p->params, e);
	return r < 0 ? err_wrap(e, r, "workload \"%s\"", job->workload) : 0;
}

static int parse_place(const struct agent_job *job, struct parsed *p, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(job->place, &kvs, e);

	if (r == 0)
		r = place_parse(&kvs, &p->place, e);
	return r < 0 ? err_wrap(e, r, "placement") : 0;
}

/* Checks, and pins to all CPUs a workload that is meant to be pinned when nothing was said. */
static int check_place(const struct agent *a, struct parsed *p, struct err *e)
{
	const struct workload *w = p->w;
	const struct place_needs needs = {
		.root = w->needs & NEED_ROOT,
		.real_cache = w->needs & NEED_REAL_CACHE,
		.swap = w->needs & NEED_SWAP,
		.memcg = w->needs & NEED_MEMCG,
		.default_fs = workload_default_fs(w),
	};
	struct place_facts facts = { 0 };
	uint64_t bytes = w->footprint_bytes ? w->footprint_bytes(&p->params) : 0;
	int r = place_facts_read(a->rootfd, &facts, e);

	if (r == 0)
		r = place_check(&facts, &p->place, needs.default_fs, bytes, w->can_reclaim, e);
	if (r == 0)
		r = place_check_needs(&facts, &p->place, &needs, e);
	if (r == 0 && w->pin_default && !p->place.pinned) {
		p->place.pinned = true;
		p->place.cpus = facts.cpus;
	}
	place_facts_done(&facts);
	return r;
}

/* A kernel complaint during the run marks it; who may not read the log is told nothing. */
static void note_kernel_log(struct sys_klog *log, const struct worker_events *ev,
			    struct worker_result *res)
{
	struct sys_splat splat = { 0 };

	if (log->fd < 0 || sys_klog_read(log, &splat, NULL) < 0 || !splat.kind)
		return;
	ev->note(ev->arg, "untrustworthy", "kernel_log", splat.line);
	res->untrustworthy = true;
}

static int run_placed(struct agent *a, const struct agent_job *job, const struct parsed *p,
		      const struct place *place, struct worker_result *res, struct err *e)
{
	struct sys_klog log = SYS_KLOG_INIT;
	struct worker_job wj = {
		.w = p->w,
		.params = &p->params,
		.place = place,
		.rootfd = a->rootfd,
		.time_ns = job->time_ns,
		.warmup_ns = job->warmup_ns,
		.ready_ns = job->ready_ns,
		.seed = job->seed,
		.count = job->count,
		.abort_fd = a->abort_fd,
	};
	struct worker_events ev;
	int r;

	agent_events(a, &ev);
	(void)!sys_klog_open(a->rootfd, &log, NULL);
	r = worker_run(&wj, &ev, res, e);
	if (r == 0)
		r = agent_emit_place(a, place, e);
	if (r == 0)
		note_kernel_log(&log, &ev, res);
	sys_klog_close(&log);
	return r;
}

static int run_parsed(struct agent *a, const struct agent_job *job, struct parsed *p,
		      struct worker_result *res, struct err *e)
{
	_cleanup_free_ char *own_dir = job->journal ? NULL : undo_default_dir();
	struct place *place = NULL;
	struct undo *undo = NULL;
	struct err late = { 0 };
	int r, r2;

	r = check_place(a, p, e);
	if (r == 0)
		r = undo_open(job->journal ? job->journal : own_dir, job->id, &undo, e);
	if (r < 0)
		return r;
	r = place_open(a->rootfd, &p->place, workload_default_fs(p->w), job->id, undo, &place,
		       e);
	if (r == 0)
		r = run_placed(a, job, p, place, res, e);
	r2 = place_close(place, &late);
	if (r2 == 0)
		r2 = undo_close(undo, &late);
	else
		(void)!undo_close(undo, NULL);
	if (r == 0 && r2 < 0) {
		*e = late;
		r = err_wrap(e, r2, "could not take everything back");
		err_hint(e, "\"mmgauge clean\" tries again");
	}
	return r;
}

int agent_case(struct agent *a, const struct agent_job *job, bool *ret_ok, struct err *e)
{
	struct worker_result res = { 0 };
	struct parsed p = { 0 };
	struct err why = { 0 };
	int r;

	r = parse_workload(job, &p, &why);
	if (r == 0)
		r = parse_place(job, &p, &why);
	if (r == 0)
		r = run_parsed(a, job, &p, &res, &why);
	parsed_done(&p);
	if (r < 0)
		agent_emit_error(a, &why);
	agent_emit_done(a, job->id, r < 0 ? "failed" : res.untrustworthy ? "untrustworthy" : "ok",
			res.start_ns, res.end_ns);
	r = r == 0;
	if (agent_flush(a, e) < 0)
		return e->code;
	*ret_ok = r;
	return 0;
}
