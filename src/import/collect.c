// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"

#define MARGIN 0.02

void collect_done(struct collect *c)
{
	strv_done(&c->variants);
	free(c->run_variant);
	for (size_t i = 0; i < c->n_rows; i++) {
		free(c->rows[i].workload);
		free(c->rows[i].params);
		free(c->rows[i].title);
		free(c->rows[i].metric);
		free(c->rows[i].unit);
		free(c->rows[i].op);
	}
	free(c->rows);
	for (size_t i = 0; i < c->n_values; i++) {
		free(c->values[i].v);
		free(c->values[i].why);
	}
	free(c->values);
	*c = (struct collect){ 0 };
}

static bool same_case(const struct collect_row *r, const struct import_key *k)
{
	return str_eq(r->workload, k->workload) && str_eq(r->params, k->params);
}

static size_t case_of(struct collect *c, const struct import_key *k)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (same_case(&c->rows[i], k))
			return c->rows[i].case_i;
	return c->n_cases++;
}

static int row_of(struct collect *c, const struct import_key *k, size_t *ret, struct err *e)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct collect_row *r = &c->rows[i];

		if (!same_case(r, k) || !str_eq(r->metric, k->metric))
			continue;
		if (!str_eq(r->unit, k->unit) || r->higher != k->higher)
			return err_set(e, -EINVAL, "the %s of %s is in \"%s\" here, in \"%s\" "
				       "before", k->metric, k->workload, k->unit, r->unit);
		*ret = i;
		return 0;
	}
	c->rows = xrealloc(c->rows, c->n_rows + 1, sizeof(*c->rows));
	c->rows[c->n_rows] = (struct collect_row){
		.workload = xstrdup(k->workload), .params = xstrdup(k->params),
		.title = xstrdup(k->title),
		.metric = xstrdup(k->metric), .unit = xstrdup(k->unit), .op = xstrdup(k->op),
		.higher = k->higher, .primary = k->primary, .case_i = case_of(c, k),
	};
	*ret = c->n_rows++;
	return 0;
}

/* The values of the row in the run that is read now; those of one run lie at the end. */
static struct collect_values *values_of(struct collect *c, size_t row)
{
	size_t run = c->n_runs - 1;

	for (size_t i = c->n_values; i-- > 0 && c->values[i].run == run;)
		if (c->values[i].row == row)
			return &c->values[i];
	c->values = xrealloc(c->values, c->n_values + 1, sizeof(*c->values));
	c->values[c->n_values] = (struct collect_values){ .row = row, .run = run };
	return &c->values[c->n_values++];
}

static int on_value(void *arg, const struct import_key *k, double value, struct err *e)
{
	struct collect_values *v;
	size_t row;
	int r = row_of(arg, k, &row, e);

	if (r < 0)
		return r;
	v = values_of(arg, row);
	if (v->n == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 4;
		v->v = xrealloc(v->v, v->cap, sizeof(*v->v));
	}
	v->v[v->n++] = value;
	return 0;
}

static int on_failed(void *arg, const struct import_key *k, const char *why, struct err *e)
{
	struct collect_values *v;
	size_t row;
	int r = row_of(arg, k, &row, e);

	if (r < 0)
		return r;
	v = values_of(arg, row);
	free(v->why);
	v->why = xstrdup(why);
	return 0;
}

struct import_sink collect_run(struct collect *c, const char *variant)
{
	size_t at = 0;

	while (at < c->variants.n && !str_eq(c->variants.v[at], variant))
		at++;
	if (at == c->variants.n)
		strv_add(&c->variants, variant);
	c->run_variant = xrealloc(c->run_variant, c->n_runs + 1, sizeof(*c->run_variant));
	c->run_variant[c->n_runs++] = at;
	return (struct import_sink){ .value = on_value, .failed = on_failed, .arg = c };
}

/* "sysbench threads=4 size=1" */
static char *made_title(const struct collect_row *r)
{
	char *title = xasprintf("%s%s%s", r->workload, *r->params ? " " : "", r->params);

	for (char *p = title; *p; p++)
		if (*p == ',')
			*p = ' ';
	return title;
}

