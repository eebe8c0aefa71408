// SPDX-License-Identifier: GPL-2.0-or-later
/* The way back of text.c. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "import/internal.h"
#include "wire/wire.h"

#define LISTS_MAX 100000 /* variants, cases, metrics, boots */


/* A run and what belongs to it, until it is whole. */
struct draft {
	struct store_run run;
	char *status;
	bool open;
	struct store_sample *samples;
	struct store_counter *counters;
	struct store_place *places;
	struct store_note *notes;
	size_t n_samples, n_counters, n_places, n_notes;
	struct strv texts; /* of all of these */
};

struct reader {
	struct store *s;
	struct store_experiment x;
	bool stored;	 /* x is in the store */
	struct store_metric *metrics;
	size_t n_metrics;
	int64_t *boots;
	size_t n_boots;
	struct draft d;
	uint64_t records;
	bool ended;
};

static int need(const struct wire_rec *r, const char *key, char **ret, struct err *e)
{
	const char *v;
	int rc = wire_need(r, key, &v, e);

	if (rc == 0)
		*ret = xstrdup(v);
	return rc;
}

static int need_i64(const struct wire_rec *r, const char *key, int64_t *ret, struct err *e)
{
	const char *v;
	int rc = wire_need(r, key, &v, e);

	if (rc == 0 && num_i64(v, ret, NULL) < 0)
		rc = err_set(e, -EPROTO, "\"%s\" is no number in \"%s\"", key, r->kind);
	return rc;
}

static int need_u32(const struct wire_rec *r, const char *key, unsigned *ret, struct err *e)
{
	uint64_t v = 0;
	int rc = wire_need_u64(r, key, &v, e);

	if (rc == 0 && v > UINT32_MAX / 2)
		rc = err_set(e, -EPROTO, "\"%s\" of \"%s\" is too large", key, r->kind);
	*ret = (unsigned)v;
	return rc;
}

/* A number from 1 of a list of @n. */
static int need_index(const struct wire_rec *r, const char *key, size_t n, size_t *ret,
		      struct err *e)
{
	uint64_t v = 0;
	int rc = wire_need_u64(r, key, &v, e);

	if (rc == 0 && (v < 1 || v > n))
		rc = err_set(e, -EPROTO, "%s %" PRIu64 " of a \"%s\" is none of the %zu", key, v,
			     r->kind, n);
	*ret = (size_t)v - 1;
	return rc;
}

#define DO(rc, call)              \
	do {                      \
		if ((rc) == 0)    \
			(rc) = (call); \
	} while (0)

static int take_experiment(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_experiment *x = &t->x;
	int rc = x->name ? err_set(e, -EPROTO, "a second experiment") : 0;

	DO(rc, need(r, "name", &x->name, e));
	DO(rc, need(r, "command", &x->command, e));
	DO(rc, need(r, "order", &x->order, e));
	DO(rc, wire_need_u64(r, "seed", &x->seed, e));
	DO(rc, wire_need_f64(r, "margin", &x->margin, e));
	DO(rc, wire_need_u64(r, "time_ns", &x->time_ns, e));
	DO(rc, wire_need_u64(r, "warmup_ns", &x->warmup_ns, e));
	DO(rc, need_u32(r, "rounds", &x->rounds_planned, e));
	DO(rc, need_i64(r, "wall_ns", &x->wall_start_ns, e));
	DO(rc, need(r, "tool", &x->tool, e));
	DO(rc, need(r, "status", &x->status, e));
	DO(rc, need(r, "skipped", &x->skipped, e));
	DO(rc, need(r, "plan_hash", &x->plan_hash, e));
	DO(rc, need(r, "plan", &x->plan_text, e));
	return rc;
}

static int too_late(const struct reader *t, const struct wire_rec *r, struct err *e)
{
	if (!t->x.name)
		return err_set(e, -EPROTO, "a \"%s\" before the experiment", r->kind);
	if (t->stored)
		return err_set(e, -EPROTO, "a \"%s\" behind what belongs to it", r->kind);
	return 0;
}

