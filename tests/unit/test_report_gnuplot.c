// SPDX-License-Identifier: GPL-2.0-or-later
/* Data and scripts for gnuplot, and that gnuplot draws them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/spawn.h"
#include "base/str.h"
#include "report/report.h"
#include "report/sweep.h"
#include "report_fixture.h"
#include "tap.h"

static char dir[200];

static bool make_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/plots-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir);
}

static void remove_dir(const int *unused)
{
	(void)unused;
	if (fsx_remove_tree(AT_FDCWD, dir, NULL) < 0)
		puts("# could not remove the directory");
}
#define _cleanup_dir_ __attribute__((cleanup(remove_dir)))
#define _cleanup_fixture_ __attribute__((cleanup(fixture_done)))
#define _cleanup_input_ __attribute__((cleanup(fixture_input_done)))

static bool has_file(const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static int read_file(const char *name, struct str *out, struct err *e)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fsx_read(AT_FDCWD, path, out, e);
}

/* The graphs of the createdelete post: 1 task, as many as CPUs, three times as many, scaling. */
static void graphs_of_the_post(void)
{
	static const char *const files[] = {
		"createdelete-tasks1.gp", "createdelete-tasks2.gp", "createdelete-tasks6.gp",
		"createdelete-tasks1.dat", "createdelete-scaling.gp", "createdelete-scaling.dat",
		"all.gp", "README.txt",
	};
	_cleanup_fixture_ struct fixture f;
	_cleanup_input_ struct report_input in = { 0 };
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	_cleanup_dir_ int cleanup = 0;
	struct err e = { 0 };
	size_t graphs = 0;

	(void)cleanup;
	CHECK(make_dir());
	fixture_createdelete(&f);
	fixture_input(&f, &in);
	CHECK_OK(report_gnuplot(dir, &in, &graphs, &e));
	CHECK_EQ(graphs, 6 + 8 + 1); /* over size; over tasks, of 16 sizes; scaling */
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!has_file(files[i]))
			TAP_FAIL("no file %s", files[i]);
	CHECK_OK(read_file("createdelete-scaling.dat", &text, &e));
	CHECK_HAS(str_text(&text), "# 1 task\n");
	CHECK_HAS(str_text(&text), "# 2 tasks\n");
	CHECK(!strstr(str_text(&text), "# 3 tasks")); /* there are 2 CPUs */
	CHECK_OK(read_file("README.txt", &text, &e));
	CHECK_HAS(str_text(&text), "8 more graphs of the same kinds were left out");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A row of the data file holds median and count of the samples themselves. */
static void data_are_the_samples(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_input_ struct report_input in = { 0 };
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	_cleanup_dir_ int cleanup = 0;
	double v[6], base[6], at, median, q1, q3, change;
	struct err e = { 0 };
	const char *second;
	size_t graphs, n = 0, n_base = 0;

	(void)cleanup;
	CHECK(make_dir());
	fixture_createdelete(&f);
	fixture_input(&f, &in);
	CHECK_OK(report_gnuplot(dir, &in, &graphs, &e));
	CHECK_OK(read_file("createdelete-tasks1.dat", &text, &e));
	for (size_t i = 0; i < f.n_runs; i++) {
		if (f.runs[i].case_id != f.x.cases[0].id)
			continue;
		if (f.runs[i].variant == f.x.variants[1].id)
			v[n++] = f.runs[i].samples[0].value;
		else
			base[n_base++] = f.runs[i].samples[0].value;
	}
	CHECK_EQ(n, 6);
	qsort(v, n, sizeof(*v), compare);
	qsort(base, n_base, sizeof(*base), compare);
	second = strstr(str_text(&text), "# small-lists\n");
	CHECK(second);
	second = strchr(strchr(second, '\n') + 1, '\n') + 1;
	CHECK_EQ(sscanf(second, "%lf %lf %lf %lf %zu %lf", &at, &median, &q1, &q3, &n, &change), 6);
	CHECK_NEAR(at, 8192, 0);
	CHECK_NEAR(median, (v[2] + v[3]) / 2, 1e-14);
	CHECK_NEAR(q1, v[1] + (v[2] - v[1]) * 0.25, 1e-14);
	CHECK_NEAR(q3, v[3] + (v[4] - v[3]) * 0.75, 1e-14);
	CHECK_EQ(n, 6);
	CHECK_NEAR(change, ((v[2] + v[3]) / (base[2] + base[3]) - 1) * 100, 1e-9);
}

static void nothing_to_draw(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_input_ struct report_input in = { 0 };
	_cleanup_dir_ int cleanup = 0;
	struct err e = { 0 };
	size_t graphs = 77;

	(void)cleanup;
	CHECK(make_dir());
	fixture_pages(&f);
	fixture_input(&f, &in);
	CHECK_EQ(report_gnuplot(dir, &in, &graphs, &e), -ENODATA);
	CHECK_EQ(graphs, 77);
	CHECK_HAS(e.msg, "nothing to draw");
}

