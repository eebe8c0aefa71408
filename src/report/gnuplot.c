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
#include "report/graph.h"
#include "report/sweep.h"
#include "report/text.h"

#define GRAPHS_MAX 8 /* per axis: more of one kind is a film, not a figure */
#define FILE_MAX_BYTES (64u << 20)

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
	graph_data(g, &data);
	graph_script(g, x->where, &script);
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
	if (g.n_curves == 0 || g.curves[0].n < 2)
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
		   "runs, and change or speed-up against the first curve). Points are medians, "
		   "bars reach to the quartiles.", in->x.name);
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
