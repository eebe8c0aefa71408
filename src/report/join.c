// SPDX-License-Identifier: GPL-2.0-or-later
/* Experiments that were measured apart as one table: their ids are drawn anew, in one order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/report.h"
#include "store/store.h"

#define TEXT_MAX (64u << 20)

/* Where the rows of one part went: new ids, by index in the part. */
struct map {
	int64_t *variants, *cases, *metrics, *boots;
	unsigned first_seq;
};

struct join {
	struct report_input *parts;
	const char *const *labels;
	size_t n;
	struct map *maps;
	struct report_input out;
};

static void *room(void *v, size_t n, size_t size)
{
	return xrealloc(v, n + 1, size);
}

static bool name_taken(const struct store_experiment *x, const char *name)
{
	for (size_t i = 0; i < x->n_variants; i++)
		if (str_eq(x->variants[i].name, name))
			return true;
	return false;
}

static char *new_name(const struct store_experiment *x, const char *name, const char *label)
{
	char *text;

	if (!name_taken(x, name))
		return xstrdup(name);
	text = xasprintf("%s@%s", name, label);
	for (unsigned i = 2; name_taken(x, text); i++) {
		free(text);
		text = xasprintf("%s@%s#%u", name, label, i);
	}
	return text;
}

static void add_variants(struct join *j, size_t part)
{
	const struct report_input *in = &j->parts[part];
	struct store_experiment *x = &j->out.x;

	for (size_t i = 0; i < in->x.n_variants; i++) {
		const struct store_variant *v = &in->x.variants[i];
		char *name = new_name(x, v->name, j->labels[part]);

		x->variants = room(x->variants, x->n_variants, sizeof(*x->variants));
		j->out.env = room(j->out.env, x->n_variants, sizeof(*j->out.env));
		j->out.env[x->n_variants] = (struct kvs){ 0 };
		if (in->env)
			kvs_copy(&j->out.env[x->n_variants], &in->env[i]);
		j->maps[part].variants[i] = (int64_t)x->n_variants + 1;
		x->variants[x->n_variants++] = (struct store_variant){
			.id = j->maps[part].variants[i],
			.name = name,
			.target = xstrdup(v->target),
			.spec = xstrdup(v->spec),
		};
	}
}

static int add_case(struct store_experiment *x, const struct store_case *c, const char *label,
		    int64_t *ret, struct err *e)
{
	for (size_t i = 0; i < x->n_cases; i++) {
		const struct store_case *o = &x->cases[i];

		if (!str_eq(o->workload, c->workload) || !str_eq(o->params, c->params))
			continue;
		if (o->revision != c->revision)
			return err_set(e, -EINVAL, "could not join \"%s\": its %s is revision %u, "
				       "the others' is %u: an operation is not the same", label,
				       c->workload, c->revision, o->revision);
		*ret = o->id;
		return 0;
	}
	x->cases = room(x->cases, x->n_cases, sizeof(*x->cases));
	*ret = (int64_t)x->n_cases + 1;
	x->cases[x->n_cases++] = (struct store_case){
		.id = *ret,
		.workload = xstrdup(c->workload),
		.revision = c->revision,
		.params = xstrdup(c->params),
		.title = xstrdup(c->title),
		.op = xstrdup(c->op),
		.primary_row = c->primary_row,
		.floor = c->floor,
	};
	return 0;
}

static int add_metric(struct store_experiment *x, const struct store_metric *m, int64_t case_id,
		      const char *label, int64_t *ret, struct err *e)
{
	for (size_t i = 0; i < x->n_metrics; i++) {
		const struct store_metric *o = &x->metrics[i];

		if (o->case_id != case_id || !str_eq(o->name, m->name))
			continue;
		if (!str_eq(o->unit, m->unit) || o->higher_is_better != m->higher_is_better)
			return err_set(e, -EINVAL, "could not join \"%s\": its %s is in %s, %s is "
				       "better; the others' in %s, %s", label, m->name, m->unit,
				       m->higher_is_better ? "higher" : "lower", o->unit,
				       o->higher_is_better ? "higher" : "lower");
		*ret = o->id;
		return 0;
	}
	x->metrics = room(x->metrics, x->n_metrics, sizeof(*x->metrics));
	*ret = (int64_t)x->n_metrics + 1;
	x->metrics[x->n_metrics++] = (struct store_metric){
		.id = *ret,
		.case_id = case_id,
		.name = xstrdup(m->name),
		.unit = xstrdup(m->unit),
		.higher_is_better = m->higher_is_better,
		.primary = m->primary,
		.help = xstrdup(m->help),
	};
	return 0;
}

static size_t case_index(const struct store_experiment *x, int64_t id)
{
	size_t i = 0;

	while (i < x->n_cases && x->cases[i].id != id)
		i++;
	return i;
}

