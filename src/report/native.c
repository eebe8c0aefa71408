// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The default report: header, table, footnotes. With two variants a row is one line; with more,
 * a line per variant under the title of the row. What --full adds is in full.c.
 */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/full.h"
#include "report/header.h"
#include "report/notes.h"
#include "report/text.h"
#include "report/verdict.h"

#define VERDICT_WIDTH 13 /* "untrustworthy"; what is longer goes on the next line */

struct native {
	const struct judge_table *t;
	const struct report_input *in;
	struct notes notes;
	struct titles titles;
	int decimals; /* of percentages */
	bool counted;
};

/* Counts are exact, so they are printed to the digit that the post of them would have. */
static const char *centre(const struct native *nat, char *buf, double v)
{
	if (nat->counted)
		(void)snprintf(buf, TEXT_NUM, "%.3f", v);
	return nat->counted ? buf : text_value(buf, v);
}

static void centre_cells(struct text_table *tab, const struct native *nat,
			 const struct judge_side *s)
{
	int decimals = nat->decimals;
	char a[TEXT_NUM], b[TEXT_NUM];

	text_cell(tab, "%s", s->n ? centre(nat, a, s->median) : "-");
	text_cell(tab, "%s", s->n > 1 ? text_pct_at(b, s->cv, decimals) : "-");
}

/* Change, interval, n, MDE, verdict. */
static void effect_cells(struct text_table *tab, const struct native *nat,
			 const struct judge_row *r, size_t v, size_t notes_of)
{
	_cleanup_str_ struct str verdict = STR_INIT(4096), detail = STR_INIT(4096);
	_cleanup_str_ struct str refs = STR_INIT(4096);
	struct str *last;
	const struct judge_effect *f = &r->effect[v];
	char a[TEXT_NUM], d[TEXT_NUM];
	bool interval = judge_has_interval(f) && !f->counted;

	text_cell(tab, "%s", f->n ? text_pct_signed(a, f->change, nat->decimals) : "-");
	if (interval)
		text_interval(tab, f->lo, f->hi, nat->decimals);
	else
		text_cell(tab, "-");
	text_cell(tab, "%zu", f->n);
	text_cell(tab, "%s", f->n > 1 && !f->counted ? text_pct_at(d, f->mde, nat->decimals) : "-");
	verdict_text(nat->t, r, v, &verdict, &detail);
	notes_refs(&nat->notes, r->c->id, notes_of, &refs);
	last = detail.len || verdict.len + refs.len > VERDICT_WIDTH ? &detail : &verdict;
	if (refs.len)
		str_addf(last, last->len ? " %s" : "%s", str_text(&refs));
	text_cell(tab, "%s", str_text(&verdict));
	text_tail(tab, str_text(&detail));
}

static void heading(struct text_table *tab, const char *const *names, size_t n)
{
	text_row(tab);
	for (size_t i = 0; i < n; i++)
		text_cell(tab, "%s", names[i]);
}

/* A variant as a column: its name, or its letter of the header when that is long. */
static const char *column_name(const struct report_input *in, size_t v, char *buf)
{
	if (strlen(in->x.variants[v].name) <= 9)
		return in->x.variants[v].name;
	(void)snprintf(buf, TEXT_NUM, "(%c)", (char)('A' + v));
	return buf;
}

static void pair_table(const struct native *nat, const struct judge_row *const *rows, size_t n,
		       struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "Lrrrrrrrrl" };
	char a[TEXT_NUM], b[TEXT_NUM];
	const char *const names[] = { "case", column_name(nat->in, 0, a), "CV",
				      column_name(nat->in, 1, b), "CV", "change", "95% CI",
				      "n", "MDE", "verdict" };

	heading(&tab, names, ARRAY_LEN(names));
	for (size_t i = 0; i < n; i++) {
		text_row(&tab);
		text_cell(&tab, "%s", titles_of(&nat->titles, rows[i]->c));
		centre_cells(&tab, nat, &rows[i]->side[0]);
		centre_cells(&tab, nat, &rows[i]->side[1]);
		effect_cells(&tab, nat, rows[i], 1, NO_VARIANT);
	}
	text_table_put(&tab, out);
}

static void base_line(struct text_table *tab, const struct native *nat, const struct judge_row *r)
{
	_cleanup_str_ struct str refs = STR_INIT(4096);

	notes_refs(&nat->notes, r->c->id, 0, &refs);
	text_row(tab);
	text_cell(tab, "  (A) %s", nat->in->x.variants[0].name);
	centre_cells(tab, nat, &r->side[0]);
	text_cell(tab, "%s", "");
	text_cell(tab, "%s", "");
	text_cell(tab, "%zu", r->side[0].n);
	text_cell(tab, "%s", "");
	text_cell(tab, "%s", refs.len <= VERDICT_WIDTH ? str_text(&refs) : "");
	text_tail(tab, refs.len <= VERDICT_WIDTH ? "" : str_text(&refs));
}

