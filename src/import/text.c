// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An experiment as text. The first record is "mmgauge-text", the last "end" with the number of
 * records between, so that a cut text is noticed. Rows are numbered from 1 in their order; samples,
 * counters, placements and notes belong to the run before them. Read back in text_read.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/internal.h"
#include "wire/wire.h"

#define PIECE_MAX (64u << 20)


struct writer {
	struct str out;
	uint64_t records;
	int (*put)(void *arg, const struct str *piece, struct err *e);
	void *arg;
};

static void begin(struct writer *w, const char *kind)
{
	wire_begin(&w->out, kind);
	w->records++;
}

static int flush(struct writer *w, struct err *e)
{
	int r;

	if (!str_ok(&w->out))
		return err_set(e, -EFBIG, "a run of more than %u bytes", PIECE_MAX);
	r = w->put(w->arg, &w->out, e);
	str_clear(&w->out);
	return r;
}

static void add_i64(struct str *out, const char *key, int64_t v)
{
	char buf[32];

	(void)snprintf(buf, sizeof(buf), "%" PRId64, v);
	wire_add(out, key, buf);
}

static void put_experiment(struct writer *w, const struct store_experiment *x)
{
	struct str *o = &w->out;

	begin(w, "experiment");
	wire_add(o, "name", x->name);
	wire_add(o, "command", x->command);
	wire_add(o, "order", x->order);
	wire_add_u64(o, "seed", x->seed);
	wire_add_f64(o, "margin", x->margin);
	wire_add_u64(o, "time_ns", x->time_ns);
	wire_add_u64(o, "warmup_ns", x->warmup_ns);
	wire_add_u64(o, "rounds", x->rounds_planned);
	add_i64(o, "wall_ns", x->wall_start_ns);
	wire_add(o, "tool", x->tool);
	wire_add(o, "status", x->status);
	wire_add(o, "skipped", x->skipped);
	wire_add(o, "plan_hash", x->plan_hash);
	wire_add(o, "plan", x->plan_text);
	wire_end(o);
}

static size_t case_number(const struct store_experiment *x, int64_t id)
{
	for (size_t i = 0; i < x->n_cases; i++)
		if (x->cases[i].id == id)
			return i + 1;
	return 0;
}

static size_t variant_number(const struct store_experiment *x, int64_t id)
{
	for (size_t i = 0; i < x->n_variants; i++)
		if (x->variants[i].id == id)
			return i + 1;
	return 0;
}

static size_t metric_number(const struct store_experiment *x, int64_t id)
{
	for (size_t i = 0; i < x->n_metrics; i++)
		if (x->metrics[i].id == id)
			return i + 1;
	return 0;
}

static void put_lists(struct writer *w, const struct store_experiment *x)
{
	struct str *o = &w->out;

	for (size_t i = 0; i < x->n_variants; i++) {
		begin(w, "variant");
		wire_add(o, "name", x->variants[i].name);
		wire_add(o, "target", x->variants[i].target);
		wire_add(o, "spec", x->variants[i].spec);
		wire_end(o);
	}
	for (size_t i = 0; i < x->n_cases; i++) {
		begin(w, "case");
		wire_add(o, "workload", x->cases[i].workload);
		wire_add_u64(o, "revision", x->cases[i].revision);
		wire_add(o, "params", x->cases[i].params);
		wire_add(o, "title", x->cases[i].title);
		wire_add(o, "op", x->cases[i].op);
		wire_add_u64(o, "primary", x->cases[i].primary_row);
		wire_add_f64(o, "floor", x->cases[i].floor);
		wire_end(o);
	}
	for (size_t i = 0; i < x->n_metrics; i++) {
		begin(w, "metric");
		wire_add_u64(o, "case", case_number(x, x->metrics[i].case_id));
		wire_add(o, "name", x->metrics[i].name);
		wire_add(o, "unit", x->metrics[i].unit);
		wire_add(o, "better", x->metrics[i].higher_is_better ? "higher" : "lower");
		wire_add_u64(o, "primary", x->metrics[i].primary);
		wire_add(o, "help", x->metrics[i].help);
		wire_end(o);
	}
}

static int put_boots(struct writer *w, struct store *s, int64_t experiment, int64_t **ret_ids,
		     size_t *ret_n, struct err *e)
{
	struct store_boot *boots = NULL;
	size_t n = 0;
	int r = store_read_boots(s, experiment, &boots, &n, e);

	*ret_ids = xcalloc(n ? n : 1, sizeof(**ret_ids));
	*ret_n = n;
	for (size_t i = 0; i < n; i++) {
		(*ret_ids)[i] = boots[i].id;
		begin(w, "boot");
		wire_add(&w->out, "boot_id", boots[i].boot_id);
		wire_add(&w->out, "kernel", boots[i].kernel);
		wire_add(&w->out, "machine", boots[i].machine);
		wire_end(&w->out);
	}
	store_boots_done(boots, n);
	return r;
}

