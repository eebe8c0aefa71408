// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/symbols.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"
#include "tap.h"

static struct err e;

static int parse(const char *text, struct kernel_symbols *ret)
{
	e = (struct err){ 0 };
	return kernel_symbols_parse(text, strlen(text), ret, &e);
}

#define FORMATS_AS(s, want)                                     \
	do {                                                    \
		_cleanup_str_ struct str out_ = STR_INIT(4096); \
		kernel_symbols_format(s, &out_);                \
		CHECK_STR(str_text(&out_), want);               \
	} while (0)

static void sorts_and_sizes(void)
{
	_cleanup_kernel_symbols_ struct kernel_symbols s = { 0 };

	CHECK_OK(parse("ffffffff81000100 T second\n"
		       "ffffffff81000000 t first\n"
		       "ffffffffc0000010 t in_module\t[zram]\n"
		       "ffffffff81000180 D data\n"
		       "0000000000001000 A percpu\n"
		       "0000000000000000 T also_percpu\n"
		       "ffffffff81000140 W weak\n",
		       &s));
	FORMATS_AS(&s, "ffffffff81000000 100 first\n"
		       "ffffffff81000100 40 second\n"
		       "ffffffff81000140 40 weak\n"
		       "ffffffffc0000010 ff0 in_module\n");
}

static void aliases_keep_the_same_name(void)
{
	_cleanup_kernel_symbols_ struct kernel_symbols s = { 0 }, back = { 0 };

	CHECK_OK(parse("ffffffff81000000 t local\n"
		       "ffffffff81000000 T __under\n"
		       "ffffffff81000000 T longer\n"
		       "ffffffff81000000 T beta\n"
		       "ffffffff81000000 T alfa\n"
		       "ffffffff81000000 W w\n"
		       "ffffffff81000000 D d\n"
		       "ffffffff81000010 T end\n",
		       &s));
	FORMATS_AS(&s, "ffffffff81000000 10 alfa\nffffffff81000010 ff0 end\n");
	CHECK_OK(parse("ffffffff81000010 T end\n"
		       "ffffffff81000000 D d\n"
		       "ffffffff81000000 W w\n"
		       "ffffffff81000000 T __under\n"
		       "ffffffff81000000 T alfa\n"
		       "ffffffff81000000 T beta\n",
		       &back));
	CHECK_STR(back.v[0].name, "alfa");
}

static void ends_of_the_address_space(void)
{
	_cleanup_kernel_symbols_ struct kernel_symbols s = { 0 };

	CHECK_OK(parse("ffffffffffffffff T last\n8000000000000000 T first", &s));
	FORMATS_AS(&s, "8000000000000000 7fffffffffffffff first\n"
		       "ffffffffffffffff 1 last\n");
	CHECK(kernel_symbols_find(&s, UINT64_MAX) == &s.v[1]);
}

static void finds(void)
{
	_cleanup_kernel_symbols_ struct kernel_symbols s = { 0 };

	CHECK_OK(parse("ffffffff81000000 T a\nffffffff81000100 T b\n"
		       "ffffffff81000140 D d\nffffffff81000f00 t z\n", &s));
	CHECK(!kernel_symbols_find(&s, 0));
	CHECK(!kernel_symbols_find(&s, 0xffffffff80ffffff));
	CHECK_STR(kernel_symbols_find(&s, 0xffffffff81000000)->name, "a");
	CHECK_STR(kernel_symbols_find(&s, 0xffffffff810000ff)->name, "a");
	CHECK_STR(kernel_symbols_find(&s, 0xffffffff81000100)->name, "b");
	CHECK(!kernel_symbols_find(&s, 0xffffffff81000140)); /* data */
	CHECK_STR(kernel_symbols_find(&s, 0xffffffff81000fff)->name, "z");
	CHECK(!kernel_symbols_find(&s, 0xffffffff81001000));
}

static void refuses_what_is_no_symbol(void)
{
	static const char *const bad[] = {
		"ffffffff81000000 T\n", "ffffffff81000000  name\n", "T name\n", "\1\n",
		"ffffffff8100000g T name\n", "1ffffffff81000000 T name\n",
		"ffffffff81000000 TT name\n", "ffffffff81000000 T \n",
		"ffffffff81000000 T [user]\n", "FFFFFFFF81000000 T name\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		_cleanup_str_ struct str text = STR_INIT(4096);
		struct kernel_symbols s = { 0 };

		str_addf(&text, "ffffffff81000000 T good\n\n%s", bad[i]);
		CHECK_EQ(parse(str_text(&text), &s), -EINVAL);
		CHECK_HAS(e.msg, "line 3");
		CHECK(!s.v);
	}
	CHECK_EQ(kernel_symbols_parse("a\0b", 3, NULL, &e), -EINVAL);
}

static void says_when_addresses_are_hidden(void)
{
	struct kernel_symbols s = { 0 };

	CHECK_EQ(parse("0000000000000000 T a\n0000000000000000 t b\n", &s), -EPERM);
	CHECK_HAS(e.hint, "root");
	CHECK_EQ(parse("0000000000000000 A p\nffffffff81000000 D d\n", &s), -ENODATA);
	CHECK_EQ(parse("", &s), -ENODATA);
}

int main(void)
{
	TAP_RUN(sorts_and_sizes);
	TAP_RUN(aliases_keep_the_same_name);
	TAP_RUN(ends_of_the_address_space);
	TAP_RUN(finds);
	TAP_RUN(refuses_what_is_no_symbol);
	TAP_RUN(says_when_addresses_are_hidden);
	return tap_done();
}
