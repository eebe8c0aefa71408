/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test header, TAP as kselftest and prove read it. A test is `static void name(void)`; a failed
 * CHECK prints both values and RETURNS from it, so that cleanup attributes run.
 *
 *	static void adds(void) { CHECK_EQ(1 + 1, 2); }
 *	int main(void) { TAP_RUN(adds); return tap_done(); }
 *
 * SKIP("reason") leaves the test; when $REQUIRE is set (CI), a skip whose reason does not start
 * with "this machine" is a failure: what the machine can do must be tested.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	unsigned n, failed;
	bool this_failed;
	char skip[200];
} tap;

#define TAP_FAIL(...)                                                            \
	do {                                                                     \
		tap.this_failed = true;                                          \
		printf("# %s:%d: ", __FILE__, __LINE__);                         \
		printf(__VA_ARGS__);                                             \
		putchar('\n');                                                   \
	} while (0)

#define CHECK(cond)                                        \
	do {                                               \
		if (!(cond)) {                             \
			TAP_FAIL("not true: %s", #cond);   \
			return;                            \
		}                                          \
	} while (0)

/* A call that returns 0 or negative errno and fills `e`, which must be in scope. */
#define CHECK_OK(call)                                                             \
	do {                                                                       \
		int r_ = (int)(call);                                              \
		if (r_ < 0) {                                                      \
			TAP_FAIL("%s: %d, \"%s\"", #call, r_, e.msg);              \
			return;                                                    \
		}                                                                  \
	} while (0)

#define CHECK_EQ(got, want)                                                        \
	do {                                                                       \
		intmax_t got_ = (intmax_t)(got), want_ = (intmax_t)(want);         \
		if (got_ != want_) {                                               \
			TAP_FAIL("%s is %" PRIdMAX ", want %" PRIdMAX, #got, got_, want_); \
			return;                                                    \
		}                                                                  \
	} while (0)

#define CHECK_STR(got, want)                                                       \
	do {                                                                       \
		const char *got_ = (got), *want_ = (want);                         \
		if (!got_ || strcmp(got_, want_) != 0) {                           \
			TAP_FAIL("%s is \"%s\", want \"%s\"", #got, got_ ? got_ : "(null)", \
				 want_);                                           \
			return;                                                    \
		}                                                                  \
	} while (0)

#define CHECK_HAS(text, part)                                                      \
	do {                                                                       \
		const char *text_ = (text), *part_ = (part);                       \
		if (!text_ || !strstr(text_, part_)) {                             \
			TAP_FAIL("%s is \"%s\", does not hold \"%s\"", #text,      \
				 text_ ? text_ : "(null)", part_);                 \
			return;                                                    \
		}                                                                  \
	} while (0)

/* Relative tolerance; absolute where @want is 0. */
#define CHECK_NEAR(got, want, tolerance)                                           \
	do {                                                                       \
		double got_ = (got), want_ = (want);                               \
		double off_ = fabs(got_ - want_) / (want_ != 0 ? fabs(want_) : 1); \
		if (!(off_ <= (tolerance))) {                                      \
			TAP_FAIL("%s is %.17g, want %.17g (off by %.3g)", #got, got_,      \
				 want_, off_);                                     \
			return;                                                    \
		}                                                                  \
	} while (0)

#define SKIP(...)                                                       \
	do {                                                            \
		snprintf(tap.skip, sizeof(tap.skip), __VA_ARGS__);      \
		return;                                                 \
	} while (0)

static inline void tap_run(const char *name, void (*fn)(void))
{
	tap.this_failed = false;
	tap.skip[0] = '\0';
	fn();
	tap.n++;
	if (tap.skip[0] && getenv("REQUIRE") && strncmp(tap.skip, "this machine", 12) != 0)
		TAP_FAIL("skipped although $REQUIRE is set: %s", tap.skip);
	if (tap.this_failed) {
		tap.failed++;
		printf("not ok %u - %s\n", tap.n, name);
	} else if (tap.skip[0]) {
		printf("ok %u - %s # SKIP %s\n", tap.n, name, tap.skip);
	} else {
		printf("ok %u - %s\n", tap.n, name);
	}
	fflush(stdout);
}
#define TAP_RUN(fn) tap_run(#fn, fn)

static inline int tap_done(void)
{
	printf("1..%u\n", tap.n);
	return tap.failed ? 1 : 0;
}

#endif
