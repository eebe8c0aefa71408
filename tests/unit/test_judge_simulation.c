// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error rates of the whole verdict by seeded simulation: every cell is an experiment made many
 * times, judged as one from a store is. Limits are for the share of trials that hit, plus two
 * Monte-Carlo standard errors.
 *
 * $SIM_TRIALS trials a cell (few by default; `make bench-stats` takes 4,000). With $SIM_TABLE
 * set, the table of docs/statistics.md goes to stdout instead of TAP.
 */
#include "judge_fixture.h"
#include "tap.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/parallel.h"
#include "plan/order.h"

enum { TRIALS = 400, TRIALS_MAX = 1000000, ROUNDS_MAX = 50 };
#define BEGIN "<!-- make bench-stats: begin -->\n"
#define END "<!-- make bench-stats: end -->"

struct cell {
	const char *name;
	bool (*hit)(const struct cell *c, struct rng *r);
	double least, most; /* limits of the share of hits */
	double change;	    /* the truth, as fraction */
	unsigned rounds;    /* or boots a side */
	unsigned runs;	    /* a boot */
	double (*noise)(struct rng *r);
};

/* Student's t with 3 degrees of freedom. */
static double heavy(struct rng *r)
{
	double z = fix_normal(r), a = fix_normal(r), b = fix_normal(r), c = fix_normal(r);

	return z / sqrt((a * a + b * b + c * c) / 3);
}

static double two_modes(struct rng *r)
{
	return fix_normal(r) * 0.3 + (rng_below(r, 2) ? 1 : -1);
}

static bool changed(const struct fix *f, size_t row)
{
	enum verdict v = f->t.rows[row].effect[1].verdict;

	return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED;
}

/* A fault of the judge would look like a rate. */
static void judge_or_die(struct fix *f)
{
	struct err e = { 0 };

	if (fix_judge(f, &e) < 0) {
		printf("Bail out! %s\n", e.msg);
		exit(1);
	}
}

/* One row, both sides by rounds in one boot. */
static void make_rounds(const struct cell *c, struct rng *r, struct fix *f)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 1; k <= c->rounds; k++)
			fix_add(f, 0, i, k,
				1e5 * (i ? 1 + c->change : 1) * exp(0.01 * c->noise(r)));
}

static bool covered(const struct cell *c, struct rng *r)
{
	_cleanup_fix_ struct fix f;
	const struct judge_effect *e;

	fix_init(&f, 2, 1, 1);
	make_rounds(c, r, &f);
	judge_or_die(&f);
	e = &f.t.rows[0].effect[1];
	return e->lo <= c->change && c->change <= e->hi;
}

static bool no_change(const struct cell *c, struct rng *r)
{
	_cleanup_fix_ struct fix f;

	fix_init(&f, 2, 1, 1);
	make_rounds(c, r, &f);
	judge_or_die(&f);
	return f.t.rows[0].effect[1].verdict == VERDICT_NO_CHANGE;
}

/* The right way, at the default margin of 2 %. */
static bool found(const struct cell *c, struct rng *r)
{
	_cleanup_fix_ struct fix f;

	fix_init(&f, 2, 1, 1);
	make_rounds(c, r, &f);
	judge_or_die(&f);
	return f.t.rows[0].effect[1].verdict ==
	       (c->change > 0 ? VERDICT_IMPROVED : VERDICT_REGRESSED);
}

/* The machine slows down by 3 % over the experiment; margin 0, so that only the test protects. */
static bool drifting(const struct cell *c, struct rng *r)
{
	double value[2][ROUNDS_MAX], last = 2.0 * c->rounds - 1;
	uint64_t seed = rng_next(r);
	_cleanup_fix_ struct fix f;

	for (unsigned k = 0; k < c->rounds; k++) {
		struct plan_step steps[2];

		plan_order_round(2, 1, seed, k + 1, steps);
		for (unsigned i = 0; i < 2; i++) {
			size_t v = steps[i].variant_i;

			value[v][k] = (v ? 1 + c->change : 1) *
				      exp(-0.03 * (2 * k + i) / last + 0.01 * fix_normal(r));
		}
	}
	fix_init(&f, 2, 1, 1);
	f.x.margin = 0;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < c->rounds; k++)
			fix_add(&f, 0, i, k + 1, value[i][k]);
	judge_or_die(&f);
	return changed(&f, 0);
}

