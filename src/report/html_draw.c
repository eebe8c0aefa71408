// SPDX-License-Identifier: GPL-2.0-or-later
/* The pictures of a row: all values, their order, the ratios of the pairs. */
#include "report/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/svg.h"
#include "report/text.h"

#define WIDTH 340.0	/* readable on a page of 360 px */
#define LEFT 52.0	/* room for labels of the y axis */
#define RIGHT 330.0
#define TOP 10.0
#define BOTTOM 170.0
#define LANE 26.0	/* of a variant, or of one of its boots */
#define BOOTS_MAX 12	/* lanes of a variant; with more boots they share one */

void html_key(const struct html *h, size_t variant)
{
	str_add(h->out, "<svg class=\"key\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\">");
	svg_mark(h->out, 0, 0, variant, false, "", h->in->x.variants[variant].name);
	str_add(h->out, "</svg>");
}

static void figure_end(const struct html *h, const char *fmt, const char *more)
{
	svg_close(h->out);
	str_add(h->out, "<figcaption>");
	html_text(h, fmt);
	html_text(h, more);
	str_add(h->out, "</figcaption></figure>\n");
}

static void fit(const struct html *h, const struct html_dots *d, struct svg_scale *s)
{
	size_t n = 0, most = 0;
	double *all;

	for (size_t v = 0; v < h->in->x.n_variants; v++)
		most += d[v].n;
	all = xcalloc(most ? most : 1, sizeof(*all));
	for (size_t v = 0; v < h->in->x.n_variants; v++)
		for (size_t i = 0; i < d[v].n; i++)
			all[n++] = d[v].v[i].value;
	svg_fit(s, all, n, false);
	free(all);
}

static void put_dot(const struct html *h, double x, double y, size_t variant,
		    const struct html_dot *d)
{
	char href[HTML_ID] = "", val[TEXT_NUM], repeat[HTML_ID] = "";
	_cleanup_free_ char *title = NULL;

	if (h->in->runs.n <= HTML_RUNS_MAX)
		(void)snprintf(href, sizeof(href), "run-%" PRId64, d->run->id);
	if (d->run->repeat)
		(void)snprintf(repeat, sizeof(repeat), " repeat %u", d->run->repeat);
	title = xasprintf("%s, round %u%s, run %" PRId64 ": %s%s", h->in->x.variants[variant].name,
			  d->run->round, repeat, d->run->id, text_value(val, d->value),
			  d->run->failed ? ", failed" : d->bad ? ", untrustworthy" : "");
	svg_mark(h->out, x, y, variant, d->bad, href, title);
}

static size_t stride(size_t n)
{
	return n / HTML_MARKS_MAX + 1;
}

static bool thinned(const struct html *h, const struct html_dots *d)
{
	for (size_t v = 0; v < h->in->x.n_variants; v++)
		if (stride(d[v].n) > 1)
			return true;
	return false;
}

/* The boots of the dots in the order in which they began; at most BOOTS_MAX + 1 are found. */
static size_t boots_of(const struct html_dots *d, int64_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n && n <= BOOTS_MAX; i++) {
		size_t k = 0;

		while (k < n && ret[k] != d->v[i].run->boot)
			k++;
		if (k == n)
			ret[n++] = d->v[i].run->boot;
	}
	return n;
}

static size_t lanes_of(const struct html_dots *d, int64_t boots[BOOTS_MAX + 1])
{
	size_t n = boots_of(d, boots);

	return n > 1 && n <= BOOTS_MAX ? n : 1;
}

static void put_box(const struct html *h, const struct svg_scale *x, double y, const double *v,
		    size_t n, const char *name)
{
	_cleanup_free_ double *copy = xcalloc(n ? n : 1, sizeof(*copy));
	char a[TEXT_NUM], b[TEXT_NUM], c[TEXT_NUM];
	_cleanup_free_ char *title = NULL;
	struct quartiles q;

	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		copy[i] = v[i];
	q = input_quartiles(copy, n);
	title = xasprintf("%s: median %s, quartiles %s and %s, n %zu", name,
			  text_value(a, q.median), text_value(b, q.q1), text_value(c, q.q3), n);
	svg_rect(h->out, svg_at(x, q.q1), y - 9, svg_at(x, q.q3), y + 9, "box", title);
	svg_line(h->out, svg_at(x, q.median), y - 11, svg_at(x, q.median), y + 11, "mid");
}

