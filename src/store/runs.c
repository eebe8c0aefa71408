// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole runs, with all that hangs on them. Arrays and strings of all runs lie in one arena;
 * names of counters and rows of placement, which repeat in every run, lie there once.
 */
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "store/sql.h"

#define CHUNK_BYTES (256u << 10)

struct arena {
	struct arena *next;
	size_t used, size;
	_Alignas(max_align_t) unsigned char bytes[];
};

static void *arena_alloc(struct arena **a, size_t bytes)
{
	size_t need = (bytes + 15) & ~(size_t)15;
	struct arena *top = *a;

	if (!top || top->size - top->used < need) {
		size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;

		top = xcalloc(1, sizeof(*top) + size);
		top->size = size;
		top->next = *a;
		*a = top;
	}
	top->used += need;
	return top->bytes + top->used - need;
}

static const char *arena_text(struct arena **a, sqlite3_stmt *st, int col)
{
	const char *t = sql_peek(st, col);
	size_t len = strlen(t);
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, t, len + 1);
	return copy;
}

void store_runs_done(struct store_runs *r)
{
	while (r->memory) {
		struct arena *next = r->memory->next;

		free(r->memory);
		r->memory = next;
	}
	free(r->v);
	*r = (struct store_runs){ 0 };
}
#define _cleanup_runs_ __attribute__((cleanup(store_runs_done)))

static int count(struct store *s, const char *text, int64_t experiment, size_t *ret,
		 struct err *e)
{
	int64_t n = 0;
	int r = sql_value(s, text, SQL_ARGS(SQL_I(experiment)), &n, e);

	*ret = (size_t)n;
	return r < 0 ? r : 0;
}

