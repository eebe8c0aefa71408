// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts: how many of each, the tables, the footnotes. */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/style.h"
#include "report/text.h"
#include "report/verdict.h"

static void cell(const struct html *h, const char *text)
{
	html_tag(h, "td", " class=\"n\"", "%s", text);
}

static void value_cell(const struct html *h, const struct judge_side *s)
{
	char a[TEXT_NUM];

	cell(h, s->n ? text_value(a, s->median) : "-");
}

static void verdict_cell(const struct html *h, size_t row, size_t v)
{
	_cleanup_str_ struct str word = STR_INIT(4096), detail = STR_INIT(4096);
	const struct judge_row *r = &h->t->rows[row];

	verdict_text(h->t, r, v, &word, &detail);
	str_addf(h->out, "<td class=\"verdict %s\">",
		 !r->c->primary_row ? "" : r->effect[v].verdict == VERDICT_REGRESSED ? "regressed" :
		 r->effect[v].verdict == VERDICT_IMPROVED ? "improved" : "");
	html_textf(h, "%s%s%s", str_text(&word), detail.len ? " " : "", str_text(&detail));
	html_refs(h, r->c->id, h->in->x.n_variants == 2 ? NO_VARIANT : v);
	str_add(h->out, "</td>\n");
}

static void effect_cells(const struct html *h, const struct judge_effect *f)
{
	char a[TEXT_NUM], b[64];

	cell(h, f->n ? text_pct_signed(a, f->change, h->decimals) : "-");
	cell(h, html_interval(h, f, b));
	(void)snprintf(b, sizeof(b), "%zu", f->n);
	cell(h, b);
	cell(h, f->n > 1 ? text_pct_at(a, f->mde, h->decimals) : "-");
}

static void case_head(const struct html *h, size_t row, size_t lines)
{
	str_addf(h->out, "<tbody>\n<tr><th scope=\"rowgroup\" rowspan=\"%zu\">"
		 "<a href=\"#row-%zu\">", lines, row);
	html_text(h, titles_of(&h->titles, h->t->rows[row].c));
	str_add(h->out, "</a></th>\n");
}

static void raw_cell(const struct html *h, size_t row, size_t lines)
{
	str_addf(h->out, "<td rowspan=\"%zu\"><a href=\"#raw-%zu\" aria-label=\"raw records of ",
		 lines, row);
	html_text(h, html_title(h, row));
	str_add(h->out, "\">raw</a></td>");
}

static void compared_row(const struct html *h, size_t row)
{
	const struct judge_row *r = &h->t->rows[row];
	size_t lines = h->in->x.n_variants - 1;
	char a[TEXT_NUM], base[2 * TEXT_NUM];

	case_head(h, row, lines);
	(void)snprintf(base, sizeof(base), "%s",
		       r->side[0].n ? text_value(a, r->side[0].median) : "-");
	str_addf(h->out, "<td class=\"n\" rowspan=\"%zu\">", lines);
	html_text(h, base);
	if (lines > 1)
		html_refs(h, r->c->id, 0);
	str_add(h->out, "</td>\n");
	for (size_t v = 1; v <= lines; v++) {
		if (v > 1)
			str_add(h->out, "<tr>");
		html_tag(h, "th", " scope=\"row\"", "%s", h->in->x.variants[v].name);
		value_cell(h, &r->side[v]);
		effect_cells(h, &r->effect[v]);
		verdict_cell(h, row, v);
		if (v == 1)
			raw_cell(h, row, lines);
		str_add(h->out, "</tr>\n");
	}
	str_add(h->out, "</tbody>\n");
}

static void single_row(const struct html *h, size_t row)
{
	const struct judge_side *s = &h->t->rows[row].side[0];
	char a[TEXT_NUM];

	case_head(h, row, 1);
	value_cell(h, s);
	cell(h, s->n > 1 ? text_pct_at(a, s->cv, h->decimals) : "-");
	cell(h, s->n ? text_value(a, s->min) : "-");
	cell(h, s->n ? text_value(a, s->max) : "-");
	str_addf(h->out, "<td class=\"n\">%zu", s->n);
	html_refs(h, h->t->rows[row].c->id, NO_VARIANT);
	str_add(h->out, "</td>\n");
	raw_cell(h, row, 1);
	str_add(h->out, "</tr></tbody>\n");
}

static bool same_table(const struct judge_row *a, const struct judge_row *b)
{
	return b->m->primary && style_same_metric(a->m, b->m) && str_eq(a->c->op, b->c->op);
}

/* All rows of the metric of @first, which are marked in @done. */
static void metric_table(const struct html *h, size_t first, bool *done)
{
	const struct judge_row *f = &h->t->rows[first];
	const char *names[] = { "case", h->in->x.variants[0].name, "variant", "median", "change",
				"95 % interval", "n", "MDE", "verdict", "records" };
	static const char *const single[] = { "case", "median", "CV", "min", "max", "n",
					      "records" };
	bool one = h->in->x.n_variants == 1, op = f->c->op && *f->c->op;
	_cleanup_free_ char *caption =
		xasprintf("%s in %s, %s is better%s%s", f->m->name, f->m->unit,
			  f->m->higher_is_better ? "higher" : "lower",
			  op ? "; operation: " : "", op ? f->c->op : "");

	html_table(h, caption, one ? single : names,
		   one ? ARRAY_LEN(single) : ARRAY_LEN(names));
	for (size_t r = first; r < h->t->n_rows; r++) {
		if (done[r] || !same_table(f, &h->t->rows[r]))
			continue;
		done[r] = true;
		if (one)
			single_row(h, r);
		else
			compared_row(h, r);
	}
	html_table_end(h);
}

