// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON, schema in docs/report-json.md. A number that doesn't exist is null, never a string. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "report/input.h"
#include "report/notes.h"
#include "report/text.h"

/* A set that fails (out of memory) leaves the object short, which the caller can't use. */
static void put(json_t *obj, const char *key, json_t *val, bool *failed)
{
	if (json_object_set_new(obj, key, val) < 0)
		*failed = true;
}

static void append(json_t *array, json_t *val, bool *failed)
{
	if (json_array_append_new(array, val) < 0)
		*failed = true;
}

/* Text that is no UTF-8 goes in as ASCII with question marks. */
static json_t *text(const char *s)
{
	_cleanup_str_ struct str clean = STR_INIT(REPORT_MAX);
	json_t *j;

	if (!s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	text_ascii(&clean, s);
	return json_string(str_text(&clean));
}

static json_t *real(bool there, double v)
{
	return there && isfinite(v) ? json_real(v) : json_null();
}

static json_t *count(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *lines(const char *s, bool *failed)
{
	char *copy = xstrdup(s ? s : ""), *rest = copy, *line;
	json_t *array = json_array();

	while ((line = str_cut(&rest, "\n")))
		if (*line)
			append(array, text(line), failed);
	free(copy);
	return array;
}

static json_t *experiment(const struct judge_table *t, const struct report_input *in, bool *failed)
{
	const struct store_experiment *x = &in->x;
	json_t *o = json_object();
	char seed[TEXT_NUM];

	(void)snprintf(seed, sizeof(seed), "%" PRIu64, x->seed);
	put(o, "id", json_integer(x->id), failed);
	put(o, "name", text(x->name), failed);
	put(o, "status", text(x->status), failed);
	put(o, "command", text(x->command), failed);
	put(o, "tool", text(x->tool), failed);
	put(o, "plan", text(x->plan_text), failed);
	put(o, "plan_hash", text(x->plan_hash), failed);
	put(o, "raw_hash", text(in->hash), failed);
	put(o, "order", text(x->order), failed);
	put(o, "seed", text(seed), failed);
	put(o, "margin", real(true, t->margin), failed);
	put(o, "family", count(t->family), failed);
	put(o, "rounds_planned", count(x->rounds_planned), failed);
	put(o, "time_ns", count(x->time_ns), failed);
	put(o, "warmup_ns", count(x->warmup_ns), failed);
	put(o, "wall_start_ns", json_integer(x->wall_start_ns), failed);
	put(o, "skipped", lines(x->skipped, failed), failed);
	return o;
}

static json_t *variants(const struct report_input *in, bool *failed)
{
	json_t *array = json_array();

	for (size_t v = 0; v < in->x.n_variants; v++) {
		const struct store_variant *var = &in->x.variants[v];
		json_t *o = json_object(), *env = json_object();

		for (size_t i = 0; in->env && i < in->env[v].n; i++)
			put(env, in->env[v].v[i].key, text(in->env[v].v[i].val), failed);
		put(o, "name", text(var->name), failed);
		put(o, "target", text(var->target), failed);
		put(o, "spec", text(var->spec), failed);
		put(o, "environment", env, failed);
		append(array, o, failed);
	}
	return array;
}

static json_t *boots(const struct report_input *in, bool *failed)
{
	json_t *array = json_array();

	for (size_t i = 0; i < in->n_boots; i++) {
		json_t *o = json_object();

		put(o, "id", json_integer(in->boots[i].id), failed);
		put(o, "boot_id", text(in->boots[i].boot_id), failed);
		put(o, "kernel", text(in->boots[i].kernel), failed);
		put(o, "machine", text(in->boots[i].machine), failed);
		append(array, o, failed);
	}
	return array;
}

static json_t *side(const char *variant, const struct judge_side *s, bool *failed)
{
	json_t *o = json_object();

	put(o, "variant", text(variant), failed);
	put(o, "n", count(s->n), failed);
	put(o, "n_untrustworthy", count(s->n_bad), failed);
	put(o, "n_failed", count(s->n_failed), failed);
	put(o, "median", real(s->n > 0, s->median), failed);
	put(o, "mean", real(s->n > 0, s->mean), failed);
	put(o, "stddev", real(s->n > 1, s->stddev), failed);
	put(o, "cv", real(s->n > 1, s->cv), failed);
	put(o, "min", real(s->n > 0, s->min), failed);
	put(o, "max", real(s->n > 0, s->max), failed);
	return o;
}

static json_t *effect(const char *variant, const struct judge_effect *f, bool *failed)
{
	bool interval = judge_has_interval(f);
	json_t *o = json_object();

	put(o, "variant", text(variant), failed);
	put(o, "pairs", count(f->n), failed);
	put(o, "change", real(f->n > 0, f->change), failed);
	put(o, "lo95", real(interval, f->lo), failed);
	put(o, "hi95", real(interval, f->hi), failed);
	put(o, "lo90", real(interval, f->lo90), failed);
	put(o, "hi90", real(interval, f->hi90), failed);
	put(o, "t_lo95", real(f->n > 1, f->t_lo), failed);
	put(o, "t_hi95", real(f->n > 1, f->t_hi), failed);
	put(o, "p", real(f->n > 0, f->p), failed);
	put(o, "p_holm", real(f->n > 0, f->p_adjusted), failed);
	put(o, "mde", real(f->n > 1, f->mde), failed);
	put(o, "exact", json_boolean(f->exact), failed);
	put(o, "real_small", json_boolean(f->real_small), failed);
	put(o, "more_rounds", count(f->more_rounds), failed);
	put(o, "verdict", text(verdict_name(f->verdict)), failed);
	return o;
}

static json_t *row(const struct judge_table *t, const struct judge_row *r, bool *failed)
{
	json_t *o = json_object(), *c = json_object(), *m = json_object();
	json_t *sides = json_array(), *effects = json_array();

	put(c, "id", json_integer(r->c->id), failed);
	put(c, "workload", text(r->c->workload), failed);
	put(c, "revision", count(r->c->revision), failed);
	put(c, "params", text(r->c->params), failed);
	put(c, "title", text(r->c->title), failed);
	put(c, "op", text(r->c->op), failed);
	put(c, "primary", json_boolean(r->c->primary_row), failed);
	put(m, "name", text(r->m->name), failed);
	put(m, "unit", text(r->m->unit), failed);
	put(m, "higher_is_better", json_boolean(r->m->higher_is_better), failed);
	put(m, "primary", json_boolean(r->m->primary), failed);
	put(m, "help", text(r->m->help), failed);
	for (size_t v = 0; v < t->x->n_variants; v++) {
		const char *name = t->x->variants[v].name;

		append(sides, side(name, &r->side[v], failed), failed);
		if (v)
			append(effects, effect(name, &r->effect[v], failed), failed);
	}
	put(o, "case", c, failed);
	put(o, "metric", m, failed);
	put(o, "sides", sides, failed);
	put(o, "effects", effects, failed);
	put(o, "disagree", json_boolean(r->disagree), failed);
	return o;
}

static json_t *run_details(const struct store_run *r, bool *failed)
{
	json_t *counters = json_array(), *places = json_array(), *notes = json_array();

	for (size_t i = 0; i < r->n_counters; i++) {
		const struct store_counter *c = &r->counters[i];

		append(counters, json_pack("{so so so so}", "where", text(c->where), "name",
					   text(c->name), "unit", text(c->unit), "value",
					   real(true, c->value)), failed);
	}
	for (size_t i = 0; i < r->n_places; i++) {
		const struct store_place *p = &r->places[i];

		append(places, json_pack("{sI sI so so so so so}", "group", (json_int_t)p->group,
					 "level", (json_int_t)p->level, "path", text(p->path),
					 "key", text(p->key), "want", text(p->want), "got",
					 text(p->got), "file", text(p->file)), failed);
	}
	for (size_t i = 0; i < r->n_notes; i++) {
		const struct store_note *n = &r->notes[i];

		append(notes, json_pack("{so so so}", "kind", text(n->kind), "code",
					text(n->code), "text", text(n->text)), failed);
	}
	return json_pack("{so so so}", "counters", counters, "places", places, "notes", notes);
}

static json_t *run(const struct report_input *in, const struct store_run *r, bool *failed)
{
	json_t *o = json_object(), *samples = json_object(), *details = run_details(r, failed);
	size_t v = input_variant(in, r->variant);

	put(o, "id", json_integer(r->id), failed);
	put(o, "seq", count(r->seq), failed);
	put(o, "round", count(r->round), failed);
	put(o, "repeat", count(r->repeat), failed);
	put(o, "variant", text(v == NO_VARIANT ? NULL : in->x.variants[v].name), failed);
	put(o, "case", json_integer(r->case_id), failed);
	put(o, "boot", json_integer(r->boot), failed);
	put(o, "status", text(r->status), failed);
	put(o, "start_ns", count(r->start_ns), failed);
	put(o, "end_ns", count(r->end_ns), failed);
	put(o, "wall_ns", json_integer(r->wall_ns), failed);
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct store_metric *m = input_metric(in, r->samples[i].metric);

		if (m)
			put(samples, m->name, real(true, r->samples[i].value), failed);
	}
	put(o, "samples", samples, failed);
	if (json_object_update(o, details) < 0)
		*failed = true;
	json_decref(details);
	return o;
}

static json_t *footnotes(const struct judge_table *t, const struct report_input *in, bool *failed)
{
	_cleanup_notes_ struct notes notes = { 0 };
	json_t *array = json_array();

	notes_collect(t, in, &notes);
	for (size_t i = 0; i < notes.numbered.n; i++)
		append(array, text(notes.numbered.v[i]), failed);
	for (size_t i = 0; i < notes.general.n; i++)
		append(array, text(notes.general.v[i]), failed);
	return array;
}

static json_t *document(const struct judge_table *t, const struct report_input *in, bool *failed)
{
	json_t *root = json_object(), *rows = json_array(), *runs = json_array();

	put(root, "schema", text("mmgauge-report"), failed);
	put(root, "version", count(REPORT_JSON_VERSION), failed);
	put(root, "experiment", experiment(t, in, failed), failed);
	put(root, "variants", variants(in, failed), failed);
	put(root, "boots", boots(in, failed), failed);
	for (size_t r = 0; r < t->n_rows; r++)
		append(rows, row(t, &t->rows[r], failed), failed);
	put(root, "rows", rows, failed);
	put(root, "footnotes", footnotes(t, in, failed), failed);
	for (size_t i = 0; i < in->runs.n; i++)
		append(runs, run(in, &in->runs.v[i], failed), failed);
	put(root, "runs", runs, failed);
	return root;
}

int report_json(const struct judge_table *t, const struct report_input *in, struct str *out,
		struct err *e)
{
	bool failed = false;
	json_t *root = document(t, in, &failed);
	char *dump = failed ? NULL : json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	json_decref(root);
	if (!dump)
		return err_set(e, -ENOMEM, "could not make the JSON report: memory is out or a "
			       "name is no UTF-8");
	str_add(out, dump);
	str_addc(out, '\n');
	free(dump);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
