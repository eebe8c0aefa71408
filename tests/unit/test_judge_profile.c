// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles of the TCG plugin: reading one, and two by function with their tables. */
#include "judge/profile.h"

#include <errno.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "report/report.h"
#include "tap.h"

static struct err e;

static int parse(const char *text, unsigned window, struct profile *ret)
{
	e = (struct err){ 0 };
	return profile_parse(text, strlen(text), window, ret, &e);
}

static const char two_windows[] = "[window] 1 3\n"
				  "[user] 10 1\n"
				  "clear_page 512 0\n"
				  "[total] 522 1\n"
				  "[window] 2 0\n"
				  "[total] 0 0\n";

static void reads_the_window_asked_for(void)
{
	_cleanup_profile_ struct profile first = { 0 }, last = { 0 }, second = { 0 };

	CHECK_OK(parse(two_windows, 1, &first));
	CHECK_EQ(first.n, 2);
	CHECK_STR(first.v[0].name, "[user]");
	CHECK_EQ(first.v[0].locked, 1);
	CHECK_STR(first.v[1].name, "clear_page");
	CHECK_EQ(first.v[1].insns, 512);
	CHECK_EQ(first.insns, 522);
	CHECK_EQ(first.locked, 1);
	CHECK_EQ(first.faults, 3);
	CHECK_OK(parse(two_windows, 2, &second));
	CHECK_EQ(second.n, 0);
	CHECK_OK(parse(two_windows, 0, &last));
	CHECK_EQ(last.n, 0);
	CHECK_EQ(parse(two_windows, 3, &last), -ENODATA);
	CHECK_HAS(e.msg, "no window 3, but 2");
}

static void a_cut_profile_is_none(void)
{
	_cleanup_profile_ struct profile p = { 0 };

	/* Cut anywhere, the end of the last line apart, the last window isn't there. */
	for (size_t len = 0; len + 2 < sizeof(two_windows) - 1; len++) {
		struct profile none = { 0 };

		if (profile_parse(two_windows, len, 2, &none, &e) == 0)
			TAP_FAIL("%zu bytes are a profile", len);
		CHECK(!none.v && !none.text);
	}
	CHECK_EQ(parse("", 0, &p), -ENODATA);
	CHECK_HAS(e.msg, "nothing was marked");
	CHECK_EQ(parse("[open] 1\n", 0, &p), -ENODATA);
	CHECK_HAS(e.msg, "not closed");
	CHECK_EQ(parse("[window] 1 0\n[total] 0 0\n[open] 1\n", 0, &p), -ENODATA);
	CHECK_OK(parse("[window] 1 0\n[total] 0 0\n[open] 1\n", 1, &p));
}

static void refuses_what_does_not_add_up(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "[window] 1 0\nf 10 1\n[total] 11 1\n", "line 3: the parts don't add up" },
		{ "[window] 1 0\nf 10 1\n[total] 10 0\n", "line 3: the parts don't add up" },
		{ "[window] 1 0\nf 1 2\n[total] 1 2\n", "line 2: numbers that can't be" },
		{ "[window] 1 0\na 18446744073709551615 0\nb 1 0\n[total] 0 0\n", "line 3: numb" },
		{ "[window] 1 0\nb 1 0\na 1 0\n[total] 2 0\n", "line 3: not sorted" },
		{ "[window] 1 0\na 1 0\na 1 0\n[total] 2 0\n", "line 3: not sorted" },
		{ "[window] 2 0\n[total] 0 0\n", "line 1: not [window] NUMBER" },
		{ "[window] 1 0\n[window] 2 0\n", "line 2: a window inside" },
		{ "[window] 1\n", "line 1: not [window]" },
		{ "f 1 0\n", "line 1: a function outside" },
		{ "[total] 0 0\n", "line 1: a total outside" },
		{ "[window] 1 0\nf 1\n", "line 2: not FUNCTION" },
		{ "[window] 1 0\nf 1 0 0\n", "line 2: not FUNCTION" },
		{ "[window] 1 0\nf -1 0\n", "line 2: not FUNCTION" },
		{ "[window] 1 0\n\n[total] 0 0\n", "line 2: not FUNCTION" },
		{ "[error] end\n[window] 1 0\n[total] 0 0\n", "had not begun" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct profile p = { 0 };

		CHECK_EQ(parse(bad[i].text, 0, &p), -EINVAL);
		CHECK_HAS(e.msg, bad[i].why);
		CHECK(!p.v);
	}
	CHECK_EQ(profile_parse("a\0", 2, 0, NULL, &e), -EINVAL);
}

