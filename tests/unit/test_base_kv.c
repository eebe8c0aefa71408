// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/kv.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "tap.h"

static struct err e;

static void parses_in_order(void)
{
	_cleanup_kvs_ struct kvs l = { 0 };

	CHECK_OK(kvs_parse("depth=4,memory.max=256M,dir=/a=b", &l, &e));
	CHECK_EQ(l.n, 3);
	CHECK_STR(l.v[0].key, "depth");
	CHECK_STR(l.v[0].val, "4");
	CHECK_STR(l.v[1].key, "memory.max");
	CHECK_STR(kvs_get(&l, "dir"), "/a=b");
	CHECK(kvs_get(&l, "dept") == NULL);
}

static void fields_without_key_continue(void)
{
	_cleanup_kvs_ struct kvs l = { 0 };

	CHECK_OK(kvs_parse("a=1,b=2,3,c=x", &l, &e));
	CHECK_EQ(l.n, 3);
	CHECK_STR(kvs_get(&l, "b"), "2,3");
	CHECK_STR(kvs_get(&l, "c"), "x");
}

static void empty_fields_are_fields(void)
{
	_cleanup_kvs_ struct kvs l = { 0 };

	CHECK_OK(kvs_parse("a=,b=1,,c=2,", &l, &e));
	CHECK_STR(kvs_get(&l, "a"), "");
	CHECK_STR(kvs_get(&l, "b"), "1,");
	CHECK_STR(kvs_get(&l, "c"), "2,"); /* a slip that the value's own parser will see */
	kvs_done(&l);
	CHECK_OK(kvs_parse("", &l, &e));
	CHECK_EQ(l.n, 0);
}

static void escapes(void)
{
	_cleanup_kvs_ struct kvs l = { 0 };

	CHECK_OK(kvs_parse("a=x\\,y=z,b=c:\\\\d,c=\\n", &l, &e));
	CHECK_EQ(l.n, 3);
	CHECK_STR(kvs_get(&l, "a"), "x,y=z");
	CHECK_STR(kvs_get(&l, "b"), "c:\\d");
	CHECK_STR(kvs_get(&l, "c"), "\\n"); /* no other escapes */
}

static void refuses(void)
{
	static const char *const bad[] = { "depth", "=1", "a=1,=2", ",a=1", "a=1,a=2", ",",
					   "a=1,b=2,a=3" };
	_cleanup_kvs_ struct kvs l = { 0 };

	kvs_set(&l, "kept", "yes");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK_EQ(kvs_parse(bad[i], &l, &e), -EINVAL);
		CHECK_EQ(l.n, 1);
		CHECK_STR(kvs_get(&l, "kept"), "yes");
	}
	CHECK_EQ(kvs_parse("a=1,a=2", &l, &e), -EINVAL);
	CHECK_STR(e.msg, "\"a\" is given twice in \"a=1,a=2\"");
}

static void appends_and_does_not_continue_the_earlier(void)
{
	_cleanup_kvs_ struct kvs l = { 0 };

	CHECK_OK(kvs_parse("a=1", &l, &e));
	CHECK_EQ(kvs_parse("2,b=1", &l, &e), -EINVAL);
	CHECK_STR(kvs_get(&l, "a"), "1");
	CHECK_OK(kvs_parse("b=2", &l, &e));
	CHECK_EQ(l.n, 2);
	CHECK_EQ(kvs_parse("a=3", &l, &e), -EINVAL);
}

static void bounded(void)
{
	_cleanup_free_ char *text = xcalloc(70000, 1);
	_cleanup_kvs_ struct kvs l = { 0 };

	memset(text, 'x', 65536);
	text[1] = '=';
	CHECK_OK(kvs_parse(text, &l, &e));
	CHECK_EQ(strlen(kvs_get(&l, "x")), 65534);
	text[65536] = 'x';
	CHECK_EQ(kvs_parse(text, &l, &e), -E2BIG);
}

static void sets_and_unsets(void)
{
	_cleanup_kvs_ struct kvs l = { 0 }, to = { 0 };
	char key[16];

	for (int i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		kvs_set(&l, key, key);
	}
	kvs_set(&l, "k3", kvs_get(&l, "k4")); /* from the list itself */
	kvs_set(&l, "k3", kvs_get(&l, "k3"));
	CHECK_STR(kvs_get(&l, "k3"), "k4");
	kvs_unset(&l, "k0");
	kvs_unset(&l, "k19");
	kvs_unset(&l, "none");
	CHECK_EQ(l.n, 18);
	CHECK_STR(l.v[0].key, "k1");
	CHECK_STR(l.v[17].key, "k18");
	kvs_set(&to, "k1", "old");
	kvs_set(&to, "own", "own");
	kvs_copy(&to, &l);
	CHECK_EQ(to.n, 19);
	CHECK_STR(kvs_get(&to, "k1"), "k1");
	CHECK_STR(kvs_get(&to, "own"), "own");
	kvs_done(&l);
	CHECK_EQ(l.n, 0);
	CHECK_STR(kvs_get(&to, "k18"), "k18");
}

/* Whatever the values hold, what is formatted is read back. */
static void round_trips(void)
{
	static const char alphabet[] = ",=\\ab\n \"'";
	struct rng r;

	rng_init(&r, 7);
	for (int round = 0; round < 2000; round++) {
		_cleanup_kvs_ struct kvs l = { 0 }, back = { 0 };
		_cleanup_str_ struct str text = STR_INIT(1 << 16);

		for (unsigned i = 0; i < 3; i++) {
			char key[2] = { (char)('k' + i), '\0' }, val[9] = "";
			size_t len = rng_below(&r, sizeof(val));

			for (size_t j = 0; j < len; j++)
				val[j] = alphabet[rng_below(&r, sizeof(alphabet) - 1)];
			kvs_set(&l, key, val);
		}
		kvs_format(&l, &text);
		CHECK_OK(kvs_parse(str_text(&text), &back, &e));
		CHECK_EQ(back.n, l.n);
		for (size_t i = 0; i < l.n; i++) {
			CHECK_STR(back.v[i].key, l.v[i].key);
			CHECK_STR(back.v[i].val, l.v[i].val);
		}
	}
}

int main(void)
{
	TAP_RUN(parses_in_order);
	TAP_RUN(fields_without_key_continue);
	TAP_RUN(empty_fields_are_fields);
	TAP_RUN(escapes);
	TAP_RUN(refuses);
	TAP_RUN(appends_and_does_not_continue_the_earlier);
	TAP_RUN(bounded);
	TAP_RUN(sets_and_unsets);
	TAP_RUN(round_trips);
	return tap_done();
}