/* Boots differ by 1.5 %, the runs in one by 3 %. */
static bool booting(const struct cell *c, struct rng *r)
{
	_cleanup_fix_ struct fix f;

	fix_init(&f, 2, 1, 1);
	f.x.margin = 0;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned b = 0; b < c->rounds; b++) {
			double level = 0.015 * fix_normal(r);

			for (unsigned k = 0; k < c->runs; k++)
				fix_add(&f, 0, i, b * c->runs + k + 1,
					exp(level + 0.03 * fix_normal(r)))->boot = 2 * b + i;
		}
	judge_or_die(&f);
	return changed(&f, 0);
}

/* Any flag in a table of 56 rows; margin 0, so that nothing but the family protects. */
static bool any_of_56(const struct cell *c, struct rng *r)
{
	enum { ROWS = 56 };
	_cleanup_fix_ struct fix f;
	bool any = false;

	fix_init(&f, 2, ROWS, 1);
	f.x.margin = 0;
	for (size_t row = 0; row < ROWS; row++)
		for (unsigned i = 0; i < 2; i++)
			for (unsigned k = 1; k <= c->rounds; k++)
				fix_add(&f, row, i, k, exp(0.03 * fix_normal(r)));
	judge_or_die(&f);
	for (size_t row = 0; row < ROWS; row++)
		any |= changed(&f, row);
	return any;
}

#define COVER(noise_name, fn)                                                            \
	{ "95 % interval covers, n = 6, " noise_name, covered, 0.94, 1, 0, 6, 1, fn },   \
	{ "95 % interval covers, n = 8, " noise_name, covered, 0.94, 1, 0, 8, 1, fn },   \
	{ "95 % interval covers, n = 10, " noise_name, covered, 0.94, 0.96, 0, 10, 1, fn }, \
	{ "95 % interval covers, n = 24, " noise_name, covered, 0.94, 0.96, 0, 24, 1, fn }, \
	{ "95 % interval covers, n = 50, " noise_name, covered, 0.94, 0.96, 0, 50, 1, fn }

static const struct cell cells[] = {
	{ "3 % drift, 1 % noise, 10 rounds: A/A flagged", drifting, 0.02, 0.06, 0, 10, 1, NULL },
	{ "3 % drift, 1 % noise, 10 rounds: +2 % found", drifting, 0.95, 1, 0.02, 10, 1, NULL },
	{ "boots 1.5 %, runs 3 %, 10 x 1: A/A flagged", booting, 0.02, 0.06, 0, 10, 1, NULL },
	{ "boots 1.5 %, runs 3 %, 10 x 10: A/A flagged", booting, 0.02, 0.06, 0, 10, 10, NULL },
	{ "boots 1.5 %, runs 3 %, 10 x 100: A/A flagged", booting, 0.02, 0.06, 0, 10, 100, NULL },
	{ "boots 1.5 %, runs 3 %, 1 x 50: A/A flagged", booting, 0, 0, 0, 1, 50, NULL },
	{ "no change beyond 2 %, truth +2 %", no_change, 0.02, 0.05, 0.02, 12, 1, fix_normal },
	{ "no change beyond 2 %, truth -2 %", no_change, 0.02, 0.05, -0.02, 12, 1, fix_normal },
	{ "no change beyond 2 %, truth 0", no_change, 0.80, 1, 0, 10, 1, fix_normal },
	{ "+5 % found beyond 2 %, 10 rounds", found, 0.99, 1, 0.05, 10, 1, fix_normal },
	{ "-5 % found beyond 2 %, 10 rounds", found, 0.99, 1, -0.05, 10, 1, fix_normal },
	{ "56 rows, 13 rounds: any A/A flag", any_of_56, 0.005, 0.06, 0, 13, 1, NULL },
	COVER("normal", fix_normal),
	COVER("heavy tails (t, 3 df)", heavy),
	COVER("two modes", two_modes),
};
enum { CELLS = sizeof(cells) / sizeof(cells[0]) };

