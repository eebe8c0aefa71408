// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that adds rows. Each public function is one transaction, durable on return. */
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "store/sql.h"

int store_begin_batch(struct store *s, struct err *e)
{
	s->task = "write to store";
	if (!s->writable)
		return sql_refuse(s, e, -EBADF, "it was opened for reading");
	return sql_script(s, "BEGIN IMMEDIATE", e);
}

void store_cancel_batch(struct store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		(void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

int store_end_batch(struct store *s, struct err *e)
{
	sigset_t mask;
	int r;

	s->task = "write to store";
	sql_hold_xfsz(&mask);
	r = sql_script(s, "COMMIT", e);
	if (r < 0)
		store_cancel_batch(s);
	sql_release_xfsz(&mask);
	return r;
}

/* An INSERT; returns 0 and the new row's id. */
static int insert(struct store *s, const char *text, const struct sql_arg *args, size_t n,
		  int64_t *ret_id, struct err *e)
{
	int r = sql_change(s, text, args, n, e);

	if (r < 0)
		return r;
	*ret_id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

/* The id of the row that @find finds with the same arguments, else of a new one by @add. */
static int intern(struct store *s, const char *find, const char *add, const struct sql_arg *args,
		  size_t n, int64_t *ret_id, struct err *e)
{
	int r = sql_value(s, find, args, n, ret_id, e);

	return r != 0 ? (r < 0 ? r : 0) : insert(s, add, args, n, ret_id, e);
}

static int insert_experiment(struct store *s, const struct store_experiment *x, int64_t *ret_id,
			     struct err *e)
{
	char seed[24];

	(void)snprintf(seed, sizeof(seed), "%" PRIu64, x->seed); /* SQLite's integers are signed */
	return insert(s,
		      "INSERT INTO experiments (name, plan_text, plan_hash, command, run_order,"
		      " seed, margin, time_ns, warmup_ns, rounds_planned, wall_start_ns, tool,"
		      " status, skipped)"
		      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
		      SQL_ARGS(SQL_T(x->name), SQL_T(x->plan_text), SQL_T(x->plan_hash),
			       SQL_T(x->command), SQL_T(x->order), SQL_T(seed), SQL_D(x->margin),
			       SQL_I(x->time_ns), SQL_I(x->warmup_ns), SQL_I(x->rounds_planned),
			       SQL_I(x->wall_start_ns), SQL_T(x->tool),
			       SQL_T(x->status ? x->status : "running"), SQL_T(x->skipped)),
		      ret_id, e);
}

static int insert_variant(struct store *s, int64_t experiment, const struct store_variant *v,
			  int64_t *ret_id, struct err *e)
{
	return insert(s,
		      "INSERT INTO variants (experiment, name, target, spec)"
		      " VALUES (?1, ?2, ?3, ?4)",
		      SQL_ARGS(SQL_I(experiment), SQL_T(v->name), SQL_T(v->target),
			       SQL_T(v->spec)),
		      ret_id, e);
}

static int insert_case(struct store *s, int64_t experiment, const struct store_case *c,
		       int64_t *ret_id, struct err *e)
{
	return insert(s,
		      "INSERT INTO cases (experiment, workload, revision, params, title, op,"
		      " is_primary, floor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
		      SQL_ARGS(SQL_I(experiment), SQL_T(c->workload), SQL_I(c->revision),
			       SQL_T(c->params), SQL_T(c->title), SQL_T(c->op),
			       SQL_I(c->primary_row), SQL_D(c->floor)),
		      ret_id, e);
}

/* Rows are written in the order of the plan, so that order by id is that order again. */
int store_add_experiment(struct store *s, struct store_experiment *x, struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int64_t id = 0;
	int r;

	s->task = "store an experiment in";
	r = sql_begin(s, SQL_TX_WRITE, &tx, e);
	if (r >= 0)
		r = insert_experiment(s, x, &id, e);
	for (size_t i = 0; r >= 0 && i < x->n_variants; i++)
		r = insert_variant(s, id, &x->variants[i], &x->variants[i].id, e);
	for (size_t i = 0; r >= 0 && i < x->n_cases; i++)
		r = insert_case(s, id, &x->cases[i], &x->cases[i].id, e);
	if (r >= 0)
		r = sql_commit(&tx, e);
	if (r >= 0)
		x->id = id;
	return r < 0 ? r : 0;
}

int store_set_status(struct store *s, int64_t experiment, const char *status, struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int r;

	s->task = "set the status of an experiment in";
	r = sql_begin(s, SQL_TX_WRITE, &tx, e);
	if (r < 0)
		return r;
	r = sql_change(s, "UPDATE experiments SET status = ?2 WHERE id = ?1",
		       SQL_ARGS(SQL_I(experiment), SQL_T(status)), e);
	if (r == 0)
		return sql_refuse(s, e, -ENOENT, "there is no experiment %" PRId64, experiment);
	return r < 0 ? r : sql_commit(&tx, e);
}

/* A metric that changed its meaning halfway would make nonsense of the rows already there. */
static int check_same_metric(struct store *s, const struct store_metric *m, int64_t id,
			     struct err *e)
{
	int64_t same = 0;
	int r = sql_value(s,
			  "SELECT count(*) FROM metrics"
			  " WHERE id = ?1 AND unit = ?2 AND higher_is_better = ?3",
			  SQL_ARGS(SQL_I(id), SQL_T(m->unit), SQL_I(m->higher_is_better)), &same,
			  e);

	if (r < 0)
		return r;
	if (!same)
		return sql_refuse(s, e, -EINVAL,
				  "metric \"%s\" had another unit or direction before", m->name);
	return 0;
}

static int insert_metric(struct store *s, const struct store_metric *m, int64_t *ret_id,
			 struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int r = sql_begin(s, SQL_TX_WRITE, &tx, e);

	if (r >= 0)
		r = insert(s,
			   "INSERT INTO metrics (case_id, name, unit, higher_is_better, is_primary,"
			   " help) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
			   SQL_ARGS(SQL_I(m->case_id), SQL_T(m->name), SQL_T(m->unit),
				    SQL_I(m->higher_is_better), SQL_I(m->primary), SQL_T(m->help)),
			   ret_id, e);
	return r < 0 ? r : sql_commit(&tx, e);
}

int store_add_metric(struct store *s, struct store_metric *m, struct err *e)
{
	int64_t id = 0;
	int r;

	s->task = "store a metric in";
	r = sql_value(s, "SELECT id FROM metrics WHERE case_id = ?1 AND name = ?2",
		      SQL_ARGS(SQL_I(m->case_id), SQL_T(m->name)), &id, e);
	if (r > 0)
		r = check_same_metric(s, m, id, e);
	else if (r == 0)
		r = insert_metric(s, m, &id, e);
	if (r < 0)
		return r;
	m->id = id;
	return 0;
}

int store_add_boot(struct store *s, struct store_boot *b, struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	int64_t id = 0;
	int r;

	s->task = "store a boot in";
	r = sql_begin(s, SQL_TX_WRITE, &tx, e);
	if (r < 0)
		return r;
	r = sql_value(s, "SELECT id FROM boots WHERE experiment = ?1 AND boot_id = ?2",
		      SQL_ARGS(SQL_I(b->experiment), SQL_T(b->boot_id)), &id, e);
	if (r == 0)
		r = insert(s,
			   "INSERT INTO boots (experiment, boot_id, kernel, machine)"
			   " VALUES (?1, ?2, ?3, ?4)",
			   SQL_ARGS(SQL_I(b->experiment), SQL_T(b->boot_id), SQL_T(b->kernel),
				    SQL_T(b->machine)),
			   &id, e);
	if (r >= 0)
		r = sql_commit(&tx, e);
	if (r < 0)
		return r;
	b->id = id;
	return 0;
}

/* Only what is new or differs from the newest value of that key: facts hardly ever change. */
static int insert_fact(struct store *s, int64_t experiment, int64_t variant, const struct kv *kv,
		       uint64_t wall_ns, struct err *e)
{
	return sql_change(s,
			  "INSERT INTO env (experiment, variant, wall_ns, key, value)"
			  " SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?5 IS NOT"
			  " (SELECT value FROM env WHERE experiment = ?1 AND variant IS ?2"
			  "  AND key = ?4 ORDER BY id DESC LIMIT 1)",
			  SQL_ARGS(SQL_I(experiment), SQL_ID(variant), SQL_I(wall_ns),
				   SQL_T(kv->key), SQL_T(kv->val)),
			  e);
}

int store_add_env(struct store *s, int64_t experiment, int64_t variant, const struct kvs *facts,
		  struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	uint64_t wall_ns = clock_wall_ns();
	int r;

	s->task = "store facts of the environment in";
	r = sql_begin(s, SQL_TX_WRITE, &tx, e);
	for (size_t i = 0; r >= 0 && i < facts->n; i++)
		r = insert_fact(s, experiment, variant, &facts->v[i], wall_ns, e);
	return r < 0 ? r : sql_commit(&tx, e);
}

static int check_metric(struct store *s, const struct store_run *r, int64_t metric, struct err *e)
{
	int64_t found = 0;
	int n = sql_value(s, "SELECT 1 FROM metrics WHERE id = ?1 AND case_id = ?2",
			  SQL_ARGS(SQL_I(metric), SQL_I(r->case_id)), &found, e);

	if (n == 0)
		return sql_refuse(s, e, -EINVAL, "metric %" PRId64 " is not one of case %" PRId64,
				  metric, r->case_id);
	return n < 0 ? n : 0;
}

static int insert_samples(struct store *s, const struct store_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct store_sample *p = &r->samples[i];
		int n = 0;

		if (!isfinite(p->value))
			return sql_refuse(s, e, -EINVAL, "a sample is not a finite number");
		if (!i || p->metric != p[-1].metric) /* imported runs have thousands of one */
			n = check_metric(s, r, p->metric, e);
		if (n == 0)
			n = sql_change(s,
				       "INSERT INTO samples (metric, run, idx, value)"
				       " VALUES (?1, ?2, ?3, ?4)",
				       SQL_ARGS(SQL_I(p->metric), SQL_I(r->id), SQL_I(p->idx),
						SQL_D(p->value)),
				       e);
		if (n < 0)
			return n;
	}
	return 0;
}

static int insert_counters(struct store *s, const struct store_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n_counters; i++) {
		const struct store_counter *c = &r->counters[i];
		int64_t name = 0;
		int n;

		if (!isfinite(c->value))
			return sql_refuse(s, e, -EINVAL, "counter \"%s\" is not a finite number",
					  c->name);
		n = intern(s,
			   "SELECT id FROM counter_names"
			   " WHERE read_where = ?1 AND name = ?2 AND unit = ?3",
			   "INSERT INTO counter_names (read_where, name, unit) VALUES (?1, ?2, ?3)",
			   SQL_ARGS(SQL_T(c->where), SQL_T(c->name), SQL_T(c->unit)), &name, e);
		if (n >= 0)
			n = sql_change(s,
				       "INSERT INTO counters (run, pos, counter, value)"
				       " VALUES (?1, ?2, ?3, ?4)",
				       SQL_ARGS(SQL_I(r->id), SQL_I(i), SQL_I(name),
						SQL_D(c->value)),
				       e);
		if (n < 0)
			return n;
	}
	return 0;
}

static int insert_places(struct store *s, const struct store_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n_places; i++) {
		const struct store_place *p = &r->places[i];
		int64_t id = 0;
		int n = intern(s,
			       "SELECT id FROM placements WHERE grp = ?1 AND level = ?2"
			       " AND path = ?3 AND knob = ?4 AND want = ?5 AND got = ?6"
			       " AND file = ?7",
			       "INSERT INTO placements (grp, level, path, knob, want, got, file)"
			       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
			       SQL_ARGS(SQL_I(p->group), SQL_I(p->level), SQL_T(p->path),
					SQL_T(p->key), SQL_T(p->want), SQL_T(p->got),
					SQL_T(p->file)),
			       &id, e);

		if (n >= 0)
			n = sql_change(s,
				       "INSERT INTO run_placements (run, pos, placement)"
				       " VALUES (?1, ?2, ?3)",
				       SQL_ARGS(SQL_I(r->id), SQL_I(i), SQL_I(id)), e);
		if (n < 0)
			return n;
	}
	return 0;
}

