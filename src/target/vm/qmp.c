// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/vm/qmp.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"

#define LINE_MAX_BYTES (1u << 20)
#define POLL_NS (5 * NSEC_PER_MSEC)

static void cleanup_json(json_t **j)
{
	json_decref(*j);
}
#define _cleanup_json_ __attribute__((cleanup(cleanup_json)))

static bool has_ended(const struct qmp *q)
{
	struct pollfd p = { .fd = q->pidfd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static int gone(struct err *e)
{
	return err_set(e, -EPIPE, "QEMU ended");
}

static int late(struct err *e)
{
	return err_set(e, -ETIMEDOUT, "QEMU did not answer in time");
}

static int try_connect(const char *path, struct err *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_errno(e, errno, "could not make a socket");
	if (strlen(path) >= sizeof(a.sun_path))
		return err_set(e, -ENAMETOOLONG, "the path \"%s\" is too long for a socket", path);
	memcpy(a.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return err_errno(e, errno, "could not connect to \"%s\"", path);
	return steal_fd(&fd);
}

/* Up to the end of the next line, or of the deadline. */
static int read_more(struct qmp *q, uint64_t deadline_ns, struct err *e)
{
	struct pollfd p = { .fd = q->fd, .events = POLLIN };
	uint64_t now = clock_mono_ns();
	char buf[4096];
	ssize_t n;

	if (now >= deadline_ns)
		return late(e);
	if (poll(&p, 1, (int)((deadline_ns - now) / NSEC_PER_MSEC % 100000) + 1) <= 0)
		return 0;
	n = read(q->fd, buf, sizeof(buf));
	if (n <= 0)
		return n < 0 && errno == EINTR ? 0 : gone(e);
	str_addn(&q->in, buf, (size_t)n);
	return str_ok(&q->in) ? 0 : err_set(e, -EMSGSIZE, "QEMU says too much");
}

/* The next line as JSON; the caller's. */
static int next_line(struct qmp *q, uint64_t deadline_ns, json_t **ret, struct err *e)
{
	char *end;
	json_t *j;
	int r;

	while (!q->in.len || !(end = memchr(q->in.buf, '\n', q->in.len))) {
		r = read_more(q, deadline_ns, e);
		if (r < 0)
			return r;
	}
	*end = '\0';
	j = json_loads(q->in.buf, 0, NULL);
	q->in.len -= (size_t)(end + 1 - q->in.buf);
	memmove(q->in.buf, end + 1, q->in.len + 1);
	if (!j)
		return err_set(e, -EPROTO, "QEMU says what is no JSON");
	*ret = j;
	return 0;
}

/* Sends a line, with descriptor @fd beside it unless it is negative. */
static int send_line(struct qmp *q, char *line, int fd, struct err *e)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} c = { 0 };
	struct iovec iov = { .iov_base = line, .iov_len = strlen(line) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *h;

		m.msg_control = c.buf;
		m.msg_controllen = sizeof(c.buf);
		h = CMSG_FIRSTHDR(&m);
		*h = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
				       .cmsg_level = SOL_SOCKET,
				       .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	}
	if (sendmsg(q->fd, &m, MSG_NOSIGNAL) != (ssize_t)iov.iov_len)
		return err_errno(e, errno, "could not speak to QEMU");
	return 0;
}

/* Sends a command (@args may be NULL, and is taken over) and waits for its answer. */
static int ask(struct qmp *q, const char *command, json_t *args, int fd, uint64_t deadline_ns,
	       json_t **ret, struct err *e)
{
	_cleanup_json_ json_t *o = args ? json_pack("{s:s, s:o}", "execute", command, "arguments",
						    args) :
					  json_pack("{s:s}", "execute", command);
	_cleanup_free_ char *text = json_dumps(o, JSON_COMPACT);
	_cleanup_free_ char *line = xasprintf("%s\n", text ? text : "");
	int r = send_line(q, line, fd, e);

	while (r == 0) {
		_cleanup_json_ json_t *answer = NULL;
		json_t *value;

		r = next_line(q, deadline_ns, &answer, e);
		if (r < 0)
			break;
		value = json_object_get(answer, "error");
		if (value)
			return err_set(e, -EIO, "QEMU refused \"%s\": %s", command,
				       json_string_value(json_object_get(value, "desc")));
		value = json_object_get(answer, "return");
		if (!value)
			continue; /* an event */
		*ret = json_incref(value);
		return 0;
	}
	return r;
}

int qmp_do(struct qmp *q, const char *command, uint64_t deadline_ns, struct err *e)
{
	_cleanup_json_ json_t *answer = NULL;

	return ask(q, command, NULL, -1, deadline_ns, &answer, e);
}

int qmp_open(const char *path, int pidfd, uint64_t deadline_ns, struct qmp *ret, struct err *e)
{
	_cleanup_json_ json_t *greeting = NULL;
	struct qmp q = { .fd = -EBADF, .pidfd = pidfd, .in = STR_INIT(LINE_MAX_BYTES) };
	int r;

	while ((q.fd = try_connect(path, e)) == -ENOENT || q.fd == -ECONNREFUSED) {
		if (has_ended(&q))
			return gone(e);
		if (clock_mono_ns() >= deadline_ns)
			return late(e);
		clock_sleep_until_ns(clock_mono_ns() + POLL_NS);
	}
	if (q.fd < 0)
		return q.fd;
	r = next_line(&q, deadline_ns, &greeting, e);
	if (r == 0)
		r = qmp_do(&q, "qmp_capabilities", deadline_ns, e);
	if (r < 0) {
		qmp_done(&q);
		return r;
	}
	*ret = q;
	return 0;
}

void qmp_done(struct qmp *q)
{
	cleanup_close(&q->fd);
	str_done(&q->in);
	*q = QMP_INIT;
}

/* The word behind "status" in the answer to a query. */
static int query(struct qmp *q, const char *command, uint64_t deadline_ns, char **ret,
		 struct err *e)
{
	_cleanup_json_ json_t *answer = NULL;
	const char *word;
	int r = ask(q, command, NULL, -1, deadline_ns, &answer, e);

	if (r < 0)
		return r;
	word = json_string_value(json_object_get(answer, "status"));
	*ret = xstrdup(word ? word : "");
	return 0;
}

int qmp_await(struct qmp *q, const char *state, uint64_t deadline_ns, struct err *e)
{
	for (;;) {
		_cleanup_free_ char *now = NULL;
		int r = query(q, "query-status", deadline_ns, &now, e);

		if (r < 0 || str_eq(now, state))
			return r;
		if (clock_mono_ns() >= deadline_ns)
			return late(e);
		clock_sleep_until_ns(clock_mono_ns() + POLL_NS);
	}
}

int qmp_save(struct qmp *q, int fd, uint64_t deadline_ns, struct err *e)
{
	_cleanup_json_ json_t *got = NULL, *begun = NULL;
	int r = ask(q, "getfd", json_pack("{s:s}", "fdname", "snapshot"), fd, deadline_ns, &got, e);

	if (r == 0)
		r = ask(q, "migrate", json_pack("{s:s}", "uri", "fd:snapshot"), -1, deadline_ns,
			&begun, e);
	while (r == 0) {
		_cleanup_free_ char *now = NULL;

		r = query(q, "query-migrate", deadline_ns, &now, e);
		if (r < 0 || str_eq(now, "completed"))
			return r;
		if (str_eq(now, "failed") || str_eq(now, "cancelled"))
			return err_set(e, -EIO, "QEMU could not keep the machine");
		if (clock_mono_ns() >= deadline_ns)
			return late(e);
		clock_sleep_until_ns(clock_mono_ns() + POLL_NS);
	}
	return r;
}
