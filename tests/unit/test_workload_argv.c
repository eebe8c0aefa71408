// SPDX-License-Identifier: GPL-2.0-or-later
/* Argument vectors as text and numbers picked from text: every byte, every malformed form. */
#include "tap.h"

#include <errno.h>

#include "base/err.h"
#include "base/kv.h"
#include "base/str.h"
#include "workload/argv.h"
#include "workload/match.h"

static void every_byte_survives(void)
{
	_cleanup_str_ struct str text = STR_INIT(100000);
	_cleanup_strv_ struct strv back = { 0 };
	struct err e = { 0 };
	char all[256];
	const char *argv[] = { all, "", "-x", " ", "", "a b,c=d\\e%41", "\xff\xc3\xa4\n" };

	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	argv_encode(argv, ARRAY_LEN(argv), &text);
	for (const char *p = str_text(&text); *p; p++)
		CHECK(*p >= ' ' && *p < 0x7f && *p != ',' && *p != '\\' && *p != '*');
	CHECK_OK(argv_decode(str_text(&text), &back, &e));
	CHECK_EQ(back.n, ARRAY_LEN(argv));
	for (size_t i = 0; i < back.n; i++)
		CHECK_STR(back.v[i], argv[i]);
}

static void each_byte_alone_survives(void)
{
	for (int i = 1; i < 256; i++) {
		_cleanup_str_ struct str text = STR_INIT(100);
		_cleanup_strv_ struct strv back = { 0 };
		const char arg[2] = { (char)i, '\0' };
		const char *argv[] = { arg };
		struct err e = { 0 };

		argv_encode(argv, 1, &text);
		CHECK_OK(argv_decode(str_text(&text), &back, &e));
		CHECK_EQ(back.n, 1);
		CHECK_STR(back.v[0], arg);
		CHECK(!back.v[1]);
	}
}

static void text_is_what_it_should_be(void)
{
	static const char *const argv[] = { "../run", "-n", "50", "", "50%", "1,2" };
	_cleanup_str_ struct str text = STR_INIT(1000);

	argv_encode(argv, ARRAY_LEN(argv), &text);
	CHECK_STR(str_text(&text), ".%2E/run -n 50 % 50%25 1%2C2");
	str_clear(&text);
	argv_encode(argv, 0, &text);
	CHECK_STR(str_text(&text), "");
}

static void nothing_is_no_argument(void)
{
	_cleanup_strv_ struct strv back = { 0 };
	struct err e = { 0 };

	CHECK_OK(argv_decode("", &back, &e));
	CHECK_EQ(back.n, 0);
	CHECK_OK(argv_decode("%", &back, &e));
	CHECK_EQ(back.n, 1);
	CHECK_STR(back.v[0], "");
}

static void bad_text_is_refused(void)
{
	static const char *const bad[] = { "a  b", " a", "a ", "%4", "a%", "%zz", "%00", "a%4 b" };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		_cleanup_strv_ struct strv back = { 0 };
		struct err e = { 0 };

		CHECK_EQ(argv_decode(bad[i], &back, &e), -EINVAL);
		CHECK_HAS(e.msg, bad[i]);
		CHECK_EQ(back.n, 0);
	}
}

static void picks_the_last_match(void)
{
	static const struct {
		const char *pattern, *text;
		double value;
	} good[] = {
		{ "tps: ([0-9.]+)", "tps: 1.5\ntps: 2.25\nend\n", 2.25 },
		{ "^total ([0-9]+)$", "total 7\nsubtotal 9\n total 8\n", 7 },
		{ "([0-9]+) ops", "12 ops 34 ops", 34 },
		{ "(rate|speed)?=([0-9]+)|x([0-9]+)", "x", -1 },
		{ "a(-?[0-9.e+]+)", "a-1e+3", -1000 },
		{ "^([0-9]+)", "1\n2\n34", 34 },
		{ "([0-9]*)$", "5\n6", -1 }, /* the empty match at the end is the last one */
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct err e = { 0 };
		double v = 0;

		if (good[i].value == -1) {
			CHECK(match_number(good[i].pattern, good[i].text, &v, &e) < 0);
			continue;
		}
		CHECK_OK(match_number(good[i].pattern, good[i].text, &v, &e));
		CHECK_NEAR(v, good[i].value, 0);
	}
}

static void bad_patterns_are_refused(void)
{
	struct err e = { 0 };
	double v = 7;

	CHECK_EQ(match_check("tps: ([0-9", &e), -EINVAL);
	CHECK_HAS(e.msg, "is no regular expression");
	CHECK_EQ(match_check("tps: [0-9]+", &e), -EINVAL);
	CHECK_HAS(e.msg, "has no group around the value");
	CHECK_OK(match_check("(a)", &e));
	CHECK_EQ(match_number("x(.)", "abc", &v, &e), -ENODATA);
	CHECK_HAS(e.msg, "nothing matches \"x(.)\"");
	CHECK_EQ(match_number("a(.)", "abc", &v, &e), -EINVAL);
	CHECK_HAS(e.msg, "match of \"a(.)\"");
	CHECK_NEAR(v, 7, 0);
}

int main(void)
{
	TAP_RUN(every_byte_survives);
	TAP_RUN(each_byte_alone_survives);
	TAP_RUN(text_is_what_it_should_be);
	TAP_RUN(nothing_is_no_argument);
	TAP_RUN(bad_text_is_refused);
	TAP_RUN(picks_the_last_match);
	TAP_RUN(bad_patterns_are_refused);
	return tap_done();
}