static int add_rows(struct join *j, size_t part, struct err *e)
{
	const struct store_experiment *x = &j->parts[part].x;
	struct map *m = &j->maps[part];
	const char *label = j->labels[part];
	int r = 0;

	for (size_t i = 0; r == 0 && i < x->n_cases; i++)
		r = add_case(&j->out.x, &x->cases[i], label, &m->cases[i], e);
	for (size_t i = 0; r == 0 && i < x->n_metrics; i++) {
		size_t c = case_index(x, x->metrics[i].case_id);

		if (c < x->n_cases)
			r = add_metric(&j->out.x, &x->metrics[i], m->cases[c], label,
				       &m->metrics[i], e);
	}
	return r;
}

static void add_boots(struct join *j, size_t part)
{
	const struct report_input *in = &j->parts[part];
	struct report_input *out = &j->out;

	for (size_t i = 0; i < in->n_boots; i++) {
		const struct store_boot *b = &in->boots[i];
		size_t k = 0;

		while (k < out->n_boots &&
		       (!*b->boot_id || !str_eq(out->boots[k].boot_id, b->boot_id)))
			k++;
		j->maps[part].boots[i] = (int64_t)k + 1;
		if (k < out->n_boots)
			continue;
		out->boots = room(out->boots, out->n_boots, sizeof(*out->boots));
		out->boots[out->n_boots++] = (struct store_boot){
			.id = (int64_t)k + 1,
			.boot_id = xstrdup(b->boot_id),
			.kernel = xstrdup(b->kernel),
			.machine = xstrdup(b->machine),
		};
	}
}

/* The new id of an old one, 0 when it is none of the part's. */
#define MAPPED(array, count, map, old)                          \
	({                                                      \
		int64_t found_ = 0;                             \
		for (size_t at_ = 0; at_ < (count); at_++)      \
			if ((array)[at_].id == (old))           \
				found_ = (map)[at_];            \
		found_;                                         \
	})

/* @samples: room for those of the run, whose metrics get their new ids. */
static void add_run(struct join *j, size_t part, const struct store_run *from,
		    struct store_sample *samples)
{
	struct store_run *r = &j->out.runs.v[j->out.runs.n];
	const struct report_input *in = &j->parts[part];
	const struct map *m = &j->maps[part];

	*r = *from;
	r->samples = samples;
	r->id = (int64_t)j->out.runs.n + 1;
	r->variant = MAPPED(in->x.variants, in->x.n_variants, m->variants, r->variant);
	r->case_id = MAPPED(in->x.cases, in->x.n_cases, m->cases, r->case_id);
	r->boot = MAPPED(in->boots, in->n_boots, m->boots, r->boot);
	r->seq += m->first_seq;
	for (size_t i = 0; i < r->n_samples; i++) {
		samples[i] = from->samples[i];
		samples[i].metric = MAPPED(in->x.metrics, in->x.n_metrics, m->metrics,
					   samples[i].metric);
	}
	j->out.runs.n++;
}

static void add_runs(struct join *j)
{
	size_t n = 0, n_samples = 0, used = 0;

	for (size_t p = 0; p < j->n; p++) {
		n += j->parts[p].runs.n;
		for (size_t i = 0; i < j->parts[p].runs.n; i++)
			n_samples += j->parts[p].runs.v[i].n_samples;
	}
	j->out.runs.v = xcalloc(n ? n : 1, sizeof(*j->out.runs.v));
	j->out.samples = xcalloc(n_samples ? n_samples : 1, sizeof(*j->out.samples));
	for (size_t p = 0; p < j->n; p++) {
		for (size_t i = 0; i < j->parts[p].runs.n; i++) {
			add_run(j, p, &j->parts[p].runs.v[i], j->out.samples + used);
			used += j->parts[p].runs.v[i].n_samples;
		}
	}
}

/* The refs of all parts; @ret_first[part] is where its own begin. */
static void add_refs(struct join *j, unsigned *ret_first)
{
	for (size_t p = 0; p < j->n; p++) {
		const struct report_input *in = &j->parts[p];
		const struct map *m = &j->maps[p];

		ret_first[p] = (unsigned)j->out.data.n_runs;
		for (size_t i = 0; i < in->data.n_runs; i++) {
			struct store_ref r = in->data.runs[i];

			r.id = (int64_t)j->out.data.n_runs + 1;
			r.variant = MAPPED(in->x.variants, in->x.n_variants, m->variants,
					   r.variant);
			r.case_id = MAPPED(in->x.cases, in->x.n_cases, m->cases, r.case_id);
			r.boot = MAPPED(in->boots, in->n_boots, m->boots, r.boot);
			r.seq += m->first_seq;
			(void)store_data_add_run(&j->out.data, &r);
		}
	}
}

/* The samples of the metric @m of the result that part @p has under its variant @v. */
static void add_series(struct join *j, const struct store_metric *m, size_t p, size_t v,
		       unsigned first)
{
	const struct report_input *in = &j->parts[p];
	const struct store_series *s = NULL;

	for (size_t i = 0; i < in->x.n_metrics && !s; i++)
		if (j->maps[p].metrics[i] == m->id)
			s = store_data_find(&in->data, in->x.metrics[i].case_id,
					    in->x.metrics[i].id, in->x.variants[v].id);
	for (size_t i = 0; s && i < s->n; i++) {
		const struct store_obs *o = &in->data.obs[s->first + i];

		store_data_add(&j->out.data, m->id, first + o->run, o->idx, o->value);
	}
}