#define BASE                         \
	"[window] 1 0\n"             \
	"[user] 1000 0\n"            \
	"charge 4000 100\n"          \
	"clear_page 512000 0\n"      \
	"flush 500 0\n"              \
	"flush.cold 300 10\n"        \
	"stats.isra.0 10000 1000\n"  \
	"[total] 527800 1110\n"
/* Twice the operations. */
#define CHANGED                      \
	"[window] 1 0\n"             \
	"[user] 2000 0\n"            \
	"charge.constprop.0 1000 0\n" \
	"charge.constprop.1 7002 200\n" \
	"clear_page 1024000 0\n"     \
	"new_one 3000 2000\n"        \
	"stats 84000 4000\n"         \
	"[total] 1121002 6200\n"

struct pair {
	struct profile base, changed;
	struct explain x;
};

static void pair_done(struct pair *p)
{
	explain_done(&p->x);
	profile_done(&p->base);
	profile_done(&p->changed);
}

static int make_pair(const char *base, uint64_t base_ops, const char *changed,
		     uint64_t changed_ops, struct pair *p)
{
	if (parse(base, 0, &p->base) < 0 || parse(changed, 0, &p->changed) < 0)
		return -1;
	return explain_profiles(&(struct explain_side){ "base", &p->base, base_ops },
				&(struct explain_side){ "patched", &p->changed, changed_ops },
				&p->x, &e);
}

static void rows_by_change(void)
{
	__attribute__((cleanup(pair_done))) struct pair p = { 0 };
	static const struct {
		const char *name;
		double diff, locked;
	} want[] = {
		{ "stats", 32, 1 },   { "new_one", 1.5, 1 }, { "flush", -0.8, -0.01 },
		{ "charge", 0.001, 0 }, { "[user]", 0, 0 },    { "clear_page", 0, 0 },
	};
	struct explain_row total;

	CHECK_OK(make_pair(BASE, 1000, CHANGED, 2000, &p));
	CHECK_EQ(p.x.n, ARRAY_LEN(want));
	for (size_t i = 0; i < p.x.n; i++) {
		CHECK_STR(p.x.rows[i].name, want[i].name);
		CHECK_NEAR(p.x.rows[i].diff, want[i].diff, 1e-12);
		CHECK_NEAR(p.x.rows[i].diff_locked, want[i].locked, 1e-12);
	}
	CHECK_EQ(p.x.rows[2].base, 800);
	CHECK_EQ(p.x.rows[2].changed, 0);
	total = explain_sum(&p.x, 0);
	CHECK_EQ(total.base, 527800);
	CHECK_EQ(total.changed, 1121002);
	CHECK_NEAR(total.diff, 1121002 / 2000. - 527800 / 1000., 1e-12);
}

static void table_of_functions(void)
{
	__attribute__((cleanup(pair_done))) struct pair p = { 0 };
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX), few = STR_INIT(REPORT_MAX);
	_cleanup_str_ struct str top = STR_INIT(REPORT_MAX);

	CHECK_OK(make_pair(BASE, 1000, CHANGED, 2000, &p));
	CHECK_OK(report_explain(&p.x, 0, &out, &e));
	CHECK_STR(str_text(&out),
		  "Instructions per operation by kernel function, patched against base\n"
		  "\n"
		  "function             base  patched   change  locked\n"
		  "stats              10.000   42.000  +32.000  +1.000\n"
		  "new_one                 -    1.500   +1.500  +1.000\n"
		  "flush               0.800        -   -0.800  -0.010\n"
		  "charge              4.000    4.001   +0.001       0\n"
		  "2 without change  513.000  513.000        0       0\n"
		  "total             527.800  560.501  +32.701  +1.990\n");
	CHECK_OK(report_explain(&p.x, 2, &few, &e));
	CHECK_HAS(str_text(&few),
		  "2 with less change, 2 without change  517.800  517.001   -0.799  -0.010\n"
		  "total");
	report_explain_top(&p.x, &top);
	CHECK_STR(str_text(&top),
		  "stats +32.0, new_one +1.5, flush -0.800 of +32.7 instructions/op");
}

