// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/sweep.h"

static const struct param_spec u64 = { .name = "tasks", .type = PARAM_U64 };
static const struct param_spec size = { .name = "size", .type = PARAM_SIZE };
static const struct param_spec word = { .name = "mode", .type = PARAM_CHOICE };
static const struct param_spec text = { .name = "match", .type = PARAM_TEXT };
static const struct param_spec wait = { .name = "wait", .type = PARAM_DURATION };

/* Values joined by blanks, or "error: MESSAGE". */
static const char *expand(const struct param_spec *spec, const char *in, unsigned cpus)
{
	static struct str out = STR_INIT(4096);
	_cleanup_strv_ struct strv l = { 0 };
	struct err e = { 0 };

	str_clear(&out);
	if (sweep_expand(spec, in, cpus, &l, &e) < 0)
		str_addf(&out, "error: %s", e.msg);
	for (size_t i = 0; i < l.n; i++)
		str_addf(&out, i ? " %s" : "%s", l.v[i]);
	return str_text(&out);
}

static void single_values(void)
{
	CHECK_STR(expand(&u64, "7", 2), "7");
	CHECK_STR(expand(&size, "64M", 2), "64M");
	CHECK_STR(expand(&word, "thread", 2), "thread");
	CHECK_STR(expand(&wait, "5ms", 2), "5ms");
	/* judged by params_parse, which knows the table */
	CHECK_STR(expand(&u64, "many", 2), "many");
}

static void lists(void)
{
	CHECK_STR(expand(&u64, "1,2, 4", 2), "1 2 4");
	CHECK_STR(expand(&word, "process,thread", 2), "process thread");
	CHECK_STR(expand(&u64, "1,4..6,9", 2), "1 4 5 6 9");
	CHECK_HAS(expand(&u64, "1,,2", 2), "error: \"tasks\": \"1,,2\": an empty value");
	CHECK_HAS(expand(&u64, "", 2), "an empty value");
}

static void texts_never_sweep(void)
{
	CHECK_STR(expand(&text, "1,2", 2), "1,2");
	CHECK_STR(expand(&text, "a..b/3 cpus", 2), "a..b/3 cpus");
	CHECK_STR(expand(&text, "", 2), "");
}

static void ranges(void)
{
	CHECK_STR(expand(&u64, "1..5", 2), "1 2 3 4 5");
	CHECK_STR(expand(&u64, "3..3", 2), "3");
	CHECK_STR(expand(&u64, "0..2", 2), "0 1 2");
	CHECK_HAS(expand(&u64, "5..1", 2), "the range ends below its beginning");
	CHECK_HAS(expand(&u64, "1..x", 2), "\"x\" is not a whole number");
	CHECK_HAS(expand(&u64, "1..200000", 2), "at most 100000 values");
	CHECK_HAS(expand(&u64, "18446744073709551614..18446744073709551615", 2),
		  "18446744073709551614 18446744073709551615");
	CHECK_HAS(expand(&size, "4K..2M", 2), "needs the number of values");
}

static void spaced(void)
{
	CHECK_STR(expand(&u64, "1..1000/4", 2), "1 10 100 1000");
	/* 1, 1.41, 2, 2.83, 4 rounded, neighbours that became equal dropped */
	CHECK_STR(expand(&u64, "1..4/5", 2), "1 2 3 4");
	/* 4096 * 2^(k/2), to whole pages: 5793 is nearer to 4K, 11585 to 12K, 23170 to 24K */
	CHECK_STR(expand(&size, "4K..32K/7", 2), "4K 8K 12K 16K 24K 32K");
	/* ends that are no whole pages stay */
	CHECK_STR(expand(&size, "1000..10000/3", 2), "1000 4K 10000");
	CHECK_HAS(expand(&u64, "0..8/3", 2), "can't begin at 0");
	CHECK_HAS(expand(&u64, "1..8/1", 2), "2 to 100000 values, not 1");
	CHECK_HAS(expand(&u64, "1..8/x", 2), "\"x\" is not a whole number");
	CHECK_HAS(expand(&u64, "1..8/", 2), "\"\" is not a whole number");
}

static void products_of_cpus(void)
{
	CHECK_STR(expand(&u64, "cpus", 4), "4");
	CHECK_STR(expand(&u64, "3*cpus", 4), "12");
	CHECK_STR(expand(&u64, "cpus * 3", 4), "12");
	CHECK_STR(expand(&u64, "1,cpus,3*cpus", 4), "1 4 12");
	CHECK_STR(expand(&u64, "1..3*cpus", 2), "1 2 3 4 5 6");
	CHECK_STR(expand(&size, "4K*cpus", 2), "8K");
	CHECK_STR(expand(&size, "4K*cpus..16K*cpus/3", 2), "8K 16K 32K");
	CHECK_HAS(expand(&u64, "*cpus", 4), "error");
	CHECK_HAS(expand(&u64, "3*", 4), "error");
	CHECK_HAS(expand(&u64, "3*cores", 4), "\"cores\" is not a whole number");
	CHECK_HAS(expand(&u64, "9223372036854775808*cpus", 2), "too large");
}

/* The sizes of the first post on a machine of two CPUs: 16, rising, pages, exact ends. */
static void sizes_of_the_first_post(void)
{
	_cleanup_strv_ struct strv l = { 0 };
	struct err e = { 0 };

	CHECK_OK(sweep_expand(&size, "4K*cpus..2M*cpus/16", 2, &l, &e));
	CHECK_EQ(l.n, 16);
	CHECK_STR(l.v[0], "8K");
	CHECK_STR(l.v[15], "4M");
	/* 8192 * 512^(1/15) = 12417, 512^(2/15): 18821 */
	CHECK_STR(l.v[1], "12K");
	CHECK_STR(l.v[2], "20K");
}

static void products_of_placements(void)
{
	_cleanup_free_ char *a = sweep_product("2*cpus", 4), *b = sweep_product("64M*cpus", 2);

	CHECK_STR(a, "8");
	CHECK_STR(b, "134217728");
	CHECK(!sweep_product("0-3", 4));
	CHECK(!sweep_product("64M", 4));
	CHECK(!sweep_product("xfs-loop:64M", 4));
	CHECK(!sweep_product("cpus*x", 4));
}

static void failure_leaves_the_list(void)
{
	_cleanup_strv_ struct strv l = { 0 };
	struct err e = { 0 };

	strv_add(&l, "old");
	CHECK_EQ(sweep_expand(&u64, "1,2,3..1", 2, &l, &e), -ERANGE);
	CHECK_EQ(l.n, 1);
}

int main(void)
{
	TAP_RUN(single_values);
	TAP_RUN(lists);
	TAP_RUN(texts_never_sweep);
	TAP_RUN(ranges);
	TAP_RUN(spaced);
	TAP_RUN(products_of_cpus);
	TAP_RUN(sizes_of_the_first_post);
	TAP_RUN(products_of_placements);
	TAP_RUN(failure_leaves_the_list);
	return tap_done();
}