static int read_heads(struct store *s, int64_t experiment, struct store_runs *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	size_t n = 0;
	int r = count(s, "SELECT count(*) FROM runs WHERE experiment = ?1", experiment, &n, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT id, variant, case_id, boot, round, seq, repeat, start_ns,"
			      " end_ns, wall_ns, status FROM runs WHERE experiment = ?1"
			      " ORDER BY id",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	if (r < 0)
		return r;
	x->v = xcalloc(n, sizeof(*x->v));
	while (x->n < n && (r = sql_step(s, st, e)) > 0)
		x->v[x->n++] = (struct store_run){
			.id = sqlite3_column_int64(st, 0),
			.experiment = experiment,
			.variant = sqlite3_column_int64(st, 1),
			.case_id = sqlite3_column_int64(st, 2),
			.boot = sqlite3_column_int64(st, 3),
			.round = sql_uint(st, 4),
			.seq = sql_uint(st, 5),
			.repeat = sql_uint(st, 6),
			.start_ns = sql_u64(st, 7),
			.end_ns = sql_u64(st, 8),
			.wall_ns = sqlite3_column_int64(st, 9),
			.status = arena_text(&x->memory, st, 10),
		};
	return r < 0 ? r : 0;
}

/*
 * The run (in order of ids) that a row belongs to; rows come in that order, too, so that @at
 * only moves on. NULL when it is none of ours.
 */
static struct store_run *run_of(struct store_runs *x, size_t *at, int64_t id)
{
	while (*at < x->n && x->v[*at].id < id)
		(*at)++;
	return *at < x->n && x->v[*at].id == id ? &x->v[*at] : NULL;
}

static int read_samples(struct store *s, int64_t experiment, struct store_runs *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	struct store_sample *room;
	size_t n = 0, used = 0, at = 0;
	int r = count(s,
		      "SELECT count(*) FROM samples p JOIN runs r ON r.id = p.run"
		      " WHERE r.experiment = ?1",
		      experiment, &n, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT p.run, p.metric, p.value, p.idx FROM samples p"
			      " JOIN runs r ON r.id = p.run WHERE r.experiment = ?1"
			      " ORDER BY p.run, p.metric, p.idx",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	if (r < 0)
		return r;
	room = arena_alloc(&x->memory, n * sizeof(*room));
	while (used < n && (r = sql_step(s, st, e)) > 0) {
		struct store_run *run = run_of(x, &at, sqlite3_column_int64(st, 0));

		if (!run)
			continue;
		if (!run->n_samples++)
			run->samples = room + used;
		room[used++] = (struct store_sample){
			.metric = sqlite3_column_int64(st, 1),
			.value = sqlite3_column_double(st, 2),
			.idx = sql_uint(st, 3),
		};
	}
	return r < 0 ? r : 0;
}

#define NAMES_MAX (1 << 24) /* a run has some hundred, most of them those of the run before */

/* A table of interned rows, by id; ids are dense from 1. */
struct names {
	void *v;
	size_t n;
};

static void names_done(struct names *l)
{
	free(l->v);
}
#define _cleanup_names_ __attribute__((cleanup(names_done)))

static int names_alloc(struct store *s, const char *max_id, size_t size, struct names *l,
		       struct err *e)
{
	int64_t n = 0;
	int r = sql_value(s, max_id, NULL, 0, &n, e);

	if (r < 0)
		return r;
	if (n < 0 || n > NAMES_MAX)
		return sql_refuse(s, e, -EBADMSG, "it is damaged (%" PRId64 " names)", n);
	l->n = (size_t)n + 1;
	l->v = calloc(l->n, size);
	return l->v ? 0 : sql_refuse(s, e, -ENOMEM, "out of memory for %zu names", l->n);
}

static int read_counter_names(struct store *s, struct arena **a, struct names *l, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	struct store_counter *v;
	int r = names_alloc(s, "SELECT max(id) FROM counter_names", sizeof(*v), l, e);

	if (r >= 0)
		r = sql_start(s, "SELECT id, read_where, name, unit FROM counter_names", NULL, 0,
			      &st, e);
	v = l->v;
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		size_t id = (size_t)sqlite3_column_int64(st, 0);

		if (id < l->n)
			v[id] = (struct store_counter){
				.where = arena_text(a, st, 1),
				.name = arena_text(a, st, 2),
				.unit = arena_text(a, st, 3),
			};
	}
	return r;
}

static int read_place_names(struct store *s, struct arena **a, struct names *l, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	struct store_place *v;
	int r = names_alloc(s, "SELECT max(id) FROM placements", sizeof(*v), l, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT id, grp, level, path, knob, want, got, file"
			      " FROM placements",
			      NULL, 0, &st, e);
	v = l->v;
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		size_t id = (size_t)sqlite3_column_int64(st, 0);

		if (id < l->n)
			v[id] = (struct store_place){
				.group = sql_uint(st, 1),
				.level = sql_uint(st, 2),
				.path = arena_text(a, st, 3),
				.key = arena_text(a, st, 4),
				.want = arena_text(a, st, 5),
				.got = arena_text(a, st, 6),
				.file = arena_text(a, st, 7),
			};
	}
	return r;
}

