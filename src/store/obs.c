// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples for reports: millions of rows, so SQLite only scans two tables in the order in which
 * they lie, and joining and sorting is done here in linear time.
 */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "store/sql.h"

/* The runs of an experiment, at their id less the first; others may lie between. */
struct run_index {
	struct store_obs *run; /* sample fields unset; run == 0: not ours */
	size_t range;
	int64_t first_id;
};

static void index_done(struct run_index *x)
{
	free(x->run);
}
#define _cleanup_index_ __attribute__((cleanup(index_done)))

/*
 * @range is what lies between the first and the last run. Runs of one experiment lie together, but
 * for what a resumed one let in between; a range without bounds is a damaged file.
 */
static int check_range(struct store *s, uint64_t range, struct err *e)
{
	int64_t n = 0;
	int r;

	if (range < 1u << 22)
		return 0;
	r = sql_value(s, "SELECT count(*) FROM runs", NULL, 0, &n, e);
	if (r < 0)
		return r;
	if (range / 64 > (uint64_t)n)
		return sql_refuse(s, e, -EBADMSG, "the ids of its runs lie too far apart");
	return 0;
}

static int index_alloc(struct store *s, int64_t experiment, struct run_index *x, struct err *e)
{
	const struct sql_arg arg = SQL_I(experiment);
	int64_t first = 1, last = 0;
	int r = sql_value(s, "SELECT id FROM runs WHERE experiment = ?1 ORDER BY id LIMIT 1", &arg,
			  1, &first, e);

	if (r > 0)
		r = sql_value(s,
			      "SELECT id FROM runs WHERE experiment = ?1"
			      " ORDER BY id DESC LIMIT 1",
			      &arg, 1, &last, e);
	if (r < 0)
		return r;
	r = check_range(s, (uint64_t)last - (uint64_t)first + 1, e);
	if (r < 0)
		return r;
	x->first_id = first;
	x->range = (size_t)(last - first + 1);
	x->run = calloc(x->range + 1, sizeof(*x->run)); /* gaps cost no memory: never touched */
	if (!x->run)
		return sql_refuse(s, e, -ENOMEM, "out of memory for %zu runs", x->range);
	return 0;
}

static void take_run(sqlite3_stmt *st, struct store_obs *ret)
{
	/* the lengths of the three words differ; their text would be copied */
	int status_len = sqlite3_column_bytes(st, 9);

	*ret = (struct store_obs){
		.run = sqlite3_column_int64(st, 0),
		.variant = sqlite3_column_int64(st, 1),
		.case_id = sqlite3_column_int64(st, 2),
		.boot = sqlite3_column_int64(st, 3),
		.round = sql_uint(st, 4),
		.seq = sql_uint(st, 5),
		.repeat = sql_uint(st, 6),
		.start_ns = sql_u64(st, 7),
		.end_ns = sql_u64(st, 8),
		.untrustworthy = status_len == sizeof("untrustworthy") - 1,
		.failed = status_len == sizeof("failed") - 1,
	};
}

/* The "+" keeps SQLite on the table, whose rows are wanted anyway, and off the index. */
static int index_runs(struct store *s, int64_t experiment, struct run_index *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = index_alloc(s, experiment, x, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT id, variant, case_id, boot, round, seq, repeat, start_ns,"
			      " end_ns, status FROM runs WHERE id BETWEEN ?2 AND ?3"
			      " AND +experiment = ?1 ORDER BY id",
			      SQL_ARGS(SQL_I(experiment), SQL_I(x->first_id),
				       SQL_I(x->first_id + (int64_t)x->range - 1)),
			      &st, e);
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		size_t at = sql_u64(st, 0) - (uint64_t)x->first_id;

		if (at < x->range) /* always, but in a damaged file */
			take_run(st, &x->run[at]);
	}
	return r;
}

struct obs_list {
	struct store_obs *v;
	size_t n, cap;
};

static void list_done(struct obs_list *l)
{
	free(l->v);
}
#define _cleanup_list_ __attribute__((cleanup(list_done)))

