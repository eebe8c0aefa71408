// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples for reports: millions of rows, so SQLite only scans two tables in the order in which
 * they lie, and joining and sorting is done here in linear time.
 */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "store/sql.h"

void store_data_done(struct store_data *d)
{
	free(d->runs);
	free(d->obs);
	free(d->series);
	*d = (struct store_data){ 0 };
}

static int by_key(const void *va, const void *vb)
{
	const struct store_series *a = va, *b = vb;

	if (a->case_id != b->case_id)
		return a->case_id < b->case_id ? -1 : 1;
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return (a->variant > b->variant) - (a->variant < b->variant);
}

const struct store_series *store_data_find(const struct store_data *d, int64_t case_id,
					   int64_t metric, int64_t variant)
{
	struct store_series key = { .case_id = case_id, .metric = metric, .variant = variant };

	if (!d->n_series)
		return NULL;
	return bsearch(&key, d->series, d->n_series, sizeof(key), by_key);
}

/* Room for one more of @size bytes behind the @n of @v. */
static void *room(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 64;
	return xrealloc(v, *cap, size);
}

unsigned store_data_add_run(struct store_data *d, const struct store_ref *run)
{
	d->runs = room(d->runs, d->n_runs, &d->cap_runs, sizeof(*d->runs));
	d->runs[d->n_runs] = *run;
	return (unsigned)d->n_runs++;
}

static void add_obs(struct store_data *d, unsigned run, unsigned idx, double value)
{
	d->obs = room(d->obs, d->n_obs, &d->cap_obs, sizeof(*d->obs));
	d->obs[d->n_obs++] = (struct store_obs){ .value = value, .run = run, .idx = idx };
}

/* Sample @i, whose metric it is, goes to the last series or begins the next. */
static void extend_series(struct store_data *d, int64_t metric, size_t i)
{
	struct store_series *last = d->n_series ? &d->series[d->n_series - 1] : NULL;
	const struct store_ref *run = &d->runs[d->obs[i].run];

	assert(d->runs && d->obs[i].run < d->n_runs);
	if (last && last->metric == metric && last->variant == run->variant &&
	    last->case_id == run->case_id) {
		last->n++;
		return;
	}
	d->series = room(d->series, d->n_series, &d->cap_series, sizeof(*d->series));
	d->series[d->n_series++] = (struct store_series){ run->case_id, metric, run->variant, i,
							  1 };
}

void store_data_add(struct store_data *d, int64_t metric, unsigned run, unsigned idx, double value)
{
	add_obs(d, run, idx, value);
	extend_series(d, metric, d->n_obs - 1);
}

/* Where the run of an id is in the store_data: at[id - first_id] - 1; 0 is none of ours. */
struct run_index {
	unsigned *at;
	size_t range;
	int64_t first_id;
};

static void index_done(struct run_index *x)
{
	free(x->at);
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
	x->at = calloc(x->range + 1, sizeof(*x->at)); /* gaps cost no memory: never touched */
	if (!x->at)
		return sql_refuse(s, e, -ENOMEM, "out of memory for %zu runs", x->range);
	return 0;
}

static struct store_ref ref_of(sqlite3_stmt *st)
{
	/* the lengths of the three words differ; their text would be copied */
	int status_len = sqlite3_column_bytes(st, 9);

	return (struct store_ref){
		.id = sqlite3_column_int64(st, 0),
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
static int index_runs(struct store *s, int64_t experiment, struct store_data *d,
		      struct run_index *x, struct err *e)
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

		struct store_ref ref = ref_of(st);

		if (at < x->range) /* always, but in a damaged file */
			x->at[at] = store_data_add_run(d, &ref) + 1;
	}
	return r;
}

/* Appends the samples of one metric of a case in the order of run ids. */
static int append_metric(struct store *s, int64_t metric, int64_t case_id,
			 const struct run_index *x, struct store_data *d, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s,
			  "SELECT run, idx, value FROM samples WHERE metric = ?1 ORDER BY run, idx",
			  SQL_ARGS(SQL_I(metric)), &st, e);

	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		size_t at = sql_u64(st, 0) - (uint64_t)x->first_id;

		if (at >= x->range || !x->at[at] || d->runs[x->at[at] - 1].case_id != case_id)
			return sql_refuse(s, e, -EBADMSG,
					  "it is damaged (a sample of another case)");
		add_obs(d, x->at[at] - 1, sql_uint(st, 1), sqlite3_column_double(st, 2));
	}
	return r;
}

