// SPDX-License-Identifier: GPL-2.0-or-later
/* What is in a store: raw runs, and the list of experiments. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "report/input.h"
#include "report/text.h"

/* A value that can be told from what follows it: quoted when it has blanks or quotes. */
static void value(struct str *out, const char *s)
{
	bool quote = !*s || strpbrk(s, " \t\n\"\\");

	if (!quote) {
		text_ascii(out, s);
		return;
	}
	str_addc(out, '"');
	for (; *s; s++) {
		char c[3] = { *s, '\0', '\0' };

		if (*s == '"' || *s == '\\') {
			c[0] = '\\';
			c[1] = *s;
		}
		text_ascii(out, c);
	}
	str_addc(out, '"');
}

static void pair(struct str *out, const char *key, const char *val)
{
	str_addf(out, " %s=", key);
	value(out, val ? val : "");
}

static void counters(const struct store_run *r, struct str *out)
{
	for (size_t i = 0; i < r->n_counters; i++) {
		const struct store_counter *c = &r->counters[i];
		char buf[TEXT_NUM];

		str_add(out, "  counter");
		pair(out, "where", c->where);
		pair(out, "name", c->name);
		pair(out, "value", text_exact(buf, c->value));
		pair(out, "unit", c->unit);
		str_addc(out, '\n');
	}
}

static void placement(const struct store_run *r, struct str *out)
{
	for (size_t i = 0; i < r->n_places; i++) {
		const struct store_place *p = &r->places[i];

		str_addf(out, "  place group=%u level=%u", p->group, p->level);
		pair(out, "path", p->path);
		pair(out, "key", p->key);
		pair(out, "want", p->want);
		pair(out, "got", p->got);
		pair(out, "file", p->file);
		str_addc(out, '\n');
	}
}

static void run_line(const struct report_input *in, const struct store_run *r, struct str *out)
{
	const struct store_case *c = input_case(in, r->case_id);
	size_t v = input_variant(in, r->variant);

	str_addf(out, "seq=%u round=%u", r->seq, r->round);
	if (r->repeat)
		str_addf(out, " repeat=%u", r->repeat);
	pair(out, "variant", v == NO_VARIANT ? NULL : in->x.variants[v].name);
	pair(out, "case", c ? c->title : NULL);
	pair(out, "status", r->status);
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct store_metric *m = input_metric(in, r->samples[i].metric);
		char buf[TEXT_NUM];

		pair(out, m ? m->name : "unknown", text_exact(buf, r->samples[i].value));
	}
	for (size_t i = 0; i < r->n_notes; i++) {
		pair(out, r->notes[i].kind, r->notes[i].code);
		pair(out, "text", r->notes[i].text);
	}
	str_addc(out, '\n');
}

int report_show(const struct report_input *in, unsigned flags, struct str *out, struct err *e)
{
	for (size_t i = 0; i < in->runs.n; i++) {
		const struct store_run *r = &in->runs.v[i];

		run_line(in, r, out);
		if (flags & SHOW_COUNTERS)
			counters(r, out);
		if (flags & SHOW_PLACEMENT)
			placement(r, out);
	}
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}

int report_list_experiments(const struct store_experiment *x, size_t n, struct str *out,
			    struct err *e)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "rLllrL" };
	static const char *const names[] = { "id", "name", "started (UTC)", "status", "rounds",
					     "command" };

	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		text_cell(&tab, "%s", names[i]);
	for (size_t i = 0; i < n; i++) {
		char buf[64];

		text_row(&tab);
		text_cell(&tab, "%" PRId64, x[i].id);
		text_cell(&tab, "%s", x[i].name ? x[i].name : "");
		text_cell(&tab, "%s", text_day(buf, x[i].wall_start_ns));
		text_cell(&tab, "%s", x[i].status ? x[i].status : "");
		text_cell(&tab, "%u", x[i].rounds_planned);
		text_cell(&tab, "%s", x[i].command ? x[i].command : "");
	}
	text_table_put(&tab, out);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the list is larger than %zu bytes", out->max);
	return 0;
}
