// SPDX-License-Identifier: GPL-2.0-or-later
/* Serving a host tool over a pipe or a serial line. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/err.h"
#include "base/kv.h"
#include "build_id.h"
#include "place/place.h"
#include "sys/env.h"

int agent_hello(struct agent *a, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct place_facts facts = { 0 };
	int r = place_facts_read(a->rootfd, &facts, e);

	if (r < 0)
		return err_wrap(e, r, "could not read the facts of this machine");
	place_facts_format(&facts, &kvs);
	place_facts_done(&facts);
	wire_begin(&a->out, "hello");
	wire_add_u64(&a->out, "proto", WIRE_PROTO);
	wire_add(&a->out, "build", BUILD_ID);
	wire_add(&a->out, "release", BUILD_VERSION);
	for (size_t i = 0; i < kvs.n; i++)
		wire_add(&a->out, kvs.v[i].key, kvs.v[i].val);
	wire_end(&a->out);
	return agent_flush(a, e);
}

static int serve_env(struct agent *a, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct err why = { 0 };
	int r = sys_env_read(a->rootfd, &kvs, &why);

	for (size_t i = 0; i < kvs.n; i++) {
		wire_begin(&a->out, "fact");
		wire_add(&a->out, "key", kvs.v[i].key);
		wire_add(&a->out, "val", kvs.v[i].val);
		wire_end(&a->out);
	}
	if (r < 0)
		agent_emit_error(a, &why);
	agent_emit_done(a, "env", r < 0 ? "failed" : "ok", 0, 0);
	return agent_flush(a, e);
}

static int serve_job(struct agent *a, const struct wire_rec *r, struct err *e)
{
	_cleanup_strv_ struct strv keep = { 0 };
	struct agent_job job = { 0 };
	const char **const text[] = { &job.id, &job.workload, &job.params, &job.place,
				      &job.journal };
	static const char *const text_key[] = { "id", "workload", "params", "place", "journal" };
	uint64_t *const num[] = { &job.time_ns, &job.warmup_ns, &job.ready_ns, &job.seed };
	static const char *const num_key[] = { "time_ns", "warmup_ns", "ready_ns", "seed" };
	uint64_t count = 0;
	bool ok;
	int rc;

	/* copies: the record is overwritten when `go` is read */
	for (size_t i = 0; i < ARRAY_LEN(text); i++) {
		const char *val;

		rc = wire_need(r, text_key[i], &val, e);
		if (rc < 0)
			return rc;
		strv_add(&keep, val);
		*text[i] = keep.v[i];
	}
	for (size_t i = 0; i < ARRAY_LEN(num); i++) {
		rc = wire_need_u64(r, num_key[i], num[i], e);
		if (rc < 0)
			return rc;
	}
	if (wire_get(r, "count"))
		rc = wire_need_u64(r, "count", &count, e);
	if (rc < 0)
		return rc;
	job.count = count != 0;
	return agent_case(a, &job, &ok, e);
}

int agent_serve(struct agent *a, struct err *e)
{
	int r = agent_hello(a, e);

	while (r == 0) {
		struct wire_rec rec;

		r = wire_next(a->in, 0, a->stop_fd, &rec, e);
		if (r <= 0)
			return r;
		if (str_eq(rec.kind, "quit"))
			return 0;
		if (str_eq(rec.kind, "env"))
			r = serve_env(a, e);
		else if (str_eq(rec.kind, "job"))
			r = serve_job(a, &rec, e);
		else
			r = err_set(e, -EPROTO, "unknown record \"%s\"", rec.kind);
	}
	return r;
}