static void equal_profiles_differ_in_nothing(void)
{
	__attribute__((cleanup(pair_done))) struct pair p = { 0 };
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX), top = STR_INIT(REPORT_MAX);

	CHECK_OK(make_pair(BASE, 3, BASE, 3, &p));
	CHECK(explain_sum(&p.x, 0).diff == 0);
	CHECK_OK(report_explain(&p.x, 0, &out, &e));
	CHECK_HAS(str_text(&out), "5 without change");
	report_explain_top(&p.x, &top);
	CHECK_STR(str_text(&top), "");
}

static void no_operations_is_an_error(void)
{
	__attribute__((cleanup(pair_done))) struct pair p = { 0 };

	CHECK_EQ(make_pair(BASE, 1, CHANGED, 0, &p), -EINVAL);
	CHECK_HAS(e.msg, "\"patched\" did no operation");
}

/* A profile of up to 60 functions out of few names, so that many are on one side only. */
static void random_profile(struct rng *r, struct str *out)
{
	uint64_t insns = 0, locked = 0;

	str_add(out, "[window] 1 0\n");
	for (unsigned i = 0; i < 60; i++) {
		uint64_t n = rng_next(r) >> (8 + rng_below(r, 50)), l = n ? rng_below(r, n) : 0;

		if (rng_below(r, 3) == 0)
			continue;
		str_addf(out, "f%02u%s %" PRIu64 " %" PRIu64 "\n", i / 2, i % 2 ? ".cold" : "", n,
			 l);
		insns += n;
		locked += l;
	}
	str_addf(out, "[total] %" PRIu64 " %" PRIu64 "\n", insns, locked);
}

static void parts_add_up_to_the_whole(void)
{
	struct rng r;

	rng_init(&r, 5);
	for (int round = 0; round < 300; round++) {
		__attribute__((cleanup(pair_done))) struct pair p = { 0 };
		_cleanup_str_ struct str a = STR_INIT(65536), b = STR_INIT(65536);
		uint64_t base = 0, changed = 0, na = 1 + rng_below(&r, 100000);
		uint64_t nb = 1 + rng_below(&r, 100000);
		double diff = 0, size = 0;

		random_profile(&r, &a);
		random_profile(&r, &b);
		CHECK_OK(make_pair(str_text(&a), na, str_text(&b), nb, &p));
		for (size_t i = 0; i < p.x.n; i++) {
			base += p.x.rows[i].base;
			changed += p.x.rows[i].changed;
			diff += p.x.rows[i].diff;
			size += fabs(p.x.rows[i].diff);
			CHECK(!strchr(p.x.rows[i].name, '.'));
			CHECK(i == 0 || fabs(p.x.rows[i - 1].diff) >= fabs(p.x.rows[i].diff));
		}
		CHECK_EQ(base, p.base.insns);
		CHECK_EQ(changed, p.changed.insns);
		CHECK_NEAR(diff - explain_sum(&p.x, 0).diff, 0, 1e-12 * size);
	}
}

static void table_keeps_its_width(void)
{
	__attribute__((cleanup(pair_done))) struct pair p = { 0 };
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	char text[512];

	(void)snprintf(text, sizeof(text),
		       "[window] 1 0\n__%090d 123456789012 5\n[total] 123456789012 5\n", 7);
	CHECK_OK(make_pair(text, 1, BASE, 1, &p));
	CHECK_OK(report_explain(&p.x, 0, &out, &e));
	for (const char *line = str_text(&out); *line; line = strchr(line, '\n') + 1)
		CHECK(strchr(line, '\n') - line <= REPORT_WIDTH);
}

int main(void)
{
	TAP_RUN(reads_the_window_asked_for);
	TAP_RUN(a_cut_profile_is_none);
	TAP_RUN(refuses_what_does_not_add_up);
	TAP_RUN(rows_by_change);
	TAP_RUN(table_of_functions);
	TAP_RUN(equal_profiles_differ_in_nothing);
	TAP_RUN(no_operations_is_an_error);
	TAP_RUN(parts_add_up_to_the_whole);
	TAP_RUN(table_keeps_its_width);
	return tap_done();
}