static int read_counters(struct store *s, int64_t experiment, struct store_runs *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	_cleanup_names_ struct names names = { 0 };
	struct store_counter *room;
	size_t n = 0, used = 0, at = 0;
	int r = read_counter_names(s, &x->memory, &names, e);

	if (r >= 0)
		r = count(s,
			  "SELECT count(*) FROM counters k JOIN runs r ON r.id = k.run"
			  " WHERE r.experiment = ?1",
			  experiment, &n, e);
	if (r >= 0)
		r = sql_start(s,
			      "SELECT k.run, k.counter, k.value FROM counters k"
			      " JOIN runs r ON r.id = k.run WHERE r.experiment = ?1"
			      " ORDER BY k.run, k.pos",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	if (r < 0)
		return r;
	room = arena_alloc(&x->memory, n * sizeof(*room));
	while (used < n && (r = sql_step(s, st, e)) > 0) {
		struct store_run *run = run_of(x, &at, sqlite3_column_int64(st, 0));
		size_t id = (size_t)sqlite3_column_int64(st, 1);

		if (!run)
			continue;
		if (id >= names.n || !((const struct store_counter *)names.v)[id].name)
			return sql_refuse(s, e, -EBADMSG, "it is damaged (a counter has no name)");
		if (!run->n_counters++)
			run->counters = room + used;
		room[used] = ((const struct store_counter *)names.v)[id];
		room[used++].value = sqlite3_column_double(st, 2);
	}
	return r < 0 ? r : 0;
}

static int read_places(struct store *s, int64_t experiment, struct store_runs *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	_cleanup_names_ struct names names = { 0 };
	struct store_place *room;
	size_t n = 0, used = 0, at = 0;
	int r = read_place_names(s, &x->memory, &names, e);

	if (r >= 0)
		r = count(s,
			  "SELECT count(*) FROM run_placements k JOIN runs r ON r.id = k.run"
			  " WHERE r.experiment = ?1",
			  experiment, &n, e);
	if (r >= 0)
		r = sql_start(s,
			      "SELECT k.run, k.placement FROM run_placements k"
			      " JOIN runs r ON r.id = k.run WHERE r.experiment = ?1"
			      " ORDER BY k.run, k.pos",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	if (r < 0)
		return r;
	room = arena_alloc(&x->memory, n * sizeof(*room));
	while (used < n && (r = sql_step(s, st, e)) > 0) {
		struct store_run *run = run_of(x, &at, sqlite3_column_int64(st, 0));
		size_t id = (size_t)sqlite3_column_int64(st, 1);

		if (!run)
			continue;
		if (id >= names.n || !((const struct store_place *)names.v)[id].path)
			return sql_refuse(s, e, -EBADMSG, "it is damaged (a placement is missing)");
		if (!run->n_places++)
			run->places = room + used;
		room[used++] = ((const struct store_place *)names.v)[id];
	}
	return r < 0 ? r : 0;
}

static int read_notes(struct store *s, int64_t experiment, struct store_runs *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	struct store_note *room;
	size_t n = 0, used = 0, at = 0;
	int r = count(s,
		      "SELECT count(*) FROM notes n JOIN runs r ON r.id = n.run"
		      " WHERE r.experiment = ?1",
		      experiment, &n, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT n.run, n.kind, n.code, n.text FROM notes n"
			      " JOIN runs r ON r.id = n.run WHERE r.experiment = ?1"
			      " ORDER BY n.run, n.pos",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	if (r < 0)
		return r;
	room = arena_alloc(&x->memory, n * sizeof(*room));
	while (used < n && (r = sql_step(s, st, e)) > 0) {
		struct store_run *run = run_of(x, &at, sqlite3_column_int64(st, 0));

		if (!run)
			continue;
		if (!run->n_notes++)
			run->notes = room + used;
		room[used++] = (struct store_note){
			.kind = arena_text(&x->memory, st, 1),
			.code = arena_text(&x->memory, st, 2),
			.text = arena_text(&x->memory, st, 3),
		};
	}
	return r < 0 ? r : 0;
}

static int by_seq(const void *va, const void *vb)
{
	const struct store_run *a = va, *b = vb;

	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

int store_read_runs(struct store *s, int64_t experiment, bool samples, struct store_runs *ret,
		    struct err *e)
{
	_cleanup_runs_ struct store_runs x = { 0 };
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int r;

	s->task = "read the runs of an experiment from";
	r = sql_begin(s, SQL_TX_READ, &tx, e);
	if (r >= 0)
		r = read_heads(s, experiment, &x, e);
	if (r >= 0 && samples)
		r = read_samples(s, experiment, &x, e);
	if (r >= 0)
		r = read_counters(s, experiment, &x, e);
	if (r >= 0)
		r = read_places(s, experiment, &x, e);
	if (r >= 0)
		r = read_notes(s, experiment, &x, e);
	if (r < 0)
		return r;
	if (x.n)
		qsort(x.v, x.n, sizeof(*x.v), by_seq);
	*ret = x;
	x = (struct store_runs){ 0 };
	return 0;
}
