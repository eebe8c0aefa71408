// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report_fixture.h"
#include "tap.h"

#define HOSTILE "\"><script>alert(1)</script>'\xff&"

/* Judges and reports; false on failure. */
static bool make_report(struct report_input *in, struct str *out)
{
	struct judge_table t = { 0 };
	struct err e = { 0 };
	int r = judge_experiment(&in->x, &in->data, -1, &t, &e);

	if (r == 0)
		r = report_html(&t, in, out, &e);
	judge_table_done(&t);
	return r == 0;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

/* The value up to the quote of each @attr; NULL at the end. */
static char *next_value(const char **at, const char *attr)
{
	const char *p = strstr(*at, attr);

	if (!p)
		return NULL;
	p += strlen(attr);
	*at = p;
	return xstrndup(p, strcspn(p, "\""));
}

static bool ids_are_unique(const char *text)
{
	const char *at = text;
	char *id;
	bool good = true;

	while ((id = next_value(&at, " id=\""))) {
		_cleanup_free_ char *whole = xasprintf(" id=\"%s\"", id);

		good = good && count(text, whole) == 1;
		free(id);
	}
	return good;
}

static bool links_lead_somewhere(const char *text)
{
	const char *at = text;
	char *to;
	bool good = true;

	while ((to = next_value(&at, "href=\""))) {
		_cleanup_free_ char *id = xasprintf(" id=\"%s\"", to + (*to == '#'));

		good = good && *to == '#' && strstr(text, id);
		free(to);
	}
	return good;
}

static bool fetches_nothing(const char *text)
{
	return !strstr(text, "src=") && !strstr(text, "url(") && !strstr(text, "@import") &&
	       !strstr(text, "<script") && !strstr(text, "<link") && !strstr(text, "http");
}

static bool sound(const char *text)
{
	static const char *const tags[] = { "table", "details", "section", "svg", "figure", "tr",
					    "td", "a", "path", "text", "tbody" };

	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		char open[20], bare[20], close[20];

		snprintf(open, sizeof(open), "<%s ", tags[i]);
		snprintf(bare, sizeof(bare), "<%s>", tags[i]);
		snprintf(close, sizeof(close), "</%s>", tags[i]);
		/* a line has no title and ends itself */
		if (count(text, open) + count(text, bare) !=
		    count(text, close) + (str_eq(tags[i], "path") ? count(text, "\"/>") : 0))
			return false;
	}
	return ids_are_unique(text) && links_lead_somewhere(text) && fetches_nothing(text) &&
	       !strstr(text, "nan") && !strstr(text, "=\"inf");
}

static void pages(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX), again = STR_INIT(REPORT_MAX);
	struct report_input in;
	struct fixture f;

	fixture_pages(&f);
	fixture_input(&f, &in);
	CHECK(make_report(&in, &out) && make_report(&in, &again));
	CHECK(str_eq(str_text(&out), str_text(&again)));
	CHECK(sound(str_text(&out)));
	CHECK(strstr(str_text(&out), "<li>1 regressed</li>"));
	CHECK(strstr(str_text(&out), "deep, round 4, run"));
	CHECK(count(str_text(&out), "untrustworthy</title>") == 2); /* strip and order */
	CHECK(count(str_text(&out), "class=\"m v1 bad\"") == 2);
	CHECK(strstr(str_text(&out), "steal: 3.1 % of the window was stolen"));
	CHECK(strstr(str_text(&out), "margin: +-2%"));
	CHECK(strstr(str_text(&out), "0123456789abcdef0123456789abcdef"));
	CHECK(count(str_text(&out), "<tr id=\"run-") == 60);
	CHECK(strstr(str_text(&out), "<td>16000000 kB</td>") != NULL); /* differs, nobody asked */
	fixture_input_done(&in);
	fixture_done(&f);
}

/* 20 rows, 2 variants, 10 rounds stay below 500 KB. */
static void small_enough(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct report_input in;
	struct fixture f;

	fixture_init(&f, "size", 10);
	(void)fixture_variant(&f, "base", "depth=0");
	(void)fixture_variant(&f, "deep", "depth=4");
	for (size_t c = 0; c < 20; c++) {
		char params[64], title[64];

		snprintf(params, sizeof(params), "tasks=%zu,size=4K", c + 1);
		snprintf(title, sizeof(title), "page_fault1 tasks=%zu", c + 1);
		fixture_case(&f, "page_fault1", params, title, "page", false);
	}
	for (unsigned round = 1; round <= 10; round++)
		for (size_t c = 0; c < 20; c++)
			for (size_t v = 0; v < 2; v++)
				(void)fixture_run(&f, round, c, v, 1e5 * fixture_noise(&f, 0.02),
						  1e5);
	fixture_input(&f, &in);
	CHECK(make_report(&in, &out));
	CHECK(sound(str_text(&out)));
	CHECK(strstr(str_text(&out), "ops_per_cpu_s over tasks"));
	if (out.len >= 500 * 1000)
		printf("# %zu bytes\n", out.len);
	CHECK(out.len < 500 * 1000);
	fixture_input_done(&in);
	fixture_done(&f);
}

