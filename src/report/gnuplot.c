// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data files and gnuplot scripts. For every numeric axis of a sweep: the primary metric over it,
 * a curve per variant (median, bars to the quartiles), one graph per combination of the other
 * swept parameters. With an axis "tasks" also the scaling graph: over the other axis, a curve
 * per number of tasks up to that of the CPUs, base variant only.
 */
#include "report/report.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "report/sweep.h"
#include "report/text.h"

#define GRAPHS_MAX 8 /* per axis: more of one kind is a film, not a figure */
#define FILE_MAX_BYTES (64u << 20)

struct point {
	size_t c;  /* case */
	double at; /* on the axis */
	size_t n;  /* good runs; without any, q is not set */
	struct quartiles q;
};

struct curve {
	char *title;
	struct point *points; /* rising on the axis */
	size_t n;
	size_t variant;
};

/* What the small panel below shows of every curve against the first. */
enum panel { PANEL_NONE, PANEL_CHANGE, PANEL_SPEEDUP };

struct graph {
	const struct sweep *s;
	size_t axis;
	char *name;  /* of its files */
	char *title;
	struct curve *curves; size_t n_curves;
	bool ideal;  /* also what perfect scaling from the first point would give */
	enum panel panel;
	double min, max; /* of all medians */
};

struct export {
	const struct report_input *in;
	int dirfd;
	struct str all, readme;
	size_t graphs, left_out;
	size_t cpus; /* 0: unknown */
	char *where; /* ", 2 CPUs, Linux 6.18.0" */
};

/* Fills in the points of a graph; false when there is none. */
static bool measure(const struct export *x, struct graph *g)
{
	g->min = (double)INFINITY;
	g->max = -(double)INFINITY;
	for (size_t i = 0; i < g->n_curves; i++) {
		struct curve *c = &g->curves[i];

		for (size_t k = 0; k < c->n; k++) {
			struct point *p = &c->points[k];

			if (!input_samples(x->in, g->s->cases[p->c].c->id,
					   x->in->x.variants[c->variant].id,
					   g->s->cases[p->c].m->name, &p->q, &p->n))
				continue;
			g->min = p->q.median < g->min ? p->q.median : g->min;
			g->max = p->q.median > g->max ? p->q.median : g->max;
		}
	}
	return isfinite(g->min);
}

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