static void add_data(struct join *j)
{
	_cleanup_free_ unsigned *first = xcalloc(j->n, sizeof(*first));
	const struct store_experiment *x = &j->out.x;

	add_refs(j, first);
	for (size_t c = 0; c < x->n_cases; c++)
		for (size_t m = 0; m < x->n_metrics; m++)
			for (size_t p = 0; x->metrics[m].case_id == x->cases[c].id && p < j->n; p++)
				for (size_t v = 0; v < j->parts[p].x.n_variants; v++)
					add_series(j, &x->metrics[m], p, v, first[p]);
}

static void append(char **to, const char *label, const char *text)
{
	char *joined = xasprintf("%s# %s\n%s%s", *to ? *to : "", label, text ? text : "",
				 text && *text && text[strlen(text) - 1] == '\n' ? "" : "\n");

	free(*to);
	*to = joined;
}

/* What is said once for all: the longest plan, the first margin, the texts of all. */
static void add_head(struct join *j)
{
	_cleanup_str_ struct str hashes = STR_INIT(TEXT_MAX), names = STR_INIT(TEXT_MAX);
	struct store_experiment *x = &j->out.x;
	bool imported = false;

	x->margin = j->parts[0].x.margin;
	x->seed = j->parts[0].x.seed;
	x->time_ns = j->parts[0].x.time_ns;
	x->warmup_ns = j->parts[0].x.warmup_ns;
	x->wall_start_ns = j->parts[0].x.wall_start_ns;
	x->tool = xstrdup(j->parts[0].x.tool);
	x->status = xstrdup("done");
	x->skipped = xstrdup("");
	for (size_t p = 0; p < j->n; p++) {
		const struct store_experiment *o = &j->parts[p].x;

		str_addf(&names, "%s%s", p ? " + " : "", o->name);
		str_addf(&hashes, "%s\n", j->parts[p].hash);
		append(&x->plan_text, j->labels[p], o->plan_text);
		append(&x->command, j->labels[p], o->command);
		imported = imported || str_eq(o->order, STORE_ORDER_IMPORTED);
		if (o->rounds_planned > x->rounds_planned)
			x->rounds_planned = o->rounds_planned;
		if (!str_eq(o->status, "done")) {
			free(x->status);
			x->status = xstrdup(o->status);
		}
	}
	x->name = xstrdup(str_text(&names));
	x->order = xstrdup(imported ? STORE_ORDER_IMPORTED : STORE_ORDER_JOINED);
	if (j->parts[0].hash[0])
		store_hash_text(str_text(&hashes), j->out.hash);
	x->plan_hash = xstrdup(j->out.hash);
}

static void maps_init(struct join *j)
{
	unsigned seq = 0;

	j->maps = xcalloc(j->n, sizeof(*j->maps));
	for (size_t p = 0; p < j->n; p++) {
		const struct report_input *in = &j->parts[p];
		struct map *m = &j->maps[p];

		m->variants = xcalloc(in->x.n_variants + 1, sizeof(*m->variants));
		m->cases = xcalloc(in->x.n_cases + 1, sizeof(*m->cases));
		m->metrics = xcalloc(in->x.n_metrics + 1, sizeof(*m->metrics));
		m->boots = xcalloc(in->n_boots + 1, sizeof(*m->boots));
		m->first_seq = seq;
		for (size_t i = 0; i < in->data.n_runs; i++)
			if (in->data.runs[i].seq + m->first_seq > seq)
				seq = in->data.runs[i].seq + m->first_seq;
	}
}

static void maps_done(struct join *j)
{
	for (size_t p = 0; p < j->n; p++) {
		free(j->maps[p].variants);
		free(j->maps[p].cases);
		free(j->maps[p].metrics);
		free(j->maps[p].boots);
	}
	free(j->maps);
}

int report_join(struct report_input *in, const char *const *labels, size_t n,
		struct report_input *ret, struct err *e)
{
	struct join j = { .parts = in, .labels = labels, .n = n };
	int r = 0;

	maps_init(&j);
	add_head(&j);
	for (size_t p = 0; r == 0 && p < n; p++) {
		add_variants(&j, p);
		add_boots(&j, p);
		r = add_rows(&j, p, e);
	}
	if (r == 0) {
		add_data(&j);
		add_runs(&j);
		j.out.parts = xcalloc(n, sizeof(*j.out.parts));
		j.out.n_parts = n;
		memcpy(j.out.parts, in, n * sizeof(*in));
		memset(in, 0, n * sizeof(*in));
		*ret = j.out;
	} else {
		report_input_done(&j.out);
	}
	maps_done(&j);
	return r;
}
