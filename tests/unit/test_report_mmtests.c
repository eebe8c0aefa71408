// SPDX-License-Identifier: GPL-2.0-or-later
/* The style mmtests against tables that the tool itself printed: tests/golden/mmtests. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "judge/judge.h"
#include "report/report.h"
#include "tap.h"

#include "report_fixture.h"

#define GOLDEN "tests/golden/mmtests"

static int set_file(const char *set, const char *name, struct str *ret, struct err *e)
{
	_cleanup_free_ char *path = xasprintf(GOLDEN "/%s/%s", set, name);

	return fsx_read(AT_FDCWD, path, ret, e);
}

/* The case of an operation, made when it isn't there: index. */
static size_t op_case(struct fixture *f, const char *op, bool higher)
{
	struct store_experiment *x = &f->x;

	for (size_t i = 0; i < x->n_cases; i++)
		if (str_eq(x->cases[i].title, op))
			return i;
	x->cases = xrealloc(x->cases, x->n_cases + 1, sizeof(*x->cases));
	x->cases[x->n_cases++] = (struct store_case){
		.workload = xstrdup("golden"), .revision = 1,
		.params = xasprintf("op=%s", op), .title = xstrdup(op), .op = xstrdup(""),
		.primary_row = true,
	};
	x->cases[x->n_cases - 1].id = (int64_t)x->n_cases;
	fixture_metric(f, (int64_t)x->n_cases, "value", "", higher, true);
	return x->n_cases - 1;
}

struct line {
	size_t op, kernel;
	double v;
};

struct lines {
	struct line *v;
	size_t n;
};

static int read_kernel(struct fixture *f, const char *set, size_t kernel, bool higher,
		       struct lines *l, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	_cleanup_free_ char *name = xasprintf("in-%zu.tsv", kernel + 1);
	int r = set_file(set, name, &text, e);
	char *rest = text.buf, *line;

	while (r == 0 && (line = str_cut(&rest, "\n"))) {
		char *op = str_cut(&line, "\t");
		double v;

		if (!line)
			continue;
		r = num_double(line, &v, e);
		l->v = xrealloc(l->v, l->n + 1, sizeof(*l->v));
		l->v[l->n++] = (struct line){ op_case(f, op, higher), kernel, v };
	}
	return r;
}

/* As an importer leaves it: one run for each operation and kernel, many samples. */
static void add_data(const struct fixture *f, const struct lines *l, struct report_input *in)
{
	*in = (struct report_input){ .x = f->x, .env = f->env };
	for (size_t c = 0; c < f->x.n_cases; c++) {
		for (size_t k = 0; k < f->x.n_variants; k++) {
			unsigned idx = 0, run = store_data_add_run(&in->data, &(struct store_ref){
				.id = (int64_t)(c * f->x.n_variants + k) + 1,
				.variant = f->x.variants[k].id, .case_id = f->x.cases[c].id,
				.boot = 1, .round = 1 });

			for (size_t i = 0; i < l->n; i++)
				if (l->v[i].op == c && l->v[i].kernel == k)
					store_data_add(&in->data, f->x.metrics[c].id, run, idx++,
						       l->v[i].v);
		}
	}
}

static int load_set(struct fixture *f, const char *set, struct report_input *in, struct err *e)
{
	_cleanup_str_ struct str names = STR_INIT(1 << 16), dir = STR_INIT(100);
	struct lines l = { 0 };
	char *rest, *name;
	int r = set_file(set, "kernels", &names, e);

	fixture_init(f, set, 1);
	free(f->x.order);
	f->x.order = xstrdup(STORE_ORDER_IMPORTED);
	if (r == 0)
		r = set_file(set, "direction", &dir, e);
	for (rest = names.buf; r == 0 && (name = str_cut(&rest, "\n"));) {
		if (!*name)
			continue;
		(void)fixture_variant(f, name, "");
		r = read_kernel(f, set, f->x.n_variants - 1,
				str_starts(str_text(&dir), "higher"), &l, e);
	}
	add_data(f, &l, in);
	free(l.v);
	return r;
}