static size_t n_trials(void)
{
	const char *text = getenv("SIM_TRIALS");
	long n = text ? strtol(text, NULL, 10) : TRIALS;

	if (n < 1 || n > TRIALS_MAX) {
		printf("Bail out! SIM_TRIALS must be 1 to %d\n", TRIALS_MAX);
		exit(1);
	}
	return (size_t)n;
}

struct trials {
	const struct cell *c;
	bool *hit;
};

static void one_trial(size_t i, void *arg)
{
	struct trials *t = arg;
	struct rng r;

	rng_init(&r, (uint64_t)(t->c - cells + 1) * 10 * TRIALS_MAX + i);
	t->hit[i] = t->c->hit(t->c, &r);
}

static double share(const struct cell *c, size_t n)
{
	_cleanup_free_ bool *hit = xcalloc(n, sizeof(*hit));
	struct trials t = { c, hit };
	size_t hits = 0;

	parallel_for(n, one_trial, &t);
	for (size_t i = 0; i < n; i++)
		hits += hit[i];
	return (double)hits / (double)n;
}

static double slack(double rate, size_t n)
{
	return 2 * sqrt(rate * (1 - rate) / (double)n);
}

static bool within(const struct cell *c, double rate, size_t n)
{
	return rate >= c->least - slack(c->least, n) && rate <= c->most + slack(c->most, n);
}

static void rates(void)
{
	size_t n = n_trials();

	for (size_t i = 0; i < CELLS; i++) {
		double rate = share(&cells[i], n);

		if (!within(&cells[i], rate, n))
			TAP_FAIL("%s: %.4f of %zu, want %.3f to %.3f", cells[i].name, rate, n,
				 cells[i].least, cells[i].most);
	}
}

/* The table in the text has these cells, in this order, and rates within their limits. */
static void documented(void)
{
	_cleanup_str_ struct str doc = STR_INIT(1u << 20);
	struct err e = { 0 };
	char *at;

	CHECK_OK(fsx_read(AT_FDCWD, "docs/statistics.md", &doc, &e));
	at = strstr(doc.buf, BEGIN);
	CHECK(at);
	for (unsigned lines = 0; lines < 3; lines++) { /* the marker, the head, the rule */
		at = strchr(at, '\n');
		CHECK(at);
		at++;
	}
	for (size_t i = 0; i < CELLS; i++) {
		char name[120] = "", limits[40] = "";
		double percent = -1;
		unsigned trials = 0;

		CHECK_EQ(sscanf(at, "| %119[^|] | %39[^|] | %u | %lf %%", name, limits, &trials,
				&percent), 4);
		name[strlen(name) - 1] = '\0'; /* the blank before the bar */
		CHECK_STR(name, cells[i].name);
		CHECK(trials >= 4000);
		CHECK(within(&cells[i], percent / 100, trials));
		at = strchr(at, '\n');
		CHECK(at);
		at++;
	}
	CHECK(strncmp(at, END, strlen(END)) == 0);
}

static int print_table(void)
{
	size_t n = n_trials();
	int status = 0;

	printf("| experiment | limits | trials | measured |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < CELLS; i++) {
		const struct cell *c = &cells[i];
		double rate = share(c, n);

		printf("| %s | %g to %g %% | %zu | %.2f %% |\n", c->name, 100 * c->least,
		       100 * c->most, n, 100 * rate);
		if (!within(c, rate, n)) {
			fprintf(stderr, "outside its limits: %s, %.4f\n", c->name, rate);
			status = 1;
		}
	}
	return status;
}

int main(void)
{
	if (getenv("SIM_TABLE"))
		return print_table();
	TAP_RUN(rates);
	TAP_RUN(documented);
	return tap_done();
}
