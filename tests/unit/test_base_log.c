// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include "base/err.h"
#include "tap.h"

/* What @fn writes to a stderr that is a pipe or, with @tty, a terminal. At most 4 KiB. */
static char captured[4096];

static void capture(void (*fn)(void), bool tty)
{
	int saved = dup(STDERR_FILENO), fds[2];
	ssize_t n = 0, got;

	captured[0] = '\0';
	if (tty ? openpty(&fds[0], &fds[1], NULL, NULL, NULL) : pipe(fds)) {
		TAP_FAIL("no pipe or terminal");
		return;
	}
	dup2(fds[1], STDERR_FILENO);
	fn();
	fflush(stderr);
	(void)!write(STDERR_FILENO, "\004", 1); /* marks the end on both */
	dup2(saved, STDERR_FILENO);
	close(saved);
	do {
		got = read(fds[0], captured + n, sizeof(captured) - 1 - (size_t)n);
		n += got > 0 ? got : 0;
	} while (got > 0 && captured[n - 1] != '\004');
	captured[n > 0 ? n - 1 : 0] = '\0';
	close(fds[0]);
	close(fds[1]);
}

static void say_all(void)
{
	log_warn("w %d", 1);
	log_info("i");
	log_debug("d");
}

static void levels(void)
{
	capture(say_all, false);
	CHECK_STR(captured, "mmgauge: warning: w 1\nmmgauge: i\n");
	log_set_level(LOG_DEBUG);
	capture(say_all, false);
	CHECK_STR(captured, "mmgauge: warning: w 1\nmmgauge: i\nmmgauge: debug: d\n");
	log_set_level(LOG_WARN);
	capture(say_all, false);
	CHECK_STR(captured, "mmgauge: warning: w 1\n");
	log_set_level(LOG_QUIET);
	capture(say_all, false);
	CHECK_STR(captured, "");
	log_set_level(LOG_INFO);
}

static void name_is_the_prefix(void)
{
	log_set_name("mmgauge-agent");
	capture(say_all, false);
	log_set_name("mmgauge");
	CHECK_STR(captured, "mmgauge-agent: warning: w 1\nmmgauge-agent: i\n");
}

static void print_error(void)
{
	struct err e = { 0 };

	(void)err_set(&e, -1, "could not x: y");
	log_err(&e);
	err_hint(&e, "do z");
	log_err(&e);
}

static void errors_with_and_without_hint(void)
{
	log_set_level(LOG_QUIET); /* errors are never quiet */
	capture(print_error, false);
	log_set_level(LOG_INFO);
	CHECK_STR(captured, "mmgauge: could not x: y\nmmgauge: could not x: y\n  hint: do z\n");
}

static void show_status(void)
{
	log_status("10 %");
	log_info("hello");
	log_status("20 %");
	log_status("30 %");
	log_status(NULL);
	log_status(NULL);
}

static void status_needs_a_terminal(void)
{
	capture(show_status, false);
	CHECK_STR(captured, "mmgauge: hello\n");
}

static void status_replaces_itself(void)
{
	capture(show_status, true);
	CHECK_STR(captured, "\r\033[K10 %\r\033[Kmmgauge: hello\r\n"
			    "\r\033[K20 %\r\033[K30 %\r\033[K");
}

int main(void)
{
	TAP_RUN(levels);
	TAP_RUN(name_is_the_prefix);
	TAP_RUN(errors_with_and_without_hint);
	TAP_RUN(status_needs_a_terminal);
	TAP_RUN(status_replaces_itself);
	return tap_done();
}
