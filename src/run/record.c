// SPDX-License-Identifier: GPL-2.0-or-later
/* A result of a target as one row of the store. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "run/internal.h"

/* The id of a metric of a case, added to the store when it is new. */
static int metric_id(struct run *r, int64_t case_id, const struct target_sample *s,
		     int64_t *ret, struct err *e)
{
	struct store_metric m = {
		.case_id = case_id,
		.name = s->name,
		.unit = s->unit,
		.help = s->help,
		.higher_is_better = s->higher_is_better,
		.primary = s->primary,
	};
	int rc;

	for (size_t i = 0; i < r->n_metrics; i++)
		if (r->metrics[i].case_id == case_id && str_eq(r->metrics[i].name, s->name)) {
			*ret = r->metrics[i].id;
			return 0;
		}
	rc = store_add_metric(r->store, &m, e);
	if (rc < 0)
		return rc;
	r->metrics = xrealloc(r->metrics, r->n_metrics + 1, sizeof(*r->metrics));
	r->metrics[r->n_metrics++] = (struct store_metric){
		.id = m.id,
		.case_id = case_id,
		.name = xstrdup(s->name),
	};
	*ret = m.id;
	return 0;
}

static int take_samples(struct run *r, int64_t case_id, const struct target_result *res,
			struct store_sample *samples, double *primary, struct err *e)
{
	for (size_t i = 0; i < res->n_samples; i++) {
		int rc = metric_id(r, case_id, &res->samples[i], &samples[i].metric, e);

		if (rc < 0)
			return rc;
		samples[i].value = res->samples[i].value;
		if (res->samples[i].primary)
			*primary = res->samples[i].value;
	}
	return 0;
}

static struct store_counter *take_counters(const struct target_result *res, uint64_t tool_cpu_ns)
{
	struct store_counter *c = xcalloc(res->n_counters + 1, sizeof(*c));

	for (size_t i = 0; i < res->n_counters; i++)
		c[i] = (struct store_counter){
			.where = res->counters[i].where,
			.name = res->counters[i].name,
			.unit = res->counters[i].unit,
			.value = res->counters[i].value,
		};
	c[res->n_counters] = (struct store_counter){
		.where = "tool",
		.name = "cpu",
		.unit = "s",
		.value = (double)tool_cpu_ns / (double)NSEC_PER_SEC,
	};
	return c;
}

static struct store_place *take_places(const struct target_result *res)
{
	struct store_place *p = xcalloc(res->n_places, sizeof(*p));

	for (size_t i = 0; i < res->n_places; i++)
		p[i] = (struct store_place){
			.group = res->places[i].group,
			.level = res->places[i].level,
			.path = res->places[i].path,
			.key = res->places[i].key,
			.want = res->places[i].want,
			.got = res->places[i].got,
			.file = res->places[i].file,
		};
	return p;
}

static struct store_note *take_notes(const struct target_result *res)
{
	struct store_note *n = xcalloc(res->n_notes, sizeof(*n));

	for (size_t i = 0; i < res->n_notes; i++)
		n[i] = (struct store_note){
			.kind = res->notes[i].kind,
			.code = res->notes[i].code,
			.text = res->notes[i].text,
		};
	return n;
}

int run_record(struct run *r, const struct plan_step *s, const struct target_result *res,
	       uint64_t tool_cpu_ns, double *ret_primary, struct err *e)
{
	_cleanup_free_ struct store_sample *samples = xcalloc(res->n_samples, sizeof(*samples));
	_cleanup_free_ struct store_counter *counters = take_counters(res, tool_cpu_ns);
	_cleanup_free_ struct store_place *places = take_places(res);
	_cleanup_free_ struct store_note *notes = take_notes(res);
	int64_t case_id = r->x.cases[s->case_i].id;
	struct store_run run = {
		.experiment = r->x.id,
		.variant = r->x.variants[s->variant_i].id,
		.case_id = case_id,
		.boot = r->boots[s->variant_i],
		.round = s->round,
		.seq = r->seq + 1,
		.start_ns = res->start_ns,
		.end_ns = res->end_ns,
		.wall_ns = (int64_t)clock_wall_ns(),
		.status = res->status,
		.samples = samples,
		.n_samples = res->n_samples,
		.counters = counters,
		.n_counters = res->n_counters + 1,
		.places = places,
		.n_places = res->n_places,
		.notes = notes,
		.n_notes = res->n_notes,
	};
	double primary = (double)NAN;
	int rc = take_samples(r, case_id, res, samples, &primary, e);

	if (rc == 0)
		rc = store_add_run(r->store, &run, e);
	if (rc < 0)
		return rc;
	r->seq++;
	*ret_primary = primary;
	return 0;
}
