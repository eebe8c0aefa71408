// SPDX-License-Identifier: GPL-2.0-or-later
/* Posted summaries: reading both forms, verdicts, the report. */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "report/posted.h"
#include "tap.h"

/* The will-it-scale table of the post, quoted once. */
static const char post[] =
	">                LABEL            |     MEAN    |   MEDIAN    |   STDDEV   |\n"
	"> ------------------------------+-------------+-------------+-------------\n"
	">   page_fault1_per_process_ops |             |             |            |\n"
	">   (A) base                    | 270249.164  | 265437.000  | 13451.836  |\n"
	">   (B) patched                 | 261368.709  | 255725.000  | 13394.767  |\n"
	">                               | -3.29%      | -3.66%      |            |\n"
	">   page_fault1_per_thread_ops  |             |             |            |\n"
	">   (A) base                    | 242111.345  | 239737.000  | 10026.031  |\n"
	">   (B) patched                 | 237057.109  | 235305.000  | 9769.687   |\n"
	">                               | -2.09%      | -1.85%      |            |\n"
	">   page_fault1_scalability     |             |             |\n"
	">   (A) base                    | 0.034387    | 0.035168    | 0.0018283  |\n"
	">   (B) patched                 | 0.033988    | 0.034573    | 0.0018056  |\n"
	">                               | -1.16%      | -1.69%      |            |\n"
	">   page_fault2_per_process_ops |             |             |\n"
	">   (A) base                    | 203561.836  | 203301.000  | 2550.764   |\n"
	">   (B) patched                 | 197195.945  | 197746.000  | 2264.263   |\n"
	">                               | -3.13%      | -2.73%      |            |\n"
	">   page_fault2_per_thread_ops  |             |             |            |\n"
	">   (A) base                    | 171046.473  | 170776.000  | 1509.679   |\n"
	">   (B) patched                 | 166626.327  | 166406.000  | 768.753    |\n"
	">                               | -2.58%      | -2.56%      |            |\n"
	">   page_fault2_scalability     |             |             |\n"
	">   (A) base                    | 0.054026    | 0.053821    | 0.00062121 |\n"
	">   (B) patched                 | 0.053329    | 0.05306     | 0.00048394 |\n"
	">                               | -1.29%      | -1.41%      |            |\n"
	">   page_fault3_per_process_ops |             |             |\n"
	">   (A) base                    | 1295807.782 | 1297550.000 | 5907.585   |\n"
	">   (B) patched                 | 1275579.873 | 1273359.000 | 8759.160   |\n"
	">                               | -1.56%      | -1.86%      |            |\n"
	">   page_fault3_per_thread_ops  |             |             |            |\n"
	">   (A) base                    | 391234.164  | 390860.000  | 1760.720   |\n"
	">   (B) patched                 | 377231.273  | 376369.000  | 1874.971   |\n"
	">                               | -3.58%      | -3.71%      |            |\n"
	">   page_fault3_scalability     |             |             |\n"
	">   (A) base                    | 0.60369     | 0.60072     | 0.0083029  |\n"
	">   (B) patched                 | 0.61733     | 0.61544     | 0.009855   |\n"
	">                               | +2.26%      | +2.45%      |            |\n";

static void the_posted_table(void)
{
	static const enum verdict want[] = {
		VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE,
		VERDICT_REGRESSED, VERDICT_REGRESSED, VERDICT_REGRESSED,
		VERDICT_REGRESSED, VERDICT_REGRESSED, VERDICT_IMPROVED,
	};
	_cleanup_posted_ struct posted t = { 0 };
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct err e = { 0 };

	CHECK_OK(posted_parse(post, "post", 10, &t, &e));
	CHECK_EQ(t.n_rows, 9);
	CHECK_STR(t.rows[8].label, "page_fault3_scalability");
	CHECK_STR(t.rows[8].side[1].variant, "patched");
	CHECK_NEAR(t.rows[8].side[1].mean, 0.61733, 0);
	CHECK_NEAR(t.rows[8].side[1].stddev, 0.009855, 0);
	CHECK_EQ(t.rows[8].side[1].n, 10);
	judge_posted(&t, 0.02, true);
	CHECK_EQ(t.family, 9);
	for (size_t i = 0; i < t.n_rows; i++) {
		const struct judge_effect *f = &t.rows[i].side[1].effect;

		CHECK_EQ(f->verdict, want[i]);
		CHECK((f->more_rounds > 0) == (want[i] == VERDICT_INCONCLUSIVE));
	}
	/* as in test_stats_basic, which has them from R */
	CHECK_NEAR(t.rows[7].side[1].effect.p, 1.5347912126857417e-12, 1e-9);
	CHECK_NEAR(t.rows[7].side[1].effect.lo, -0.040080257013860421, 1e-9);
	CHECK_OK(report_posted(&t, "post", true, &out, &e));
	for (const char *p = str_text(&out); *p; p += strcspn(p, "\n") + 1)
		CHECK(strcspn(p, "\n") <= 78);
}

