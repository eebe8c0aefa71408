// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing and printing of parameters, on a workload made for it: every type, every way to fail. */
#include "tap.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "workload/workload.h"

static const char *const orders[] = { "sequential", "random", NULL };

static const struct param_spec specs[] = {
	PARAMS_TASKS,
	{ .name = "size", .type = PARAM_SIZE, .def = "64K", .min = 4096, .max = 1 << 30 },
	{ .name = "pause", .type = PARAM_DURATION, .def = "5ms", .max = 10000000000 },
	{ .name = "order", .type = PARAM_CHOICE, .def = "sequential", .choices = orders },
	{ .name = "huge", .type = PARAM_BOOL, .def = "no" },
	{ .name = "label", .type = PARAM_TEXT, .def = "", .max = 8 },
	{ .name = "floor", .type = PARAM_U64, .def = "7", .min = 7 },
	{ 0 },
};

static int size_is_not_8192(const struct params *p, struct err *e)
{
	if (params_u64(p, "size") == 8192)
		return err_set(e, -EINVAL, "8192 is refused by check");
	return 0;
}

static const struct workload made_up = {
	.name = "made_up", .params = specs, .check = size_is_not_8192,
};

static int parse(const char *text, struct params *ret, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(text, &kvs, e);

	return r < 0 ? r : params_parse(&made_up, &kvs, ret, e);
}

static void defaults_are_canonical(void)
{
	_cleanup_(params_done) struct params p = { 0 };
	_cleanup_str_ struct str text = STR_INIT(1000);
	struct err e = { 0 };

	CHECK_OK(parse("", &p, &e));
	CHECK_EQ(params_u64(&p, "tasks"), 1);
	CHECK_EQ(params_u64(&p, "mode"), MODE_PROCESS);
	CHECK_EQ(params_u64(&p, "size"), 65536);
	CHECK_EQ(params_u64(&p, "pause"), 5000000);
	CHECK_EQ(params_u64(&p, "huge"), 0);
	CHECK(params_have(&p, "label") && !params_have(&p, "lable"));
	params_format(&p, &text);
	CHECK_STR(str_text(&text), "tasks=1,mode=process,size=64K,pause=5ms,order=sequential,"
				   "huge=no,label=,floor=7");
}

static void values_become_canonical(void)
{
	_cleanup_(params_done) struct params p = { 0 };
	struct err e = { 0 };

	CHECK_OK(parse("size=131072,pause=0.25s,order=random,huge=on,mode=thread,floor=007", &p,
		       &e));
	CHECK_STR(params_text(&p, "size"), "128K");
	CHECK_STR(params_text(&p, "pause"), "250ms");
	CHECK_STR(params_text(&p, "order"), "random");
	CHECK_EQ(params_u64(&p, "order"), 1);
	CHECK_STR(params_text(&p, "huge"), "yes");
	CHECK_EQ(params_u64(&p, "mode"), MODE_THREAD);
	CHECK_STR(params_text(&p, "floor"), "7");
}

static void text_survives_the_way_back(void)
{
	_cleanup_(params_done) struct params p = { 0 }, q = { 0 };
	_cleanup_str_ struct str one = STR_INIT(1000), two = STR_INIT(1000);
	struct err e = { 0 };

	CHECK_OK(parse("label=a\\,b=\\\\c,size=1M", &p, &e));
	CHECK_STR(params_text(&p, "label"), "a,b=\\c");
	params_format(&p, &one);
	CHECK_OK(parse(str_text(&one), &q, &e));
	params_format(&q, &two);
	CHECK_STR(str_text(&two), str_text(&one));
	CHECK_STR(params_text(&q, "label"), "a,b=\\c");
}

static void bad_values_are_refused(void)
{
	static const struct {
		const char *text, *message, *hint;
	} bad[] = {
		{ "tasks=0", "parameter \"tasks\": \"0\" is not within 1 to 4096", "" },
		{ "tasks=4097", "\"4097\" is not within 1 to 4096", "" },
		{ "size=4095", "\"4095\" is not within 4K to 1G", "" },
		{ "size=2G", "\"2G\" is not within 4K to 1G", "" },
		{ "size=64Q", "\"64Q\" is not a size", "" },
		{ "pause=11s", "\"11s\" is not within 0ns to 10s", "" },
		{ "pause=3", "\"3\" is not a time", "" },
		{ "floor=6", "\"6\" is below 7", "" },
		{ "order=randon", "\"randon\" is none of sequential, random", "\"random\"" },
		{ "huge=maybe", "neither yes nor no", "" },
		{ "label=123456789", "a text of 9 bytes is too long", "" },
		{ "sise=1M", "workload \"made_up\" has no parameter \"sise\"", "\"size\"" },
		{ "quxquux=1", "has no parameter \"quxquux\"", "mmgauge list made_up" },
		{ "size=8K", "8192 is refused by check", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct params p = { .n = 99 };
		struct err e = { 0 };

		CHECK(parse(bad[i].text, &p, &e) < 0);
		CHECK_HAS(e.msg, bad[i].message);
		CHECK_HAS(e.hint, bad[i].hint);
		CHECK_EQ(p.n, 99); /* untouched on failure */
	}
}

int main(void)
{
	TAP_RUN(defaults_are_canonical);
	TAP_RUN(values_become_canonical);
	TAP_RUN(text_survives_the_way_back);
	TAP_RUN(bad_values_are_refused);
	return tap_done();
}
