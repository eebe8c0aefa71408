// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scaling curves: the primary metric over each parameter that the cases of a workload sweep, and
 * over the one key of the placement, a number, in which the variants differ.
 */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "report/svg.h"
#include "report/sweep.h"
#include "report/text.h"

#define LEFT 52.0
#define RIGHT 328.0
#define TOP 10.0
#define BOTTOM 180.0
#define FIGURES_MAX 24	/* more of them are a film */

struct curve_point {
	double at;
	const char *text; /* borrowed: how the plan writes it */
	struct quartiles q;
	size_t n;
	size_t variant;	  /* its mark */
};

struct curves {
	struct curve_point *v; /* [curve * n + point] */
	size_t n_curves, n;
	struct svg_scale x, y;
};

static int rising(const void *a, const void *b)
{
	const struct curve_point *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void fit(struct curves *c)
{
	size_t most = c->n_curves * c->n, n = 0;
	_cleanup_free_ double *xs = xcalloc(most, sizeof(*xs));
	_cleanup_free_ double *ys = xcalloc(2 * most, sizeof(*ys));
	double lo = HUGE_VAL, hi = 0;

	for (size_t i = 0; i < most; i++) {
		xs[i] = c->v[i].at;
		lo = fmin(lo, xs[i]);
		hi = fmax(hi, xs[i]);
		if (c->v[i].n) {
			ys[n++] = c->v[i].q.q1;
			ys[n++] = c->v[i].q.q3;
		}
	}
	c->x = (struct svg_scale){ .from = LEFT + 8, .to = RIGHT };
	c->y = (struct svg_scale){ .from = BOTTOM, .to = TOP };
	svg_fit(&c->x, xs, most, lo > 0 && hi / lo >= 8);
	lo = HUGE_VAL;
	hi = 0;
	for (size_t i = 0; i < n; i++) {
		lo = fmin(lo, ys[i]);
		hi = fmax(hi, ys[i]);
	}
	svg_fit(&c->y, ys, n, lo > 0 && hi / lo >= 20);
}

/* The values as the plan writes them, those that fit beside each other. */
static void put_x(const struct html *h, const struct curves *c)
{
	double free_from = 0;

	for (size_t i = 0; i < c->n; i++) {
		char text[12];
		double at = svg_at(&c->x, c->v[i].at), half;
		int len = snprintf(text, sizeof(text), "%s", c->v[i].text);

		half = 3.5 * (len < 11 ? len : 11);
		svg_line(h->out, at, BOTTOM, at, BOTTOM + 3, "axis");
		if (at - half < free_from)
			continue;
		svg_text(h->out, at, BOTTOM + 14, "middle", text);
		free_from = at + half + 5;
	}
}

static void put_curve(const struct html *h, const struct curves *c, size_t k, size_t variant,
		      const char *name)
{
	const struct curve_point *v = &c->v[k * c->n];
	const struct curve_point *last = NULL;
	/* a little apart: bars of several curves at one place could not be told from each other */
	double aside = 4 * ((double)k - (double)(c->n_curves - 1) / 2);
	char cls[16];

	(void)snprintf(cls, sizeof(cls), "c c%zu", variant % SVG_SHAPES);
	for (size_t i = 0; i < c->n; i++) {
		if (v[i].n && last)
			svg_line(h->out, svg_at(&c->x, last->at) + aside,
				 svg_at(&c->y, last->q.median),
				 svg_at(&c->x, v[i].at) + aside, svg_at(&c->y, v[i].q.median), cls);
		if (v[i].n)
			last = &v[i];
	}
	for (size_t i = 0; i < c->n; i++) {
		double x = svg_at(&c->x, v[i].at) + aside;
		char a[TEXT_NUM];
		_cleanup_free_ char *title = NULL;

		if (!v[i].n)
			continue;
		title = xasprintf("%s at %s: median %s, n %zu", name, v[i].text,
				  text_value(a, v[i].q.median), v[i].n);
		svg_line(h->out, x, svg_at(&c->y, v[i].q.q1), x, svg_at(&c->y, v[i].q.q3), cls);
		svg_mark(h->out, x, svg_at(&c->y, v[i].q.median), v[i].variant, false, "", title);
	}
}

static void open_figure(const struct html *h, const struct curves *c, const char *label)
{
	str_add(h->out, "<figure>");
	svg_open(h->out, 340, BOTTOM + 22, label);
	svg_axis_y(h->out, &c->y, LEFT, RIGHT + 6, false);
	put_x(h, c);
}

static void close_figure(const struct html *h, const char *label)
{
	svg_close(h->out);
	html_tag(h, "figcaption", "", "%s", label);
	str_add(h->out, "</figure>\n");
}

/* The slice of case @like along @axis, a curve per variant. False: nothing to draw. */
static bool put_slice(const struct html *h, const struct sweep *s, size_t like, size_t axis)
{
	size_t n_variants = h->in->x.n_variants;
	_cleanup_free_ struct curve_point *v = xcalloc(s->n_cases * n_variants, sizeof(*v));
	struct curves c = { .v = v, .n_curves = n_variants };
	_cleanup_str_ struct str label = STR_INIT(1 << 16);
	size_t good = 0;

	for (size_t i = 0; i < s->n_cases; i++)
		c.n += sweep_same_slice(s, i, like, axis, SIZE_MAX);
	for (size_t k = 0; k < n_variants; k++) {
		struct curve_point *p = &v[k * c.n];

		for (size_t i = 0; i < s->n_cases; i++) {
			if (!sweep_same_slice(s, i, like, axis, SIZE_MAX))
				continue;
			p->variant = k;
			p->at = sweep_value(s, i, axis);
			p->text = sweep_text(s, i, axis);
			good += input_samples(h->in, s->cases[i].c->id, h->in->x.variants[k].id,
					      s->cases[i].m->name, &p->q, &p->n);
			p++;
		}
		qsort(&v[k * c.n], c.n, sizeof(*v), rising);
	}
	if (c.n < 2 || !good)
		return false;
	fit(&c);
	str_addf(&label, "%s: %s over %s", s->workload, s->cases[like].m->name,
		 s->axes[axis].name);
	for (size_t a = 0; a < s->n_axes; a++)
		if (a != axis)
			str_addf(&label, ", %s=%s", s->axes[a].name, sweep_text(s, like, a));
	open_figure(h, &c, str_text(&label));
	for (size_t k = 0; k < n_variants; k++)
		put_curve(h, &c, k, k, h->in->x.variants[k].name);
	close_figure(h, str_text(&label));
	return true;
}

static void put_axis(const struct html *h, const struct sweep *s, size_t axis, size_t *n)
{
	for (size_t i = 0; i < s->n_cases && *n < FIGURES_MAX; i++) {
		bool first = true;

		for (size_t k = 0; k < i && first; k++)
			first = !sweep_same_slice(s, i, k, axis, SIZE_MAX);
		if (first)
			*n += put_slice(h, s, i, axis);
	}
}

static void put_workload(const struct html *h, const char *workload, size_t *n)
{
	struct sweep s;

	sweep_init(&s, h->in, workload);
	for (size_t a = 0; a < s.n_axes; a++)
		if (s.axes[a].kind != SWEEP_WORDS)
			put_axis(h, &s, a, n);
	sweep_done(&s);
}

static bool number(const char *text, double *ret)
{
	uint64_t u;

	if (!text)
		return false;
	if (num_double(text, ret, NULL) == 0)
		return true;
	if (num_size(text, &u, NULL) < 0)
		return false;
	*ret = (double)u;
	return true;
}

/*
 * The one key in which the variants' specs differ, with the value of each in @ret_val (borrowed
 * from @specs), when all of them are numbers; else NULL.
 */
static const char *swept_key(const struct html *h, struct kvs *specs, struct curve_point *ret)
{
	size_t n = h->in->x.n_variants;
	const char *key = NULL;

	for (size_t v = 0; v < n; v++)
		if (kvs_parse(h->in->x.variants[v].spec ? h->in->x.variants[v].spec : "",
			      &specs[v], NULL) < 0)
			return NULL;
	for (size_t v = 0; v < n; v++) {
		for (size_t i = 0; i < specs[v].n; i++) {
			const char *k = specs[v].v[i].key;
			bool same = true;

			for (size_t o = 0; o < n && same; o++)
				same = str_eq(kvs_get(&specs[o], k), specs[v].v[i].val);
			if (!same && key && !str_eq(key, k))
				return NULL;
			if (!same)
				key = k;
		}
	}
	for (size_t v = 0; key && v < n; v++) {
		ret[v].text = kvs_get(&specs[v], key);
		if (!number(ret[v].text, &ret[v].at))
			return NULL;
	}
	return key;
}

static void put_variant_row(const struct html *h, size_t row, const char *key,
			    const struct curve_point *at, size_t *figures)
{
	const struct judge_row *r = &h->t->rows[row];
	size_t n = h->in->x.n_variants, good = 0;
	_cleanup_free_ struct curve_point *v = xcalloc(n, sizeof(*v));
	struct curves c = { .v = v, .n_curves = 1, .n = n };
	_cleanup_free_ char *label = xasprintf("%s: %s over %s", html_title(h, row), r->m->name,
					       key);

	for (size_t k = 0; k < n; k++) {
		v[k] = at[k];
		v[k].variant = k;
		good += input_samples(h->in, r->c->id, h->in->x.variants[k].id, r->m->name,
				      &v[k].q, &v[k].n);
	}
	if (!good)
		return;
	qsort(v, n, sizeof(*v), rising);
	fit(&c);
	open_figure(h, &c, label);
	put_curve(h, &c, 0, 0, key);
	close_figure(h, label);
	++*figures;
}

/* With two variants the comparison says it all. */
static void put_variants(const struct html *h, size_t *figures)
{
	size_t n = h->in->x.n_variants;
	_cleanup_free_ struct kvs *specs = xcalloc(n + 1, sizeof(*specs));
	_cleanup_free_ struct curve_point *at = xcalloc(n + 1, sizeof(*at));
	const char *key = n > 2 ? swept_key(h, specs, at) : NULL;

	for (size_t r = 0; key && r < h->t->n_rows && *figures < FIGURES_MAX; r++)
		if (html_drawn(h, r))
			put_variant_row(h, r, key, at, figures);
	for (size_t v = 0; v < n; v++)
		kvs_done(&specs[v]);
}

void html_sweeps(const struct html *h)
{
	const struct store_experiment *x = &h->in->x;
	size_t n = 0;

	str_add(h->out, "<section id=\"scaling\">\n<h2>Scaling</h2>\n<p>");
	for (size_t v = 0; v < x->n_variants; v++) {
		str_add(h->out, "<span class=\"key-of\">");
		html_key(h, v);
		html_textf(h, " %s", x->variants[v].name);
		str_add(h->out, "</span> ");
	}
	str_add(h->out, "</p>\n<div class=\"figs\">\n");
	put_variants(h, &n);
	for (size_t i = 0; i < x->n_cases; i++) {
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = str_eq(x->cases[k].workload, x->cases[i].workload);
		if (!seen)
			put_workload(h, x->cases[i].workload, &n);
	}
	str_add(h->out, "</div>\n");
	html_tag(h, "p", "", "%s", n == 0 ? "The plan sweeps no number." :
		 n >= FIGURES_MAX ? "Points are medians, lines reach to the quartiles. More of "
		 "the same kinds are left out: \"mmgauge export --gnuplot\" draws them." :
		 "Points are medians, lines reach to the quartiles.");
	str_add(h->out, "<p><a href=\"#summary\">Back to the verdicts</a></p>\n</section>\n");
}