/* What our style prints of a set. */
static int print_set(const char *set, struct str *out, struct err *e)
{
	struct report_input in = { 0 };
	struct judge_table t = { 0 };
	struct fixture f;
	int r = load_set(&f, set, &in, e);

	if (r == 0)
		r = judge_experiment(&in.x, &in.data, -1, &t, e);
	if (r == 0)
		r = report_style("mmtests")(&t, &in, out, e);
	judge_table_done(&t);
	fixture_input_done(&in);
	fixture_done(&f);
	return r;
}

static void check_set(const char *set, const char *want)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct err e = { 0 };

	CHECK_OK(print_set(set, &out, &e));
	for (size_t i = 0, line = 1, start = 0; want[i] || str_text(&out)[i]; i++) {
		if (str_text(&out)[i] != want[i]) {
			TAP_FAIL("%s differs in line %zu: \"%.80s\", want \"%.80s\"", set, line,
				 str_text(&out) + start, want + start);
			return;
		}
		if (want[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
}

static void every_golden_set(void)
{
	DIR *d = opendir(GOLDEN);
	const struct dirent *entry;
	size_t n = 0;

	CHECK(d);
	while ((entry = readdir(d)) && !tap.this_failed) {
		_cleanup_str_ struct str want = STR_INIT(1 << 20);
		struct err e = { 0 };

		if (entry->d_name[0] == '.' || str_starts(entry->d_name, "e2e"))
			continue;
		if (set_file(entry->d_name, "out-classic.txt", &want, &e) < 0)
			TAP_FAIL("%s", e.msg);
		else
			check_set(entry->d_name, str_text(&want));
		n++;
	}
	(void)closedir(d);
	if (!tap.this_failed)
		CHECK_EQ(n, 29);
}

/* Its two tables came from the samples of h-basic and l-basic, by way of log files. */
static void end_to_end(void)
{
	_cleanup_str_ struct str want = STR_INIT(1 << 20);
	struct err e = { 0 };
	char *rates, *times, *end;

	CHECK_OK(set_file("e2e-sysbench", "out-classic.txt", &want, &e));
	rates = strstr(want.buf, "sysbench Transactions\n");
	times = strstr(want.buf, "sysbench Time\n");
	CHECK(rates && times);
	rates = strchr(rates, '\n') + 1;
	end = strstr(rates, "\n\n");
	CHECK(end);
	end[1] = '\0';
	check_set("h-basic", rates);
	times = strchr(times, '\n') + 1;
	end = strstr(times, "\n\n");
	CHECK(end);
	end[1] = '\0';
	check_set("l-basic", times);
}

/* Of our own: a table per workload and metric, more decimals for what is small. */
static void own_experiment(void)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct report_input in;
	struct judge_table t = { 0 };
	struct err e = { 0 };
	struct fixture f;

	fixture_createdelete(&f);
	fixture_input(&f, &in);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	CHECK_OK(report_style("mmtests")(&t, &in, &out, &e));
	CHECK(strstr(str_text(&out), "\nAmean     size-8K-tasks-1   "));
	CHECK(!strstr(str_text(&out), "createdelete"));
	CHECK(!strstr(str_text(&out), " 0.00 "));
	judge_table_done(&t);
	fixture_input_done(&in);
	fixture_done(&f);
}

static void tables_have_titles_when_there_are_several(void)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct report_input in;
	struct judge_table t = { 0 };
	struct err e = { 0 };
	struct fixture f;

	fixture_pages(&f);
	fixture_input(&f, &in);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	CHECK_OK(report_style("mmtests")(&t, &in, &out, &e));
	CHECK(str_starts(str_text(&out), "page_fault1 ops_per_cpu_s\n"));
	CHECK(strstr(str_text(&out), "\n\npage_fault3 ops_per_cpu_s\n"));
	/* 16 wide, as the tool has it for will-it-scale */
	CHECK(strstr(str_text(&out), "\nHmean     page_fault1       43"));
	judge_table_done(&t);
	fixture_input_done(&in);
	fixture_done(&f);
}

int main(void)
{
	TAP_RUN(every_golden_set);
	TAP_RUN(end_to_end);
	TAP_RUN(own_experiment);
	TAP_RUN(tables_have_titles_when_there_are_several);
	return tap_done();
}
