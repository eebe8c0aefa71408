// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports for programs: JSON, CSV, raw runs; and the list of experiments. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "report/report.h"
#include "report_fixture.h"
#include "tap.h"

struct made {
	struct fixture f;
	struct report_input in;
	struct judge_table t;
};

static void made_done(struct made *m)
{
	judge_table_done(&m->t);
	fixture_input_done(&m->in);
	fixture_done(&m->f);
}
#define _cleanup_made_ __attribute__((cleanup(made_done)))

static int judge(struct made *m, struct err *e)
{
	fixture_input(&m->f, &m->in);
	return judge_experiment(&m->in.x, &m->in.data, -1, &m->t, e);
}

static void json_free(json_t **j)
{
	json_decref(*j);
}

static double number(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static const char *string(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void json_holds_the_table(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	__attribute__((cleanup(json_free))) json_t *root = NULL;
	_cleanup_made_ struct made m = { 0 };
	struct err e = { 0 };
	json_t *row, *effect, *run;

	fixture_pages(&m.f);
	CHECK_OK(judge(&m, &e));
	CHECK_OK(report_json(&m.t, &m.in, &out, &e));
	root = json_loads(str_text(&out), JSON_REJECT_DUPLICATES, NULL);
	CHECK(root);
	CHECK_STR(string(root, "schema"), "mmgauge-report");
	CHECK_EQ(json_integer_value(json_object_get(root, "version")), REPORT_JSON_VERSION);
	CHECK_EQ(json_array_size(json_object_get(root, "rows")), m.t.n_rows);
	CHECK_EQ(json_array_size(json_object_get(root, "runs")), m.f.n_runs);
	CHECK_EQ(json_array_size(json_object_get(root, "variants")), 2);
	row = json_array_get(json_object_get(root, "rows"), 0);
	CHECK_STR(string(json_object_get(row, "case"), "title"), m.t.rows[0].c->title);
	effect = json_array_get(json_object_get(row, "effects"), 0);
	CHECK_STR(string(effect, "variant"), "deep");
	CHECK_STR(string(effect, "verdict"), verdict_name(m.t.rows[0].effect[1].verdict));
	CHECK(number(effect, "change") == m.t.rows[0].effect[1].change);
	CHECK(number(effect, "lo95") == m.t.rows[0].effect[1].lo);
	CHECK(number(json_array_get(json_object_get(row, "sides"), 1), "median") ==
	      m.t.rows[0].side[1].median);
	run = json_array_get(json_object_get(root, "runs"), 5);
	CHECK(number(json_object_get(run, "samples"), "ops_per_cpu_s") ==
	      m.f.runs[5].samples[0].value);
	CHECK_EQ(json_array_size(json_object_get(run, "counters")), m.f.runs[5].n_counters);
}

/* What can't be computed is null, not 0 and not "nan"; text that is no UTF-8 doesn't stop it. */
static void json_without_numbers(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	__attribute__((cleanup(json_free))) json_t *root = NULL;
	_cleanup_made_ struct made m = { 0 };
	struct err e = { 0 };
	json_t *effect;

	fixture_init(&m.f, "\xff\xfe", 3);
	(void)fixture_variant(&m.f, "base", "");
	(void)fixture_variant(&m.f, "v", "");
	fixture_case(&m.f, "null", "tasks=1", "null \xe4", "", false);
	for (unsigned round = 1; round <= 3; round++)
		for (size_t v = 0; v < 2; v++)
			(void)fixture_run(&m.f, round, 0, v, 100 + round, 1);
	CHECK_OK(judge(&m, &e));
	CHECK_OK(report_json(&m.t, &m.in, &out, &e));
	root = json_loads(str_text(&out), 0, NULL);
	CHECK(root);
	CHECK_STR(string(json_object_get(root, "experiment"), "name"), "??");
	effect = json_array_get(json_object_get(json_array_get(json_object_get(root, "rows"), 0),
						"effects"), 0);
	CHECK(json_is_null(json_object_get(effect, "lo95")));
	CHECK_EQ(json_integer_value(json_object_get(effect, "pairs")), 3);
}

/* Reads one RFC 4180 field at *@p into @out; returns the character that ended it. */
static char take_field(const char **p, struct str *out)
{
	str_clear(out);
	if (**p == '"') {
		for ((*p)++; **p && (**p != '"' || (*p)[1] == '"'); (*p)++) {
			*p += **p == '"';
			str_addc(out, **p);
		}
		(*p)++;
	} else {
		for (; **p && !strchr(",\r\n", **p); (*p)++)
			str_addc(out, **p);
	}
	if (**p == '\r')
		(*p)++;
	return **p ? *(*p)++ : '\0';
}

static void csv_has_whole_records(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX), field = STR_INIT(10000);
	_cleanup_made_ struct made m = { 0 };
	struct err e = { 0 };
	size_t columns = 0, records = 0, column = 0, found = 0, median_at = 0;
	const char *p;

	fixture_pages(&m.f);
	free(m.f.x.cases[0].title);
	m.f.x.cases[0].title = xstrdup("a \"quoted\", title\nof two lines");
	CHECK_OK(judge(&m, &e));
	CHECK_OK(report_csv(&m.t, &m.in, &out, &e));
	for (p = str_text(&out); *p;) {
		char end = take_field(&p, &field);

		if (records == 0 && str_eq(str_text(&field), "median"))
			median_at = column;
		if (column == 2 && str_eq(str_text(&field), "a \"quoted\", title\nof two lines"))
			found++;
		if (records == 1 && column == median_at)
			CHECK(strtod(str_text(&field), NULL) == m.t.rows[0].side[0].median);
		column++;
		if (end == ',')
			continue;
		CHECK_EQ(end, '\n');
		columns = columns ? columns : column;
		CHECK_EQ(column, columns);
		records++;
		column = 0;
	}
	CHECK_EQ(records, 1 + 2 * m.t.n_rows);
	CHECK_EQ(found, 2 * FIXTURE_METRICS);
	CHECK_EQ(columns, 34);
}

static size_t count_lines(const char *text, const char *prefix)
{
	size_t n = 0;

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
		n += str_starts(p, prefix);
	return n;
}

static void show_is_exact(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	_cleanup_made_ struct made m = { 0 };
	struct err e = { 0 };
	const char *p;

	fixture_pages(&m.f);
	CHECK_OK(judge(&m, &e));
	CHECK_OK(report_show(&m.in, 0, &out, &e));
	CHECK_EQ(count_lines(str_text(&out), "seq="), m.f.n_runs);
	CHECK_EQ(count_lines(str_text(&out), ""), m.f.n_runs);
	CHECK_HAS(str_text(&out), "status=untrustworthy");
	CHECK_HAS(str_text(&out), "untrustworthy=steal text=\"3.1 % of the window was stolen\"");
	p = str_text(&out);
	for (size_t i = 0; i < m.f.n_runs; i++) {
		p = strstr(p, " ops_per_cpu_s=");
		CHECK(p);
		p += strlen(" ops_per_cpu_s=");
		CHECK(strtod(p, NULL) == m.f.runs[i].samples[0].value);
	}
	str_clear(&out);
	CHECK_OK(report_show(&m.in, SHOW_COUNTERS | SHOW_PLACEMENT, &out, &e));
	CHECK_EQ(count_lines(str_text(&out), "  counter "), 6 * m.f.n_runs);
	CHECK_EQ(count_lines(str_text(&out), "  place "), (1 + 5) * m.f.n_runs / 2);
	CHECK_HAS(str_text(&out), "key=memory.max want=256M got=268435456");
}

static void list(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct store_experiment x[] = {
		{ .id = 1, .name = (char[]){ "quick" }, .wall_start_ns = 1700000000000000000,
		  .status = (char[]){ "done" }, .rounds_planned = 10,
		  .command = (char[]){ "mmgauge run quick.yaml" } },
		{ .id = 12, .name = NULL, .wall_start_ns = 0, .status = (char[]){ "running" },
		  .command = NULL },
	};
	struct err e = { 0 };

	CHECK_OK(report_list_experiments(x, 2, &out, &e));
	CHECK_STR(str_text(&out),
		  "id  name   started (UTC)     status   rounds  command\n"
		  " 1  quick  2023-11-14 22:13  done         10  mmgauge run quick.yaml\n"
		  "12         1970-01-01 00:00  running       0\n");
}

/* A string that is too small is an error, not half a report. */
static void too_large(void)
{
	_cleanup_made_ struct made m = { 0 };
	struct err e = { 0 };

	fixture_pages(&m.f);
	CHECK_OK(judge(&m, &e));
	for (size_t i = 0; i < 4; i++) {
		_cleanup_str_ struct str out = STR_INIT(100);
		int r = i == 0 ? report_native(&m.t, &m.in, false, &out, &e) :
			i == 1 ? report_json(&m.t, &m.in, &out, &e) :
			i == 2 ? report_csv(&m.t, &m.in, &out, &e) :
				 report_show(&m.in, 0, &out, &e);

		CHECK_EQ(r, -EFBIG);
		CHECK_HAS(e.msg, "larger than 100 bytes");
	}
}

int main(void)
{
	TAP_RUN(json_holds_the_table);
	TAP_RUN(json_without_numbers);
	TAP_RUN(csv_has_whole_records);
	TAP_RUN(show_is_exact);
	TAP_RUN(list);
	TAP_RUN(too_large);
	return tap_done();
}
