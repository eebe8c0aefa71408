// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "report/text.h"

/* What the panel shows at a point: against the first curve at the same place. */
static char *against_first(const struct graph *g, const struct point *p, char *buf)
{
	bool higher = g->s->cases[0].m->higher_is_better;

	(void)snprintf(buf, TEXT_NUM, "?");
	for (size_t i = 0; i < g->curves[0].n; i++) {
		const struct point *o = &g->curves[0].points[i];

		if (o->at < p->at || o->at > p->at || !o->n || !(o->q.median > 0) ||
		    !(p->q.median > 0))
			continue;
		if (g->panel == PANEL_CHANGE)
			text_exact(buf, (p->q.median / o->q.median - 1) * 100);
		else
			text_exact(buf, higher ? p->q.median / o->q.median :
						 o->q.median / p->q.median);
	}
	return buf;
}

static void put_curve_data(const struct graph *g, const struct curve *c, struct str *out)
{
	str_add(out, "# ");
	text_ascii(out, c->title);
	str_addf(out, "\n# %s\tmedian\tq1\tq3\tn\t%s\n", g->s->axes[g->axis].name,
		 g->panel == PANEL_SPEEDUP ? "speedup" : "change_percent");
	for (size_t i = 0; i < c->n; i++) {
		const struct point *p = &c->points[i];
		char at[TEXT_NUM], a[TEXT_NUM], b[TEXT_NUM], d[TEXT_NUM], f[TEXT_NUM];

		text_exact(at, p->at);
		if (p->n)
			str_addf(out, "%s\t%s\t%s\t%s\t%zu\t%s\n", at, text_exact(a, p->q.median),
				 text_exact(b, p->q.q1), text_exact(d, p->q.q3), p->n,
				 against_first(g, p, f));
		else
			str_addf(out, "%s\t?\t?\t?\t0\t?\n", at);
	}
	str_add(out, "\n\n"); /* gnuplot's end of an index */
}

void graph_data(const struct graph *g, struct str *out)
{
	for (size_t i = 0; i < g->n_curves; i++)
		put_curve_data(g, &g->curves[i], out);
}

/* Text inside gnuplot's double quotes. */
static void put_quoted(struct str *out, const char *s)
{
	_cleanup_str_ struct str clean = STR_INIT(1 << 20);

	text_ascii(&clean, s);
	str_addc(out, '"');
	for (const char *p = str_text(&clean); *p; p++) {
		if (*p == '"' || *p == '\\')
			str_addc(out, '\\');
		str_addc(out, *p);
	}
	str_addc(out, '"');
}

static void put_x_axis(const struct graph *g, struct str *out)
{
	const struct sweep_axis *axis = &g->s->axes[g->axis];
	const struct curve *c = &g->curves[0];
	double lo = c->points[0].at, hi = c->points[c->n - 1].at;
	bool log_scale = lo > 0 && hi / lo >= 16;

	if (log_scale)
		str_addf(out, "set logscale x 2\nset xrange [%.17g:%.17g]\n", lo / 1.2, hi * 1.2);
	else
		str_addf(out, "set xrange [%.17g:%.17g]\n", lo - (hi - lo) * 0.04,
			 hi + (hi - lo) * 0.04);
	if (axis->kind == SWEEP_SIZE)
		str_add(out, "set format x \"%.0b %BB\"\n");
	else if (axis->kind == SWEEP_DURATION)
		str_add(out, "set format x \"%.0s%c\"\n");
	else if (!log_scale && hi - lo <= 16 && lo == floor(lo) && hi == floor(hi))
		str_add(out, "set xtics 1\n");
}

static void put_y_axis(const struct graph *g, struct str *out)
{
	const struct store_metric *m = g->s->cases[0].m;
	_cleanup_free_ char *label = xasprintf("%s (%s), %s is better", m->name, m->unit,
					       m->higher_is_better ? "higher" : "lower");

	if (g->min > 0 && g->max / g->min > 20)
		str_add(out, "set logscale y\n");
	else if (g->min >= 0)
		str_add(out, "set yrange [0:*]\n");
	if (g->max >= 10000)
		str_add(out, "set format y \"%.3s %c\"\n");
	else
		str_add(out, "set format y \"%g\"\n");
	str_add(out, "set ylabel ");
	put_quoted(out, label);
	str_add(out, "\n");
}

/* Colours that are told apart by the colour-blind, too (Okabe and Ito, 2008). */
static const char *const colours[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
				       "#E69F00", "#56B4E9", "#000000" };
