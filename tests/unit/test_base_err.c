// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include <errno.h>

#include "tap.h"

static void sets_and_returns_code(void)
{
	struct err e = { .hint = "stale" };

	CHECK_EQ(err_set(&e, -EINVAL, "bad \"%s\" at %d", "x", 7), -EINVAL);
	CHECK_EQ(e.code, -EINVAL);
	CHECK_STR(e.msg, "bad \"x\" at 7");
	CHECK_STR(e.hint, "");
}

static void errno_adds_reason(void)
{
	struct err e = { .hint = "stale" };

	CHECK_EQ(err_errno(&e, ENOENT, "could not open \"%s\"", "f"), -ENOENT);
	CHECK_EQ(e.code, -ENOENT);
	CHECK_STR(e.msg, "could not open \"f\": No such file or directory");
	CHECK_STR(e.hint, "");
	CHECK_EQ(err_errno(&e, 4095, "x"), -4095);
	CHECK_STR(e.msg, "x: Unknown error 4095");
}

static void wrap_prepends_and_keeps_hint(void)
{
	struct err e = { 0 };

	(void)err_set(&e, -EIO, "inner");
	err_hint(&e, "try %s", "harder");
	CHECK_EQ(err_wrap(&e, -EBUSY, "group \"%s\"", "g"), -EBUSY);
	CHECK_STR(e.msg, "group \"g\": inner");
	CHECK_STR(e.hint, "try harder");
	CHECK_EQ(e.code, -EBUSY);
}

static void null_gives_only_the_code(void)
{
	CHECK_EQ(err_set(NULL, -EPERM, "x"), -EPERM);
	CHECK_EQ(err_errno(NULL, EPERM, "x"), -EPERM);
	CHECK_EQ(err_wrap(NULL, -EPERM, "x"), -EPERM);
	err_hint(NULL, "x");
}

static bool ends_with(const char *s, const char *tail)
{
	return strlen(s) >= strlen(tail) && strcmp(s + strlen(s) - strlen(tail), tail) == 0;
}

/* A long value must not push the reason out of the message. */
static void reason_survives_length(void)
{
	char text[2000];
	struct err e = { 0 };

	memset(text, 'v', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	(void)err_errno(&e, EBUSY, "could not write \"%s\"", text);
	CHECK(ends_with(e.msg, ": Device or resource busy"));
	CHECK(strncmp(e.msg, "could not write \"vvv", 20) == 0);
	CHECK_EQ(strlen(e.msg), sizeof(e.msg) - 1);
	(void)err_wrap(&e, -EBUSY, "group \"g\"");
	CHECK(ends_with(e.msg, ": Device or resource busy"));
	CHECK(strncmp(e.msg, "group \"g\": could not", 20) == 0);
	(void)err_wrap(&e, -EBUSY, "%s", text);
	CHECK(ends_with(e.msg, ": Device or resource busy"));
}

/* Every length around the limit: no overrun (ASan), always terminated, nothing cut too early. */
static void lengths_around_the_limit(void)
{
	char head[sizeof(((struct err *)0)->msg)];

	for (size_t n = sizeof(head) - 40; n < sizeof(head); n++) {
		struct err e = { 0 };

		memset(head, 'h', n);
		head[n] = '\0';
		(void)err_set(&e, -EIO, "tail");
		(void)err_wrap(&e, -EIO, "%s", head);
		CHECK(ends_with(e.msg, ": tail"));
		CHECK_EQ(strlen(e.msg), n + 6 < sizeof(e.msg) ? n + 6 : sizeof(e.msg) - 1);
	}
}

static void deep_wrapping(void)
{
	struct err e = { 0 };

	(void)err_set(&e, -EIO, "the cause");
	for (int i = 0; i < 300; i++)
		(void)err_wrap(&e, -EIO, "level %d", i);
	CHECK(ends_with(e.msg, ": the cause"));
	CHECK(strncmp(e.msg, "level 299: level 298: ", 22) == 0);
}

int main(void)
{
	TAP_RUN(sets_and_returns_code);
	TAP_RUN(errno_adds_reason);
	TAP_RUN(wrap_prepends_and_keeps_hint);
	TAP_RUN(null_gives_only_the_code);
	TAP_RUN(reason_survives_length);
	TAP_RUN(lengths_around_the_limit);
	TAP_RUN(deep_wrapping);
	return tap_done();
}
