// SPDX-License-Identifier: GPL-2.0-or-later
/* The table: rows from samples, the family and its adjustment, verdicts, disagreeing rates. */
#include "judge/judge.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "judge/internal.h"
#include "stats/multiple.h"

/* The samples of one variant of one metric, next to each other in the store's order. */
struct slice {
	int64_t case_id, metric, variant;
	const struct store_obs *obs;
	size_t n;
};

struct slices {
	struct slice *v;
	size_t n;
};

static int by_key(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->case_id != y->case_id)
		return x->case_id < y->case_id ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return (x->variant > y->variant) - (x->variant < y->variant);
}

static bool same_slice(const struct store_obs *a, const struct store_obs *b)
{
	return a->case_id == b->case_id && a->metric == b->metric && a->variant == b->variant;
}

static int cut_slices(const struct store_obs *obs, size_t n, struct slices *ret, struct err *e)
{
	struct slice *v = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && same_slice(&obs[i], &obs[end]); end++)
			;
		if (count == cap) {
			cap = cap ? 2 * cap : 64;
			v = xrealloc(v, cap, sizeof(*v));
		}
		v[count++] = (struct slice){ obs[i].case_id, obs[i].metric, obs[i].variant,
					     &obs[i], end - i };
	}
	*ret = (struct slices){ v, count };
	if (count)
		qsort(v, count, sizeof(*v), by_key);
	for (size_t i = 1; i < count; i++)
		if (by_key(&v[i - 1], &v[i]) == 0)
			return err_set(e, -EINVAL, "could not judge: samples are not sorted by "
				       "case, metric and variant");
	return 0;
}

static void pick_side(const struct slices *s, const struct slice *key, struct judge_picks *ret,
		      struct judge_side *side)
{
	const struct slice *found = NULL;

	if (s->n)
		found = bsearch(key, s->v, s->n, sizeof(*s->v), by_key);
	judge_pick_rounds(found ? found->obs : NULL, found ? found->n : 0, ret, side);
}

static void fill_row(const struct store_experiment *x, const struct slices *s,
		     struct judge_row *row)
{
	struct judge_picks base = { 0 };

	row->side = xcalloc(x->n_variants ? x->n_variants : 1, sizeof(*row->side));
	row->effect = xcalloc(x->n_variants ? x->n_variants : 1, sizeof(*row->effect));
	for (size_t i = 0; i < x->n_variants; i++) {
		struct slice key = { row->c->id, row->m->id, x->variants[i].id, NULL, 0 };
		struct judge_picks picks;

		pick_side(s, &key, &picks, &row->side[i]);
		if (i == 0) {
			base = picks;
			row->effect[0].verdict = VERDICT_NONE;
			continue;
		}
		judge_measure(&base, &picks, &row->effect[i]);
		judge_picks_done(&picks);
	}
	judge_picks_done(&base);
}

static void add_rows(const struct store_experiment *x, const struct slices *s, bool primary,
		     struct judge_table *t)
{
	for (size_t c = 0; c < x->n_cases; c++) {
		for (size_t m = 0; m < x->n_metrics; m++) {
			struct judge_row *row = &t->rows[t->n_rows];

			if (x->metrics[m].case_id != x->cases[c].id ||
			    x->metrics[m].primary != primary)
				continue;
			*row = (struct judge_row){ .c = &x->cases[c], .m = &x->metrics[m] };
			fill_row(x, s, row);
			t->n_rows++;
		}
	}
}

static bool sampled(const struct judge_side *s)
{
	return s->n + s->n_bad + s->n_failed > 0;
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
	f->verdict = judge_verdict(f, t->margin, row->m->higher_is_better);
	f->real_small = f->verdict == VERDICT_NO_CHANGE && f->p_adjusted <= JUDGE_ALPHA;
	if (f->verdict == VERDICT_INCONCLUSIVE)
		f->more_rounds = judge_more_rounds(f, t->margin, t->family);
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

int judge_experiment(const struct store_experiment *x, const struct store_obs *obs, size_t n_obs,
		     double margin, struct judge_table *ret, struct err *e)
{
	struct judge_table t = { .x = x, .margin = margin < 0 ? x->margin : margin };
	struct slices slices = { 0 };
	int r = cut_slices(obs, n_obs, &slices, e);

	if (r < 0) {
		free(slices.v);
		return r;
	}
	t.rows = xcalloc(x->n_metrics ? x->n_metrics : 1, sizeof(*t.rows));
	add_rows(x, &slices, true, &t);
	add_rows(x, &slices, false, &t);
	free(slices.v);
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
