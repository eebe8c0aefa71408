// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/num.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "tap.h"

static struct err e;
static char buf[64];

static void u64_whole_range(void)
{
	uint64_t v = 99;

	CHECK_OK(num_u64("0", &v, &e));
	CHECK_EQ(v, 0);
	CHECK_OK(num_u64("18446744073709551615", &v, &e));
	CHECK(v == UINT64_MAX);
	CHECK_OK(num_u64("007", &v, &e));
	CHECK_EQ(v, 7);
}

static void u64_refuses(void)
{
	static const char *const bad[] = { "", " ", "-1", "+1", " 1", "1 ", "1x", "0x10", "1.0",
					   "18446744073709551616", "99999999999999999999999",
					   "1\n" };
	uint64_t v = 99;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK_EQ(num_u64(bad[i], &v, &e), -EINVAL);
		CHECK_HAS(e.msg, bad[i]);
		CHECK_EQ(v, 99);
	}
}

static void i64_whole_range(void)
{
	int64_t v = 99;

	CHECK_OK(num_i64("-5", &v, &e));
	CHECK_EQ(v, -5);
	CHECK_OK(num_i64("9223372036854775807", &v, &e));
	CHECK_EQ(v, INT64_MAX);
	CHECK_OK(num_i64("-9223372036854775808", &v, &e));
	CHECK_EQ(v, INT64_MIN);
	CHECK_OK(num_i64("-0", &v, &e));
	CHECK_EQ(v, 0);
	CHECK_EQ(num_i64("9223372036854775808", &v, &e), -EINVAL);
	CHECK_EQ(num_i64("-9223372036854775809", &v, &e), -EINVAL);
	CHECK_EQ(num_i64("--5", &v, &e), -EINVAL);
	CHECK_EQ(num_i64("-", &v, &e), -EINVAL);
	CHECK_EQ(v, 0);
}

static void doubles(void)
{
	static const char *const bad[] = { "", ".", "-", "1,5", "1.5.2", "0x1p3", "inf", "nan",
					   "1e", "1e400", " 1", "1 ", "1e5x", "infinity", "--1" };
	double v = 99;

	CHECK_OK(num_double("1.5", &v, &e));
	CHECK_NEAR(v, 1.5, 0);
	CHECK_OK(num_double("-2e-3", &v, &e));
	CHECK_NEAR(v, -0.002, 1e-15);
	v = 99;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK_EQ(num_double(bad[i], &v, &e), -EINVAL);
		CHECK_NEAR(v, 99, 0);
	}
}

static void sizes(void)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "0", 0 },	       { "4096", 4096 },	    { "64K", 65536 },
		{ "64k", 65536 },      { "1M", 1 << 20 },	    { "1MiB", 1 << 20 },
		{ "1MB", 1 << 20 },    { "1Mi", 1 << 20 },	    { "2G", 2ull << 30 },
		{ "1T", 1ull << 40 },  { "7B", 7 },
		{ "16777215T", 16777215ull << 40 },
		{ "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = { "", "K", "1.5G", "-1K", "1KK", "1iB", "1 K", "1Kx",
					   "64P" };
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		CHECK_OK(num_size(good[i].text, &v, &e));
		CHECK(v == good[i].bytes);
	}
	v = 99;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_EQ(num_size(bad[i], &v, &e), -EINVAL);
	CHECK_EQ(num_size("16777216T", &v, &e), -ERANGE);
	CHECK_EQ(num_size("18446744073709551615K", &v, &e), -ERANGE);
	CHECK_EQ(v, 99);
}

static void durations(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0s", 0 },		  { "7ns", 7 },		   { "20us", 20000 },
		{ "500ms", 500000000 },	  { "3s", 3000000000 },	   { "1.5s", 1500000000 },
		{ "0.1s", 100000000 },	  { "10m", 600000000000 }, { "2min", 120000000000 },
		{ "2h", 7200000000000 },  { "0.000000001s", 1 },   { ".5s", 500000000 },
	};
	static const char *const bad[] = { "", "3", "s", "1.5.2s", "-1s", "3 s", "3S", "1e3s",
					   "3sec", ".s", "1,5s",
					   "00000000000000000000000000000000000000001s" };
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		CHECK_OK(num_duration(good[i].text, &v, &e));
		CHECK(v == good[i].ns);
	}
	v = 99;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_EQ(num_duration(bad[i], &v, &e), -EINVAL);
	CHECK_EQ(num_duration("9999999999s", &v, &e), -ERANGE);
	CHECK_EQ(v, 99);
}

