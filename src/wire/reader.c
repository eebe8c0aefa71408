// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading records from a pipe or a serial line, with a deadline and a way to be called off. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "wire/wire.h"

/* Milliseconds for poll, rounded up so that a deadline is never reached early. */
static int poll_ms(uint64_t deadline_ns)
{
	uint64_t now = clock_mono_ns();
	uint64_t ms;

	if (!deadline_ns)
		return -1;
	if (now >= deadline_ns)
		return 0;
	ms = (deadline_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	return ms > 1000000 ? 1000000 : (int)ms;
}

static int wait_readable(int fd, uint64_t deadline_ns, int abort_fd, struct err *e)
{
	for (;;) {
		struct pollfd p[2] = {
			{ .fd = fd, .events = POLLIN },
			{ .fd = abort_fd, .events = POLLIN },
		};
		int n = poll(p, 2, poll_ms(deadline_ns));

		if (n < 0 && errno != EINTR)
			return err_errno(e, errno, "could not wait for a record");
		if (n > 0 && p[1].revents)
			return err_set(e, -EINTR, "called off");
		if (n > 0 && p[0].revents)
			return 0;
		if (n == 0 && deadline_ns && clock_mono_ns() >= deadline_ns)
			return err_set(e, -ETIMEDOUT, "no record came in time");
	}
}

/* Reads more bytes; 0 at end of file. */
static int fill(struct wire_reader *r, struct err *e)
{
	ssize_t n;

	if (r->len >= WIRE_LINE_MAX)
		return err_set(e, -EPROTO, "a record is longer than %u bytes", WIRE_LINE_MAX);
	r->buf = xrealloc(r->buf, r->len + 4096 + 1, 1);
	do {
		n = read(r->fd, r->buf + r->len, 4096);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(e, errno, "could not read a record");
	r->len += (size_t)n;
	r->buf[r->len] = '\0';
	return n > 0;
}

/* The record in the line that ends at @nl. */
static int take_line(struct wire_reader *r, char *nl, struct wire_rec *ret, struct err *e)
{
	int rc;

	r->used = (size_t)(nl - r->buf) + 1;
	*nl = '\0';
	if (strlen(r->buf) != (size_t)(nl - r->buf))
		return err_set(e, -EPROTO, "damaged record (NUL byte)");
	rc = wire_parse(r->buf, ret, e);
	return rc < 0 ? rc : 1;
}

int wire_next(struct wire_reader *r, uint64_t deadline_ns, int abort_fd, struct wire_rec *ret,
	      struct err *e)
{
	if (r->used) {
		memmove(r->buf, r->buf + r->used, r->len - r->used);
		r->len -= r->used;
		r->used = 0;
	}
	for (;;) {
		char *nl = r->len ? memchr(r->buf, '\n', r->len) : NULL;
		int rc;

		if (nl)
			return take_line(r, nl, ret, e);
		rc = wait_readable(r->fd, deadline_ns, abort_fd, e);
		if (rc == 0)
			rc = fill(r, e);
		if (rc < 0)
			return rc;
		if (rc == 0 && r->len)
			return err_set(e, -EPROTO, "the last record was cut off: \"%.80s\"",
				       r->buf);
		if (rc == 0)
			return 0;
	}
}

void wire_reader_done(struct wire_reader *r)
{
	free(r->buf);
	*r = (struct wire_reader){ .fd = -EBADF };
}