static int by_variant_seq(const void *va, const void *vb, void *runs)
{
	const struct store_obs *x = va, *y = vb;
	const struct store_ref *a = (struct store_ref *)runs + x->run;
	const struct store_ref *b = (struct store_ref *)runs + y->run;

	assert(runs);
	if (a->variant != b->variant)
		return a->variant < b->variant ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

static bool is_sorted(const struct store_obs *v, size_t n, struct store_ref *runs)
{
	for (size_t i = 1; i < n; i++)
		if (by_variant_seq(&v[i - 1], &v[i], runs) > 0)
			return false;
	return true;
}

/* Stable distribution over variants, whose ids lie close together; false when they don't. */
static bool group_by_variant(struct store_obs *v, size_t n, const struct store_ref *runs)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	_cleanup_free_ struct store_obs *tmp = NULL;
	_cleanup_free_ size_t *start = NULL;

	for (size_t i = 0; i < n; i++) {
		int64_t variant = runs[v[i].run].variant;

		lo = variant < lo ? variant : lo;
		hi = variant > hi ? variant : hi;
	}
	if ((uint64_t)hi - (uint64_t)lo > n)
		return false;
	tmp = calloc(n, sizeof(*tmp));
	start = calloc((size_t)(hi - lo) + 2, sizeof(*start));
	if (!tmp || !start)
		return false;
	memcpy(tmp, v, n * sizeof(*tmp));
	for (size_t i = 0; i < n; i++)
		start[runs[tmp[i].run].variant - lo + 1]++;
	for (size_t i = 0; i < (size_t)(hi - lo) + 1; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		v[start[runs[tmp[i].run].variant - lo]++] = tmp[i];
	return true;
}

/* Runs are nearly always stored in the order of seq, so that the distribution is all. */
static void sort_metric(struct store_data *d, size_t first)
{
	size_t n = d->n_obs - first;
	struct store_obs *v;

	if (!n)
		return; /* perhaps there are none at all */
	v = d->obs + first;
	if (is_sorted(v, n, d->runs))
		return;
	if (!group_by_variant(v, n, d->runs) || !is_sorted(v, n, d->runs))
		qsort_r(v, n, sizeof(*v), by_variant_seq, d->runs);
}

static void cut_series(struct store_data *d, size_t first, int64_t metric)
{
	for (size_t i = first; i < d->n_obs; i++)
		extend_series(d, metric, i);
}

static int read_all(struct store *s, int64_t experiment, struct store_data *d, struct err *e)
{
	_cleanup_index_ struct run_index x = { 0 };
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = index_runs(s, experiment, d, &x, e);

	if (r >= 0)
		r = sql_start(s,
			      "SELECT m.id, m.case_id FROM metrics m"
			      " JOIN cases c ON c.id = m.case_id WHERE c.experiment = ?1"
			      " ORDER BY m.case_id, m.id",
			      SQL_ARGS(SQL_I(experiment)), &st, e);
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		int64_t metric = sqlite3_column_int64(st, 0);
		size_t before = d->n_obs;

		r = append_metric(s, metric, sqlite3_column_int64(st, 1), &x, d, e);
		if (r < 0)
			break;
		sort_metric(d, before);
		cut_series(d, before, metric);
	}
	return r;
}

int store_read_data(struct store *s, int64_t experiment, struct store_data *ret, struct err *e)
{
	_cleanup_store_data_ struct store_data d = { 0 };
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int r;

	s->task = "read samples from";
	r = sql_begin(s, SQL_TX_READ, &tx, e);
	if (r >= 0)
		r = read_all(s, experiment, &d, e);
	if (r < 0)
		return r;
	*ret = d;
	d = (struct store_data){ 0 };
	return 0;
}