static struct store_experiment describe(const struct collect *c, const struct import_options *o,
					const char *name)
{
	struct store_experiment x = {
		.name = xstrdup(name),
		.plan_text = xstrdup(""),
		.plan_hash = xstrdup(""),
		.command = xstrdup(o->command ? o->command : ""),
		.order = xstrdup(STORE_ORDER_IMPORTED),
		.margin = MARGIN,
		.wall_start_ns = c->newest_ns,
		.tool = xstrdup(o->tool ? o->tool : ""),
		.status = xstrdup("done"),
		.skipped = xstrdup(""),
		.n_variants = c->variants.n,
		.n_cases = c->n_cases,
	};

	x.variants = xcalloc(x.n_variants, sizeof(*x.variants));
	x.cases = xcalloc(x.n_cases ? x.n_cases : 1, sizeof(*x.cases));
	for (size_t i = 0; i < x.n_variants; i++)
		x.variants[i] = (struct store_variant){ .name = xstrdup(c->variants.v[i]),
							.target = xstrdup("imported"),
							.spec = xstrdup("") };
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct collect_row *r = &c->rows[i];
		struct store_case *k = &x.cases[r->case_i];

		if (!k->workload)
			*k = (struct store_case){
				.workload = xstrdup(r->workload),
				.params = xstrdup(r->params),
				.title = r->title ? xstrdup(r->title) : made_title(r),
				.op = xstrdup(r->op),
				.primary_row = true,
			};
	}
	return x;
}

static int store_metrics(struct collect *c, const struct store_experiment *x, struct store *s,
			 struct err *e)
{
	static char help[] = "imported";

	for (size_t i = 0; i < c->n_rows; i++) {
		struct collect_row *row = &c->rows[i];
		struct store_metric m = {
			.case_id = x->cases[row->case_i].id, .name = row->metric,
			.unit = row->unit, .higher_is_better = row->higher,
			.primary = row->primary, .help = help,
		};
		int r = store_add_metric(s, &m, e);

		if (r < 0)
			return r;
		row->id = m.id;
	}
	return 0;
}

/* The values of one case in one run, @first and those behind it. */
static size_t run_end(const struct collect *c, size_t first, size_t *ret_samples)
{
	size_t i = first;

	*ret_samples = 0;
	for (; i < c->n_values && c->values[i].run == c->values[first].run &&
	       c->rows[c->values[i].row].case_i == c->rows[c->values[first].row].case_i; i++)
		*ret_samples += c->values[i].n;
	return i;
}

/* Which run of its case under its variant this one is, from 1. */
static unsigned round_of(const struct collect *c, size_t first)
{
	size_t case_i = c->rows[c->values[first].row].case_i;
	size_t variant = c->run_variant[c->values[first].run], last = SIZE_MAX;
	unsigned n = 1;

	for (size_t i = 0; i < first; i++) {
		const struct collect_values *v = &c->values[i];

		if (v->run == last || c->run_variant[v->run] != variant ||
		    c->rows[v->row].case_i != case_i)
			continue;
		last = v->run;
		n++;
	}
	return n;
}

static int store_one(const struct collect *c, const struct store_experiment *x, int64_t boot,
		     size_t first, size_t end, size_t n, unsigned seq, struct store *s,
		     struct err *e)
{
	_cleanup_free_ struct store_sample *samples = xcalloc(n ? n : 1, sizeof(*samples));
	struct store_note note = { .kind = "error", .code = "no_value" };
	struct store_run run = {
		.experiment = x->id,
		.variant = x->variants[c->run_variant[c->values[first].run]].id,
		.case_id = x->cases[c->rows[c->values[first].row].case_i].id,
		.boot = boot, .round = round_of(c, first), .seq = seq, .wall_ns = c->newest_ns,
		.status = n ? "ok" : "failed", .samples = samples, .n_samples = n, .notes = &note,
	};
	size_t at = 0;

	for (size_t i = first; i < end; i++) {
		const struct collect_values *v = &c->values[i];

		for (size_t k = 0; k < v->n; k++)
			samples[at++] = (struct store_sample){ c->rows[v->row].id, v->v[k],
							       (unsigned)k };
		if (v->why && !note.text)
			note.text = v->why;
	}
	run.n_notes = note.text != NULL;
	if (n)
		note.kind = "warning"; /* of some of its values only */
	return store_add_run(s, &run, e);
}

static int store_runs(const struct collect *c, const struct store_experiment *x, struct store *s,
		      struct err *e)
{
	static char unknown[] = "";
	struct store_boot b = { .experiment = x->id, .boot_id = unknown, .kernel = unknown,
				.machine = unknown };
	int r = store_add_boot(s, &b, e);
	unsigned seq = 0;

	for (size_t i = 0, end, n; r == 0 && i < c->n_values; i = end) {
		end = run_end(c, i, &n);
		r = store_one(c, x, b.id, i, end, n, ++seq, s, e);
	}
	return r;
}

int collect_store(struct collect *c, const struct import_options *o, const char *name,
		  struct store *s, struct err *e)
{
	struct store_experiment x = describe(c, o, name);
	int r = store_add_experiment(s, &x, e);

	if (r == 0)
		r = store_metrics(c, &x, s, e);
	if (r == 0)
		r = store_runs(c, &x, s, e);
	store_experiment_done(&x);
	return r;
}
