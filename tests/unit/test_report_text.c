// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "report/report.h"
#include "report/text.h"
#include "tap.h"

static void percents(void)
{
	static const struct {
		double v;
		const char *alone, *at_1, *with_sign;
	} cases[] = {
		{ 0.012, "1.2%", "1.2%", "+1.2%" },
		{ -0.0341, "-3.4%", "-3.4%", "-3.4%" },
		{ 0, "0%", "0.0%", "0.0%" },
		{ -0.0000001, "0%", "0.0%", "0.0%" },
		{ 0.00034, "0.034%", "0.0%", "0.0%" },
		{ -0.0006, "-0.06%", "-0.1%", "-0.1%" },
		{ 0.02, "2%", "2.0%", "+2.0%" },
		{ 0.1249, "12%", "12%", "+12.5%" },
		{ 1.403, "140%", "140%", "+140%" },
		{ 12345, "1.23M%", "1.23M%", "+1.23M%" },
		{ -0.9999, "-100%", "-100%", "-100%" },
		{ 1e300, "1.00e+302%", "1.00e+302%", "+1.00e+302%" },
	};
	char buf[TEXT_NUM];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CHECK_STR(text_pct(buf, cases[i].v), cases[i].alone);
		CHECK_STR(text_pct_at(buf, cases[i].v, 1), cases[i].at_1);
		CHECK_STR(text_pct_signed(buf, cases[i].v, 1), cases[i].with_sign);
	}
	CHECK_STR(text_pct_signed(buf, 0.000123, text_decimals(0.0002)), "+0.012%");
	CHECK_STR(text_pct(buf, (double)NAN), "-");
	CHECK_STR(text_pct_signed(buf, (double)INFINITY, 1), "-");
}

static void values(void)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {
		{ 431234, "431.2k" }, { 2091234, "2.091M" }, { 0, "0" },	{ 7, "7" },
		{ 0.41234, "0.4123" }, { 0.02625, "26.25m" }, { 0.0002625, "262.5u" },
		{ 3.2e-9, "3.200n" }, { -0.0002625, "-262.5u" }, { 1e-30, "1.000e-30" },
		{ 3e20, "3.000e+20" }, { 999.7, "999.7" },     { 999.96, "1.000k" },
		{ -12.345, "-12.35" }, { 1e-3, "1.000m" },     { 99999, "100.0k" },
	};
	char buf[TEXT_NUM];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		CHECK_STR(text_value(buf, cases[i].v), cases[i].text);
	CHECK_STR(text_value(buf, (double)NAN), "-");
}

static void exact_reads_back(void)
{
	struct rng rng;
	char buf[TEXT_NUM];

	CHECK_STR(text_exact(buf, 0.1), "0.1");
	CHECK_STR(text_exact(buf, 1 / 3.0), "0.3333333333333333");
	rng_init(&rng, 7);
	for (int i = 0; i < 10000; i++) {
		double v = (rng_unit(&rng) - 0.5) * pow(10, (double)rng_below(&rng, 600) - 300);

		CHECK(strtod(text_exact(buf, v), NULL) == v);
		CHECK(strlen(buf) < TEXT_NUM);
	}
}

static void ascii(void)
{
	_cleanup_str_ struct str out = STR_INIT(1000);

	text_ascii(&out, "a\tb\xc3\xa4\xe2\x82\xac\x7f" "c\n");
	CHECK_STR(str_text(&out), "a b?? c ");
}

/* The text of one line after the other, or NULL: fails when a line is too long or no ASCII. */
static bool all_lines_fit(const char *text)
{
	size_t col = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\n') {
			col = 0;
			continue;
		}
		if (++col > REPORT_WIDTH || c < 0x20 || c > 0x7e)
			return false;
	}
	return col == 0; /* ends with a newline */
}