static void put_script(const struct export *x, const struct graph *g, struct str *out)
{
	_cleanup_free_ char *title = xasprintf("%s%s", g->title, x->where);

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

static int write_file(const struct export *x, const char *name, const char *suffix,
		      const struct str *text, struct err *e)
{
	_cleanup_free_ char *file = xasprintf("%s%s", name, suffix);

	if (!str_ok(text))
		return err_set(e, -EFBIG, "file \"%s\" would be larger than %u bytes", file,
			       FILE_MAX_BYTES);
	return fsx_replace(x->dirfd, file, str_text(text), e);
}

static int put_graph(struct export *x, struct graph *g, struct err *e)
{
	_cleanup_str_ struct str data = STR_INIT(FILE_MAX_BYTES), script = STR_INIT(1 << 20);
	int r;

	if (!measure(x, g))
		return 0;
	for (size_t i = 0; i < g->n_curves; i++)
		put_curve_data(g, &g->curves[i], &data);
	put_script(x, g, &script);
	r = write_file(x, g->name, ".dat", &data, e);
	if (r == 0)
		r = write_file(x, g->name, ".gp", &script, e);
	if (r < 0)
		return r;
	x->graphs++;
	str_addf(&x->all, "load \"%s.gp\"\n", g->name);
	text_wrapf(&x->readme, "  ", 6, "%s: %s", g->name, g->title);
	return 0;
}

/* Orders case indices by their value on an axis. */
struct at {
	double value;
	size_t i;
};

static int by_value(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* The cases of the slice of case @like along @axis, rising; returns how many. */
static size_t slice(const struct sweep *s, size_t like, size_t axis, size_t *ret)
{
	_cleanup_free_ struct at *at = xcalloc(s->n_cases, sizeof(*at));
	size_t n = 0;

	for (size_t i = 0; i < s->n_cases; i++)
		if (sweep_same_slice(s, i, like, axis, SIZE_MAX))
			at[n++] = (struct at){ sweep_value(s, i, axis), i };
	qsort(at, n, sizeof(*at), by_value);
	for (size_t i = 0; i < n; i++)
		ret[i] = at[i].i;
	return n;
}

static void graph_done(struct graph *g)
{
	for (size_t i = 0; i < g->n_curves; i++) {
		free(g->curves[i].title);
		free(g->curves[i].points);
	}
	free(g->curves);
	free(g->name);
	free(g->title);
}
#define _cleanup_graph_ __attribute__((cleanup(graph_done)))

static void add_curve(struct graph *g, size_t like, size_t variant, const char *title)
{
	_cleanup_free_ size_t *cases = xcalloc(g->s->n_cases, sizeof(*cases));
	struct curve c = { .title = xstrdup(title), .variant = variant };

	c.n = slice(g->s, like, g->axis, cases);
	c.points = xcalloc(c.n, sizeof(*c.points));
	for (size_t i = 0; i < c.n; i++) {
		c.points[i].c = cases[i];
		c.points[i].at = sweep_value(g->s, cases[i], g->axis);
	}
	g->curves = xrealloc(g->curves, g->n_curves + 1, sizeof(*g->curves));
	g->curves[g->n_curves++] = c;
}

/* "tasks1-backing-file": the values of all axes but two, as a file name and as a title. */
static void slice_name(const struct sweep *s, size_t like, size_t axis, size_t other,
		       struct str *name, struct str *title)
{
	for (size_t a = 0; a < s->n_axes; a++) {
		const char *val = sweep_text(s, like, a);

		if (a == axis || a == other)
			continue;
		str_addf(name, "-%s%s%s", s->axes[a].name, isdigit((unsigned char)*val) ? "" : "-",
			 val);
		str_addf(title, ", %s=%s", s->axes[a].name, val);
	}
}

static char *file_name(const char *text)
{
	char *name = xstrdup(text);

	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '-';
	return name;
}

static int put_slice(struct export *x, const struct sweep *s, size_t like, size_t axis,
		     struct err *e)
{
	_cleanup_str_ struct str name = STR_INIT(200), title = STR_INIT(4096);
	_cleanup_graph_ struct graph g = { .s = s, .axis = axis };

	str_add(&name, s->workload);
	str_add(&title, s->workload);
	slice_name(s, like, axis, SIZE_MAX, &name, &title);
	if (s->n_axes == 1)
		str_addf(&name, "-%s", s->axes[axis].name);
	g.name = file_name(str_text(&name));
	g.title = xstrdup(str_text(&title));
	g.ideal = str_eq(s->axes[axis].name, "tasks");
	for (size_t v = 0; v < x->in->x.n_variants; v++)
		add_curve(&g, like, v, x->in->x.variants[v].name);
	if (g.curves[0].n < 2)
		return 0;
	g.panel = g.n_curves > 1 ? PANEL_CHANGE : PANEL_NONE;
	return put_graph(x, &g, e);
}

/* Cases that stand for the slices along @axis: the first of each, rising on the other axes. */
static size_t slices(const struct sweep *s, size_t axis, size_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_cases; i++) {
		bool seen = false;

		for (size_t k = 0; k < n && !seen; k++)
			seen = sweep_same_slice(s, i, ret[k], axis, SIZE_MAX);
		if (!seen)
			ret[n++] = i;
	}
	return n;
}

/* Keeps @v[i] where @keep(i); returns how many are left. */
static size_t thin_tasks(const struct export *x, const struct sweep *s, size_t tasks, size_t *v,
			 size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		double k = sweep_value(s, v[i], tasks);

		if (k == 1 || fmod(k, (double)x->cpus) == 0)
			v[kept++] = v[i];
	}
	return kept;
}

static size_t thin_evenly(size_t *v, size_t n)
{
	for (size_t i = 0; i < GRAPHS_MAX; i++)
		v[i] = v[i * (n - 1) / (GRAPHS_MAX - 1)];
	return GRAPHS_MAX;
}

