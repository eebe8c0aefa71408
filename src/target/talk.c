// SPDX-License-Identifier: GPL-2.0-or-later
/* The host's side of the protocol, the same for every kind of target. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "build_id.h"
#include "target/target.h"
#include "wire/wire.h"

static int unexpected(const struct wire_rec *r, const char *want, struct err *e)
{
	const char *text = wire_get(r, "text");

	if (strcmp(r->kind, "error") == 0 && text)
		return err_set(e, -EPROTO, "the agent says: %s", text);
	return err_set(e, -EPROTO, "want \"%s\" from the agent, got \"%s\"", want, r->kind);
}

static int next_record(struct wire_reader *in, uint64_t deadline_ns, int abort_fd,
		       struct wire_rec *r, struct err *e)
{
	int rc = wire_next(in, deadline_ns, abort_fd, r, e);

	if (rc == 0)
		return err_set(e, -EPIPE, "the agent broke off");
	return rc < 0 ? rc : 0;
}

/* Facts travel as fields of the greeting beside these. */
static bool is_greeting_key(const char *key)
{
	return str_eq(key, "proto") || str_eq(key, "build") || str_eq(key, "release");
}

static int check_build(const struct wire_rec *r, struct err *e)
{
	const char *build = wire_get(r, "build");
	uint64_t proto;
	int rc = wire_need_u64(r, "proto", &proto, e);

	if (rc < 0)
		return rc;
	if (proto == WIRE_PROTO && str_eq(build, BUILD_ID))
		return 0;
	rc = err_set(e, -EPROTO,
		     "the agent is of another build: protocol %llu, build \"%s\"; this tool has "
		     "protocol %d, build \"%s\"",
		     (unsigned long long)proto, build ? build : "", WIRE_PROTO, BUILD_ID);
	err_hint(e, "build or install both programs together, or set $MMGAUGE_AGENT");
	return rc;
}

int target_read_hello(struct target *t, struct wire_reader *in, uint64_t deadline_ns,
		      struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct wire_rec r;
	int rc = next_record(in, deadline_ns, -1, &r, e);

	if (rc == 0 && strcmp(r.kind, "hello") != 0)
		rc = unexpected(&r, "hello", e);
	if (rc == 0)
		rc = check_build(&r, e);
	if (rc < 0)
		return rc;
	free(t->build);
	t->build = xstrdup(wire_get(&r, "build"));
	for (size_t i = 0; i < r.n; i++)
		if (!is_greeting_key(r.f[i].key))
			kvs_set(&kvs, r.f[i].key, r.f[i].val);
	place_facts_done(&t->facts);
	return place_facts_parse(&kvs, &t->facts, e);
}

int target_read_env(struct target *t, struct wire_reader *in, int out_fd, uint64_t deadline_ns,
		    struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	struct wire_rec r;
	int rc = 0;

	wire_begin(&out, "env");
	wire_end(&out);
	if (out_fd >= 0)
		rc = wire_send(out_fd, &out, e);
	while (rc == 0) {
		const char *key, *val;

		rc = next_record(in, deadline_ns, -1, &r, e);
		if (rc < 0 || strcmp(r.kind, "done") == 0)
			break;
		if (strcmp(r.kind, "fact") != 0)
			return unexpected(&r, "fact", e);
		rc = wire_need(&r, "key", &key, e);
		if (rc == 0)
			rc = wire_need(&r, "val", &val, e);
		if (rc == 0)
			kvs_set(&t->env, key, val);
	}
	return rc;
}

static char *take_text(const struct wire_rec *r, const char *key)
{
	const char *val = wire_get(r, key);

	return xstrdup(val ? val : "");
}

#define GROW(array, n)                                                      \
	do {                                                                \
		if (((n) & ((n) - 1)) == 0)                                 \
			(array) = xrealloc(array, (n) ? 2 * (n) : 1,        \
					   sizeof(*(array)));               \
	} while (0)

static int take_sample(const struct wire_rec *r, struct target_result *ret, struct err *e)
{
	uint64_t primary = 0;
	double value;
	int rc = wire_need_f64(r, "value", &value, e);

	if (rc == 0)
		rc = wire_need_u64(r, "primary", &primary, e);
	if (rc < 0)
		return rc;
	GROW(ret->samples, ret->n_samples);
	ret->samples[ret->n_samples++] = (struct target_sample){
		.name = take_text(r, "name"),
		.unit = take_text(r, "unit"),
		.help = take_text(r, "help"),
		.higher_is_better = str_eq(wire_get(r, "better"), "higher"),
		.primary = primary != 0,
		.value = value,
	};
	return 0;
}

static int take_counter(const struct wire_rec *r, struct target_result *ret, struct err *e)
{
	double value;
	int rc = wire_need_f64(r, "value", &value, e);

	if (rc < 0)
		return rc;
	GROW(ret->counters, ret->n_counters);
	ret->counters[ret->n_counters++] = (struct target_counter){
		.where = take_text(r, "where"),
		.name = take_text(r, "name"),
		.unit = take_text(r, "unit"),
		.value = value,
	};
	return 0;
}