/* @variant 0: of the whole experiment. */
static int put_env(struct writer *w, struct store *s, int64_t experiment, int64_t id,
		   size_t variant, struct err *e)
{
	_cleanup_kvs_ struct kvs facts = { 0 };
	int r = store_read_env(s, experiment, id, &facts, e);

	for (size_t i = 0; i < facts.n; i++) {
		begin(w, "env");
		wire_add_u64(&w->out, "variant", variant);
		wire_add(&w->out, "key", facts.v[i].key);
		wire_add(&w->out, "val", facts.v[i].val);
		wire_end(&w->out);
	}
	return r;
}

static void put_details(struct writer *w, const struct store_experiment *x,
			const struct store_run *r)
{
	struct str *o = &w->out;

	for (size_t i = 0; i < r->n_samples; i++) {
		begin(w, "sample");
		wire_add_u64(o, "metric", metric_number(x, r->samples[i].metric));
		wire_add_u64(o, "idx", r->samples[i].idx);
		wire_add_f64(o, "value", r->samples[i].value);
		wire_end(o);
	}
	for (size_t i = 0; i < r->n_counters; i++) {
		begin(w, "counter");
		wire_add(o, "where", r->counters[i].where);
		wire_add(o, "name", r->counters[i].name);
		wire_add(o, "unit", r->counters[i].unit);
		wire_add_f64(o, "value", r->counters[i].value);
		wire_end(o);
	}
	for (size_t i = 0; i < r->n_places; i++) {
		const struct store_place *p = &r->places[i];

		begin(w, "place");
		wire_add_u64(o, "group", p->group);
		wire_add_u64(o, "level", p->level);
		wire_add(o, "path", p->path);
		wire_add(o, "key", p->key);
		wire_add(o, "want", p->want);
		wire_add(o, "got", p->got);
		wire_add(o, "file", p->file);
		wire_end(o);
	}
	for (size_t i = 0; i < r->n_notes; i++) {
		begin(w, "note");
		wire_add(o, "kind", r->notes[i].kind);
		wire_add(o, "code", r->notes[i].code);
		wire_add(o, "text", r->notes[i].text);
		wire_end(o);
	}
}

static void put_run(struct writer *w, const struct store_experiment *x, const struct store_run *r,
		    size_t boot)
{
	struct str *o = &w->out;

	begin(w, "run");
	wire_add_u64(o, "seq", r->seq);
	wire_add_u64(o, "round", r->round);
	wire_add_u64(o, "repeat", r->repeat);
	wire_add_u64(o, "case", case_number(x, r->case_id));
	wire_add_u64(o, "variant", variant_number(x, r->variant));
	wire_add_u64(o, "boot", boot);
	wire_add_u64(o, "start_ns", r->start_ns);
	wire_add_u64(o, "end_ns", r->end_ns);
	add_i64(o, "wall_ns", r->wall_ns);
	wire_add(o, "status", r->status);
	wire_end(o);
	put_details(w, x, r);
}

static int put_runs(struct writer *w, struct store *s, const struct store_experiment *x,
		    const int64_t *boots, size_t n_boots, struct err *e)
{
	struct store_runs runs = { 0 };
	int r = store_read_runs(s, x->id, true, &runs, e);

	for (size_t i = 0; r == 0 && i < runs.n; i++) {
		size_t boot = 0;

		for (size_t b = 0; b < n_boots; b++)
			if (boots[b] == runs.v[i].boot)
				boot = b + 1;
		put_run(w, x, &runs.v[i], boot);
		r = flush(w, e);
	}
	store_runs_done(&runs);
	return r;
}

static int put_all(struct writer *w, struct store *s, const struct store_experiment *x,
		   struct err *e)
{
	_cleanup_free_ int64_t *boots = NULL;
	size_t n_boots = 0;
	int r;

	wire_begin(&w->out, "mmgauge-text");
	wire_add_u64(&w->out, "version", TEXT_VERSION);
	wire_end(&w->out);
	put_experiment(w, x);
	put_lists(w, x);
	r = put_boots(w, s, x->id, &boots, &n_boots, e);
	if (r == 0)
		r = put_env(w, s, x->id, 0, 0, e);
	for (size_t i = 0; r == 0 && i < x->n_variants; i++)
		r = put_env(w, s, x->id, x->variants[i].id, i + 1, e);
	if (r == 0)
		r = flush(w, e);
	if (r == 0)
		r = put_runs(w, s, x, boots, n_boots, e);
	if (r < 0)
		return r;
	wire_begin(&w->out, "end");
	wire_add_u64(&w->out, "records", w->records);
	wire_end(&w->out);
	return flush(w, e);
}

int import_write_text(struct store *s, int64_t experiment,
		      int (*put)(void *arg, const struct str *piece, struct err *e), void *arg,
		      struct err *e)
{
	struct writer w = { .out = STR_INIT(PIECE_MAX), .put = put, .arg = arg };
	struct store_experiment x = { 0 };
	int r = store_read_experiment(s, experiment, &x, e);

	if (r == 0)
		r = put_all(&w, s, &x, e);
	store_experiment_done(&x);
	str_done(&w.out);
	return r;
}
