// SPDX-License-Identifier: GPL-2.0-or-later
/* A section per row: its values, its pictures, its other metrics; and the raw records. */
#include "report/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/text.h"
#include "report/verdict.h"
#include "stats/sorted.h"

static int by_seq(const void *a, const void *b)
{
	const struct html_dot *x = a, *y = b;

	if (x->run->seq != y->run->seq)
		return x->run->seq < y->run->seq ? -1 : 1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

void html_dots_init(struct html_dots *d, const struct html *h, size_t row, size_t variant)
{
	const struct judge_row *r = &h->t->rows[row];
	const struct store_data *data = &h->in->data;
	const struct store_series *s = store_data_find(data, r->c->id, r->m->id,
						       h->in->x.variants[variant].id);
	const struct store_obs *o = s ? &data->obs[s->first] : NULL, *end = s ? o + s->n : NULL;
	bool by_sample = s && o->run == end[-1].run;

	*d = (struct html_dots){ .v = xcalloc(s ? s->n : 1, sizeof(*d->v)),
				 .good = xcalloc(s ? s->n : 1, sizeof(*d->good)) };
	while (o < end) {
		const struct store_obs *first = o;
		struct html_dot dot = { .run = &data->runs[o->run], .idx = o->idx };
		double sum = 0;

		do
			sum += o++->value;
		while (!by_sample && o < end && o->run == first->run);
		dot.value = sum / (double)(o - first);
		dot.bad = dot.run->untrustworthy || dot.run->failed;
		if (!isfinite(dot.value))
			continue;
		if (!dot.bad)
			d->good[d->n_good++] = dot.value;
		d->v[d->n++] = dot;
	}
	qsort(d->v, d->n, sizeof(*d->v), by_seq);
	sorted_sort(d->good, d->n_good);
}

void html_dots_done(struct html_dots *d)
{
	free(d->v);
	free(d->good);
	*d = (struct html_dots){ 0 };
}

static void put_verdict(const struct html *h, size_t row, size_t v)
{
	_cleanup_str_ struct str word = STR_INIT(4096), detail = STR_INIT(4096);
	const struct judge_row *r = &h->t->rows[row];
	const struct judge_effect *f = &r->effect[v];
	char change[TEXT_NUM], ci[64];

	verdict_text(h->t, r, v, &word, &detail);
	str_add(h->out, "<p>");
	html_textf(h, "%s against %s: %s%s%s", h->in->x.variants[v].name, h->in->x.variants[0].name,
		   str_text(&word), detail.len ? " " : "", str_text(&detail));
	if (f->n)
		html_textf(h, "; change %s", text_pct_signed(change, f->change, h->decimals));
	if (judge_has_interval(f))
		html_textf(h, ", 95 %% interval %s", html_interval(h, f, ci));
	else
		html_textf(h, ", no interval from %zu value%s", f->n, f->n == 1 ? "" : "s");
	html_refs(h, r->c->id, h->in->x.n_variants == 2 ? NO_VARIANT : v);
	str_add(h->out, "</p>\n");
}

static void put_pictures(const struct html *h, size_t row, const struct html_dots *d)
{
	str_add(h->out, "<div class=\"figs\">\n");
	html_strip(h, row, d);
	html_order(h, row, d);
	for (size_t v = 1; v < h->in->x.n_variants; v++)
		html_ratios(h, row, v);
	str_add(h->out, "</div>\n");
}

static void put_row(const struct html *h, size_t row)
{
	size_t n = h->in->x.n_variants, dots = 0;
	_cleanup_free_ struct html_dots *d = xcalloc(n, sizeof(*d));

	str_addf(h->out, "<section id=\"row-%zu\">\n", row);
	html_tag(h, "h3", "", "%s: %s", html_title(h, row), h->t->rows[row].m->name);
	for (size_t v = 1; v < n; v++)
		put_verdict(h, row, v);
	str_add(h->out, "<p>");
	for (size_t v = 0; v < n; v++) {
		html_dots_init(&d[v], h, row, v);
		dots += d[v].n;
		str_add(h->out, "<span class=\"key-of\">");
		html_key(h, v);
		html_textf(h, " %s", h->in->x.variants[v].name);
		str_add(h->out, "</span> ");
	}
	str_add(h->out, "</p>\n");
	if (dots)
		put_pictures(h, row, d);
	else
		html_tag(h, "p", "", "No run left a value.");
	for (size_t v = 0; v < n; v++)
		html_dots_done(&d[v]);
	html_others(h, row);
	str_addf(h->out, "<p><a href=\"#raw-%zu\">Raw records</a>, <a href=\"#summary\">back to "
		 "the verdicts</a></p>\n</section>\n", row);
}

void html_rows(const struct html *h)
{
	str_add(h->out, "<section id=\"rows\">\n<h2>Rows</h2>\n");
	html_tag(h, "p", "", "A mark is a run; hollow and crossed out it was flagged, is kept and "
		 "counts nowhere. Boxes reach from quartile to quartile, the thick line is the "
		 "median.");
	for (size_t r = 0; r < h->t->n_rows; r++)
		if (html_drawn(h, r))
			put_row(h, r);
	str_add(h->out, "</section>\n");
}

/* The value of a run, by its id. */
struct run_value {
	int64_t id;
	double value;
};

static int by_id(const void *a, const void *b)
{
	const struct run_value *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct run_value *values_of(const struct html *h, size_t row, size_t *ret_n)
{
	struct run_value *v = xcalloc(h->in->data.n_runs + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < h->in->x.n_variants; i++) {
		struct html_dots d;

		html_dots_init(&d, h, row, i);
		for (size_t k = 0; k < d.n; k++)
			if (k == 0 || d.v[k].run != d.v[k - 1].run)
				v[n++] = (struct run_value){ d.v[k].run->id, d.v[k].value };
		html_dots_done(&d);
	}
	qsort(v, n, sizeof(*v), by_id);
	*ret_n = n;
	return v;
}

static void put_run(const struct html *h, const struct store_run *r, const struct run_value *val)
{
	size_t v = input_variant(h->in, r->variant);
	char buf[TEXT_NUM];

	str_addf(h->out, "<tr id=\"run-%" PRId64 "\"><th scope=\"row\">%" PRId64 "</th>"
		 "<td class=\"n\">%u</td><td class=\"n\">%u</td>", r->id, r->id, r->seq, r->round);
	html_tag(h, "td", "", "%s", v == NO_VARIANT ? "" : h->in->x.variants[v].name);
	str_addf(h->out, "<td class=\"n\">%s</td><td>", val ? text_exact(buf, val->value) : "-");
	html_text(h, str_eq(r->status, "ok") ? "" : r->status);
	if (r->repeat)
		str_addf(h->out, " repeat %u", r->repeat);
	str_add(h->out, "</td><td>");
	for (size_t i = 0; i < r->n_notes; i++)
		html_textf(h, "%s%s: %s", i ? "; " : "", r->notes[i].code, r->notes[i].text);
	str_add(h->out, "</td></tr>\n");
}

static void raw_row(const struct html *h, size_t row)
{
	const struct judge_row *r = &h->t->rows[row];
	static const char *const names[] = { "run", "order", "round", "variant", "value", "flags",
					     "notes" };
	size_t n = 0;
	_cleanup_free_ struct run_value *values = values_of(h, row, &n);

	str_addf(h->out, "<details id=\"raw-%zu\"><summary>", row);
	html_text(h, html_title(h, row));
	str_add(h->out, "</summary>\n");
	html_table(h, r->m->name, names, ARRAY_LEN(names));
	str_add(h->out, "<tbody>\n");
	for (size_t i = 0; i < h->in->runs.n && h->in->runs.n <= HTML_RUNS_MAX; i++) {
		const struct store_run *run = &h->in->runs.v[i];
		struct run_value key = { .id = run->id };

		if (run->case_id == r->c->id)
			put_run(h, run, n ? bsearch(&key, values, n, sizeof(key), by_id) : NULL);
	}
	str_add(h->out, "</tbody>\n");
	html_table_end(h);
	str_addf(h->out, "<p><a href=\"#row-%zu\">Pictures</a>, <a href=\"#summary\">back to the "
		 "verdicts</a></p></details>\n", row);
}

void html_raw(const struct html *h)
{
	str_add(h->out, "<section id=\"raw\">\n<h2>Raw records</h2>\n");
	html_tag(h, "p", "", "The value of a run of many samples is their mean. \"mmgauge show "
		 "--counters --placement\" prints all that is recorded.");
	if (h->in->runs.n > HTML_RUNS_MAX)
		html_tag(h, "p", "", "%zu runs are too many to list here: see \"mmgauge show\".",
			 h->in->runs.n);
	for (size_t r = 0; r < h->t->n_rows; r++)
		if (html_drawn(h, r))
			raw_row(h, r);
	str_add(h->out, "</section>\n");
}
