// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text report. Golden files are written anew by UPDATE_GOLDEN=1; read the difference before
 * it is committed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fsx.h"
#include "base/spawn.h"
#include "base/str.h"
#include "report/full.h"
#include "report/notes.h"
#include "report/report.h"
#include "report/verdict.h"
#include "report_fixture.h"
#include "tap.h"

static bool all_lines_fit(const char *text)
{
	size_t col = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\n') {
			col = 0;
			continue;
		}
		if (++col > REPORT_WIDTH || c < 0x20 || c > 0x7e) {
			printf("# column %zu: %.*s\n", col, REPORT_WIDTH + 20, text - col + 1);
			return false;
		}
	}
	return col == 0;
}

/* A table with one row whose numbers the test sets. */
struct one_row {
	struct store_experiment x;
	struct store_case c;
	struct store_metric m;
	struct judge_side side[2];
	struct judge_effect effect[2];
	struct judge_row row;
	struct judge_table t;
};

static void one_row_init(struct one_row *o)
{
	*o = (struct one_row){ .c = { .id = 1, .primary_row = true },
			       .m = { .primary = true, .higher_is_better = true } };
	o->row = (struct judge_row){ .c = &o->c, .m = &o->m, .side = o->side, .effect = o->effect };
	o->t = (struct judge_table){ .x = &o->x, .margin = 0.02, .rows = &o->row, .n_rows = 1 };
}

static void check_verdict(struct one_row *o, const char *head, const char *detail)
{
	_cleanup_str_ struct str a = STR_INIT(1000), b = STR_INIT(1000);

	verdict_text(&o->t, &o->row, 1, &a, &b);
	CHECK_STR(str_text(&a), head);
	CHECK_STR(str_text(&b), detail);
}

static void verdict_words(void)
{
	struct one_row o;
	struct judge_effect *f = &o.effect[1];

	one_row_init(&o);
	*f = (struct judge_effect){ .n = 10, .verdict = VERDICT_REGRESSED };
	check_verdict(&o, "regressed", "");
	f->verdict = VERDICT_IMPROVED;
	check_verdict(&o, "improved", "");
	f->verdict = VERDICT_UNTRUSTWORTHY;
	check_verdict(&o, "untrustworthy", "");
	f->verdict = VERDICT_INCONCLUSIVE;
	check_verdict(&o, "inconclusive", "");
	f->more_rounds = 1;
	check_verdict(&o, "inconclusive", "(1 more round)");
	f->more_rounds = 12;
	check_verdict(&o, "inconclusive", "(12 more rounds)");
	f->verdict = VERDICT_NO_CHANGE;
	check_verdict(&o, "no change", "beyond +-2%");
	f->real_small = true;
	f->change = -0.0081;
	check_verdict(&o, "no change", "beyond +-2% (a real -0.8%)");
	o.t.margin = 0.0002;
	f->real_small = false;
	check_verdict(&o, "no change", "beyond +-0.02%");
	f->verdict = VERDICT_NONE;
	check_verdict(&o, "no pairs", "");
	o.c.primary_row = false;
	f->verdict = VERDICT_REGRESSED;
	check_verdict(&o, "exploratory", "");
	f->verdict = VERDICT_UNTRUSTWORTHY;
	check_verdict(&o, "untrustworthy", "");
	o.m.primary = false;
	check_verdict(&o, "", "");
}

/* Checks @text against tests/golden/@name, or writes that file. */
static void check_golden(const char *name, const char *text)
{
	_cleanup_str_ struct str want = STR_INIT(16u << 20);
	char path[200];
	struct err e = { 0 };

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (getenv("UPDATE_GOLDEN"))
		CHECK_OK(fsx_replace(AT_FDCWD, path, text, &e));
	CHECK_OK(fsx_read(AT_FDCWD, path, &want, &e));
	if (strcmp(text, str_text(&want)) == 0)
		return;
	for (size_t i = 0, line = 1; ; i++) {
		if (text[i] != str_text(&want)[i]) {
			TAP_FAIL("%s differs in line %zu: \"%.60s\", want \"%.60s\"", path, line,
				 text + i, str_text(&want) + i);
			return;
		}
		line += text[i] == '\n';
	}
}