static void lines_and_csv(void)
{
	static const char *const texts[] = {
		"label variant mean stddev n\nops base 100 1 10\nops patched 103 1 12\n",
		"# a remark\n\nops\tbase\t100\t1\t10\r\nops\tpatched\t103\t1\t12\r\n",
		"> > label,variant,mean,stddev,n\n> > ops,base,100,1,10\n> > ops,patched,103,1,12",
		"\"ops\",\"base\",100,1,\"10\"\n\"ops\" , patched , 103 , 1 , 12\n",
	};
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		_cleanup_posted_ struct posted t = { 0 };

		CHECK_OK(posted_parse(texts[i], "t", 0, &t, &e));
		CHECK_EQ(t.n_rows, 1);
		CHECK_EQ(t.rows[0].n_sides, 2);
		CHECK_STR(t.rows[0].label, "ops");
		CHECK_STR(t.rows[0].side[1].variant, "patched");
		CHECK_EQ(t.rows[0].side[0].n, 10);
		CHECK_EQ(t.rows[0].side[1].n, 12);
		judge_posted(&t, 0.02, true);
		CHECK_EQ(t.rows[0].side[1].effect.verdict, VERDICT_IMPROVED);
		judge_posted(&t, 0.02, false);
		CHECK_EQ(t.rows[0].side[1].effect.verdict, VERDICT_REGRESSED);
	}
}

static void table_with_borders(void)
{
	_cleanup_posted_ struct posted t = { 0 };
	struct err e = { 0 };

	CHECK_OK(posted_parse("| Label | Mean | Median | Stddev |\n|---|---:|---:|---:|\n"
			      "| ops | | | |\n| (A) a | 5 | 5 | 1 |\n| (B) b | 6 | 6 | 1 |\n"
			      "| | +20% | +20% | |\n", "t", 4, &t, &e));
	CHECK_EQ(t.n_rows, 1);
	CHECK_STR(t.rows[0].side[1].variant, "b");
}

static void quoted_fields(void)
{
	_cleanup_posted_ struct posted t = { 0 };
	struct err e = { 0 };

	CHECK_OK(posted_parse("\"a, \"\"b\"\"\",x,1,0,5\n", "t", 0, &t, &e));
	CHECK_STR(t.rows[0].label, "a, \"b\"");
}