static int take_variant(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_experiment *x = &t->x;
	struct store_variant *v;
	int rc = too_late(t, r, e);

	if (rc < 0 || x->n_variants >= LISTS_MAX)
		return rc < 0 ? rc : err_set(e, -EPROTO, "too many variants");
	x->variants = xrealloc(x->variants, x->n_variants + 1, sizeof(*v));
	v = &x->variants[x->n_variants++];
	*v = (struct store_variant){ 0 };
	DO(rc, need(r, "name", &v->name, e));
	DO(rc, need(r, "target", &v->target, e));
	DO(rc, need(r, "spec", &v->spec, e));
	return rc;
}

static int take_case(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_experiment *x = &t->x;
	uint64_t primary = 0;
	struct store_case *c;
	int rc = too_late(t, r, e);

	if (rc < 0 || x->n_cases >= LISTS_MAX)
		return rc < 0 ? rc : err_set(e, -EPROTO, "too many cases");
	x->cases = xrealloc(x->cases, x->n_cases + 1, sizeof(*c));
	c = &x->cases[x->n_cases++];
	*c = (struct store_case){ 0 };
	DO(rc, need(r, "workload", &c->workload, e));
	DO(rc, need_u32(r, "revision", &c->revision, e));
	DO(rc, need(r, "params", &c->params, e));
	DO(rc, need(r, "title", &c->title, e));
	DO(rc, need(r, "op", &c->op, e));
	DO(rc, wire_need_u64(r, "primary", &primary, e));
	DO(rc, wire_need_f64(r, "floor", &c->floor, e));
	c->primary_row = primary == 1;
	return rc;
}

static int store_head(struct reader *t, struct err *e)
{
	int rc = 0;

	if (t->stored)
		return 0;
	if (!t->x.name)
		return err_set(e, -EPROTO, "there is no experiment");
	DO(rc, store_add_experiment(t->s, &t->x, e));
	t->stored = rc == 0;
	return rc;
}

static int take_metric(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_metric m = { 0 };
	const char *better = wire_get(r, "better");
	uint64_t primary = 0;
	size_t c = 0;
	int rc = store_head(t, e);

	DO(rc, need_index(r, "case", t->x.n_cases, &c, e));
	DO(rc, need(r, "name", &m.name, e));
	DO(rc, need(r, "unit", &m.unit, e));
	DO(rc, need(r, "help", &m.help, e));
	DO(rc, wire_need_u64(r, "primary", &primary, e));
	if (rc == 0 && t->n_metrics < LISTS_MAX) {
		m.case_id = t->x.cases[c].id;
		m.higher_is_better = str_eq(better, "higher");
		m.primary = primary == 1;
		rc = store_add_metric(t->s, &m, e);
		t->metrics = xrealloc(t->metrics, t->n_metrics + 1, sizeof(*t->metrics));
		t->metrics[t->n_metrics++] = (struct store_metric){ .id = m.id };
	}
	free(m.name);
	free(m.unit);
	free(m.help);
	return rc;
}

static int take_boot(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_boot b = { 0 };
	int rc = store_head(t, e);

	DO(rc, need(r, "boot_id", &b.boot_id, e));
	DO(rc, need(r, "kernel", &b.kernel, e));
	DO(rc, need(r, "machine", &b.machine, e));
	b.experiment = t->x.id;
	DO(rc, store_add_boot(t->s, &b, e));
	if (rc == 0) {
		t->boots = xrealloc(t->boots, t->n_boots + 1, sizeof(*t->boots));
		t->boots[t->n_boots++] = b.id;
	}
	free(b.boot_id);
	free(b.kernel);
	free(b.machine);
	return rc;
}

static int take_env(struct reader *t, const struct wire_rec *r, struct err *e)
{
	_cleanup_kvs_ struct kvs facts = { 0 };
	const char *key = "", *val = "";
	uint64_t variant = 0;
	int rc = store_head(t, e);

	DO(rc, wire_need_u64(r, "variant", &variant, e));
	DO(rc, wire_need(r, "key", &key, e));
	DO(rc, wire_need(r, "val", &val, e));
	if (rc == 0 && variant > t->x.n_variants)
		rc = err_set(e, -EPROTO, "a fact of a variant that isn't there");
	if (rc < 0)
		return rc;
	kvs_set(&facts, key, val);
	return store_add_env(t->s, t->x.id, variant ? t->x.variants[variant - 1].id : 0, &facts, e);
}

