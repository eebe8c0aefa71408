// SPDX-License-Identifier: GPL-2.0-or-later
/* What the agent says: each event of a case as one record. */
#include <errno.h>

#include "agent/agent.h"
#include "base/err.h"
#include "place/place.h"
#include "worker/worker.h"

int agent_flush(struct agent *a, struct err *e)
{
	return wire_send(a->out_fd, &a->out, e);
}

void agent_emit_error(struct agent *a, const struct err *why)
{
	wire_begin(&a->out, "error");
	wire_add_u64(&a->out, "errno", (uint64_t)-why->code);
	wire_add(&a->out, "text", why->msg);
	wire_add(&a->out, "hint", why->hint);
	wire_end(&a->out);
}

void agent_emit_done(struct agent *a, const char *id, const char *status, uint64_t start_ns,
		     uint64_t end_ns)
{
	wire_begin(&a->out, "done");
	wire_add(&a->out, "id", id);
	wire_add(&a->out, "status", status);
	wire_add_u64(&a->out, "start_ns", start_ns);
	wire_add_u64(&a->out, "end_ns", end_ns);
	wire_end(&a->out);
}

static void on_sample(void *arg, const struct worker_sample *s)
{
	struct agent *a = arg;

	wire_begin(&a->out, "sample");
	wire_add(&a->out, "name", s->name);
	wire_add_f64(&a->out, "value", s->value);
	wire_add(&a->out, "unit", s->unit);
	wire_add(&a->out, "better", s->higher_is_better ? "higher" : "lower");
	wire_add_u64(&a->out, "primary", s->primary);
	wire_add(&a->out, "help", s->help ? s->help : "");
	wire_end(&a->out);
}

static void on_counter(void *arg, const char *where, const char *name, const char *unit,
		       double value)
{
	struct agent *a = arg;

	wire_begin(&a->out, "counter");
	wire_add(&a->out, "where", where);
	wire_add(&a->out, "name", name);
	wire_add_f64(&a->out, "value", value);
	wire_add(&a->out, "unit", unit);
	wire_end(&a->out);
}

static void on_note(void *arg, const char *kind, const char *code, const char *text)
{
	struct agent *a = arg;

	wire_begin(&a->out, "note");
	wire_add(&a->out, "kind", kind);
	wire_add(&a->out, "code", code);
	wire_add(&a->out, "text", text);
	wire_end(&a->out);
}

/* Tells the host that all tasks wait at the gate, and waits for its word. */
static int on_ready(void *arg, uint64_t *ret_at_ns, struct err *e)
{
	struct agent *a = arg;
	struct wire_rec r = { 0 };
	int rc;

	if (!a->in)
		return 0;
	wire_begin(&a->out, "ready");
	wire_end(&a->out);
	rc = agent_flush(a, e);
	if (rc == 0)
		rc = wire_next(a->in, 0, a->stop_fd, &r, e); /* it ends the pipe to give up */
	if (rc < 0)
		return rc;
	if (rc == 0)
		return err_set(e, -EINTR, "called off: the host went away");
	if (!str_eq(r.kind, "go"))
		return err_set(e, -EPROTO, "want \"go\", got record \"%s\"", r.kind);
	return wire_need_u64(&r, "at_ns", ret_at_ns, e);
}

void agent_events(struct agent *a, struct worker_events *ret)
{
	*ret = (struct worker_events){
		.ready = on_ready,
		.sample = on_sample,
		.counter = on_counter,
		.note = on_note,
		.arg = a,
	};
}

static void on_fact(const struct place_fact *f, void *arg)
{
	struct agent *a = arg;

	wire_begin(&a->out, "place");
	wire_add_u64(&a->out, "group", f->group);
	wire_add_u64(&a->out, "level", f->level);
	wire_add(&a->out, "path", f->path);
	wire_add(&a->out, "key", f->key);
	wire_add(&a->out, "want", f->want);
	wire_add(&a->out, "got", f->got);
	wire_add(&a->out, "file", f->file);
	wire_end(&a->out);
}

int agent_emit_place(struct agent *a, const struct place *p, struct err *e)
{
	return place_each_fact(p, on_fact, a, e);
}