/* One lane: the dots of a variant, or of one boot of it. */
static void put_lane(const struct html *h, const struct svg_scale *x, double y, size_t variant,
		     const struct html_dots *d, const int64_t *boot)
{
	static const double jitter[] = { 0, -4, 3, -2, 5, -5, 2, -3, 4 };
	_cleanup_free_ double *good = xcalloc(d->n ? d->n : 1, sizeof(*good));
	size_t n = 0, step = stride(d->n);

	for (size_t i = 0; i < d->n; i++)
		if (!d->v[i].bad && (!boot || d->v[i].run->boot == *boot))
			good[n++] = d->v[i].value;
	put_box(h, x, y, good, n, h->in->x.variants[variant].name);
	for (size_t i = 0; i < d->n; i += step)
		if (!boot || d->v[i].run->boot == *boot)
			put_dot(h, svg_at(x, d->v[i].value), y + jitter[i % ARRAY_LEN(jitter)],
				variant, &d->v[i]);
}

/* What fits above a lane; names may be long. */
static void put_name(const struct html *h, double y, const char *name, size_t boot, size_t n_boots)
{
	_cleanup_free_ char *boot_text = n_boots > 1 ? xasprintf(", boot %zu", boot + 1) :
						       xstrdup("");
	const size_t room = 44;
	size_t n;
	_cleanup_free_ char *text = NULL;

	n = strnlen(name, room);
	while (name[n] && n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--; /* whole characters */
	text = xasprintf("%.*s%s%s", (int)n, name, name[n] ? "..." : "", boot_text);
	svg_text(h->out, 4, y, "start", text);
}

void html_strip(const struct html *h, size_t row, const struct html_dots *d)
{
	const struct judge_row *r = &h->t->rows[row];
	struct svg_scale x = { .from = 12, .to = RIGHT };
	int64_t boots[BOOTS_MAX + 1];
	size_t lanes = 0, lane = 0;
	_cleanup_free_ char *label = xasprintf("All values of %s by variant", r->m->name);
	double end;

	fit(h, d, &x);
	for (size_t v = 0; v < h->in->x.n_variants; v++)
		lanes += lanes_of(&d[v], boots);
	end = (double)lanes * (LANE + 14) + 8;
	str_add(h->out, "<figure>");
	svg_open(h->out, WIDTH, end + 20, label);
	svg_axis_x(h->out, &x, 2, end, 4, false);
	for (size_t v = 0; v < h->in->x.n_variants; v++) {
		size_t n = lanes_of(&d[v], boots);

		for (size_t b = 0; b < n; b++, lane++) {
			double top = (double)lane * (LANE + 14);

			put_name(h, top + 12, h->in->x.variants[v].name, b, n);
			put_lane(h, &x, top + 14 + LANE / 2, v, &d[v], n > 1 ? &boots[b] : NULL);
		}
	}
	figure_end(h, label, thinned(h, d) ?
		   "; of many values every k-th is drawn, boxes are of all" : "");
}

void html_order(const struct html *h, size_t row, const struct html_dots *d)
{
	const struct judge_row *r = &h->t->rows[row];
	struct svg_scale x = { .from = LEFT, .to = RIGHT }, y = { .from = BOTTOM, .to = TOP };
	_cleanup_free_ char *label = xasprintf("Values of %s in the order in which they were taken",
					       r->m->name);
	double ends[2] = { HUGE_VAL, -HUGE_VAL };
	size_t bad = 0;

	fit(h, d, &y);
	for (size_t v = 0; v < h->in->x.n_variants; v++) {
		for (size_t i = 0; i < d[v].n; i++) {
			double at = (double)d[v].v[i].run->seq + d[v].v[i].idx;

			ends[0] = at < ends[0] ? at : ends[0];
			ends[1] = at > ends[1] ? at : ends[1];
			bad += d[v].v[i].bad;
		}
	}
	svg_fit(&x, ends, 2, false);
	str_add(h->out, "<figure>");
	svg_open(h->out, WIDTH, BOTTOM + 22, label);
	svg_axis_y(h->out, &y, LEFT, RIGHT, false);
	svg_axis_x(h->out, &x, BOTTOM, BOTTOM + 3, 6, true);
	for (size_t v = 0; v < h->in->x.n_variants; v++) {
		for (size_t i = 0; i < d[v].n; i += stride(d[v].n)) {
			const struct html_dot *dot = &d[v].v[i];

			put_dot(h, svg_at(&x, (double)dot->run->seq + dot->idx),
				svg_at(&y, dot->value), v, dot);
		}
	}
	figure_end(h, label, bad ? "; crossed out: flagged, the raw records say why" : "");
}

static const char *by_what(const struct judge_effect *f)
{
	return f->by_boot ? "pair of boots" : "round";
}

static void put_bands(const struct html *h, const struct svg_scale *y,
		      const struct judge_effect *f, double right)
{
	char a[64], b[TEXT_NUM];
	_cleanup_free_ char *band = xasprintf("margin: +-%s", text_pct(b, h->t->margin));
	_cleanup_free_ char *ci = xasprintf("change %s, 95 %% interval %s",
					    text_pct_signed(b, f->change, h->decimals),
					    html_interval(h, f, a));

	svg_rect(h->out, LEFT, svg_at(y, -h->t->margin), right + 34, svg_at(y, h->t->margin),
		 "band", band);
	svg_axis_y(h->out, y, LEFT, right + 34, true);
	svg_line(h->out, LEFT, svg_at(y, 0), right + 34, svg_at(y, 0), "axis");
	if (judge_has_interval(f)) {
		double lo = svg_at(y, f->lo), hi = svg_at(y, f->hi);

		svg_rect(h->out, right + 12, lo, right + 24, hi, "box", ci);
	}
	svg_line(h->out, right + 8, svg_at(y, f->change), right + 28, svg_at(y, f->change), "mid");
	svg_text(h->out, right + 18, BOTTOM + 14, "middle", "95 %");
}

/* Where the scale must reach: points, interval, margin. */
static void fit_ratios(const struct html *h, const struct judge_effect *f,
		       const struct judge_ratio *v, size_t n, struct svg_scale *y)
{
	_cleanup_free_ double *all = xcalloc(n + 5, sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = v[i].change;
	all[n] = h->t->margin;
	all[n + 1] = -h->t->margin;
	all[n + 2] = f->change;
	all[n + 3] = judge_has_interval(f) ? f->lo : 0;
	all[n + 4] = judge_has_interval(f) ? f->hi : 0;
	svg_fit(y, all, n + 5, false);
}

static void put_ratios(const struct html *h, const struct svg_scale *y, double right,
		       size_t variant, const struct judge_effect *f,
		       const struct judge_ratio *v, size_t n)
{
	struct svg_scale x = { .from = LEFT + 6, .to = right - 8 };
	double ends[2] = { v[0].label, v[0].label };

	for (size_t i = 0; i < n; i++) {
		ends[0] = fmin(ends[0], v[i].label);
		ends[1] = fmax(ends[1], v[i].label);
	}
	svg_fit(&x, ends, 2, false);
	svg_axis_x(h->out, &x, BOTTOM, BOTTOM + 3, 5, true);
	for (size_t i = 0; i < n; i += stride(n)) {
		char pct[TEXT_NUM];
		_cleanup_free_ char *title =
			xasprintf("%s %u: %s", by_what(f), v[i].label,
				  text_pct_signed(pct, v[i].change, h->decimals + 1));

		svg_mark(h->out, svg_at(&x, v[i].label), svg_at(y, v[i].change), variant, false, "",
			 title);
	}
}

void html_ratios(const struct html *h, size_t row, size_t variant)
{
	const struct judge_effect *f = &h->t->rows[row].effect[variant];
	struct svg_scale y = { .from = BOTTOM, .to = TOP };
	size_t n = 0;
	_cleanup_free_ struct judge_ratio *v =
		judge_ratios(&h->in->x, &h->in->data, &h->t->rows[row], variant, &n);
	_cleanup_free_ char *label = NULL;

	if (f->n == 0)
		return;
	label = xasprintf("Change of %s against %s%s%s; shaded: margin; box: 95 %% interval",
			  h->in->x.variants[variant].name, h->in->x.variants[0].name,
			  n ? " by " : ", not paired", n ? by_what(f) : "");
	fit_ratios(h, f, v, n, &y);
	str_add(h->out, "<figure>");
	svg_open(h->out, WIDTH, BOTTOM + 22, label);
	put_bands(h, &y, f, RIGHT - 34);
	if (n)
		put_ratios(h, &y, RIGHT - 34, variant, f, v, n);
	figure_end(h, label, "");
}
