// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters by variant: medians over the good runs. Those read per task or group ("task/3") are
 * pooled under "task": the median over all runs and tasks.
 */
#include "report/full.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "report/text.h"

struct reading {
	const char *where;
	size_t where_len; /* without "/3" */
	const char *name, *unit;
	int64_t case_id;
	size_t variant;
	double value;
};

struct readings {
	struct reading *v;
	size_t n;
};

static int compare_names(const struct reading *a, const struct reading *b)
{
	size_t shorter = a->where_len < b->where_len ? a->where_len : b->where_len;
	int c = memcmp(a->where, b->where, shorter);

	if (c == 0)
		c = (a->where_len > b->where_len) - (a->where_len < b->where_len);
	return c ? c : strcmp(a->name, b->name);
}

static int by_name(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;
	int c = compare_names(x, y);

	if (c)
		return c;
	if (x->variant != y->variant)
		return x->variant < y->variant ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static int by_case(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	if (x->case_id != y->case_id)
		return x->case_id < y->case_id ? -1 : 1;
	return by_name(a, b);
}

static void read_all(const struct report_input *in, struct readings *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < in->runs.n; i++)
		n += in->runs.v[i].n_counters;
	*ret = (struct readings){ .v = xcalloc(n, sizeof(*ret->v)) };
	for (size_t i = 0; i < in->runs.n; i++) {
		const struct store_run *r = &in->runs.v[i];

		for (size_t k = 0; input_run_good(r) && k < r->n_counters; k++) {
			const struct store_counter *c = &r->counters[k];

			if (!isfinite(c->value))
				continue;
			ret->v[ret->n++] = (struct reading){
				.where = c->where, .where_len = strcspn(c->where, "/"),
				.name = c->name, .unit = c->unit ? c->unit : "",
				.case_id = r->case_id,
				.variant = input_variant(in, r->variant), .value = c->value,
			};
		}
	}
}

/* One line: the counter that @v[0..@n) are readings of, sorted by variant and value. */
static void put_line(struct text_table *tab, const struct report_input *in,
		     const struct reading *v, size_t n)
{
	_cleanup_free_ double *values = xcalloc(n, sizeof(*values));
	size_t i = 0;

	if (v[0].value == 0 && v[n - 1].value == 0) {
		bool zero = true;

		for (size_t k = 0; k < n && zero; k++)
			zero = v[k].value == 0;
		if (zero)
			return;
	}
	text_row(tab);
	text_cell(tab, "%.*s", (int)v[0].where_len, v[0].where);
	text_cell(tab, *v[0].unit ? "%s [%s]" : "%s", v[0].name, v[0].unit);
	for (size_t var = 0; var < in->x.n_variants; var++) {
		char a[TEXT_NUM];
		size_t m = 0;

		for (; i < n && v[i].variant == var; i++)
			values[m++] = v[i].value;
		text_cell(tab, "%s", m ? text_value(a, input_quartiles(values, m).median) : "-");
	}
}

/* @v[0..@n), sorted by name, as a table. At most 8 variants fit beside each other. */
static void put_table(const struct report_input *in, const struct reading *v, size_t n,
		      struct str *out)
{
	char cols[] = "LLrrrrrrrrrrrrrrrr";
	_cleanup_text_table_ struct text_table tab = { .cols = cols, .indent = 2 };
	size_t from = 0;

	if (2 + in->x.n_variants < sizeof(cols))
		cols[2 + in->x.n_variants] = '\0';
	text_row(&tab);
	text_cell(&tab, "where");
	text_cell(&tab, "counter");
	for (size_t var = 0; var < in->x.n_variants; var++)
		text_cell(&tab, "%s", in->x.variants[var].name);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && compare_names(&v[i], &v[from]) == 0)
			continue;
		put_line(&tab, in, &v[from], i - from);
		from = i;
	}
	text_table_put(&tab, out);
}

static bool of_machine(const struct reading *r)
{
	return strncmp(r->where, "task", r->where_len) != 0 &&
	       strncmp(r->where, "group", r->where_len) != 0;
}

static void put_machine(const struct report_input *in, const struct readings *all, struct str *out)
{
	_cleanup_free_ struct reading *v = xcalloc(all->n, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (of_machine(&all->v[i]))
			v[n++] = all->v[i];
	if (n == 0)
		return;
	str_add(out, "\nMachine and tool during the runs, median over all cases\n");
	qsort(v, n, sizeof(*v), by_name);
	put_table(in, v, n, out);
}

static void put_cases(const struct report_input *in, struct readings *all, struct str *out)
{
	size_t from = 0;

	str_add(out, "\nCounters by case, median of the runs; those that are 0 are left out\n");
	qsort(all->v, all->n, sizeof(*all->v), by_case);
	for (size_t i = 1; i <= all->n; i++) {
		const struct store_case *c = input_case(in, all->v[from].case_id);

		if (i < all->n && all->v[i].case_id == all->v[from].case_id)
			continue;
		text_wrapf(out, " ", 4, "%s", c ? c->title : "unknown");
		put_table(in, &all->v[from], i - from, out);
		from = i;
	}
}

#define VARIANTS_MAX 16

void counters_put(const struct report_input *in, struct str *out)
{
	struct readings all;

	if (in->x.n_variants > VARIANTS_MAX) {
		str_addf(out, "\nCounters: more than %d variants, see show --counters\n",
			 VARIANTS_MAX);
		return;
	}
	read_all(in, &all);
	if (all.n) {
		put_machine(in, &all, out);
		put_cases(in, &all, out);
	}
	free(all.v);
}