static int list_room(struct store *s, struct obs_list *l, struct err *e)
{
	size_t cap = l->cap ? 2 * l->cap : 1024;
	struct store_obs *v;

	if (l->n < l->cap)
		return 0;
	v = reallocarray(l->v, cap, sizeof(*v));
	if (!v) {
		(void)sql_refuse(s, e, -ENOMEM, "out of memory for %zu samples", cap);
		return -ENOMEM;
	}
	l->v = v;
	l->cap = cap;
	return 0;
}

/* Appends the samples of one metric of a case in the order of run ids. */
static int append_metric(struct store *s, int64_t metric, int64_t case_id,
			 const struct run_index *x, struct obs_list *l, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s, "SELECT run, value FROM samples WHERE metric = ?1 ORDER BY run",
			  SQL_ARGS(SQL_I(metric)), &st, e);

	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		size_t at = sql_u64(st, 0) - (uint64_t)x->first_id;
		struct store_obs *o;

		if (at >= x->range || !x->run[at].run || x->run[at].case_id != case_id)
			return sql_refuse(s, e, -EBADMSG,
					  "it is damaged (a sample of another case)");
		r = list_room(s, l, e);
		if (r < 0)
			break;
		o = &l->v[l->n++];
		*o = x->run[at];
		o->metric = metric;
		o->value = sqlite3_column_double(st, 1);
	}
	return r;
}

static int by_variant_seq(const void *va, const void *vb)
{
	const struct store_obs *a = va, *b = vb;

	if (a->variant != b->variant)
		return a->variant < b->variant ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->run < b->run ? -1 : a->run > b->run;
}

static bool is_sorted(const struct store_obs *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_variant_seq(&v[i - 1], &v[i]) > 0)
			return false;
	return true;
}

/* Stable distribution over variants, whose ids lie close together; false when they don't. */
static bool group_by_variant(struct store_obs *v, size_t n)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	_cleanup_free_ struct store_obs *tmp = NULL;
	_cleanup_free_ size_t *start = NULL;

	for (size_t i = 0; i < n; i++) {
		lo = v[i].variant < lo ? v[i].variant : lo;
		hi = v[i].variant > hi ? v[i].variant : hi;
	}
	if ((uint64_t)hi - (uint64_t)lo > n)
		return false;
	tmp = calloc(n, sizeof(*tmp));
	start = calloc((size_t)(hi - lo) + 2, sizeof(*start));
	if (!tmp || !start)
		return false;
	memcpy(tmp, v, n * sizeof(*tmp));
	for (size_t i = 0; i < n; i++)
		start[tmp[i].variant - lo + 1]++;
	for (size_t i = 0; i < (size_t)(hi - lo) + 1; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		v[start[tmp[i].variant - lo]++] = tmp[i];
	return true;
}

/* Runs are nearly always stored in the order of seq, so that the distribution is all. */
static void sort_metric(struct store_obs *v, size_t n)
{
	if (is_sorted(v, n))
		return;
	if (!group_by_variant(v, n) || !is_sorted(v, n))
		qsort(v, n, sizeof(*v), by_variant_seq);
}

static int read_all(struct store *s, int64_t experiment, struct obs_list *l, struct err *e)
{
	_cleanup_index_ struct run_index x = { 0 };
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = index_runs(s, experiment, &x, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT m.id, m.case_id FROM metrics m"
			      " JOIN cases c ON c.id = m.case_id WHERE c.experiment = ?1"
			      " ORDER BY m.case_id, m.id",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		size_t before = l->n;

		r = append_metric(s, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
				  &x, l, e);
		if (r >= 0 && l->n > before)
			sort_metric(l->v + before, l->n - before);
	}
	return r;
}

int store_read_obs(struct store *s, int64_t experiment, struct store_obs **ret, size_t *ret_n,
		   struct err *e)
{
	_cleanup_list_ struct obs_list l = { 0 };
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int r;

	s->task = "read samples from";
	r = sql_begin(s, SQL_TX_READ, &tx, e);
	if (r >= 0)
		r = read_all(s, experiment, &l, e);
	if (r < 0)
		return r;
	*ret = steal_ptr(&l.v);
	*ret_n = l.n;
	return 0;
}