static void replace(char **to, const char *with)
{
	free(*to);
	*to = xstrdup(with);
}

static void hostile_names(void)
{
	static const struct store_note note = { "untrustworthy", HOSTILE, HOSTILE };
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct report_input in;
	struct fixture f;

	fixture_pages(&f);
	replace(&f.x.name, HOSTILE);
	replace(&f.x.plan_text, HOSTILE);
	replace(&f.x.command, HOSTILE);
	replace(&f.x.tool, HOSTILE);
	replace(&f.boot.kernel, HOSTILE);
	replace(&f.boot.machine, HOSTILE);
	replace(&f.x.variants[1].name, HOSTILE);
	replace(&f.x.variants[1].spec, HOSTILE);
	replace(&f.x.variants[1].target, HOSTILE);
	replace(&f.x.cases[0].title, HOSTILE);
	replace(&f.x.cases[0].op, HOSTILE);
	replace(&f.x.metrics[0].name, HOSTILE);
	replace(&f.x.metrics[1].unit, HOSTILE);
	kvs_set(&f.env[1], HOSTILE, HOSTILE);
	f.runs[3].status = "untrustworthy";
	f.runs[3].notes = &note;
	f.runs[3].n_notes = 1;
	fixture_input(&f, &in);
	CHECK(make_report(&in, &out));
	CHECK(!strstr(str_text(&out), "<script") && !strstr(str_text(&out), "\xff"));
	CHECK(strstr(str_text(&out), "&quot;&gt;&lt;script&gt;alert(1)"));
	CHECK(sound(str_text(&out)));
	fixture_input_done(&in);
	fixture_done(&f);
}

/* Nothing was run; one variant; a value that isn't finite. */
static void little_data(void)
{
	_cleanup_str_ struct str empty = STR_INIT(REPORT_MAX), one = STR_INIT(REPORT_MAX);
	struct report_input in;
	struct fixture f;

	fixture_init(&f, "empty", 3);
	(void)fixture_variant(&f, "base", "");
	fixture_case(&f, "null", "tasks=1", "null", "op", false);
	fixture_input(&f, &in);
	CHECK(make_report(&in, &empty));
	CHECK(sound(str_text(&empty)));
	CHECK(strstr(str_text(&empty), "No run has finished yet"));
	fixture_input_done(&in);
	(void)fixture_run(&f, 1, 0, 0, 5, 5);
	(void)fixture_run(&f, 2, 0, 0, (double)INFINITY, 5);
	fixture_input(&f, &in);
	CHECK(make_report(&in, &one));
	CHECK(sound(str_text(&one)));
	fixture_input_done(&in);
	fixture_done(&f);
}

/* A metric that is primary with one task only doesn't hide the curve over tasks. */
static void curves_share_a_metric(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct report_input in;
	struct fixture f;

	fixture_init(&f, "tasks", 3);
	(void)fixture_variant(&f, "base", "depth=0");
	(void)fixture_variant(&f, "d2", "depth=2");
	(void)fixture_variant(&f, "d4", "depth=4");
	fixture_case(&f, "null", "tasks=1", "null tasks=1", "op", false);
	fixture_case(&f, "null", "tasks=2", "null tasks=2", "op", false);
	fixture_case(&f, "null", "tasks=4", "null tasks=4", "op", false);
	for (size_t c = 1; c < 3; c++) {
		f.x.metrics[c * FIXTURE_METRICS].primary = false;
		f.x.metrics[c * FIXTURE_METRICS + 1].primary = true;
	}
	for (unsigned round = 1; round <= 3; round++)
		for (size_t c = 0; c < 3; c++)
			for (size_t v = 0; v < 3; v++)
				(void)fixture_run(&f, round, c, v, 1000.0 + round, 500.0 + round);
	fixture_input(&f, &in);
	CHECK(make_report(&in, &out));
	CHECK(sound(str_text(&out)));
	CHECK(strstr(str_text(&out), ">null: ops_per_s over tasks</figcaption>"));
	CHECK(strstr(str_text(&out), "<title>d2 at 1: median 502, n 3</title>"));
	CHECK(strstr(str_text(&out), ">null tasks=4: ops_per_s over depth</figcaption>"));
	fixture_input_done(&in);
	fixture_done(&f);
}

int main(void)
{
	TAP_RUN(pages);
	TAP_RUN(small_enough);
	TAP_RUN(hostile_names);
	TAP_RUN(little_data);
	TAP_RUN(curves_share_a_metric);
	return tap_done();
}
