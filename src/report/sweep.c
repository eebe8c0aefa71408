// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sweep.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"

/* The metric of that name, or the primary one, of a case. */
static const struct store_metric *metric_of(const struct report_input *in,
					    const struct store_case *c, const char *name)
{
	for (size_t i = 0; i < in->x.n_metrics; i++) {
		const struct store_metric *m = &in->x.metrics[i];

		if (m->case_id == c->id && (name ? str_eq(m->name, name) : m->primary))
			return m;
	}
	return NULL;
}

/* How many cases of the workload have the metric; those of which it is primary count twice. */
static size_t weight(const struct report_input *in, const char *workload, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < in->x.n_cases; i++) {
		const struct store_case *c = &in->x.cases[i];
		const struct store_metric *m = metric_of(in, c, name);

		if (str_eq(c->workload, workload) && m)
			n += m->primary ? 2 : 1;
	}
	return n;
}

/* What is drawn: with one task another metric may be primary than with more. */
static const char *metric_name(const struct report_input *in, const char *workload)
{
	const char *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < in->x.n_cases; i++) {
		const struct store_case *c = &in->x.cases[i];
		const struct store_metric *m = metric_of(in, c, NULL);
		size_t n;

		if (!str_eq(c->workload, workload) || !m || str_eq(m->name, best))
			continue;
		n = weight(in, workload, m->name);
		if (n > most) {
			most = n;
			best = m->name;
		}
	}
	return best;
}

static void add_case(struct sweep *s, const struct report_input *in, const struct store_case *c,
		     const char *metric)
{
	const struct store_metric *m = metric ? metric_of(in, c, metric) : NULL;
	struct sweep_case *sc = &s->cases[s->n_cases];

	if (!m || !metric_of(in, c, NULL))
		return;
	*sc = (struct sweep_case){ .c = c, .m = m };
	if (kvs_parse(c->params, &sc->params, NULL) == 0)
		s->n_cases++;
}

static bool varies(const struct sweep *s, const char *key)
{
	for (size_t i = 1; i < s->n_cases; i++)
		if (!str_eq(kvs_get(&s->cases[i].params, key), kvs_get(&s->cases[0].params, key)))
			return true;
	return false;
}

static bool parse(const char *text, enum sweep_kind kind, double *ret)
{
	uint64_t u;

	if (!text)
		return false;
	if (kind == SWEEP_NUMBER)
		return num_double(text, ret, NULL) == 0;
	if ((kind == SWEEP_SIZE ? num_size(text, &u, NULL) : num_duration(text, &u, NULL)) < 0)
		return false;
	*ret = (double)u;
	return true;
}

/* The first kind that all values can be read as; plain numbers of bytes are called so by name. */
static enum sweep_kind kind_of(const struct sweep *s, const char *key)
{
	for (enum sweep_kind kind = SWEEP_NUMBER; kind < SWEEP_WORDS; kind++) {
		bool all = !(kind == SWEEP_NUMBER && strstr(key, "size"));
		double v;

		for (size_t i = 0; i < s->n_cases && all; i++)
			all = parse(kvs_get(&s->cases[i].params, key), kind, &v);
		if (all)
			return kind;
	}
	return SWEEP_WORDS;
}

static void find_axes(struct sweep *s)
{
	const struct kvs *first = &s->cases[0].params;

	s->axes = xcalloc(first->n, sizeof(*s->axes));
	for (size_t i = 0; i < first->n; i++) {
		const char *key = first->v[i].key;

		if (!varies(s, key))
			continue;
		s->axes[s->n_axes++] = (struct sweep_axis){ .name = xstrdup(key),
							    .kind = kind_of(s, key) };
	}
}

void sweep_init(struct sweep *s, const struct report_input *in, const char *workload)
{
	const char *metric = metric_name(in, workload);

	*s = (struct sweep){ .workload = workload,
			     .cases = xcalloc(in->x.n_cases, sizeof(*s->cases)) };
	for (size_t i = 0; i < in->x.n_cases; i++)
		if (str_eq(in->x.cases[i].workload, workload))
			add_case(s, in, &in->x.cases[i], metric);
	if (s->n_cases)
		find_axes(s);
}

void sweep_done(struct sweep *s)
{
	for (size_t i = 0; i < s->n_cases; i++)
		kvs_done(&s->cases[i].params);
	for (size_t i = 0; i < s->n_axes; i++)
		free(s->axes[i].name);
	free(s->cases);
	free(s->axes);
	*s = (struct sweep){ 0 };
}

double sweep_value(const struct sweep *s, size_t case_index, size_t axis)
{
	double v = 0;

	(void)parse(sweep_text(s, case_index, axis), s->axes[axis].kind, &v);
	return v;
}

const char *sweep_text(const struct sweep *s, size_t case_index, size_t axis)
{
	const char *text = kvs_get(&s->cases[case_index].params, s->axes[axis].name);

	return text ? text : "";
}

bool sweep_same_slice(const struct sweep *s, size_t a, size_t b, size_t axis, size_t other)
{
	for (size_t x = 0; x < s->n_axes; x++)
		if (x != axis && x != other && !str_eq(sweep_text(s, a, x), sweep_text(s, b, x)))
			return false;
	return true;
}

size_t sweep_find(const struct sweep *s, const char *name)
{
	for (size_t x = 0; x < s->n_axes; x++)
		if (str_eq(s->axes[x].name, name))
			return x;
	return SIZE_MAX;
}
