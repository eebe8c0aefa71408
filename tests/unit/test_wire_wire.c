// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "tap.h"
#include "wire/wire.h"

/* Golden: the form on the wire is part of the protocol and only changes with WIRE_PROTO. */
static const char golden[] = "sample name=ops_per_s value=431000.5 text=a%20b%25%7e%0a%c3%a9 ~";

static void encode(struct str *out)
{
	wire_begin(out, "sample");
	wire_add(out, "name", "ops_per_s");
	wire_add_f64(out, "value", 431000.5);
	wire_add(out, "text", "a b%~\n\xc3\xa9");
	wire_end(out);
}

static void golden_form(void)
{
	_cleanup_str_ struct str out = STR_INIT(4096);

	encode(&out);
	CHECK(strncmp(str_text(&out), golden, strlen(golden)) == 0);
	CHECK_STR(str_text(&out) + strlen(golden), "1fd336a0\n");
}

static void round_trip(void)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	struct err e = { 0 };
	struct wire_rec r;
	const char *absent;
	double v;

	encode(&out);
	out.buf[out.len - 1] = '\0';
	CHECK_OK(wire_parse(out.buf, &r, &e));
	CHECK_STR(r.kind, "sample");
	CHECK_STR(wire_get(&r, "text"), "a b%~\n\xc3\xa9");
	CHECK_OK(wire_need_f64(&r, "value", &v, &e));
	CHECK(v == 431000.5);
	CHECK_EQ(wire_need(&r, "absent", &absent, &e), -EPROTO);
	CHECK_HAS(e.msg, "absent");
}

/* Every cut and every changed byte must be noticed. */
static void damage(void)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	struct err e = { 0 };
	struct wire_rec r;

	encode(&out);
	for (size_t cut = 0; cut < out.len - 1; cut++) {
		_cleanup_free_ char *copy = xstrndup(out.buf, cut);

		if (wire_parse(copy, &r, &e) == 0)
			TAP_FAIL("cut at %zu was taken", cut);
	}
	for (size_t i = 0; i < out.len - 1; i++) {
		_cleanup_free_ char *copy = xstrndup(out.buf, out.len - 1);

		copy[i] ^= 1;
		if (wire_parse(copy, &r, &e) == 0)
			TAP_FAIL("changed byte %zu was taken", i);
	}
}

static int pipe_with(const char *text, size_t len, int *ret_write_end)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0 || write(p[1], text, len) != (ssize_t)len)
		abort();
	*ret_write_end = p[1];
	return p[0];
}

static void stream_cut_in_record(void)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	struct wire_reader rd;
	_cleanup_close_ int fd = -EBADF;
	struct err e = { 0 };
	struct wire_rec r;
	int w;

	encode(&out);
	encode(&out);
	fd = pipe_with(out.buf, out.len - 5, &w);
	close(w);
	rd = WIRE_READER(fd);
	CHECK_EQ(wire_next(&rd, 0, -1, &r, &e), 1);
	CHECK_EQ(wire_next(&rd, 0, -1, &r, &e), -EPROTO);
	CHECK_HAS(e.msg, "cut off");
	wire_reader_done(&rd);
}

static void clean_end_and_timeout(void)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	struct wire_reader rd;
	_cleanup_close_ int fd = -EBADF, abort_fd = -EBADF;
	struct err e = { 0 };
	struct wire_rec r;
	int w, w2;

	encode(&out);
	fd = pipe_with(out.buf, out.len, &w);
	abort_fd = pipe_with("", 0, &w2);
	rd = WIRE_READER(fd);
	CHECK_EQ(wire_next(&rd, 0, abort_fd, &r, &e), 1);
	CHECK_EQ(wire_next(&rd, clock_mono_ns() + 20 * NSEC_PER_MSEC, abort_fd, &r, &e),
		 -ETIMEDOUT);
	close(w2);
	CHECK_EQ(wire_next(&rd, 0, abort_fd, &r, &e), -EINTR);
	close(w);
	CHECK_EQ(wire_next(&rd, 0, -1, &r, &e), 0);
	wire_reader_done(&rd);
}

int main(void)
{
	TAP_RUN(golden_form);
	TAP_RUN(round_trip);
	TAP_RUN(damage);
	TAP_RUN(stream_cut_in_record);
	TAP_RUN(clean_end_and_timeout);
	return tap_done();
}