static void fractions(void)
{
	double v = 99;

	CHECK_OK(num_fraction("2%", &v, &e));
	CHECK_NEAR(v, 0.02, 1e-15);
	CHECK_OK(num_fraction("0.02", &v, &e));
	CHECK_NEAR(v, 0.02, 0);
	CHECK_OK(num_fraction("0%", &v, &e));
	CHECK_NEAR(v, 0, 0);
	v = 99;
	CHECK_EQ(num_fraction("%", &v, &e), -EINVAL);
	CHECK_EQ(num_fraction("2%%", &v, &e), -EINVAL);
	CHECK_EQ(num_fraction("", &v, &e), -EINVAL);
	CHECK_EQ(num_fraction("2 %", &v, &e), -EINVAL);
	CHECK_EQ(num_fraction("00000000000000000000000000000000.5", &v, &e), -EINVAL);
	CHECK_NEAR(v, 99, 0);
}

static void bools(void)
{
	static const char *const yes[] = { "yes", "on", "true", "1" };
	static const char *const no[] = { "no", "off", "false", "0" };
	bool v;

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		v = false;
		CHECK_OK(num_bool(yes[i], &v, &e));
		CHECK(v);
		CHECK_OK(num_bool(no[i], &v, &e));
		CHECK(!v);
	}
	CHECK_EQ(num_bool("Yes", &v, &e), -EINVAL);
	CHECK_EQ(num_bool("", &v, &e), -EINVAL);
}

static void formats_sizes_exactly(void)
{
	CHECK_STR(num_fmt_size(buf, sizeof(buf), 0), "0");
	CHECK_STR(num_fmt_size(buf, sizeof(buf), 1023), "1023");
	CHECK_STR(num_fmt_size(buf, sizeof(buf), 1024), "1K");
	CHECK_STR(num_fmt_size(buf, sizeof(buf), 1025), "1025");
	CHECK_STR(num_fmt_size(buf, sizeof(buf), 3 << 19), "1536K");
	CHECK_STR(num_fmt_size(buf, sizeof(buf), 1ull << 50), "1024T");
	CHECK_STR(num_fmt_size(buf, 24, UINT64_MAX), "18446744073709551615");
}

static void sizes_round_trip(void)
{
	uint64_t v;

	for (unsigned bit = 0; bit < 64; bit++) {
		for (int off = -1; off <= 1; off++) {
			uint64_t want = (1ull << bit) + (uint64_t)off;

			CHECK_OK(num_size(num_fmt_size(buf, 24, want), &v, &e));
			CHECK(v == want);
		}
	}
}

static void formats_durations(void)
{
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 0), "0ns");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 7), "7ns");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 20000), "20us");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 500000000), "500ms");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 1500000000), "1.5s");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 1050000000), "1050ms");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 3600000000000), "3600s");
	CHECK_STR(num_fmt_duration(buf, sizeof(buf), 1234567), "1234567ns");
}

static void durations_round_trip(void)
{
	uint64_t v;

	for (uint64_t unit = 1; unit <= NSEC_PER_SEC; unit *= 10) {
		for (uint64_t n = 1; n < 2000; n += 7) {
			CHECK_OK(num_duration(num_fmt_duration(buf, sizeof(buf), n * unit), &v,
					      &e));
			CHECK(v == n * unit);
		}
	}
}

static const char *si(double v, int digits)
{
	return num_fmt_si(buf, sizeof(buf), v, digits);
}

static void formats_si(void)
{
	CHECK_STR(si(0, 3), "0");
	CHECK_STR(si(7, 3), "7");
	CHECK_STR(si(7.25, 3), "7.25");
	CHECK_STR(si(999, 3), "999");
	CHECK_STR(si(431000, 3), "431k");
	CHECK_STR(si(2090000, 3), "2.09M");
	CHECK_STR(si(2.5e9, 2), "2.5G");
	CHECK_STR(si(3e12, 3), "3.00T");
	CHECK_STR(si(-431000, 3), "-431k");
	CHECK_STR(si(0.05, 3), "0.0500");
	CHECK_STR(si(0.0123, 3), "0.0123");
	CHECK_STR(si(0.5, 2), "0.50");
	CHECK_STR(si(0.00123, 3), "0.00123");
}

/* A value that rounds up into one more digit, or one more unit, must not show it. */
static void si_rounds_over(void)
{
	CHECK_STR(si(9.996, 3), "10.0");
	CHECK_STR(si(99.96, 3), "100");
	CHECK_STR(si(999.6, 3), "1.00k");
	CHECK_STR(si(99960, 3), "100k");
	CHECK_STR(si(999600, 3), "1.00M");
	CHECK_STR(si(0.9996, 3), "1.00");
	CHECK_STR(si(9.94, 3), "9.94");
}