static const int points[] = { 7, 5, 9, 11, 13, 4, 6 };

/* Columns @using of the first curves' data; the first curve is left out from @from = 1 on. */
static void put_curves(const struct graph *g, size_t from, const char *using, struct str *out)
{
	str_add(out, "plot");
	for (size_t i = from; i < g->n_curves; i++) {
		size_t look = i % ARRAY_LEN(colours);

		str_addf(out, "%s \"%s.dat\" index %zu using %s lw 1.6 pt %d ps 0.9 "
			 "lc rgb \"%s\" ", i > from ? ", \\\n    " : "", g->name, i, using,
			 points[look], colours[look]);
		if (from) {
			str_add(out, "notitle");
			continue;
		}
		str_add(out, "title ");
		put_quoted(out, g->curves[i].title);
	}
}

static void put_ideal(const struct graph *g, struct str *out)
{
	const struct point *p = &g->curves[0].points[0];
	bool higher = g->s->cases[0].m->higher_is_better;

	if (!g->ideal || !p->n || !(p->at > 0))
		return;
	str_addf(out, ", \\\n     %.17g %s x with lines dt 2 lc rgb \"#888888\" "
		 "title \"perfect scaling\"",
		 higher ? p->q.median / p->at : p->q.median * p->at, higher ? "*" : "/");
}

/* The lower panel: small differences can't be seen on a scale of several decades. */
static void put_panel(const struct graph *g, struct str *out)
{
	str_add(out, "\nset bmargin at screen 0.11\nset tmargin at screen 0.34\nunset title\n"
		"unset logscale y\nset yrange [*:*]\nset format y \"%g\"\n");
	if (g->panel == PANEL_CHANGE) {
		str_add(out, "set ylabel \"change (%)\"\n"
			 "set arrow from graph 0, first 0 to graph 1, first 0 nohead "
			 "lc rgb \"#0072B2\"\n"
			 "set yrange [*<-2:2<*]\n");
	} else {
		str_add(out, "set ylabel \"speed-up\"\nset yrange [0:*]\n");
	}
}

static void put_x_label(const struct graph *g, struct str *out)
{
	str_add(out, "set xlabel ");
	put_quoted(out, g->s->axes[g->axis].name);
	str_add(out, "\n");
}

static void put_plots(const struct graph *g, struct str *out)
{
	if (g->panel == PANEL_NONE) {
		put_x_label(g, out);
		put_curves(g, 0, "1:2:3:4 with yerrorlines", out);
		put_ideal(g, out);
		str_add(out, "\n");
		return;
	}
	str_add(out, "set multiplot\nset lmargin at screen 0.1\nset rmargin at screen 0.8\n"
		"set tmargin at screen 0.92\nset bmargin at screen 0.42\n");
	put_curves(g, 0, "1:2:3:4 with yerrorlines", out);
	put_ideal(g, out);
	put_panel(g, out);
	put_x_label(g, out);
	put_curves(g, 1, "1:6 with linespoints", out);
	str_add(out, "\nunset multiplot\n");
}

void graph_script(const struct graph *g, const char *where, struct str *out)
{
	_cleanup_free_ char *title = xasprintf("%s%s", g->title, where);

	str_addf(out, "# gnuplot %s.gp makes %s.png\nreset\n"
		 "if (strstrt(GPVAL_TERMINALS, \"pngcairo\")) \\\n"
		 "    set terminal pngcairo noenhanced size 1000,%d font \"sans,11\"; \\\n"
		 "else \\\n"
		 "    set terminal png noenhanced size 1000,%d\n"
		 "set output \"%s.png\"\n"
		 "set datafile missing \"?\"\n"
		 "set key outside right top Left reverse samplen 2\n"
		 "set grid lt 1 lw 0.6 lc rgb \"#cccccc\"\n"
		 "set border 3\nset tics nomirror\n"
		 "set title ", g->name, g->name, g->panel ? 750 : 600, g->panel ? 750 : 600,
		 g->name);
	put_quoted(out, title);
	str_add(out, "\n");
	put_x_axis(g, out);
	put_y_axis(g, out);
	put_plots(g, out);
	str_add(out, "unset output\n");
}

void graph_done(struct graph *g)
{
	for (size_t i = 0; i < g->n_curves; i++) {
		free(g->curves[i].title);
		free(g->curves[i].points);
	}
	free(g->curves);
	free(g->name);
	free(g->title);
}