static char store_path[200];

/* A store file of its own for each test that wants one. */
static int open_store(struct store **ret, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	snprintf(store_path, sizeof(store_path), "%s/report-XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(store_path);
	if (fd < 0)
		return err_errno(e, errno, "could not make a file");
	close(fd);
	unlink(store_path);
	return store_open(store_path, STORE_WRITE, ret, e);
}

static void remove_store(struct store **s)
{
	static const char *const suffix[] = { "", "-wal", "-shm", "-journal" };

	store_close(*s);
	for (size_t i = 0; i < ARRAY_LEN(suffix); i++) {
		char path[220];

		snprintf(path, sizeof(path), "%s%s", store_path, suffix[i]);
		unlink(path);
	}
}

typedef void (*fixture_fn)(struct fixture *f);

/* Through a store and back, then the report; twice, to see that it is the same. */
static void golden_of(fixture_fn make, bool full, const char *name)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX), again = STR_INIT(REPORT_MAX);
	__attribute__((cleanup(remove_store))) struct store *s = NULL;
	__attribute__((cleanup(report_input_done))) struct report_input in = { 0 };
	__attribute__((cleanup(judge_table_done))) struct judge_table t = { 0 };
	__attribute__((cleanup(fixture_done))) struct fixture f;
	struct err e = { 0 };

	make(&f);
	CHECK_OK(open_store(&s, &e));
	CHECK_OK(fixture_store(&f, s, &e));
	CHECK_OK(report_load(s, 0, REPORT_ALL, &in, &e));
	/* facts of the environment are stored with the time, which the hash covers */
	CHECK_EQ(strlen(in.hash), 32);
	memset(in.hash, '0', 32);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	CHECK_OK(report_native(&t, &in, full, &out, &e));
	CHECK_OK(report_native(&t, &in, full, &again, &e));
	CHECK(strcmp(str_text(&out), str_text(&again)) == 0);
	CHECK(all_lines_fit(str_text(&out)));
	check_golden(name, str_text(&out));
}

static void golden_pages(void)
{
	golden_of(fixture_pages, false, "report-pages.txt");
}

static void golden_pages_full(void)
{
	golden_of(fixture_pages, true, "report-pages-full.txt");
}

static void golden_createdelete(void)
{
	golden_of(fixture_createdelete, false, "report-createdelete.txt");
}

/* Three variants, few rounds, failures, something skipped, an exploratory row. */
static void make_troubled(struct fixture *f)
{
	static const struct store_note died[] = { { "error", "worker_died",
		"worker 3 in group \"/a/b\" was killed by signal 9 (Killed) at 512 MiB" } };
	static const struct store_note window[] = { { "warning", "common_window",
						      "common window 84 % of the run" } };

	fixture_init(f, "troubled", 4);
	(void)fixture_variant(f, "base", "");
	(void)fixture_variant(f, "a-rather-long-variant-name", "depth=4,memory.max=256M");
	(void)fixture_variant(f, "v3", "depth=8");
	fixture_case(f, "readtwice", "readers=2,tasks=2", "readtwice readers=2", "MiB read", false);
	fixture_case(f, "readtwice", "readers=4,tasks=2", "readtwice readers=4", "MiB read", false);
	f->x.cases[1].primary_row = false;
	free(f->x.skipped);
	f->x.skipped = xstrdup("deep9: depth 9 needs the right to make groups\ncpu4: no CPU 4\n");
	for (unsigned round = 1; round <= 4; round++)
		for (size_t c = 0; c < 2; c++)
			for (size_t v = 0; v < 3; v++) {
				double val = 1000 * fixture_noise(f, 0.02);
				struct store_run *r = fixture_run(f, round, c, v, val, val);

				if (v == 2 && c == 0) {
					r->status = "failed";
					r->n_samples = 0;
					r->notes = died;
					r->n_notes = 1;
				} else if (v == 1) {
					r->notes = window;
					r->n_notes = 1;
				}
			}
}