static void mistakes(void)
{
	static const struct {
		const char *text, *want;
		uint64_t n;
	} cases[] = {
		{ "", "t: there is no summary in it", 0 },
		{ "label variant mean stddev n\n", "t: there is no summary in it", 0 },
		{ "a b 1 1 5\na c one 1 5\n", "t:2: mean: ", 0 },
		{ "a b 1 x 5\n", "t:1: standard deviation: ", 0 },
		{ "a b 1 -1 5\n", "t:1: the standard deviation -1 is negative", 0 },
		{ "a b 1 1 0\n", "t:1: the number of runs must be 1 to", 0 },
		{ "a b 1 1 1.5\n", "t:1: number of runs: ", 0 },
		{ "a b 1 1\n", "t:1: how many runs it is from is not said", 0 },
		{ "\na b 1 1 5 6\n", "t:2: 6 fields, want LABEL", 0 },
		{ "a b 1 1 5\na b 1 1 5\n", "t:2: \"a\" has \"b\" already, in line 1", 0 },
		{ "\"a,b,1,1,5\n", "t:1: a quote that doesn't end", 0 },
		{ "\"a\"x,b,1,1,5\n", "t:1: text between a quote and the next comma", 0 },
		{ "(A) base | 1 | 1 | 1 |\n", "t:1: values without a label above them", 9 },
		{ "x | | |\n(A) base | 1 | 1 |\n", "t:2: a row has a mean, a median", 9 },
		{ "x | | |\n(A) b | 1 | 1 | 1 |\n", "t:2: how many runs it is from", 0 },
		{ "LABEL | MEAN | STDDEV | MEDIAN |\n", "t:1: the columns must be LABEL", 9 },
		{ "a,,1,1,5\n", "t:1: a label and a variant must have a name", 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		_cleanup_posted_ struct posted t = { 0 };
		struct err e = { 0 };

		CHECK(posted_parse(cases[i].text, "t", cases[i].n, &t, &e) < 0);
		if (!str_starts(e.msg, cases[i].want))
			TAP_FAIL("\"%s\", want \"%s\"", e.msg, cases[i].want);
		CHECK(!t.rows);
	}
}

static void judge_text(const char *text, struct posted *t)
{
	struct err e = { 0 };

	CHECK_OK(posted_parse(text, "t", 0, t, &e));
	judge_posted(t, 0.02, true);
}

/* What can't be tested gets no verdict, and says why; what has no spread is decided. */
static void limits(void)
{
	_cleanup_posted_ struct posted t = { 0 };
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct err e = { 0 };

	judge_text("zero a 0 1 10\nzero b 5 1 10\n"
		   "once a 5 0 1\nonce b 9 0 1\n"
		   "const a 5 0 4\nconst b 6 0 4\n"
		   "same a 5 0 4\nsame b 5 0 4\n"
		   "three a 100 1 3\nthree b 150 1 3\n"
		   "close a 100 0.2 9\nclose b 100.1 0.2 9\n"
		   "wide a 100 50 9\nwide b 100 50 9\n"
		   "alone a 1 1 5\n", &t);
	CHECK_EQ(t.n_rows, 8);
	CHECK_EQ(t.rows[0].side[1].effect.verdict, VERDICT_INCONCLUSIVE);
	CHECK_EQ(t.rows[1].side[1].effect.verdict, VERDICT_INCONCLUSIVE);
	CHECK_EQ(t.rows[2].side[1].effect.verdict, VERDICT_IMPROVED);
	CHECK_EQ(t.rows[3].side[1].effect.verdict, VERDICT_NO_CHANGE);
	CHECK_EQ(t.rows[4].side[1].effect.verdict, VERDICT_IMPROVED);
	CHECK_EQ(t.rows[5].side[1].effect.verdict, VERDICT_NO_CHANGE);
	CHECK_EQ(t.family, 5); /* without the two that arithmetic decides */
	CHECK_OK(report_posted(&t, "t", true, &out, &e));
	CHECK(strstr(str_text(&out), "A mean <= 0 has no ratio: 1 comparison "));
	CHECK(strstr(str_text(&out), "A single run has no spread: 1 comparison "));
	CHECK(strstr(str_text(&out), "CV above 20% in 1 comparison:"));
	CHECK(strstr(str_text(&out), "alone: only a has it"));
	CHECK(!strstr(str_text(&out), "nan") && !strstr(str_text(&out), "inf"));
}

static void many_variants(void)
{
	_cleanup_posted_ struct posted t = { 0 };
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct err e = { 0 };

	judge_text("x a 100 1 9\nx b 110 1 9\nx c 90 1 9\n", &t);
	CHECK_EQ(t.rows[0].side[1].effect.verdict, VERDICT_IMPROVED);
	CHECK_EQ(t.rows[0].side[2].effect.verdict, VERDICT_REGRESSED);
	CHECK_OK(report_posted(&t, "t", true, &out, &e));
	CHECK(strstr(str_text(&out), "\nx: c "));
}

int main(void)
{
	TAP_RUN(the_posted_table);
	TAP_RUN(lines_and_csv);
	TAP_RUN(table_with_borders);
	TAP_RUN(quoted_fields);
	TAP_RUN(mistakes);
	TAP_RUN(limits);
	TAP_RUN(many_variants);
	return tap_done();
}