static int take_place(const struct wire_rec *r, struct target_result *ret, struct err *e)
{
	uint64_t group, level;
	int rc = wire_need_u64(r, "group", &group, e);

	if (rc == 0)
		rc = wire_need_u64(r, "level", &level, e);
	if (rc < 0)
		return rc;
	GROW(ret->places, ret->n_places);
	ret->places[ret->n_places++] = (struct target_place){
		.group = (unsigned)group,
		.level = (unsigned)level,
		.path = take_text(r, "path"),
		.key = take_text(r, "key"),
		.want = take_text(r, "want"),
		.got = take_text(r, "got"),
		.file = take_text(r, "file"),
	};
	return 0;
}

/* Takes over the three strings. */
static void add_note(struct target_result *ret, struct target_note note)
{
	GROW(ret->notes, ret->n_notes);
	ret->notes[ret->n_notes++] = note;
}

static char *errno_name(int code)
{
	const char *name = strerrorname_np(code);

	return name ? xstrdup(name) : xasprintf("%d", code);
}

static int take_error(const struct wire_rec *r, struct target_result *ret, struct err *e)
{
	uint64_t code;
	int rc = wire_need_u64(r, "errno", &code, e);

	if (rc < 0)
		return rc;
	ret->failure = -(int)code;
	free(ret->hint);
	ret->hint = take_text(r, "hint");
	add_note(ret, (struct target_note){
			      .kind = xstrdup("error"),
			      .code = errno_name((int)code),
			      .text = take_text(r, "text"),
		      });
	return 0;
}

static int take_done(const struct wire_rec *r, struct target_result *ret, struct err *e)
{
	int rc = wire_need_u64(r, "start_ns", &ret->start_ns, e);

	if (rc == 0)
		rc = wire_need_u64(r, "end_ns", &ret->end_ns, e);
	ret->status = take_text(r, "status");
	return rc < 0 ? rc : 1;
}

static void put_go(struct str *out)
{
	wire_begin(out, "go");
	wire_add_u64(out, "at_ns", 0);
	wire_end(out);
}

static int send_go(int out_fd, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(4096);

	put_go(&out);
	return out_fd < 0 ? 0 : wire_send(out_fd, &out, e);
}

/* One record of a running job; 1 when it was the last. */
static int take_record(const struct wire_rec *r, int out_fd, struct target_result *ret,
		       struct err *e)
{
	if (strcmp(r->kind, "ready") == 0)
		return send_go(out_fd, e);
	if (strcmp(r->kind, "sample") == 0)
		return take_sample(r, ret, e);
	if (strcmp(r->kind, "counter") == 0)
		return take_counter(r, ret, e);
	if (strcmp(r->kind, "place") == 0)
		return take_place(r, ret, e);
	if (strcmp(r->kind, "error") == 0)
		return take_error(r, ret, e);
	if (strcmp(r->kind, "done") == 0)
		return take_done(r, ret, e);
	if (strcmp(r->kind, "note") != 0)
		return unexpected(r, "sample", e);
	add_note(ret, (struct target_note){
			      .kind = take_text(r, "kind"),
			      .code = take_text(r, "code"),
			      .text = take_text(r, "text"),
		      });
	return 0;
}

static void put_job(const struct target_job *job, const char *journal, struct str *out)
{
	wire_begin(out, "job");
	wire_add(out, "id", job->id);
	wire_add(out, "workload", job->workload);
	wire_add(out, "params", job->params);
	wire_add(out, "place", job->place);
	wire_add(out, "journal", journal);
	wire_add_u64(out, "time_ns", job->time_ns);
	wire_add_u64(out, "warmup_ns", job->warmup_ns);
	wire_add_u64(out, "ready_ns", job->ready_ns);
	wire_add_u64(out, "seed", job->seed);
	if (job->count)
		wire_add_u64(out, "count", 1);
	wire_end(out);
}

static int send_job(int out_fd, const struct target_job *job, const char *journal, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(WIRE_LINE_MAX);

	put_job(job, journal, &out);
	return out_fd < 0 ? 0 : wire_send(out_fd, &out, e);
}

void target_write_ahead(const struct target_job *job, const char *journal, struct str *out)
{
	if (job) {
		put_job(job, journal, out);
		put_go(out);
	} else {
		wire_begin(out, "env");
		wire_end(out);
	}
	wire_begin(out, "quit");
	wire_end(out);
}

int target_do_job(struct wire_reader *in, int out_fd, const struct target_job *job,
		  const char *journal, uint64_t deadline_ns, struct target_result *ret,
		  struct err *e)
{
	struct target_result res = { .hint = xstrdup("") };
	int rc = send_job(out_fd, job, journal, e);

	while (rc == 0) {
		struct wire_rec r;

		rc = next_record(in, deadline_ns, job->abort_fd, &r, e);
		if (rc == 0)
			rc = take_record(&r, out_fd, &res, e);
	}
	if (rc < 0) {
		target_result_done(&res);
		return rc;
	}
	*ret = res;
	return 0;
}
