// SPDX-License-Identifier: GPL-2.0-or-later
/* Every example in docs/plans.md is what the text says, and every plan in plans/ is one. */
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "plan/plan.h"

#define TEXT_MAX (1u << 20)

/* The next fenced block of *@rest, cut in place; its info string in *@ret_info. */
static char *next_block(char **rest, char **ret_info)
{
	char *start = *rest ? strstr(*rest, "\n```") : NULL, *end;

	if (!start)
		return NULL;
	*ret_info = start + 4;
	start = strchr(start + 4, '\n');
	if (!start)
		return NULL;
	*start++ = '\0';
	end = strstr(start, "\n```");
	if (!end)
		return NULL;
	end[1] = '\0';
	*rest = strchr(end + 2, '\n');
	return start;
}

static void read_doc(struct str *doc)
{
	struct err e = { 0 };

	CHECK_OK(fsx_read(AT_FDCWD, "docs/plans.md", doc, &e));
}

static void examples_parse(void)
{
	_cleanup_str_ struct str doc = STR_INIT(TEXT_MAX);
	struct err e = { 0 };
	char *rest, *block, *info;
	unsigned n = 0;

	read_doc(&doc);
	rest = doc.buf;
	while ((block = next_block(&rest, &info))) {
		_cleanup_plan_ struct plan p = { 0 };

		if (strcmp(info, "yaml") != 0)
			continue;
		n++;
		for (unsigned cpus = 1; cpus <= 16; cpus *= 4) {
			plan_done(&p);
			CHECK_OK(plan_parse("plan.yaml", block, cpus, &p, &e));
		}
	}
	CHECK(n >= 8);
}

static void mistakes_are_told_as_shown(void)
{
	_cleanup_str_ struct str doc = STR_INIT(TEXT_MAX);
	struct err e = { 0 };
	char *rest, *block, *info;
	unsigned n = 0;

	read_doc(&doc);
	rest = doc.buf;
	while ((block = next_block(&rest, &info))) {
		_cleanup_plan_ struct plan p = { 0 };
		char *message;

		if (strcmp(info, "yaml mistake") != 0)
			continue;
		n++;
		CHECK(plan_parse("plan.yaml", block, 2, &p, &e) < 0);
		message = next_block(&rest, &info);
		CHECK_STR(info, "text");
		message[strlen(message) - 1] = '\0'; /* the newline */
		CHECK_STR(e.msg, message);
	}
	CHECK(n >= 3);
}

/* Reads a command line of the docs; no quoting is used there. */
static void run_command(char *line)
{
	char *workloads[8], *variants[8], *common[8], *settings[8], *argv[8];
	struct plan_args a = { .workloads = workloads, .variants = variants, .common = common,
			       .settings = settings };
	_cleanup_plan_ struct plan p = { 0 };
	char setting[2][40];
	struct err e = { 0 };
	size_t n_argv = 0;
	char *word;

	while ((word = str_cut(&line, " "))) {
		CHECK(a.n_workloads < 7 && a.n_variants < 7 && a.n_common < 7 && n_argv < 7);
		if (a.argv) {
			argv[n_argv++] = word;
		} else if (strcmp(word, "--") == 0) {
			a.argv = argv;
		} else if (strcmp(word, "--variant") == 0) {
			variants[a.n_variants++] = str_cut(&line, " ");
		} else if (strcmp(word, "-p") == 0) {
			common[a.n_common++] = str_cut(&line, " ");
		} else if (str_starts(word, "--")) {
			CHECK(a.n_settings < 2);
			snprintf(setting[a.n_settings], 40, "%s=%s", word + 2, str_cut(&line, " "));
			settings[a.n_settings] = setting[a.n_settings];
			a.n_settings++;
		} else {
			workloads[a.n_workloads++] = word;
		}
	}
	argv[n_argv] = NULL;
	CHECK_OK(plan_from_args(&a, 2, &p, &e));
	CHECK(p.n_cases > 0);
}

