// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a difference in counting mode is: the table of functions and its short form. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "report/text.h"

#define TOP 3

static void count_cell(struct text_table *tab, uint64_t count, uint64_t ops)
{
	if (count)
		text_cell(tab, "%.3f", (double)count / (double)ops);
	else
		text_cell(tab, "-"); /* not executed at all */
}

static void diff_cell(struct text_table *tab, double diff)
{
	if (fabs(diff) < 0.0005 && diff != 0)
		text_cell(tab, diff > 0 ? "+0.000" : "-0.000"); /* not the same, only small */
	else
		text_cell(tab, diff == 0 ? "0" : "%+.3f", diff);
}

static void put_row(struct text_table *tab, const struct explain *x, const char *name,
		    const struct explain_row *row)
{
	text_row(tab);
	text_cell(tab, "%s", name);
	count_cell(tab, row->base, x->base.ops);
	count_cell(tab, row->changed, x->changed.ops);
	diff_cell(tab, row->diff);
	diff_cell(tab, row->diff_locked);
}

static bool differs(const struct explain_row *row)
{
	return row->diff != 0 || row->diff_locked != 0;
}

/* Rows that changed come first. */
static size_t n_differing(const struct explain *x)
{
	size_t n = 0;

	while (n < x->n && differs(&x->rows[n]))
		n++;
	return n;
}

static void put_others(struct text_table *tab, const struct explain *x, size_t shown,
		       size_t changed)
{
	struct explain_row rest = explain_sum(x, shown);
	_cleanup_str_ struct str name = STR_INIT(256);

	if (shown < changed)
		str_addf(&name, "%zu with less change", changed - shown);
	if (changed < x->n)
		str_addf(&name, "%s%zu without change", name.len ? ", " : "", x->n - changed);
	put_row(tab, x, str_text(&name), &rest);
}

int report_explain(const struct explain *x, size_t max_rows, struct str *out, struct err *e)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "Lrrrr" };
	size_t changed = n_differing(x), shown = changed;
	struct explain_row total = explain_sum(x, 0);

	if (max_rows && shown > max_rows)
		shown = max_rows;
	text_wrapf(out, "", 0, "Instructions per operation by kernel function, %s against %s",
		   x->changed.name, x->base.name);
	str_addc(out, '\n');
	text_row(&tab);
	text_cell(&tab, "function");
	text_cell(&tab, "%s", x->base.name);
	text_cell(&tab, "%s", x->changed.name);
	text_cell(&tab, "change");
	text_cell(&tab, "locked");
	for (size_t i = 0; i < shown; i++)
		put_row(&tab, x, x->rows[i].name, &x->rows[i]);
	if (shown < x->n)
		put_others(&tab, x, shown, changed);
	put_row(&tab, x, "total", &total);
	text_table_put(&tab, out);
	return str_ok(out) ? 0 : err_set(e, -EFBIG, "the table of functions is too long");
}

static void add_diff(struct str *out, double diff)
{
	str_addf(out, fabs(diff) >= 1 ? "%+.1f" : "%+.3f", diff);
}

void report_explain_top(const struct explain *x, struct str *out)
{
	struct explain_row total = explain_sum(x, 0);
	size_t n = 0;

	for (; n < TOP && n < x->n && x->rows[n].diff != 0; n++) {
		str_addf(out, "%s%s ", n ? ", " : "", x->rows[n].name);
		add_diff(out, x->rows[n].diff);
	}
	if (n == 0)
		return;
	str_add(out, " of ");
	add_diff(out, total.diff);
	str_add(out, " instructions/op");
}