static void draft_clear(struct draft *d)
{
	free(d->status);
	free(d->samples);
	free(d->counters);
	free(d->places);
	free(d->notes);
	strv_done(&d->texts);
	*d = (struct draft){ 0 };
}

static int close_run(struct reader *t, struct err *e)
{
	struct draft *d = &t->d;
	int rc = 0;

	if (!d->open)
		return 0;
	d->run.samples = d->samples;
	d->run.n_samples = d->n_samples;
	d->run.counters = d->counters;
	d->run.n_counters = d->n_counters;
	d->run.places = d->places;
	d->run.n_places = d->n_places;
	d->run.notes = d->notes;
	d->run.n_notes = d->n_notes;
	rc = store_add_run(t->s, &d->run, e);
	draft_clear(d);
	return rc;
}

static int take_run(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_run *run = &t->d.run;
	size_t c = 0, v = 0, b = 0;
	char *status = NULL;
	int rc = store_head(t, e);

	DO(rc, close_run(t, e));
	DO(rc, need_u32(r, "seq", &run->seq, e));
	DO(rc, need_u32(r, "round", &run->round, e));
	DO(rc, need_u32(r, "repeat", &run->repeat, e));
	DO(rc, need_index(r, "case", t->x.n_cases, &c, e));
	DO(rc, need_index(r, "variant", t->x.n_variants, &v, e));
	DO(rc, need_index(r, "boot", t->n_boots, &b, e));
	DO(rc, wire_need_u64(r, "start_ns", &run->start_ns, e));
	DO(rc, wire_need_u64(r, "end_ns", &run->end_ns, e));
	DO(rc, need_i64(r, "wall_ns", &run->wall_ns, e));
	DO(rc, need(r, "status", &status, e));
	if (rc < 0)
		return rc;
	run->experiment = t->x.id;
	run->case_id = t->x.cases[c].id;
	run->variant = t->x.variants[v].id;
	run->boot = t->boots[b];
	run->status = t->d.status = status;
	t->d.open = true;
	return 0;
}

/* A text that lives as long as the run. */
static int keep(struct reader *t, const struct wire_rec *r, const char *key, const char **ret,
		struct err *e)
{
	const char *v;
	int rc = wire_need(r, key, &v, e);

	if (rc < 0)
		return rc;
	strv_add(&t->d.texts, v);
	*ret = t->d.texts.v[t->d.texts.n - 1];
	return 0;
}

#define GROW(array, n)                                                          \
	do {                                                                    \
		if (((n) & ((n) - 1)) == 0)                                     \
			(array) = xrealloc(array, (n) ? 2 * (n) : 1, sizeof(*(array))); \
	} while (0)

static int take_sample(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_sample p = { 0 };
	size_t m = 0;
	int rc = need_index(r, "metric", t->n_metrics, &m, e);

	DO(rc, need_u32(r, "idx", &p.idx, e));
	DO(rc, wire_need_f64(r, "value", &p.value, e));
	if (rc < 0)
		return rc;
	p.metric = t->metrics[m].id;
	GROW(t->d.samples, t->d.n_samples);
	t->d.samples[t->d.n_samples++] = p;
	return 0;
}

static int take_counter(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_counter c = { 0 };
	int rc = keep(t, r, "where", &c.where, e);

	DO(rc, keep(t, r, "name", &c.name, e));
	DO(rc, keep(t, r, "unit", &c.unit, e));
	DO(rc, wire_need_f64(r, "value", &c.value, e));
	if (rc < 0)
		return rc;
	GROW(t->d.counters, t->d.n_counters);
	t->d.counters[t->d.n_counters++] = c;
	return 0;
}

static int take_place(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_place p = { 0 };
	int rc = need_u32(r, "group", &p.group, e);

	DO(rc, need_u32(r, "level", &p.level, e));
	DO(rc, keep(t, r, "path", &p.path, e));
	DO(rc, keep(t, r, "key", &p.key, e));
	DO(rc, keep(t, r, "want", &p.want, e));
	DO(rc, keep(t, r, "got", &p.got, e));
	DO(rc, keep(t, r, "file", &p.file, e));
	if (rc < 0)
		return rc;
	GROW(t->d.places, t->d.n_places);
	t->d.places[t->d.n_places++] = p;
	return 0;
}