/* "2 regressed", a word per item; words in the order in which they first appear in the table. */
static void put_counts(const struct html *h)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ size_t *n = xcalloc(h->t->n_rows * h->in->x.n_variants + 1, sizeof(*n));

	for (size_t r = 0; r < h->t->n_rows; r++) {
		for (size_t v = 1; html_drawn(h, r) && v < h->in->x.n_variants; v++) {
			_cleanup_str_ struct str word = STR_INIT(4096), detail = STR_INIT(4096);
			size_t k = 0;

			verdict_text(h->t, &h->t->rows[r], v, &word, &detail);
			if (str_eq(str_text(&word), verdict_name(VERDICT_NO_CHANGE))) {
				char a[TEXT_NUM];

				str_addf(&word, " beyond +-%s", text_pct(a, h->t->margin));
			}
			while (k < words.n && !str_eq(words.v[k], str_text(&word)))
				k++;
			if (k == words.n)
				strv_add(&words, str_text(&word));
			n[k]++;
		}
	}
	if (!words.n)
		return;
	str_add(h->out, "<ul class=\"counts\">\n");
	for (size_t k = 0; k < words.n; k++)
		html_tag(h, "li", "", "%zu %s", n[k], words.v[k]);
	str_add(h->out, "</ul>\n");
}

static void put_notes(const struct html *h)
{
	if (h->notes.numbered.n)
		str_add(h->out, "<ol class=\"notes\">\n");
	for (size_t i = 0; i < h->notes.numbered.n; i++) {
		str_addf(h->out, "<li id=\"note-%zu\">", i + 1);
		html_text(h, h->notes.numbered.v[i]);
		str_add(h->out, "</li>\n");
	}
	if (h->notes.numbered.n)
		str_add(h->out, "</ol>\n");
	for (size_t i = 0; i < h->notes.general.n; i++)
		html_tag(h, "p", "", "%s", h->notes.general.v[i]);
}

static void put_legend(const struct html *h)
{
	if (h->in->x.n_variants < 2)
		return;
	html_tag(h, "p", " class=\"dim\"", "Values are medians. Change and its 95 %% interval: "
		 "%s. MDE: smallest change that n and spread show with 80 %% power. "
		 "%zu comparison%s in the family, corrected by Holm.",
		 str_eq(h->in->x.order, STORE_ORDER_BALANCED) ?
		 "of the pairs, by signed rank" : "rank sum, without pairs", h->t->family,
		 h->t->family == 1 ? "" : "s");
}

void html_summary(const struct html *h)
{
	_cleanup_free_ bool *done = xcalloc(h->t->n_rows + 1, sizeof(*done));

	str_add(h->out, "<section id=\"summary\">\n<h2>Verdicts</h2>\n");
	if (h->in->data.n_obs == 0)
		html_tag(h, "p", "", "No run has finished yet: there is nothing to compare.");
	put_counts(h);
	for (size_t r = 0; r < h->t->n_rows; r++)
		if (!done[r] && html_drawn(h, r))
			metric_table(h, r, done);
	put_legend(h);
	put_notes(h);
	str_add(h->out, "</section>\n");
}

static void other_line(const struct html *h, const struct judge_row *r, size_t v)
{
	const struct judge_side *s = &r->side[v];
	char a[TEXT_NUM], b[64];

	str_add(h->out, "<tr>");
	html_tag(h, "th", " scope=\"row\"", "%s [%s]", r->m->name, r->m->unit);
	html_tag(h, "td", "", "%s", h->in->x.variants[v].name);
	value_cell(h, s);
	cell(h, s->n > 1 ? text_pct_at(a, s->cv, h->decimals) : "-");
	cell(h, v && r->effect[v].n ? text_pct_signed(a, r->effect[v].change, h->decimals) : "-");
	cell(h, v ? html_interval(h, &r->effect[v], b) : "-");
	str_add(h->out, "</tr>\n");
}

void html_others(const struct html *h, size_t row)
{
	static const char *const names[] = { "metric", "variant", "median", "CV", "change",
					     "95 % interval" };
	size_t n = 0;

	for (size_t r = 0; r < h->t->n_rows; r++) {
		const struct judge_row *o = &h->t->rows[r];

		if (o->m->primary || o->c != h->t->rows[row].c)
			continue;
		if (n++ == 0) {
			str_add(h->out, "<details><summary>Other metrics</summary>\n");
			html_table(h, "Without verdict", names, ARRAY_LEN(names));
			str_add(h->out, "<tbody>\n");
		}
		for (size_t v = 0; v < h->in->x.n_variants; v++)
			other_line(h, o, v);
	}
	if (n == 0)
		return;
	str_add(h->out, "</tbody>\n");
	html_table_end(h);
	str_add(h->out, "</details>\n");
}
