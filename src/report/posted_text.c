// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of posted summaries: header, a line per comparison, what it can't know. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "report/posted.h"
#include "report/report.h"
#include "report/text.h"

/* Above it the spread of a mean's log is no longer that of the mean by first order. */
#define CV_FINE 0.20
#define LABEL_WIDTH 14

/* Do all rows have the two variants of the first, so that columns can have their names? */
static bool same_pair(const struct posted *t)
{
	const struct posted_row *first = &t->rows[0];

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct posted_row *r = &t->rows[i];

		if (r->n_sides != 2 || !str_eq(r->side[0].variant, first->side[0].variant) ||
		    !str_eq(r->side[1].variant, first->side[1].variant))
			return false;
	}
	return true;
}

static double cv_of(const struct posted_side *s)
{
	return s->mean > 0 ? s->stddev / s->mean : HUGE_VAL;
}

static void side_cells(struct text_table *tab, const struct posted_side *s, int decimals)
{
	char a[TEXT_NUM], b[TEXT_NUM];

	text_cell(tab, "%s", text_value(a, s->mean));
	text_cell(tab, "%s", s->n > 1 ? text_pct_at(b, cv_of(s), decimals) : "-");
}

static void verdict_cell(const struct posted *t, const struct judge_effect *f,
			 struct text_table *tab)
{
	_cleanup_str_ struct str detail = STR_INIT(1000);
	char a[TEXT_NUM];

	text_cell(tab, "%s", verdict_name(f->verdict));
	if (f->verdict == VERDICT_NO_CHANGE) {
		str_addf(&detail, "beyond +-%s", text_pct(a, t->margin));
		if (f->real_small)
			str_addf(&detail, " (a real %s)",
				 text_pct_signed(a, f->change, text_decimals(t->margin)));
	} else if (f->more_rounds) {
		str_addf(&detail, "(%u more run%s a side)", f->more_rounds,
			 f->more_rounds == 1 ? "" : "s");
	}
	text_tail(tab, str_text(&detail));
}

/* A long label has a line of its own, so that the numbers keep theirs. */
static void label_cell(const struct posted_row *r, size_t v, bool pair, struct text_table *tab)
{
	const char *variant = pair ? "" : r->side[v].variant;

	if (strlen(r->label) + strlen(variant) > LABEL_WIDTH) {
		if (v == 1)
			text_span(tab, r->label);
		text_row(tab);
		text_cell(tab, "  %s", variant);
	} else {
		text_row(tab);
		text_cell(tab, "%s%s%s", r->label, pair ? "" : ": ", variant);
	}
}

static void line(const struct posted *t, const struct posted_row *r, size_t v, bool pair,
		 struct text_table *tab)
{
	const struct judge_effect *f = &r->side[v].effect;
	int decimals = text_decimals(t->margin);
	char a[TEXT_NUM];

	label_cell(r, v, pair, tab);
	side_cells(tab, &r->side[0], decimals);
	side_cells(tab, &r->side[v], decimals);
	text_cell(tab, "%s", text_pct_signed(a, f->change, decimals));
	text_interval(tab, f->lo, f->hi, decimals);
	text_cell(tab, "%zu", f->n);
	text_cell(tab, "%s", text_pct_at(a, f->mde, decimals));
	verdict_cell(t, f, tab);
}

static const char *column_name(const char *variant, const char *letter)
{
	return strlen(variant) <= 9 ? variant : letter;
}

static void put_table(const struct posted *t, bool pair, struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "Lrrrrrrrrl" };
	const struct posted_side *s = t->rows[0].side;
	const char *const names[] = { pair ? "label" : "label: variant",
				      pair ? column_name(s[0].variant, "(A)") : "first", "CV",
				      pair ? column_name(s[1].variant, "(B)") : "variant", "CV",
				      "change", "95% CI", "n", "MDE", "verdict" };

	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		text_cell(&tab, "%s", names[i]);
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t v = 1; v < t->rows[i].n_sides; v++)
			line(t, &t->rows[i], v, pair, &tab);
	text_table_put(&tab, out);
}

static void put_header(const struct posted *t, const char *name, bool pair, bool higher,
		       struct str *out)
{
	char a[TEXT_NUM];

	text_wrapf(out, "", 4, "Summaries from %s: mean, standard deviation and number of runs",
		   name);
	if (pair)
		text_wrapf(out, "", 4, "(A) %s; (B) %s", t->rows[0].side[0].variant,
			   t->rows[0].side[1].variant);
	else
		text_wrap(out, "", 4, "each variant against the first of its label");
	text_wrapf(out, "", 4, "%s is better, margin %s; Welch's test on logs, Holm over %zu "
		   "comparison%s", higher ? "higher" : "lower", text_pct(a, t->margin), t->family,
		   t->family == 1 ? "" : "s");
	str_addc(out, '\n');
}

static void note_alone(const struct posted *t, struct str *out)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->rows[i].n_sides == 1)
			text_wrapf(out, "", 2, "%s: only %s has it, nothing to compare with.",
				   t->rows[i].label, t->rows[i].side[0].variant);
}

static void note_special(const struct posted *t, struct str *out)
{
	size_t wide = 0, no_ratio = 0, once = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		for (size_t v = 1; v < t->rows[i].n_sides; v++) {
			const struct posted_side *a = &t->rows[i].side[0];
			const struct posted_side *b = &t->rows[i].side[v];

			no_ratio += b->effect.no_ratio;
			once += b->effect.n < 2;
			wide += !b->effect.no_ratio &&
				fmax(cv_of(a), cv_of(b)) > CV_FINE;
		}
	}
	if (no_ratio)
		text_wrapf(out, "", 2, "A mean <= 0 has no ratio: %zu comparison%s without "
			   "verdict.", no_ratio, no_ratio == 1 ? "" : "s");
	if (once)
		text_wrapf(out, "", 2, "A single run has no spread: %zu comparison%s without "
			   "verdict.", once, once == 1 ? "" : "s");
	if (wide)
		text_wrapf(out, "", 2, "CV above 20%% in %zu comparison%s: intervals on logs are "
			   "rough there.", wide, wide == 1 ? "" : "s");
}

int report_posted(const struct posted *t, const char *name, bool higher_is_better, struct str *out,
		  struct err *e)
{
	bool pair = same_pair(t);

	put_header(t, name, pair, higher_is_better, out);
	put_table(t, pair, out);
	str_addc(out, '\n');
	text_wrap(out, "", 2, "CV: stddev/mean. CI: Welch, of the ratio of means. MDE: smallest "
		  "change that n and spread show with 80% power.");
	note_special(t, out);
	note_alone(t, out);
	text_wrap(out, "", 2, "A summary doesn't say how far boots differ, nor whether the runs "
		  "drifted or alternated: if each side is from one boot, the intervals are "
		  "optimistic and say nothing about the kernels. From the single runs more can be "
		  "said.");
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
