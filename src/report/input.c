// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "stats/sorted.h"
#include "stats/summary.h"

static int load_env(struct store *s, struct report_input *in, struct err *e)
{
	in->env = xcalloc(in->x.n_variants, sizeof(*in->env));
	for (size_t v = 0; v < in->x.n_variants; v++) {
		int r = store_read_env(s, in->x.id, in->x.variants[v].id, &in->env[v], e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int load(struct store *s, int64_t experiment, unsigned flags, struct report_input *in,
		struct err *e)
{
	int r = store_read_experiment(s, experiment, &in->x, e);

	if (r == 0)
		r = store_read_data(s, in->x.id, &in->data, e);
	if (r == 0)
		r = store_read_runs(s, in->x.id, flags & REPORT_SAMPLES, &in->runs, e);
	if (r == 0)
		r = store_read_boots(s, in->x.id, &in->boots, &in->n_boots, e);
	if (r == 0)
		r = load_env(s, in, e);
	if (r == 0 && flags & REPORT_HASH)
		r = store_hash(s, in->x.id, in->hash, e);
	return r;
}

int report_load(struct store *s, int64_t experiment, unsigned flags, struct report_input *ret,
		struct err *e)
{
	struct report_input in = { 0 };
	int r = load(s, experiment, flags, &in, e);

	if (r < 0) {
		report_input_done(&in);
		return err_wrap(e, r, "could not read the experiment");
	}
	*ret = in;
	return 0;
}

void report_input_done(struct report_input *in)
{
	for (size_t v = 0; in->env && v < in->x.n_variants; v++)
		kvs_done(&in->env[v]);
	free(in->env);
	store_boots_done(in->boots, in->n_boots);
	store_runs_done(&in->runs);
	store_data_done(&in->data);
	store_experiment_done(&in->x);
	for (size_t i = 0; i < in->n_parts; i++)
		report_input_done(&in->parts[i]);
	free(in->parts);
	free(in->samples);
	*in = (struct report_input){ 0 };
}

size_t input_variant(const struct report_input *in, int64_t variant_id)
{
	for (size_t v = 0; v < in->x.n_variants; v++)
		if (in->x.variants[v].id == variant_id)
			return v;
	return NO_VARIANT;
}

const struct store_case *input_case(const struct report_input *in, int64_t case_id)
{
	for (size_t i = 0; i < in->x.n_cases; i++)
		if (in->x.cases[i].id == case_id)
			return &in->x.cases[i];
	return NULL;
}

const struct store_metric *input_metric(const struct report_input *in, int64_t metric_id)
{
	for (size_t i = 0; i < in->x.n_metrics; i++)
		if (in->x.metrics[i].id == metric_id)
			return &in->x.metrics[i];
	return NULL;
}

const struct store_boot *input_boot(const struct report_input *in, int64_t boot_id)
{
	for (size_t i = 0; i < in->n_boots; i++)
		if (in->boots[i].id == boot_id)
			return &in->boots[i];
	return NULL;
}

const char *input_env(const struct report_input *in, size_t variant, const char *key)
{
	return in->env && variant < in->x.n_variants ? kvs_get(&in->env[variant], key) : NULL;
}

bool input_run_good(const struct store_run *r)
{
	return str_eq(r->status, "ok");
}

struct quartiles input_quartiles(double *v, size_t n)
{
	sorted_sort(v, n);
	return (struct quartiles){ .q1 = summary_quantile(v, n, 0.25),
				   .median = summary_quantile(v, n, 0.5),
				   .q3 = summary_quantile(v, n, 0.75) };
}

double *input_values(const struct report_input *in, int64_t case_id, int64_t metric,
		     int64_t variant_id, size_t *ret_n)
{
	const struct store_series *s = store_data_find(&in->data, case_id, metric, variant_id);
	double *v = xcalloc(s ? s->n : 1, sizeof(*v));

	*ret_n = 0;
	for (size_t i = 0; s && i < s->n; i++) {
		const struct store_obs *o = &in->data.obs[s->first + i];
		const struct store_ref *run = &in->data.runs[o->run];

		if (!run->untrustworthy && !run->failed && isfinite(o->value))
			v[(*ret_n)++] = o->value;
	}
	return v;
}

bool input_samples(const struct report_input *in, int64_t case_id, int64_t variant_id,
		   const char *name, struct quartiles *ret, size_t *ret_n)
{
	_cleanup_free_ double *v = NULL;
	int64_t metric = 0;
	size_t n;

	for (size_t i = 0; i < in->x.n_metrics; i++)
		if (in->x.metrics[i].case_id == case_id && str_eq(in->x.metrics[i].name, name))
			metric = in->x.metrics[i].id;
	v = input_values(in, case_id, metric, variant_id, &n);
	if (n == 0)
		return false;
	*ret = input_quartiles(v, n);
	*ret_n = n;
	return true;
}

size_t input_count(const struct report_input *in, size_t variant, const char *key)
{
	const char *text = input_env(in, variant, key);
	struct num_set set;

	return text && num_set_parse(text, &set, NULL) == 0 ? num_set_count(&set) : 0;
}

char *input_param(const struct store_case *c, const char *key)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };

	if (kvs_parse(c->params, &kvs, NULL) < 0)
		return NULL;
	return xstrdup(kvs_get(&kvs, key));
}