static void golden_troubled(void)
{
	golden_of(make_troubled, true, "report-troubled.txt");
}

static void troubles_are_said(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	__attribute__((cleanup(fixture_input_done))) struct report_input in = { 0 };
	__attribute__((cleanup(judge_table_done))) struct judge_table t = { 0 };
	__attribute__((cleanup(fixture_done))) struct fixture f;
	struct err e = { 0 };

	make_troubled(&f);
	free(f.x.status);
	f.x.status = xstrdup("interrupted");
	fixture_input(&f, &in);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	CHECK_OK(report_native(&t, &in, false, &out, &e));
	CHECK_HAS(str_text(&out), "worker_died: 4 runs failed (v3 4)");
	CHECK_HAS(str_text(&out), "killed by signal 9");
	CHECK_HAS(str_text(&out), "common_window: 8 runs (a-rather-long-variant-name 8)");
	CHECK_HAS(str_text(&out), "Only 4 rounds: no verdict below 6");
	CHECK_HAS(str_text(&out), "Skipped, could not be placed: deep9: depth 9");
	CHECK_HAS(str_text(&out), "Skipped, could not be placed: cpu4: no CPU 4");
	CHECK_HAS(str_text(&out), "not complete: interrupted");
	CHECK_HAS(str_text(&out), "1 exploratory row");
	CHECK(!strstr(str_text(&out), "not significant"));
	CHECK(!strstr(str_text(&out), "no change"));
}

/* A run that is not ok and has no note says at least that. */
static void reason_is_never_missing(void)
{
	_cleanup_notes_ struct notes notes = { 0 };
	_cleanup_str_ struct str refs = STR_INIT(100);
	__attribute__((cleanup(fixture_input_done))) struct report_input in = { 0 };
	__attribute__((cleanup(judge_table_done))) struct judge_table t = { 0 };
	__attribute__((cleanup(fixture_done))) struct fixture f;
	struct err e = { 0 };

	fixture_pages(&f);
	f.runs[7].status = "failed";
	f.runs[7].notes = NULL;
	f.runs[7].n_notes = 0;
	fixture_input(&f, &in);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	notes_collect(&t, &in, &notes);
	CHECK_EQ(notes.numbered.n, 5);
	notes_refs(&notes, f.runs[7].case_id, NO_VARIANT, &refs);
	CHECK(refs.len > 0);
	CHECK_HAS(notes.numbered.v[0], "limit_not_reached: 1");
	CHECK_HAS(notes.numbered.v[1], "no_reason: 1 run failed");
}

/* Rounds that can't decide a table of that many comparisons are named with the arithmetic. */
static void arithmetic_is_said(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	__attribute__((cleanup(fixture_input_done))) struct report_input in = { 0 };
	__attribute__((cleanup(judge_table_done))) struct judge_table t = { 0 };
	__attribute__((cleanup(fixture_done))) struct fixture f;
	struct err e = { 0 };

	fixture_createdelete(&f);
	fixture_input(&f, &in);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	CHECK_OK(report_native(&t, &in, false, &out, &e));
	CHECK_HAS(str_text(&out), "6 rounds can decide at most 1 comparison at 5%; this table has "
				  "96, for which\n  12 rounds are needed.");
}