static void many_table(const struct native *nat, const struct judge_row *const *rows, size_t n,
		       struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "Lrrrrrrl" };
	static const char *const names[] = { "case, variant", "median", "CV", "change",
					     "95% CI", "n", "MDE", "verdict" };

	heading(&tab, names, ARRAY_LEN(names));
	for (size_t i = 0; i < n; i++) {
		text_span(&tab, titles_of(&nat->titles, rows[i]->c));
		base_line(&tab, nat, rows[i]);
		for (size_t v = 1; v < nat->in->x.n_variants; v++) {
			text_row(&tab);
			text_cell(&tab, "  %s %s", header_letter(v, (char[TEXT_NUM]){ 0 }),
				  nat->in->x.variants[v].name);
			centre_cells(&tab, nat, &rows[i]->side[v]);
			effect_cells(&tab, nat, rows[i], v, v);
		}
	}
	text_table_put(&tab, out);
}

static void single_table(const struct native *nat, const struct judge_row *const *rows, size_t n,
			 struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "LrrrrrL" };
	static const char *const names[] = { "case", "median", "CV", "min", "max", "n", "" };

	heading(&tab, names, ARRAY_LEN(names));
	for (size_t i = 0; i < n; i++) {
		const struct judge_side *s = &rows[i]->side[0];
		_cleanup_str_ struct str refs = STR_INIT(4096);
		char a[TEXT_NUM], b[TEXT_NUM];

		text_row(&tab);
		text_cell(&tab, "%s", titles_of(&nat->titles, rows[i]->c));
		centre_cells(&tab, nat, s);
		text_cell(&tab, "%s", s->n ? text_value(a, s->min) : "-");
		text_cell(&tab, "%s", s->n ? text_value(b, s->max) : "-");
		text_cell(&tab, "%zu", s->n);
		notes_refs(&nat->notes, rows[i]->c->id, NO_VARIANT, &refs);
		text_cell(&tab, "%s", str_text(&refs));
	}
	text_table_put(&tab, out);
}

static bool same_metric(const struct judge_row *a, const struct judge_row *b)
{
	return str_eq(a->m->name, b->m->name) && str_eq(a->m->unit, b->m->unit) &&
	       a->m->higher_is_better == b->m->higher_is_better && str_eq(a->c->op, b->c->op);
}

/* Rows of one metric make one table, under a line that says what its numbers are. */
static void metric_table(const struct native *nat, const struct judge_row *const *rows, size_t n,
			 struct str *out)
{
	const struct store_metric *m = rows[0]->m;
	const char *op = rows[0]->c->op;

	text_wrapf(out, "", 2, "%s%s%s, %s is better%s%s", m->name, *m->unit ? " in " : "", m->unit,
		   m->higher_is_better ? "higher" : "lower", op && *op ? "; operation: " : "",
		   op ? op : "");
	if (nat->in->x.n_variants == 1)
		single_table(nat, rows, n, out);
	else if (nat->in->x.n_variants == 2)
		pair_table(nat, rows, n, out);
	else
		many_table(nat, rows, n, out);
	str_addc(out, '\n');
}

static void put_tables(const struct native *nat, struct str *out)
{
	size_t n_rows = nat->t->n_rows, n;
	_cleanup_free_ const struct judge_row **group = xcalloc(n_rows, sizeof(*group));
	_cleanup_free_ bool *put = xcalloc(n_rows, sizeof(*put));

	for (size_t i = 0; i < n_rows; i++) {
		if (put[i] || !nat->t->rows[i].m->primary)
			continue;
		n = 0;
		for (size_t k = i; k < n_rows; k++) {
			const struct judge_row *r = &nat->t->rows[k];

			if (!r->m->primary || !same_metric(&nat->t->rows[i], r))
				continue;
			group[n++] = r;
			put[k] = true;
		}
		metric_table(nat, group, n, out);
	}
}

static void put_legend(const struct native *nat, struct str *out)
{
	if (nat->in->x.n_variants > 1 && !nat->counted)
		text_wrapf(out, "", 2, "CV: stddev/mean. CI: %s. MDE: smallest change that n and "
			   "spread show with 80%% power.",
			   str_eq(nat->in->x.order, STORE_ORDER_BALANCED) ?
			   "signed rank, of the paired change" : "rank sum, without pairs");
}

int report_native(const struct judge_table *t, const struct report_input *in, bool full,
		  struct str *out, struct err *e)
{
	struct native nat = { .t = t, .in = in, .decimals = text_decimals(t->margin),
			      .counted = str_eq(in->x.order, STORE_ORDER_COUNTED) };

	titles_init(&nat.titles, in);
	notes_collect(t, in, &nat.notes);
	header_put(t, in, &nat.titles, out);
	str_addc(out, '\n');
	if (in->data.n_obs == 0)
		text_wrap(out, "", 2, "No run has finished yet: there is nothing to compare.");
	put_tables(&nat, out);
	put_legend(&nat, out);
	notes_put(&nat.notes, out);
	if (full)
		full_put(t, in, &nat.titles, out);
	notes_done(&nat.notes);
	titles_done(&nat.titles);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
