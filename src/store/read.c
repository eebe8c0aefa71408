// SPDX-License-Identifier: GPL-2.0-or-later
/* Experiments, boots and environment. Samples are read in obs.c, whole runs in runs.c. */
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "store/sql.h"

/* Room for one more of @n elements in an array that doubles. */
#define GROW(v, n)                                                             \
	do {                                                                   \
		if (((n) & ((n) - 1)) == 0)                                    \
			(v) = xrealloc((v), (n) ? 2 * (n) : 1, sizeof(*(v)));  \
	} while (0)

static void variant_done(struct store_variant *v)
{
	free(v->name);
	free(v->target);
	free(v->spec);
}

static void case_done(struct store_case *c)
{
	free(c->workload);
	free(c->params);
	free(c->title);
	free(c->op);
}

static void metric_done(struct store_metric *m)
{
	free(m->name);
	free(m->unit);
	free(m->help);
}

void store_experiment_done(struct store_experiment *x)
{
	for (size_t i = 0; i < x->n_variants; i++)
		variant_done(&x->variants[i]);
	for (size_t i = 0; i < x->n_cases; i++)
		case_done(&x->cases[i]);
	for (size_t i = 0; i < x->n_metrics; i++)
		metric_done(&x->metrics[i]);
	free(x->variants);
	free(x->cases);
	free(x->metrics);
	free(x->name);
	free(x->plan_text);
	free(x->plan_hash);
	free(x->command);
	free(x->order);
	free(x->tool);
	free(x->status);
	free(x->skipped);
	*x = (struct store_experiment){ 0 };
}
#define _cleanup_experiment_ __attribute__((cleanup(store_experiment_done)))

void store_experiments_done(struct store_experiment *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		store_experiment_done(&v[i]);
	free(v);
}

void store_boots_done(struct store_boot *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i].boot_id);
		free(v[i].kernel);
		free(v[i].machine);
	}
	free(v);
}

#define EXPERIMENT_COLUMNS                                                              \
	"SELECT id, name, plan_text, plan_hash, command, run_order, seed, margin, time_ns," \
	" warmup_ns, rounds_planned, wall_start_ns, tool, status, skipped FROM experiments"

static int take_experiment(struct store *s, sqlite3_stmt *st, struct store_experiment *ret,
			   struct err *e)
{
	_cleanup_free_ char *seed = sql_text(st, 6);
	uint64_t v;

	if (num_u64(seed, &v, NULL) < 0)
		return sql_refuse(s, e, -EBADMSG, "the seed \"%s\" is no number", seed);
	*ret = (struct store_experiment){
		.id = sqlite3_column_int64(st, 0),
		.name = sql_text(st, 1),
		.plan_text = sql_text(st, 2),
		.plan_hash = sql_text(st, 3),
		.command = sql_text(st, 4),
		.order = sql_text(st, 5),
		.seed = v,
		.margin = sqlite3_column_double(st, 7),
		.time_ns = sql_u64(st, 8),
		.warmup_ns = sql_u64(st, 9),
		.rounds_planned = sql_uint(st, 10),
		.wall_start_ns = sqlite3_column_int64(st, 11),
		.tool = sql_text(st, 12),
		.status = sql_text(st, 13),
		.skipped = sql_text(st, 14),
	};
	return 0;
}

static int read_variants(struct store *s, struct store_experiment *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s,
			  "SELECT id, name, target, spec FROM variants WHERE experiment = ?1"
			  " ORDER BY id",
			  SQL_ARGS(SQL_I(x->id)), &st, e);

	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		GROW(x->variants, x->n_variants);
		x->variants[x->n_variants++] = (struct store_variant){
			.id = sqlite3_column_int64(st, 0),
			.name = sql_text(st, 1),
			.target = sql_text(st, 2),
			.spec = sql_text(st, 3),
		};
	}
	return r;
}

static int read_cases(struct store *s, struct store_experiment *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s,
			  "SELECT id, workload, revision, params, title, op, is_primary,"
			  " floor FROM cases"
			  " WHERE experiment = ?1 ORDER BY id",
			  SQL_ARGS(SQL_I(x->id)), &st, e);

	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		GROW(x->cases, x->n_cases);
		x->cases[x->n_cases++] = (struct store_case){
			.id = sqlite3_column_int64(st, 0),
			.workload = sql_text(st, 1),
			.revision = sql_uint(st, 2),
			.params = sql_text(st, 3),
			.title = sql_text(st, 4),
			.op = sql_text(st, 5),
			.primary_row = sqlite3_column_int(st, 6),
			.floor = sqlite3_column_double(st, 7),
		};
	}
	return r;
}