/* More time is worse: the row says regressed although the change is positive. */
static void lower_is_better(void)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	__attribute__((cleanup(fixture_input_done))) struct report_input in = { 0 };
	__attribute__((cleanup(judge_table_done))) struct judge_table t = { 0 };
	__attribute__((cleanup(fixture_done))) struct fixture f;
	struct err e = { 0 };

	fixture_init(&f, "time", 10);
	(void)fixture_variant(&f, "base", "");
	(void)fixture_variant(&f, "slow", "depth=4");
	fixture_case(&f, "createdelete", "tasks=1", "createdelete", "file", true);
	for (unsigned round = 1; round <= 10; round++)
		for (size_t v = 0; v < 2; v++) {
			double s = (v ? 2.2 : 2.0) * fixture_noise(&f, 0.004);

			(void)fixture_run(&f, round, 0, v, s, 1 / s);
		}
	fixture_input(&f, &in);
	CHECK_OK(judge_experiment(&in.x, &in.data, -1, &t, &e));
	CHECK_OK(report_native(&t, &in, false, &out, &e));
	CHECK_HAS(str_text(&out), "elapsed_s in s, lower is better");
	CHECK_HAS(str_text(&out), "regressed");
	CHECK(!strstr(str_text(&out), "improved"));
	CHECK_HAS(str_text(&out), "+10.");
}

static char *random_text(struct rng *rng, size_t max)
{
	static const char *const parts[] = { "a", "memory.max=", "/", "-", " ", ",", "\xc3\xa4",
					     "\n", "\t", "tasks=4096", "x", "%", "'", "\"", "\\",
					     "verylongnamewithoutanyjoint" };
	_cleanup_str_ struct str s = STR_INIT(1000);
	size_t n = (size_t)rng_below(rng, max);

	for (size_t i = 0; i < n; i++)
		str_add(&s, parts[rng_below(rng, ARRAY_LEN(parts))]);
	return xstrdup(str_text(&s));
}

static double random_number(struct rng *rng)
{
	switch (rng_below(rng, 6)) {
	case 0:
		return 0;
	case 1:
		return (double)NAN;
	case 2:
		return -(double)INFINITY;
	default:
		return (rng_unit(rng) - 0.4) * pow(10, (double)rng_below(rng, 60) - 25);
	}
}

static void randomize_text(struct fixture *f)
{
	struct store_experiment *x = &f->x;
	char **fields[] = { &x->command, &x->name, &x->order, &x->status, &x->skipped, &x->tool,
			    &f->boot.kernel, &f->boot.machine };

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		free(*fields[i]);
		*fields[i] = random_text(&f->rng, 60);
	}
}

static void randomize_table(struct rng *rng, struct judge_table *t)
{
	t->margin = fabs(random_number(rng));
	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t v = 0; v < t->x->n_variants; v++) {
			struct judge_side *s = &t->rows[r].side[v];
			struct judge_effect *g = &t->rows[r].effect[v];
			double *const numbers[] = {
				&s->median, &s->cv,   &s->min,	&s->max, &g->change,
				&g->lo,	    &g->hi,   &g->lo90, &g->hi90, &g->t_lo,
				&g->t_hi,   &g->p,    &g->p_adjusted,	  &g->mde,
			};

			for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
				*numbers[i] = random_number(rng);
			s->n = g->n = (size_t)rng_below(rng, 1000000);
			g->more_rounds = (unsigned)rng_below(rng, 5000000);
			g->verdict = (enum verdict)rng_below(rng, VERDICT_NONE + 1);
			g->real_small = rng_below(rng, 2);
			t->rows[r].disagree = rng_below(rng, 2);
		}
}

