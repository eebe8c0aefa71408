// SPDX-License-Identifier: GPL-2.0-or-later
/* The table: rows from samples, the family and its adjustment, verdicts, disagreeing rates. */
#include "judge/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/parallel.h"
#include "base/str.h"
#include "judge/internal.h"
#include "stats/multiple.h"

#define PARALLEL_FROM 50000

/* Failed runs leave no samples: how many a case has under a variant. */
size_t judge_count_failed(const struct store_data *d, int64_t case_id, int64_t variant)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_runs; i++)
		n += d->runs[i].failed && d->runs[i].case_id == case_id &&
		     d->runs[i].variant == variant;
	return n;
}

enum judge_pairing judge_pairing_of(const struct store_experiment *x)
{
	if (str_eq(x->order, STORE_ORDER_IMPORTED))
		return JUDGE_BOOTS_UNKNOWN;
	if (str_eq(x->order, STORE_ORDER_COUNTED))
		return JUDGE_COUNTED;
	return str_eq(x->order, STORE_ORDER_JOINED) ? JUDGE_UNPAIRED : JUDGE_PAIRED;
}

bool judge_by_sample(const struct store_experiment *x, const struct store_data *d,
		     const struct store_case *c, const struct store_metric *m)
{
	for (size_t i = 0; i < x->n_variants; i++)
		if (judge_one_run(d, store_data_find(d, c->id, m->id, x->variants[i].id)))
			return true;
	return false;
}

static void fill_row(const struct store_experiment *x, const struct store_data *d,
		     struct judge_row *row)
{
	enum judge_pairing pairing = judge_pairing_of(x);
	bool by_sample = judge_by_sample(x, d, row->c, row->m);
	struct judge_picks base = { 0 };

	row->side = xcalloc(x->n_variants ? x->n_variants : 1, sizeof(*row->side));
	row->effect = xcalloc(x->n_variants ? x->n_variants : 1, sizeof(*row->effect));
	for (size_t i = 0; i < x->n_variants; i++) {
		struct judge_picks picks;

		judge_pick_rounds(d,
				  store_data_find(d, row->c->id, row->m->id, x->variants[i].id),
				  by_sample, &picks, &row->side[i]);
		if (pairing == JUDGE_COUNTED)
			judge_agree(&picks, &row->side[i]);
		row->side[i].n_failed = judge_count_failed(d, row->c->id, x->variants[i].id);
		if (i == 0) {
			base = picks;
			row->effect[0].verdict = VERDICT_NONE;
			continue;
		}
		judge_measure(&base, &picks, pairing, &row->effect[i]);
		row->effect[i].by_sample = by_sample;
		judge_picks_done(&picks);
	}
	judge_picks_done(&base);
}

struct judge_ratio *judge_ratios(const struct store_experiment *x, const struct store_data *d,
				 const struct judge_row *row, size_t variant, size_t *ret_n)
{
	bool by_sample = judge_by_sample(x, d, row->c, row->m);
	const int64_t of[] = { x->variants[0].id, x->variants[variant].id };
	struct judge_side unused = { 0 };
	struct judge_picks base, picks;
	struct judge_pairs pairs = { 0 };
	struct judge_ratio *v;

	judge_pick_rounds(d, store_data_find(d, row->c->id, row->m->id, of[0]), by_sample, &base,
			  &unused);
	judge_pick_rounds(d, store_data_find(d, row->c->id, row->m->id, of[1]), by_sample, &picks,
			  &unused);
	if (judge_pairing_of(x) == JUDGE_PAIRED)
		judge_pair(&base, &picks, &pairs);
	v = xcalloc(pairs.n ? pairs.n : 1, sizeof(*v));
	for (size_t i = 0; i < pairs.n; i++)
		v[i] = (struct judge_ratio){ pairs.label[i], expm1(pairs.log_ratio[i]) };
	*ret_n = pairs.n;
	judge_pairs_done(&pairs);
	judge_picks_done(&base);
	judge_picks_done(&picks);
	return v;
}

static void add_rows(const struct store_experiment *x, bool primary, struct judge_table *t)
{
	for (size_t c = 0; c < x->n_cases; c++)
		for (size_t m = 0; m < x->n_metrics; m++)
			if (x->metrics[m].case_id == x->cases[c].id &&
			    x->metrics[m].primary == primary)
				t->rows[t->n_rows++] = (struct judge_row){ .c = &x->cases[c],
									   .m = &x->metrics[m] };
}

struct fill {
	struct judge_table *t;
	const struct store_data *d;
};

static void fill_one(size_t i, void *arg)
{
	struct fill *f = arg;

	fill_row(f->t->x, f->d, &f->t->rows[i]);
}

/* Rows don't depend on each other. Of few samples a thread would cost more than it saves. */
static void fill_rows(struct judge_table *t, const struct store_data *d)
{
	struct fill fill = { t, d };

	if (d->n_obs >= PARALLEL_FROM)
		parallel_for(t->n_rows, fill_one, &fill);
	else
		for (size_t i = 0; i < t->n_rows; i++)
			fill_one(i, &fill);
}

static bool sampled(const struct judge_side *s)
{
	return s->n + s->n_bad > 0;
}

/* A comparison of a family. */
struct member {
	struct judge_row *row;
	size_t variant;
};

struct family {
	struct member *v;
	double *p;
	size_t n;
};