static void si_not_finite(void)
{
	CHECK_STR(si(NAN, 3), "nan");
	CHECK_STR(si(INFINITY, 3), "inf");
	CHECK_STR(si(-INFINITY, 3), "-inf");
	CHECK_STR(si(1e30, 3), "1000000000000000P");
}

static void set_of(const char *text, struct num_set *set)
{
	if (num_set_parse(text, set, &e) < 0)
		TAP_FAIL("%s: %s", text, e.msg);
}

static void parses_lists(void)
{
	struct num_set s;

	set_of("", &s);
	CHECK_EQ(num_set_count(&s), 0);
	set_of("0-3,8", &s);
	CHECK_EQ(num_set_count(&s), 5);
	CHECK(num_set_has(&s, 0) && num_set_has(&s, 3) && num_set_has(&s, 8));
	CHECK(!num_set_has(&s, 4) && !num_set_has(&s, 9));
	set_of("8191", &s);
	CHECK(num_set_has(&s, 8191));
	CHECK(!num_set_has(&s, 8192)); /* beyond the set: no, and no access */
	set_of("5,1,1-2", &s);
	CHECK_EQ(num_set_count(&s), 3);
	set_of("63-64", &s);
	CHECK_EQ(num_set_count(&s), 2);
}

static void refuses_lists(void)
{
	static const char *const bad[] = { ",", "1,", ",1", "1-", "-1", "3-1", "1-2-3", "a", "1 ",
					   "1,,2", "0x1", "1;2" };
	struct num_set s = { 0 };

	num_set_add(&s, 42);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_EQ(num_set_parse(bad[i], &s, &e), -EINVAL);
	CHECK_EQ(num_set_parse("8192", &s, &e), -ERANGE);
	CHECK_EQ(num_set_parse("0-18446744073709551615", &s, &e), -ERANGE);
	CHECK_EQ(num_set_parse("18446744073709551616", &s, &e), -EINVAL);
	CHECK_EQ(num_set_count(&s), 1);
	CHECK(num_set_has(&s, 42));
}

static void formats_lists(void)
{
	static const char *const same[] = { "", "0", "0-3,8", "8191", "0-8191", "1,3,5", "62-65" };
	struct num_set s;

	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		_cleanup_free_ char *text = NULL;

		set_of(same[i], &s);
		text = num_set_format(&s);
		CHECK_STR(text, same[i]);
	}
}

static void formats_the_longest_list(void)
{
	_cleanup_free_ char *text = NULL;
	struct num_set s = { 0 }, back;

	for (size_t i = 1; i < NUM_SET_MAX; i += 2)
		num_set_add(&s, i);
	text = num_set_format(&s);
	set_of(text, &back);
	CHECK_EQ(memcmp(&s, &back, sizeof(s)), 0);
}

static void picks_members(void)
{
	struct num_set s, t;

	set_of("2,5-6,8191", &s);
	CHECK_EQ(num_set_nth(&s, 0), 2);
	CHECK_EQ(num_set_nth(&s, 2), 6);
	CHECK_EQ(num_set_nth(&s, 3), 8191);
	CHECK_EQ(num_set_nth(&s, 4), NUM_SET_MAX);
	set_of("", &t);
	CHECK_EQ(num_set_nth(&t, 0), NUM_SET_MAX);
	CHECK(num_set_within(&t, &s));
	CHECK(!num_set_within(&s, &t));
	set_of("5,8191", &t);
	CHECK(num_set_within(&t, &s));
	set_of("5,7", &t);
	CHECK(!num_set_within(&t, &s));
}

int main(void)
{
	TAP_RUN(u64_whole_range);
	TAP_RUN(u64_refuses);
	TAP_RUN(i64_whole_range);
	TAP_RUN(doubles);
	TAP_RUN(sizes);
	TAP_RUN(durations);
	TAP_RUN(fractions);
	TAP_RUN(bools);
	TAP_RUN(formats_sizes_exactly);
	TAP_RUN(sizes_round_trip);
	TAP_RUN(formats_durations);
	TAP_RUN(durations_round_trip);
	TAP_RUN(formats_si);
	TAP_RUN(si_rounds_over);
	TAP_RUN(si_not_finite);
	TAP_RUN(parses_lists);
	TAP_RUN(refuses_lists);
	TAP_RUN(formats_lists);
	TAP_RUN(formats_the_longest_list);
	TAP_RUN(picks_members);
	return tap_done();
}
