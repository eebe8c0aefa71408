// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/str.h"

#define CHUNK 8192

/* One read; false at the end, or when nothing is there now. */
static bool read_some(int fd, struct str *output)
{
	char chunk[CHUNK];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n <= 0)
		return n < 0 && errno == EINTR;
	for (ssize_t i = 0; i < n; i++)
		if (!chunk[i])
			chunk[i] = ' '; /* text is searched up to a NUL */
	if (output->len > TAIL_KEPT + TAIL_KEPT / 2) {
		size_t drop = output->len - TAIL_KEPT;

		memmove(output->buf, output->buf + drop, TAIL_KEPT + 1);
		output->len = TAIL_KEPT;
	}
	str_addn(output, chunk, (size_t)n);
	return true;
}

void tail_read(const struct spawn *p, struct str *output)
{
	struct pollfd fds[] = {
		{ .fd = p->pidfd, .events = POLLIN },
		{ .fd = p->out, .events = POLLIN },
	};

	(void)fcntl(p->out, F_SETFL, O_NONBLOCK);
	while (poll(fds, ARRAY_LEN(fds), -1) < 0 || !fds[0].revents)
		if (fds[1].revents && !read_some(p->out, output) && (fds[1].revents & POLLHUP))
			fds[1].fd = -1; /* it closed its output and goes on */
	/* what the pipe still holds, but not what a descendant goes on writing */
	for (size_t i = 0; i < TAIL_KEPT / CHUNK && read_some(p->out, output); i++)
		;
}

const char *tail_last_line(struct str *output)
{
	char *newline;

	while (output->len && output->buf[output->len - 1] == '\n')
		output->buf[--output->len] = '\0';
	newline = output->len ? strrchr(output->buf, '\n') : NULL;
	return newline ? newline + 1 : str_text(output);
}