/* Whatever names and numbers are: 78 columns of ASCII. */
static void any_table_fits(void)
{
	for (unsigned seed = 1; seed <= 150; seed++) {
		_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
		__attribute__((cleanup(fixture_input_done))) struct report_input in = { 0 };
		__attribute__((cleanup(judge_table_done))) struct judge_table t = { 0 };
		__attribute__((cleanup(fixture_done))) struct fixture f;
		struct store_note note = { .kind = "warning", .code = "odd" };
		struct store_place place = { .level = seed % 40, .key = "memory.max",
					     .want = "1G" };
		struct store_counter counter = { "machine", "steal", "s", 1e-9 };
		struct err e = { 0 };
		char *texts[3];

		fixture_init(&f, "random", seed);
		rng_init(&f.rng, seed);
		for (size_t v = 0; v < 1 + seed % 5; v++) {
			char *name = random_text(&f.rng, 12), *spec = random_text(&f.rng, 30);

			(void)fixture_variant(&f, name, spec);
			kvs_set(&f.env[v], spec[0] ? spec : "k", name);
			free(name);
			free(spec);
		}
		for (size_t c = 0; c < 1 + seed % 4; c++) {
			char *title = random_text(&f.rng, 20);

			fixture_case(&f, title, "tasks=2", title, title, seed & 1);
			free(title);
		}
		for (size_t i = 0; i < ARRAY_LEN(texts); i++)
			texts[i] = random_text(&f.rng, 60);
		note.text = texts[0];
		place.path = texts[1];
		place.got = texts[2];
		place.file = "";
		for (size_t i = 0; i < 40; i++) {
			struct store_run *r = fixture_run(&f, (unsigned)i / 4,
							  i % f.x.n_cases, i % f.x.n_variants,
							  1 + (double)i, 2);

			r->notes = &note;
			r->places = &place;
			r->counters = &counter;
			r->n_notes = r->n_places = r->n_counters = 1;
		}
		randomize_text(&f);
		fixture_input(&f, &in);
		if (judge_experiment(&in.x, &in.data, -1, &t, &e) == 0) {
			randomize_table(&f.rng, &t);
			if (report_native(&t, &in, true, &out, &e) < 0)
				TAP_FAIL("seed %u: %s", seed, e.msg);
		}
		for (size_t i = 0; i < ARRAY_LEN(texts); i++)
			free(texts[i]);
		if (!all_lines_fit(str_text(&out)))
			TAP_FAIL("seed %u", seed);
		CHECK(e.code == 0 && !tap.this_failed);
	}
}

/* The command as it is printed gives the same arguments as the command itself. */
static void command_can_be_pasted(void)
{
	static const char *const commands[] = {
		"mmgauge run page_fault1",
		("mmgauge run page_fault1 --variant 'deep: a value with blanks, quoted and long "
		"enough to need another line' --rounds 10 -- ./program \"it's a \\\"quoted\\\" "
		"argument\" 'x'\\''y'"),
		("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\ bbb"
		 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
	};

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		_cleanup_str_ struct str out = STR_INIT(10000), script = STR_INIT(20000);
		_cleanup_str_ struct str got = STR_INIT(10000), want = STR_INIT(10000);
		char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, NULL, NULL };
		struct err e = { 0 };

		full_command(commands[i], &out);
		CHECK(all_lines_fit(str_text(&out)));
		str_addf(&script, "printf '[%%s]' %s", str_text(&out));
		argv[2] = script.buf;
		CHECK_OK(spawn_run(argv, &got, &e));
		str_clear(&script);
		str_addf(&script, "printf '[%%s]' %s\n", commands[i]);
		argv[2] = script.buf;
		CHECK_OK(spawn_run(argv, &want, &e));
		CHECK_STR(str_text(&got), str_text(&want));
	}
}

int main(void)
{
	TAP_RUN(verdict_words);
	TAP_RUN(golden_pages);
	TAP_RUN(golden_pages_full);
	TAP_RUN(golden_createdelete);
	TAP_RUN(golden_troubled);
	TAP_RUN(troubles_are_said);
	TAP_RUN(reason_is_never_missing);
	TAP_RUN(arithmetic_is_said);
	TAP_RUN(lower_is_better);
	TAP_RUN(any_table_fits);
	TAP_RUN(command_can_be_pasted);
	return tap_done();
}