static void commands_parse(void)
{
	static const char start[] = "mmgauge run ";
	_cleanup_str_ struct str doc = STR_INIT(TEXT_MAX);
	char *rest, *block, *info, *line;
	unsigned n = 0;

	read_doc(&doc);
	rest = doc.buf;
	while ((block = next_block(&rest, &info))) {
		while (strcmp(info, "sh") == 0 && (line = str_cut(&block, "\n"))) {
			if (!*line)
				continue;
			CHECK(str_starts(line, start));
			run_command(line + strlen(start));
			if (tap.this_failed)
				return;
			n++;
		}
	}
	CHECK_EQ(n, 3);
}

static void every_key_is_documented(void)
{
	static const char *const keys[] = { "name",   "rounds", "time",	    "warmup", "margin",
					    "seed",   "budget", "count",  "place",  "variants",
					    "cases",  "primary" };
	_cleanup_str_ struct str doc = STR_INIT(TEXT_MAX);

	read_doc(&doc);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char row[40], section[40];

		snprintf(row, sizeof(row), "| `%s` |", keys[i]);
		snprintf(section, sizeof(section), "\n## %s\n", keys[i]);
		CHECK(strstr(str_text(&doc), row) || strstr(str_text(&doc), section));
	}
}

/* Comparisons with a verdict: primary rows, each variant but the base. */
static size_t family(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_cases; i++)
		n += p->cases[i].primary;
	return n * (p->n_variants - 1);
}

static void check_plan(const char *name)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };
	char path[300];

	snprintf(path, sizeof(path), "plans/%s", name);
	for (unsigned cpus = 1; cpus <= 256; cpus *= 4) {
		plan_done(&p);
		CHECK_OK(plan_read(path, cpus, &p, &e));
		CHECK(p.n_variants >= 2);
		/* the smallest p of n rounds is 2/2^n: Holm's first step must be within reach */
		CHECK(ldexp(2, -(int)p.rounds) <= 0.05 / (double)family(&p));
	}
}

static void plans_parse(void)
{
	DIR *dir = opendir("plans");
	const struct dirent *entry;
	unsigned n = 0;

	CHECK(dir);
	while ((entry = readdir(dir)) && !tap.this_failed) {
		if (!strstr(entry->d_name, ".yaml"))
			continue;
		check_plan(entry->d_name);
		n++;
	}
	closedir(dir);
	if (!tap.this_failed)
		CHECK(n >= 2);
}

/* The plan of "make run": at most 90 seconds, 0.1 of them per run for all around it. */
static void quick_is_quick(void)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };
	uint64_t run_ns;

	CHECK_OK(plan_read("plans/quick.yaml", 2, &p, &e));
	run_ns = p.time_ns + p.warmup_ns + 100 * NSEC_PER_MSEC;
	CHECK(p.rounds * p.n_cases * p.n_variants * run_ns <= 90 * NSEC_PER_SEC);
	CHECK(p.rounds >= 8);
}

/* Sizes and tasks of the post, and its variants. */
static void first_post_is_whole(void)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_read("plans/pcp-lists.yaml", 2, &p, &e));
	CHECK_EQ(p.n_cases, 16 * 6);
	CHECK_STR(kvs_get(&p.cases[0].params, "size"), "8K");
	CHECK_STR(kvs_get(&p.cases[0].place, "fs"), "tmpfs");
	CHECK_EQ(p.n_variants, 2);
	CHECK_STR(kvs_get(&p.variants[0].place, "vm.percpu_pagelist_high_fraction"), "0");
	CHECK_STR(kvs_get(&p.variants[1].place, "vm.percpu_pagelist_high_fraction"), "8");
	CHECK_EQ(family(&p), 6);
}

int main(void)
{
	TAP_RUN(examples_parse);
	TAP_RUN(mistakes_are_told_as_shown);
	TAP_RUN(commands_parse);
	TAP_RUN(every_key_is_documented);
	TAP_RUN(plans_parse);
	TAP_RUN(quick_is_quick);
	TAP_RUN(first_post_is_whole);
	return tap_done();
}