static int take_note(struct reader *t, const struct wire_rec *r, struct err *e)
{
	struct store_note n = { 0 };
	int rc = keep(t, r, "kind", &n.kind, e);

	DO(rc, keep(t, r, "code", &n.code, e));
	DO(rc, keep(t, r, "text", &n.text, e));
	if (rc < 0)
		return rc;
	GROW(t->d.notes, t->d.n_notes);
	t->d.notes[t->d.n_notes++] = n;
	return 0;
}

static int take_end(struct reader *t, const struct wire_rec *r, struct err *e)
{
	uint64_t records = 0;
	int rc = close_run(t, e);

	DO(rc, store_head(t, e));
	DO(rc, wire_need_u64(r, "records", &records, e));
	if (rc == 0 && records != t->records)
		rc = err_set(e, -EPROTO, "it has %" PRIu64 " records, not %" PRIu64
			     ": lines are missing", t->records, records);
	t->ended = rc == 0;
	return rc;
}

static int take(struct reader *t, const struct wire_rec *r, struct err *e)
{
	static const struct {
		const char *kind;
		int (*fn)(struct reader *t, const struct wire_rec *r, struct err *e);
		bool of_run;
	} kinds[] = {
		{ "experiment", take_experiment, false }, { "variant", take_variant, false },
		{ "case", take_case, false },		  { "metric", take_metric, false },
		{ "boot", take_boot, false },		  { "env", take_env, false },
		{ "run", take_run, false },		  { "sample", take_sample, true },
		{ "counter", take_counter, true },	  { "place", take_place, true },
		{ "note", take_note, true },
	};

	if (t->ended)
		return err_set(e, -EPROTO, "there is something behind the end");
	if (str_eq(r->kind, "end"))
		return take_end(t, r, e);
	t->records++;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!str_eq(r->kind, kinds[i].kind))
			continue;
		if (kinds[i].of_run && !t->d.open)
			return err_set(e, -EPROTO, "a \"%s\" before any run", r->kind);
		return kinds[i].fn(t, r, e);
	}
	return err_set(e, -EPROTO, "unknown record \"%s\"", r->kind);
}

static int read_records(struct reader *t, struct wire_reader *in, uint64_t *line, struct err *e)
{
	struct wire_rec rec;
	uint64_t version = 0;
	int r = wire_next(in, 0, -1, &rec, e);

	*line = 1;
	if (r == 0)
		return err_set(e, -EPROTO, "it is empty");
	if (r > 0 && !str_eq(rec.kind, "mmgauge-text"))
		return err_set(e, -EPROTO, "it is no text of mmgauge");
	if (r > 0 && wire_need_u64(&rec, "version", &version, e) < 0)
		return -EPROTO;
	if (r > 0 && version != TEXT_VERSION)
		return err_set(e, -EPROTO, "it is of version %" PRIu64 ", known is %d", version,
			       TEXT_VERSION);
	while (r > 0) {
		++*line;
		r = wire_next(in, 0, -1, &rec, e);
		if (r > 0) {
			int rc = take(t, &rec, e);

			if (rc < 0)
				return rc;
		}
	}
	if (r == 0 && !t->ended)
		return err_set(e, -EPROTO, "the end is missing: it was cut");
	return r;
}

int import_read_text(const char *path, struct store *s, struct err *e)
{
	_cleanup_close_ int fd = fsx_open(AT_FDCWD, path, O_RDONLY, e);
	struct wire_reader in = WIRE_READER(fd);
	struct reader t = { .s = s };
	uint64_t line = 0;
	int r;

	if (fd < 0)
		return fd;
	r = read_records(&t, &in, &line, e);
	if (r < 0 && e)
		r = err_wrap(e, r, "%s:%" PRIu64, path, line);
	draft_clear(&t.d);
	free(t.metrics);
	free(t.boots);
	store_experiment_done(&t.x);
	wire_reader_done(&in);
	return r;
}
