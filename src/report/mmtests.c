// SPDX-License-Identifier: GPL-2.0-or-later
/* The style "mmtests": the rows of an experiment as classic tables. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/classic.h"
#include "report/input.h"
#include "report/style.h"
#include "report/text.h"

#define MOST_DECIMALS 9

/* Rows of one workload and metric. */
struct group {
	const struct judge_row **rows;
	size_t n;
};

static bool same_table(const struct judge_row *a, const struct judge_row *b)
{
	return str_eq(a->c->workload, b->c->workload) && style_same_metric(a->m, b->m);
}

static bool starts_with_any(const char *s, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(s, prefixes[i]))
			return true;
	return false;
}

static int width_of(const char *workload)
{
	static const char *const wide[] = { "will-it-scale", "wis-", "lmbench", "page_fault" };

	return starts_with_any(workload, wide, ARRAY_LEN(wide)) ? 16 : 12;
}

/*
 * As many as the tool has for the benchmark. It knows nothing of our own metrics, whose seconds
 * may be microseconds: those get enough for three digits of the smallest.
 */
static int decimals_of(const struct report_input *in, const struct group *g)
{
	static const char *const fine[] = { "lmbench", "hackbench" };
	double least = 1;
	int decimals = 2;

	if (starts_with_any(g->rows[0]->c->workload, fine, ARRAY_LEN(fine)))
		return 4;
	if (str_eq(in->x.order, STORE_ORDER_IMPORTED))
		return 2;
	for (size_t i = 0; i < g->n; i++)
		if (g->rows[i]->side[0].n && fabs(g->rows[i]->side[0].mean) > 0)
			least = fmin(least, fabs(g->rows[i]->side[0].mean));
	for (; least < 1 && decimals < MOST_DECIMALS; decimals++)
		least *= 10;
	return decimals;
}

static void put_group(const struct report_input *in, const struct group *g, struct str *out)
{
	size_t n_kernels = in->x.n_variants;
	_cleanup_strv_ struct strv kernels = { 0 }, ops = { 0 };
	struct classic t = { .n_kernels = n_kernels,
			     .higher_is_better = g->rows[0]->m->higher_is_better,
			     .width = width_of(g->rows[0]->c->workload),
			     .decimals = decimals_of(in, g) };

	t.samples = xcalloc(g->n * n_kernels + 1, sizeof(*t.samples));
	for (size_t v = 0; v < n_kernels; v++)
		style_add_ascii(&kernels, in->x.variants[v].name);
	for (size_t i = 0; i < g->n; i++) {
		_cleanup_free_ char *op = style_op(g->rows[i]->c, '-');

		style_add_ascii(&ops, op);
		for (size_t v = 0; v < n_kernels; v++) {
			struct classic_samples *s = &t.samples[i * n_kernels + v];

			s->v = input_values(in, g->rows[i]->c->id, g->rows[i]->m->id,
					    in->x.variants[v].id, &s->n);
		}
	}
	t.kernels = (const char *const *)kernels.v;
	t.ops = (const char *const *)ops.v;
	t.n_ops = ops.n;
	classic_put(&t, out);
	for (size_t i = 0; i < g->n * n_kernels; i++)
		free(t.samples[i].v);
	free(t.samples);
}

/* Does row @i begin a table, and not just join that of a row before it? */
static bool begins_table(const struct judge_table *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (style_counts(&t->rows[k]) && same_table(&t->rows[k], &t->rows[i]))
			return false;
	return style_counts(&t->rows[i]);
}

static void collect(const struct judge_table *t, size_t first, struct group *ret)
{
	ret->n = 0;
	for (size_t k = first; k < t->n_rows; k++)
		if (style_counts(&t->rows[k]) && same_table(&t->rows[first], &t->rows[k]))
			ret->rows[ret->n++] = &t->rows[k];
}

int report_mmtests(const struct judge_table *t, const struct report_input *in, struct str *out,
		   struct err *e)
{
	_cleanup_free_ const struct judge_row **rows = xcalloc(t->n_rows + 1, sizeof(*rows));
	struct group g = { .rows = rows };
	size_t n_tables = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		n_tables += begins_table(t, i);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!begins_table(t, i))
			continue;
		collect(t, i, &g);
		if (n_tables > 1) {
			text_ascii(out, g.rows[0]->c->workload);
			str_addc(out, ' ');
			text_ascii(out, g.rows[0]->m->name);
			str_addc(out, '\n');
		}
		put_group(in, &g, out);
		if (n_tables > 1)
			str_addc(out, '\n');
	}
	return style_end(n_tables, out, e);
}