static int read_metrics(struct store *s, struct store_experiment *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s,
			  "SELECT m.id, m.case_id, m.name, m.unit, m.higher_is_better,"
			  " m.is_primary, m.help FROM metrics m JOIN cases c ON c.id = m.case_id"
			  " WHERE c.experiment = ?1 ORDER BY m.case_id, m.id",
			  SQL_ARGS(SQL_I(x->id)), &st, e);

	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		GROW(x->metrics, x->n_metrics);
		x->metrics[x->n_metrics++] = (struct store_metric){
			.id = sqlite3_column_int64(st, 0),
			.case_id = sqlite3_column_int64(st, 1),
			.name = sql_text(st, 2),
			.unit = sql_text(st, 3),
			.higher_is_better = sqlite3_column_int(st, 4),
			.primary = sqlite3_column_int(st, 5),
			.help = sql_text(st, 6),
		};
	}
	return r;
}

static int read_head(struct store *s, int64_t id, struct store_experiment *x, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s,
			  EXPERIMENT_COLUMNS " WHERE id = ?1 OR (?1 = 0 AND id ="
					     " (SELECT max(id) FROM experiments))",
			  SQL_ARGS(SQL_I(id)), &st, e);

	if (r >= 0)
		r = sql_step(s, st, e);
	if (r > 0)
		return take_experiment(s, st, x, e);
	if (r < 0)
		return r;
	return id ? sql_refuse(s, e, -ENOENT, "there is no experiment %" PRId64, id)
		  : sql_refuse(s, e, -ENOENT, "there is no experiment in it");
}

int store_read_experiment(struct store *s, int64_t id, struct store_experiment *ret,
			  struct err *e)
{
	_cleanup_experiment_ struct store_experiment x = { 0 };
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int r;

	s->task = "read an experiment from";
	r = sql_begin(s, SQL_TX_READ, &tx, e);
	if (r >= 0)
		r = read_head(s, id, &x, e);
	if (r >= 0)
		r = read_variants(s, &x, e);
	if (r >= 0)
		r = read_cases(s, &x, e);
	if (r >= 0)
		r = read_metrics(s, &x, e);
	if (r < 0)
		return r;
	*ret = x;
	x = (struct store_experiment){ 0 };
	return 0;
}

int store_list_experiments(struct store *s, struct store_experiment **ret, size_t *ret_n,
			   struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	struct store_experiment *v = NULL;
	size_t n = 0;
	int r;

	s->task = "read the experiments of";
	r = sql_start(s, EXPERIMENT_COLUMNS " ORDER BY id", NULL, 0, &st, e);
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		GROW(v, n);
		r = take_experiment(s, st, &v[n], e);
		n += r >= 0;
	}
	if (r < 0) {
		store_experiments_done(v, n);
		return r;
	}
	*ret = v;
	*ret_n = n;
	return 0;
}

int store_read_env(struct store *s, int64_t experiment, int64_t variant, struct kvs *ret,
		   struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	_cleanup_kvs_ struct kvs l = { 0 };
	int r;

	s->task = "read facts of the environment from";
	/* SQLite takes bare columns from the row of the max() */
	r = sql_start(s,
		      "SELECT key, value, max(id) FROM env WHERE experiment = ?1"
		      " AND variant IS ?2 GROUP BY key ORDER BY key",
		      SQL_ARGS(SQL_I(experiment), SQL_ID(variant)), &st, e);
	while (r >= 0 && (r = sql_step(s, st, e)) > 0)
		kvs_set(&l, sql_peek(st, 0), sql_peek(st, 1));
	if (r < 0)
		return r;
	*ret = l;
	l = (struct kvs){ 0 };
	return 0;
}

int store_read_boots(struct store *s, int64_t experiment, struct store_boot **ret, size_t *ret_n,
		     struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	struct store_boot *v = NULL;
	size_t n = 0;
	int r;

	s->task = "read the boots of an experiment from";
	r = sql_start(s,
		      "SELECT id, boot_id, kernel, machine FROM boots WHERE experiment = ?1"
		      " ORDER BY id",
		      SQL_ARGS(SQL_I(experiment)), &st, e);
	while (r >= 0 && (r = sql_step(s, st, e)) > 0) {
		GROW(v, n);
		v[n++] = (struct store_boot){
			.id = sqlite3_column_int64(st, 0),
			.experiment = experiment,
			.boot_id = sql_text(st, 1),
			.kernel = sql_text(st, 2),
			.machine = sql_text(st, 3),
		};
	}
	if (r < 0) {
		store_boots_done(v, n);
		return r;
	}
	*ret = v;
	*ret_n = n;
	return 0;
}

int store_has_run(struct store *s, int64_t experiment, int64_t case_id, int64_t variant,
		  unsigned round, bool *ret, struct err *e)
{
	int64_t any = 0;
	int r;

	s->task = "look for a run in";
	r = sql_value(s,
		      "SELECT 1 FROM runs WHERE case_id = ?2 AND variant = ?3 AND round = ?4"
		      " AND experiment = ?1 LIMIT 1",
		      SQL_ARGS(SQL_I(experiment), SQL_I(case_id), SQL_I(variant), SQL_I(round)),
		      &any, e);
	if (r < 0)
		return r;
	*ret = r > 0;
	return 0;
}