static int insert_notes(struct store *s, const struct store_run *r, struct err *e)
{
	int n = 0;

	for (size_t i = 0; n >= 0 && i < r->n_notes; i++)
		n = sql_change(s,
			       "INSERT INTO notes (run, pos, kind, code, text)"
			       " VALUES (?1, ?2, ?3, ?4, ?5)",
			       SQL_ARGS(SQL_I(r->id), SQL_I(i), SQL_T(r->notes[i].kind),
					SQL_T(r->notes[i].code), SQL_T(r->notes[i].text)),
			       e);
	return n < 0 ? n : 0;
}

static int insert_run(struct store *s, struct store_run *r, struct err *e)
{
	int n = sql_change(s,
			   "INSERT INTO runs (experiment, variant, case_id, boot, round, seq,"
			   " repeat, start_ns, end_ns, wall_ns, status)"
			   " SELECT ?1, v.id, c.id, b.id, ?5, ?6, ?7, ?8, ?9, ?10, ?11"
			   " FROM variants v, cases c, boots b"
			   " WHERE v.id = ?2 AND v.experiment = ?1 AND c.id = ?3"
			   " AND c.experiment = ?1 AND b.id = ?4 AND b.experiment = ?1",
			   SQL_ARGS(SQL_I(r->experiment), SQL_I(r->variant), SQL_I(r->case_id),
				    SQL_I(r->boot), SQL_I(r->round), SQL_I(r->seq),
				    SQL_I(r->repeat), SQL_I(r->start_ns), SQL_I(r->end_ns),
				    SQL_I(r->wall_ns), SQL_T(r->status)),
			   e);

	if (n < 0)
		return n;
	if (n == 0)
		return sql_refuse(s, e, -EINVAL,
				  "its variant, case or boot is not one of experiment %" PRId64,
				  r->experiment);
	r->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_add_run(struct store *s, struct store_run *run, struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	struct store_run copy = *run;
	int r;

	s->task = "store a run in";
	r = sql_begin(s, SQL_TX_WRITE, &tx, e);
	if (r >= 0)
		r = insert_run(s, &copy, e);
	if (r >= 0)
		r = insert_samples(s, &copy, e);
	if (r >= 0)
		r = insert_counters(s, &copy, e);
	if (r >= 0)
		r = insert_places(s, &copy, e);
	if (r >= 0)
		r = insert_notes(s, &copy, e);
	if (r >= 0)
		r = sql_commit(&tx, e);
	if (r < 0)
		return r;
	run->id = copy.id;
	return 0;
}