static void axes(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_input_ struct report_input in = { 0 };
	struct sweep s;

	fixture_init(&f, "axes", 1);
	(void)fixture_variant(&f, "base", "");
	fixture_case(&f, "w", "tasks=1,size=4096,wait=1s,backing=file,same=1", "1", "", false);
	fixture_case(&f, "w", "tasks=2,size=1M,wait=10ms,backing=file,same=1", "2", "", false);
	fixture_case(&f, "w", "tasks=2,size=1M,wait=10ms,backing=anon,same=1", "3", "", false);
	fixture_case(&f, "other", "tasks=8", "4", "", false);
	fixture_input(&f, &in);
	sweep_init(&s, &in, "w");
	if (s.n_cases != 3 || s.n_axes != 4)
		TAP_FAIL("%zu cases, %zu axes", s.n_cases, s.n_axes);
	else if (s.axes[0].kind != SWEEP_NUMBER || s.axes[1].kind != SWEEP_SIZE ||
		 s.axes[2].kind != SWEEP_DURATION || s.axes[3].kind != SWEEP_WORDS)
		TAP_FAIL("kinds %d %d %d %d", s.axes[0].kind, s.axes[1].kind, s.axes[2].kind,
			 s.axes[3].kind);
	else if (sweep_value(&s, 1, 1) != 1048576 || sweep_value(&s, 1, 2) != 1e7)
		TAP_FAIL("values %g %g", sweep_value(&s, 1, 1), sweep_value(&s, 1, 2));
	else if (!sweep_same_slice(&s, 1, 2, 3, SIZE_MAX) || sweep_same_slice(&s, 1, 2, 0, 1) ||
		 sweep_find(&s, "same") != SIZE_MAX || sweep_find(&s, "wait") != 2)
		TAP_FAIL("slices");
	sweep_done(&s);
}

/* A size without good runs is a gap, not a zero. */
static void gaps(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_input_ struct report_input in = { 0 };
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	_cleanup_dir_ int cleanup = 0;
	struct err e = { 0 };
	size_t graphs;

	(void)cleanup;
	CHECK(make_dir());
	fixture_createdelete(&f);
	for (size_t i = 0; i < f.n_runs; i++)
		if (f.runs[i].case_id == f.x.cases[0].id && f.runs[i].variant == 2)
			f.runs[i].status = "untrustworthy";
	fixture_input(&f, &in);
	CHECK_OK(report_gnuplot(dir, &in, &graphs, &e));
	CHECK_OK(read_file("createdelete-tasks1.dat", &text, &e));
	CHECK_HAS(str_text(&text), "\n8192\t?\t?\t?\t0\t?\n");
}

/* gnuplot takes every script and each PNG is one. */
static void gnuplot_draws(void)
{
	char *argv[] = { (char[]){ "gnuplot" }, (char[]){ "-e" }, NULL, (char[]){ "all.gp" },
			 NULL };
	char *version[] = { (char[]){ "gnuplot" }, (char[]){ "--version" }, NULL };
	_cleanup_fixture_ struct fixture f;
	_cleanup_input_ struct report_input in = { 0 };
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	_cleanup_free_ char *cd = NULL;
	_cleanup_dir_ int cleanup = 0;
	struct err e = { 0 };
	size_t graphs, pictures = 0;
	static const char *const names[] = { "createdelete-tasks1.png", "createdelete-tasks2.png",
					     "createdelete-tasks6.png", "createdelete-size8K.png",
					     "createdelete-scaling.png" };

	(void)cleanup;
	fixture_createdelete(&f);
	fixture_input(&f, &in);
	CHECK(make_dir());
	if (spawn_run(version, NULL, &e) < 0)
		SKIP("gnuplot is not installed");
	CHECK_OK(report_gnuplot(dir, &in, &graphs, &e));
	cd = xasprintf("cd \"%s\"", dir);
	argv[2] = cd;
	CHECK_OK(spawn_run(argv, &out, &e));
	CHECK_STR(str_text(&out), "");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[400], head[8];
		FILE *png;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		png = fopen(path, "re");
		pictures += png && fread(head, 1, 8, png) == 8 &&
			    memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
		if (png)
			fclose(png);
	}
	CHECK_EQ(pictures, ARRAY_LEN(names));
}

int main(void)
{
	TAP_RUN(axes);
	TAP_RUN(graphs_of_the_post);
	TAP_RUN(data_are_the_samples);
	TAP_RUN(gaps);
	TAP_RUN(nothing_to_draw);
	TAP_RUN(gnuplot_draws);
	return tap_done();
}