static void family_add(struct family *f, struct judge_row *row, size_t n_variants)
{
	for (size_t v = 1; v < n_variants; v++) {
		const struct judge_effect *effect = &row->effect[v];
		bool counts = judge_testable(effect) && !judge_side_untrustworthy(&row->side[0]) &&
			      !judge_side_untrustworthy(&row->side[v]);

		if (effect->exact || !sampled(&row->side[0]) || !sampled(&row->side[v]))
			continue;
		f->v[f->n] = (struct member){ row, v };
		/* What can't get a verdict mustn't loosen the step-down for the others. */
		f->p[f->n++] = counts ? effect->p : 1;
	}
}

/*
 * Holm over the primary metrics (@name NULL), or over metric @name as if it were the primary one;
 * then only rows that aren't primary take the result.
 */
static size_t adjust(struct judge_table *t, const char *name)
{
	size_t n_variants = t->x->n_variants, most = t->n_rows * n_variants + 1;
	struct family f = { xcalloc(most, sizeof(*f.v)), xcalloc(most, sizeof(*f.p)), 0 };

	for (size_t i = 0; i < t->n_rows; i++) {
		struct judge_row *row = &t->rows[i];

		if (row->c->primary_row && (name ? str_eq(row->m->name, name) : row->m->primary))
			family_add(&f, row, n_variants);
	}
	multiple_holm(f.p, f.n, f.p);
	for (size_t i = 0; i < f.n; i++)
		if (!name || !f.v[i].row->m->primary)
			f.v[i].row->effect[f.v[i].variant].p_adjusted = f.p[i];
	free(f.v);
	free(f.p);
	return f.n;
}

static void adjust_all(struct judge_table *t)
{
	t->family = adjust(t, NULL);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct judge_row *row = &t->rows[i];
		bool seen = row->m->primary || !row->c->primary_row;

		for (size_t j = 0; j < i && !seen; j++)
			seen = !t->rows[j].m->primary && t->rows[j].c->primary_row &&
			       str_eq(t->rows[j].m->name, row->m->name);
		if (!seen)
			(void)adjust(t, row->m->name);
	}
}

double judge_margin(const struct judge_table *t, const struct judge_row *row)
{
	return row->c->floor > t->margin ? row->c->floor : t->margin;
}

static void decide(const struct judge_table *t, struct judge_row *row, size_t v)
{
	struct judge_effect *f = &row->effect[v];

	if (!row->m->primary)
		return;
	if (judge_side_untrustworthy(&row->side[0]) || judge_side_untrustworthy(&row->side[v])) {
		f->verdict = VERDICT_UNTRUSTWORTHY;
		return;
	}
	if (!row->c->primary_row)
		return;
	f->verdict = judge_verdict(f, judge_margin(t, row), row->m->higher_is_better);
	f->real_small = f->verdict == VERDICT_NO_CHANGE && f->p_adjusted <= JUDGE_ALPHA;
	if (f->verdict == VERDICT_INCONCLUSIVE)
		f->more_rounds = judge_more_rounds(f, judge_margin(t, row), t->family);
}

static bool changed(enum verdict v)
{
	return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED;
}

static bool contradict(enum verdict a, enum verdict b)
{
	return a != b && ((changed(a) && (changed(b) || b == VERDICT_NO_CHANGE)) ||
			  (changed(b) && a == VERDICT_NO_CHANGE));
}

/* The machine-wide rate isn't asked: it holds only while others are idle, unknown here. */
static bool is_own_rate(const struct store_metric *m)
{
	return str_eq(m->name, "ops_per_s") || str_eq(m->name, "ops_per_cpu_s");
}

static bool rates_disagree(const struct judge_table *t, const struct judge_row *row)
{
	if (str_eq(t->x->order, STORE_ORDER_COUNTED))
		return false; /* rates of a clock that counts instructions: the same again */
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct judge_row *o = &t->rows[i];

		if (o == row || o->c != row->c || !is_own_rate(o->m))
			continue;
		for (size_t v = 1; v < t->x->n_variants; v++)
			if (contradict(row->effect[v].verdict,
				       judge_verdict(&o->effect[v], t->margin,
						     o->m->higher_is_better)))
				return true;
	}
	return false;
}

static int check_order(const struct store_data *d, struct err *e)
{
	for (size_t i = 1; i < d->n_series; i++) {
		const struct store_series *a = &d->series[i - 1], *b = &d->series[i];

		if (a->case_id > b->case_id ||
		    (a->case_id == b->case_id && (a->metric > b->metric ||
		     (a->metric == b->metric && a->variant >= b->variant))))
			return err_set(e, -EINVAL, "could not judge: samples are not sorted by "
				       "case, metric and variant");
	}
	return 0;
}

int judge_experiment(const struct store_experiment *x, const struct store_data *d, double margin,
		     struct judge_table *ret, struct err *e)
{
	struct judge_table t = { .x = x, .margin = margin < 0 ? x->margin : margin };
	int r = check_order(d, e);

	if (r < 0)
		return r;
	t.rows = xcalloc(x->n_metrics ? x->n_metrics : 1, sizeof(*t.rows));
	add_rows(x, true, &t);
	add_rows(x, false, &t);
	fill_rows(&t, d);
	adjust_all(&t);
	for (size_t i = 0; i < t.n_rows; i++)
		for (size_t v = 1; v < x->n_variants; v++)
			decide(&t, &t.rows[i], v);
	for (size_t i = 0; i < t.n_rows; i++)
		t.rows[i].disagree = t.rows[i].m->primary && rates_disagree(&t, &t.rows[i]);
	*ret = t;
	return 0;
}

void judge_table_done(struct judge_table *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		free(t->rows[i].side);
		free(t->rows[i].effect);
	}
	free(t->rows);
	*t = (struct judge_table){ 0 };
}
