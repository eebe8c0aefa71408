// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/str.h"

#include "base/cleanup.h"
#include "tap.h"

static void grows_and_terminates(void)
{
	_cleanup_str_ struct str s = STR_INIT(1000);

	CHECK_STR(str_text(&s), "");
	str_add(&s, "");
	CHECK_STR(str_text(&s), "");
	str_add(&s, "ab");
	str_addc(&s, 'c');
	str_addn(&s, "defg", 2);
	str_addf(&s, "%03d", 7);
	CHECK_STR(str_text(&s), "abcde007");
	CHECK_EQ(s.len, 8);
	for (int i = 0; i < 500; i++)
		str_addc(&s, 'x');
	CHECK_EQ(strlen(str_text(&s)), 508);
	CHECK(str_ok(&s));
}

static void holds_exactly_its_maximum(void)
{
	_cleanup_str_ struct str s = STR_INIT(4);

	str_add(&s, "abcd");
	CHECK(str_ok(&s));
	str_addc(&s, 'e');
	CHECK(!str_ok(&s));
	CHECK_STR(str_text(&s), "abcd");
}

static void stays_failed_until_cleared(void)
{
	_cleanup_str_ struct str s = STR_INIT(4);

	str_add(&s, "ab");
	str_addf(&s, "%s", "cde");
	CHECK(!str_ok(&s));
	str_addc(&s, 'x'); /* would fit, but something is missing before it */
	CHECK_STR(str_text(&s), "ab");
	str_clear(&s);
	CHECK(str_ok(&s));
	CHECK_STR(str_text(&s), "");
	str_add(&s, "abcd");
	CHECK_STR(str_text(&s), "abcd");
}

static void huge_length_does_not_wrap(void)
{
	_cleanup_str_ struct str s = STR_INIT(100);
	volatile size_t huge = SIZE_MAX - 1; /* hidden from the compiler's own warning */

	str_add(&s, "abc");
	str_addn(&s, "x", huge);
	CHECK(!str_ok(&s));
	CHECK_STR(str_text(&s), "abc");
}

static void zero_maximum(void)
{
	_cleanup_str_ struct str s = STR_INIT(0);

	str_add(&s, "");
	CHECK(str_ok(&s));
	str_addc(&s, 'a');
	CHECK(!str_ok(&s));
	CHECK_STR(str_text(&s), "");
}

static void done_twice(void)
{
	struct str s = STR_INIT(10);

	str_add(&s, "a");
	str_done(&s);
	str_done(&s);
	CHECK_STR(str_text(&s), "");
}

static void copies(void)
{
	_cleanup_free_ char *a = xstrdup("abc"), *b = xstrndup("abcdef", 2);
	_cleanup_free_ char *c = xasprintf("%s-%d", a, 5);
	_cleanup_free_ char *zero = xcalloc(0, 0);
	char *none = xstrdup(NULL);

	CHECK_STR(a, "abc");
	CHECK_STR(b, "ab");
	CHECK_STR(c, "abc-5");
	CHECK(zero != NULL);
	CHECK(none == NULL);
}

static void equality(void)
{
	CHECK(str_eq("a", "a"));
	CHECK(!str_eq("a", "b"));
	CHECK(!str_eq("a", NULL));
	CHECK(!str_eq(NULL, "a"));
	CHECK(str_eq(NULL, NULL));
	CHECK(str_starts("memory.max", "memory."));
	CHECK(str_starts("a", ""));
	CHECK(!str_starts("mem", "memory"));
}

static void cuts_fields(void)
{
	char text[] = "a:,b:";
	char *rest = text;

	CHECK_STR(str_cut(&rest, ":,"), "a");
	CHECK_STR(str_cut(&rest, ":,"), "");
	CHECK_STR(str_cut(&rest, ":,"), "b");
	CHECK_STR(str_cut(&rest, ":,"), "");
	CHECK(str_cut(&rest, ":,") == NULL);
	CHECK(str_cut(&rest, ":,") == NULL);
}

static void cuts_the_empty_text_once(void)
{
	char text[] = "";
	char *rest = text;

	CHECK_STR(str_cut(&rest, ","), "");
	CHECK(str_cut(&rest, ",") == NULL);
}

static void list_owns_copies(void)
{
	_cleanup_strv_ struct strv l = { 0 };
	char text[16];

	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "%d", i);
		strv_add(&l, text);
	}
	CHECK_EQ(l.n, 100);
	CHECK_STR(l.v[0], "0");
	CHECK_STR(l.v[99], "99");
	strv_done(&l);
	CHECK_EQ(l.n, 0);
}

static const char *const words[] = { "depth", "groups", "fanout", "memory.max", "memory.high",
				     "cpus", "page_fault1", "page_fault2" };

static const char *nearest(const char *word)
{
	return str_nearest(word, words, ARRAY_LEN(words));
}

static void finds_slips(void)
{
	CHECK_STR(nearest("dept"), "depth");   /* left out */
	CHECK_STR(nearest("deepth"), "depth"); /* put in */
	CHECK_STR(nearest("dehth"), "depth");  /* another letter */
	CHECK_STR(nearest("dpeth"), "depth");  /* two swapped: one slip */
	CHECK_STR(nearest("gruops"), "groups");
	CHECK_STR(nearest("cpu"), "cpus");
	CHECK_STR(nearest("memroy.mxa"), "memory.max");
	CHECK_STR(nearest("memory_high"), "memory.high");
	CHECK_STR(nearest("pagefault2"), "page_fault2");
	CHECK_STR(nearest("depth"), "depth");
}

static void leaves_strangers_alone(void)
{
	char longer[200];

	CHECK(nearest("banana") == NULL);
	CHECK(nearest("") == NULL);
	CHECK(nearest("xyzzy") == NULL);
	CHECK(str_nearest("a", NULL, 0) == NULL);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	CHECK(nearest(longer) == NULL);
	longer[64] = '\0'; /* the longest that is looked at */
	CHECK(nearest(longer) == NULL);
}

static void prefers_the_nearest(void)
{
	CHECK_STR(nearest("page_fault2x"), "page_fault2");
	CHECK_STR(nearest("page_fault"), "page_fault1"); /* a tie: the first */
}

int main(void)
{
	TAP_RUN(grows_and_terminates);
	TAP_RUN(holds_exactly_its_maximum);
	TAP_RUN(stays_failed_until_cleared);
	TAP_RUN(huge_length_does_not_wrap);
	TAP_RUN(zero_maximum);
	TAP_RUN(done_twice);
	TAP_RUN(copies);
	TAP_RUN(equality);
	TAP_RUN(cuts_fields);
	TAP_RUN(cuts_the_empty_text_once);
	TAP_RUN(list_owns_copies);
	TAP_RUN(finds_slips);
	TAP_RUN(leaves_strangers_alone);
	TAP_RUN(prefers_the_nearest);
	return tap_done();
}