static void wraps(void)
{
	_cleanup_str_ struct str out = STR_INIT(10000);

	text_wrap(&out, "[1] ", 4, "one two three four five six seven eight nine ten eleven twelve "
		  "thirteen fourteen");
	CHECK_STR(str_text(&out), "[1] one two three four five six seven eight nine ten eleven "
				  "twelve thirteen\n    fourteen\n");
	str_clear(&out);
	text_wrap(&out, "", 2, "");
	CHECK_STR(str_text(&out), "\n");
	str_clear(&out);
	text_wrap(&out, "", 2, "/a/very/long/path/that/has/no/blanks/but/many/slashes/where/it/can/"
		  "be/broken/well");
	CHECK_STR(str_text(&out), "/a/very/long/path/that/has/no/blanks/but/many/slashes/where/it/"
				  "can/be/broken/\n  well\n");
}

static void table_layout(void)
{
	_cleanup_text_table_ struct text_table t = { .cols = "Lrl", .indent = 2 };
	_cleanup_str_ struct str out = STR_INIT(10000);

	text_row(&t);
	text_cell(&t, "name");
	text_cell(&t, "n");
	text_cell(&t, "what");
	text_row(&t);
	text_cell(&t, "x");
	text_cell(&t, "%d", 12);
	text_cell(&t, "%s", "yes");
	text_tail(&t, "but not always");
	text_row(&t);
	text_cell(&t, "%s", "longer");
	text_cell(&t, "7");
	text_cell(&t, "%s", "");
	text_table_put(&t, &out);
	CHECK_STR(str_text(&out), "  name     n  what\n"
				  "  x       12  yes\n"
				  "                                                                "
				  "but not always\n"
				  "  longer   7\n");
}

/* A cell is made narrower between its words before a word is cut. */
static void table_keeps_words(void)
{
	_cleanup_text_table_ struct text_table t = { .cols = "LrL" };
	_cleanup_str_ struct str out = STR_INIT(10000);

	text_row(&t);
	text_cell(&t, "size=4096K tasks=12 mode=process");
	text_cell(&t, "%s", "1234567890123456789012345678901234567890");
	text_cell(&t, "%s", "inconclusive untrustworthy");
	text_table_put(&t, &out);
	CHECK(all_lines_fit(str_text(&out)));
	CHECK_HAS(str_text(&out), "mode=process");
	CHECK_HAS(str_text(&out), "untrustworthy");
	CHECK_HAS(str_text(&out), "1234567890123456789012345678901234567890");
}

static size_t ink(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s != ' ' && *s != '\n';
	return n;
}

static void random_word(struct rng *rng, char *buf, size_t max)
{
	size_t len = (size_t)rng_below(rng, rng_below(rng, 4) ? 12 : max);

	for (size_t i = 0; i < len; i++)
		buf[i] = rng_below(rng, 6) ? (char)('!' + rng_below(rng, 94)) : ' ';
	buf[len] = '\0';
}

/* Whatever is in the cells: no line is too long and not a character is lost. */
static void random_tables(void)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (int round = 0; round < 500; round++) {
		char cols[16], word[400];
		_cleanup_text_table_ struct text_table t = { .cols = cols };
		_cleanup_str_ struct str out = STR_INIT(1 << 20);
		size_t n_cols = 1 + (size_t)rng_below(&rng, 12), want = 0;

		for (size_t c = 0; c < n_cols; c++)
			cols[c] = "lrLR"[rng_below(&rng, 4)];
		cols[n_cols] = '\0';
		t.indent = (size_t)rng_below(&rng, 7);
		for (size_t r = 0; r < 1 + rng_below(&rng, 5); r++) {
			text_row(&t);
			for (size_t c = 0; c < n_cols; c++) {
				random_word(&rng, word, sizeof(word));
				text_cell(&t, "%s", word);
				want += ink(word);
			}
			random_word(&rng, word, sizeof(word));
			text_tail(&t, word);
			want += ink(word);
		}
		text_table_put(&t, &out);
		CHECK(all_lines_fit(str_text(&out)));
		CHECK_EQ(ink(str_text(&out)), want);
	}
}

int main(void)
{
	TAP_RUN(percents);
	TAP_RUN(values);
	TAP_RUN(exact_reads_back);
	TAP_RUN(ascii);
	TAP_RUN(wraps);
	TAP_RUN(table_layout);
	TAP_RUN(table_keeps_words);
	TAP_RUN(random_tables);
	return tap_done();
}