/* One graph per slice; of too many, those that the number of CPUs singles out, or every k-th. */
static int put_axis(struct export *x, const struct sweep *s, size_t axis, struct err *e)
{
	_cleanup_free_ size_t *v = xcalloc(s->n_cases, sizeof(*v));
	size_t tasks = sweep_find(s, "tasks"), n = slices(s, axis, v), all = n;

	if (n > GRAPHS_MAX && tasks != SIZE_MAX && tasks != axis && x->cpus)
		n = thin_tasks(x, s, tasks, v, n);
	if (n > GRAPHS_MAX)
		n = thin_evenly(v, n);
	x->left_out += all - n;
	for (size_t i = 0; i < n; i++) {
		int r = put_slice(x, s, v[i], axis, e);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Over @axis, a curve per number of tasks, for the slice of @like in the axes that are left. */
static int put_scaling(struct export *x, const struct sweep *s, size_t like, size_t axis,
		       size_t tasks, struct err *e)
{
	_cleanup_str_ struct str name = STR_INIT(200), title = STR_INIT(4096);
	_cleanup_free_ size_t *v = xcalloc(s->n_cases, sizeof(*v));
	_cleanup_graph_ struct graph g = { .s = s, .axis = axis, .panel = PANEL_SPEEDUP };
	size_t n = slice(s, like, tasks, v);

	str_addf(&name, "%s-scaling", s->workload);
	str_addf(&title, "%s, scaling over tasks, variant %s", s->workload,
		 x->in->x.variants[0].name);
	slice_name(s, like, axis, tasks, &name, &title);
	if (s->n_axes > 2 || (axis != 0 && tasks != 0))
		str_addf(&name, "-over-%s", s->axes[axis].name);
	g.name = file_name(str_text(&name));
	g.title = xstrdup(str_text(&title));
	for (size_t i = 0; i < n && g.n_curves < 16; i++) {
		double k = sweep_value(s, v[i], tasks);
		char label[TEXT_NUM];

		if (x->cpus && k > (double)x->cpus)
			continue;
		(void)snprintf(label, sizeof(label), "%.0f task%s", k, k == 1 ? "" : "s");
		add_curve(&g, v[i], 0, label);
	}
	if (g.n_curves < 2 || g.curves[0].n < 2)
		return 0;
	return put_graph(x, &g, e);
}

static int put_scalings(struct export *x, const struct sweep *s, size_t axis, struct err *e)
{
	size_t tasks = sweep_find(s, "tasks");
	_cleanup_free_ size_t *seen = xcalloc(s->n_cases, sizeof(*seen));
	size_t n = 0;

	if (tasks == SIZE_MAX || tasks == axis || s->axes[tasks].kind != SWEEP_NUMBER)
		return 0;
	for (size_t i = 0; i < s->n_cases && n < GRAPHS_MAX; i++) {
		bool known = false;
		int r;

		for (size_t k = 0; k < n && !known; k++)
			known = sweep_same_slice(s, i, seen[k], axis, tasks);
		if (known)
			continue;
		seen[n++] = i;
		r = put_scaling(x, s, i, axis, tasks, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int put_workload(struct export *x, const char *workload, struct err *e)
{
	struct sweep s;
	int r = 0;

	sweep_init(&s, x->in, workload);
	for (size_t a = 0; a < s.n_axes && r == 0; a++) {
		if (s.axes[a].kind == SWEEP_WORDS)
			continue;
		r = put_axis(x, &s, a, e);
		if (r == 0)
			r = put_scalings(x, &s, a, e);
	}
	sweep_done(&s);
	return r;
}

static int put_workloads(struct export *x, struct err *e)
{
	const struct store_experiment *exp = &x->in->x;

	for (size_t i = 0; i < exp->n_cases; i++) {
		bool seen = false;
		int r;

		for (size_t k = 0; k < i && !seen; k++)
			seen = str_eq(exp->cases[k].workload, exp->cases[i].workload);
		if (seen)
			continue;
		r = put_workload(x, exp->cases[i].workload, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int put_index(struct export *x, struct err *e)
{
	int r;

	if (x->graphs == 0)
		return err_set(e, -ENODATA, "there is nothing to draw: no workload of the "
			       "experiment has good runs for two values of a numeric parameter");
	if (x->left_out)
		text_wrapf(&x->readme, "", 2, "%zu more graphs of the same kinds were left out.",
			   x->left_out);
	text_wrapf(&x->readme, "", 2, "Raw data of the experiment: %s", x->in->hash);
	r = write_file(x, "all", ".gp", &x->all, e);
	if (r == 0)
		r = write_file(x, "README", ".txt", &x->readme, e);
	return r;
}

static char *where_of(const struct report_input *in, size_t cpus)
{
	_cleanup_str_ struct str out = STR_INIT(4096);

	if (cpus)
		str_addf(&out, ", %zu CPU%s", cpus, cpus == 1 ? "" : "s");
	if (in->n_boots == 1 && in->boots[0].kernel)
		str_addf(&out, ", Linux %.*s", (int)strcspn(in->boots[0].kernel, " "),
			 in->boots[0].kernel);
	return xstrdup(str_text(&out));
}

int report_gnuplot(const char *dir, const struct report_input *in, size_t *ret_graphs,
		   struct err *e)
{
	struct export x = { .in = in, .all = STR_INIT(1 << 20), .readme = STR_INIT(1 << 20),
			    .cpus = input_count(in, 0, ENV_CPUS) };
	_cleanup_close_ int dirfd = -EBADF;
	int r = fsx_mkdirs(AT_FDCWD, dir, 0777, e);

	if (r < 0)
		return r;
	dirfd = fsx_open(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY, e);
	if (dirfd < 0)
		return dirfd;
	x.dirfd = dirfd;
	x.where = where_of(in, x.cpus);
	text_wrapf(&x.readme, "", 0, "Graphs of \"%s\". \"gnuplot all.gp\" in this directory makes "
		   "a PNG of each; NAME.gp makes one, NAME.dat has its numbers (median, quartiles, "
		   "runs, and change or speed-up against the first curve). Points are medians, bars reach "
		   "to the quartiles.", in->x.name);
	str_addc(&x.readme, '\n');
	r = put_workloads(&x, e);
	if (r == 0)
		r = put_index(&x, e);
	if (r == 0)
		*ret_graphs = x.graphs;
	free(x.where);
	str_done(&x.all);
	str_done(&x.readme);
	return r;
}
