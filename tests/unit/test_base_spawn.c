// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "tap.h"

#define ARGV(...) ((char *const[]){ __VA_ARGS__, NULL })

static struct err e;

/* A shell is the test's tool for odd programs; the code under test never uses one. */
static int sh(const char *script, struct str *out)
{
	str_clear(out);
	return spawn_run(ARGV("sh", "-c", (char *)script), out, &e);
}

static void collects_output(void)
{
	_cleanup_str_ struct str out = STR_INIT(1000);

	CHECK_OK(sh("echo one; echo two >&2", &out));
	CHECK_STR(str_text(&out), "one\ntwo\n");
	CHECK_OK(spawn_run(ARGV("true"), NULL, &e));
}

static void failure_quotes_the_last_line(void)
{
	_cleanup_str_ struct str out = STR_INIT(1000);

	CHECK_EQ(sh("echo first; echo the cause; exit 3", &out), -EIO);
	CHECK_STR(e.msg, "program \"sh\" exited with status 3: the cause");
	CHECK_EQ(spawn_run(ARGV("false"), NULL, &e), -EIO);
	CHECK_HAS(e.msg, "exited with status 1");
	CHECK_EQ(sh("kill -9 $$", &out), -EIO);
	CHECK_HAS(e.msg, "was killed by signal 9 (Killed)");
}

static void more_output_than_fits_does_not_block(void)
{
	_cleanup_str_ struct str out = STR_INIT(100);

	CHECK_OK(sh("head -c 300000 /dev/zero", &out));
	CHECK(!str_ok(&out));
}

static void missing_program_is_reported_at_start(void)
{
	struct spawn s = SPAWN_INIT;

	CHECK_EQ(spawn_start(ARGV("mmgauge-no-such-program"), 0, &s, &e), -ENOENT);
	CHECK_STR(e.msg, "could not run program \"mmgauge-no-such-program\": "
			 "No such file or directory");
	CHECK_EQ(s.pid, 0);
	CHECK_EQ(spawn_start(ARGV("/etc/passwd"), 0, &s, &e), -EACCES);
	CHECK_EQ(spawn_start(ARGV("/"), 0, &s, &e), -EACCES);
	CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
	CHECK_EQ(errno, ECHILD);
}

static void arguments_are_not_interpreted(void)
{
	_cleanup_str_ struct str out = STR_INIT(1000);

	CHECK_OK(spawn_run(ARGV("printf", "%s|", "a b", "$HOME", "*", ";x", ""), &out, &e));
	CHECK_STR(str_text(&out), "a b|$HOME|*|;x||");
}

static void stderr_goes_where_it_is_told(void)
{
	struct spawn s = SPAWN_INIT;
	char buf[64] = "";
	int p[2], status;

	CHECK_EQ(pipe(p), 0);
	CHECK_OK(spawn_start_err(ARGV("sh", "-c", "echo out; echo err >&2"), SPAWN_PIPE_OUT, p[1],
				 &s, &e));
	close(p[1]);
	CHECK_EQ(read(p[0], buf, sizeof(buf) - 1), 4);
	CHECK_STR(buf, "err\n");
	CHECK_EQ(read(s.out, buf, sizeof(buf) - 1), 4);
	CHECK_STR(buf, "out\n");
	close(p[0]);
	CHECK_OK(spawn_wait(&s, &status, &e));
	CHECK_EQ(status, 0);
}

static void talks_over_both_pipes(void)
{
	struct spawn s = SPAWN_INIT;
	char buf[16] = "";
	int status = -1;

	CHECK_OK(spawn_start(ARGV("cat"), SPAWN_PIPE_IN | SPAWN_PIPE_OUT, &s, &e));
	CHECK_EQ(write(s.in, "ping", 4), 4);
	CHECK_EQ(read(s.out, buf, sizeof(buf)), 4);
	CHECK_STR(buf, "ping");
	CHECK_OK(spawn_wait(&s, &status, &e)); /* closes its stdin, so it ends */
	CHECK_EQ(status, 0);
	CHECK(s.pid == 0 && s.pidfd < 0 && s.in < 0 && s.out < 0);
}

static void pidfd_tells_the_end(void)
{
	struct spawn s = SPAWN_INIT;
	struct pollfd p = { .events = POLLIN };
	int status;

	CHECK_OK(spawn_start(ARGV("cat"), SPAWN_PIPE_IN | SPAWN_OUT_NULL, &s, &e));
	p.fd = s.pidfd;
	CHECK_EQ(poll(&p, 1, 0), 0);
	close(s.in);
	s.in = -EBADF;
	CHECK_EQ(poll(&p, 1, 60000), 1);
	CHECK_OK(spawn_wait(&s, &status, &e));
}

static void stdin_is_empty_unless_piped(void)
{
	_cleanup_str_ struct str out = STR_INIT(1000);

	CHECK_OK(spawn_run(ARGV("cat"), &out, &e));
	CHECK_STR(str_text(&out), "");
}

static void done_kills_and_reaps(void)
{
	struct spawn s = SPAWN_INIT;
	pid_t pid;

	CHECK_OK(spawn_start(ARGV("sleep", "1000"), 0, &s, &e));
	pid = s.pid;
	errno = 42;
	spawn_done(&s);
	CHECK_EQ(errno, 42);
	CHECK_EQ(kill(pid, 0), -1);
	CHECK_EQ(errno, ESRCH);
	spawn_done(&s);
	s = SPAWN_INIT;
	spawn_done(&s);
}

static void environment_and_mask_are_clean(void)
{
	_cleanup_str_ struct str out = STR_INIT(2000);
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	CHECK_OK(spawn_run(ARGV("grep", "SigBlk", "/proc/self/status"), &out, &e));
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK_STR(str_text(&out), "SigBlk:\t0000000000000000\n");
	CHECK_OK(sh("echo $LC_ALL", &out));
	CHECK_STR(str_text(&out), "C\n");
}

/* SIG_IGN survives exec; a program in a pipe that never dies of SIGPIPE may run for ever. */
static void sigpipe_is_default_again(void)
{
	_cleanup_str_ struct str out = STR_INIT(2000);
	struct sigaction ign = { .sa_handler = SIG_IGN }, old;
	unsigned long long mask = 0;

	CHECK_EQ(sigaction(SIGPIPE, &ign, &old), 0);
	CHECK_OK(spawn_run(ARGV("grep", "SigIgn", "/proc/self/status"), &out, &e));
	CHECK_EQ(sigaction(SIGPIPE, &old, NULL), 0);
	CHECK_EQ(sscanf(str_text(&out), "SigIgn:\t%llx", &mask), 1);
	CHECK(!(mask & (1ull << (SIGPIPE - 1))));
}

static void leaks_no_descriptors(void)
{
	_cleanup_str_ struct str out = STR_INIT(2000);
	_cleanup_close_ int open_one = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK(open_one >= 0);
	/* what the test itself was started with doesn't count */
	CHECK_EQ(close_range(3, ~0u, CLOSE_RANGE_CLOEXEC), 0);
	/* ls has the directory itself open: 3 */
	CHECK_OK(spawn_run(ARGV("ls", "/proc/self/fd"), &out, &e));
	CHECK_STR(str_text(&out), "0\n1\n2\n3\n");
}

/* Started with 0 to 2 closed (some daemons do), pipes get these numbers. */
static int run_without_stdio(void)
{
	struct str out = STR_INIT(1000);
	struct spawn s = SPAWN_INIT;
	char buf[8] = "";
	int status;

	close(0);
	close(1);
	close(2);
	if (spawn_run(ARGV("sh", "-c", "cat; echo out; echo err >&2"), &out, &e) < 0 ||
	    strcmp(str_text(&out), "out\nerr\n") != 0)
		return 1;
	if (spawn_start(ARGV("cat"), SPAWN_PIPE_IN | SPAWN_PIPE_OUT, &s, &e) < 0 ||
	    write(s.in, "x", 1) != 1 || read(s.out, buf, 8) != 1 || buf[0] != 'x' ||
	    spawn_wait(&s, &status, &e) < 0 || status != 0)
		return 2;
	if (spawn_start(ARGV("mmgauge-no-such-program"), 0, &s, &e) != -ENOENT)
		return 3;
	str_done(&out);
	return 0;
}

static void works_with_stdio_closed(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(run_without_stdio());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
}

static void own_group_when_asked(void)
{
	struct spawn s = SPAWN_INIT;

	CHECK_OK(spawn_start(ARGV("sleep", "1000"), SPAWN_OWN_GROUP, &s, &e));
	CHECK_EQ(getpgid(s.pid), s.pid);
	spawn_done(&s);
	CHECK_OK(spawn_start(ARGV("sleep", "1000"), 0, &s, &e));
	CHECK_EQ(getpgid(s.pid), getpgid(0));
	spawn_done(&s);
}

/* The grandchild's end is seen as the end of its pipe: no process table is searched. */
static void dies_with_its_parent(void)
{
	struct pollfd p = { .events = POLLIN };
	int fds[2], status;
	char c;
	pid_t pid;

	CHECK_EQ(pipe2(fds, 0), 0); /* inherited by the program on purpose */
	pid = fork();
	if (pid == 0) {
		struct spawn s = SPAWN_INIT;

		close(fds[0]);
		_exit(spawn_start(ARGV("sleep", "1000"), 0, &s, &e) < 0);
	}
	close(fds[1]);
	p.fd = fds[0];
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(poll(&p, 1, 60000), 1);
	CHECK_EQ(read(fds[0], &c, 1), 0);
	close(fds[0]);
}

static void errors_to_output_and_to_nowhere(void)
{
	struct spawn s = SPAWN_INIT;
	char buf[64] = "";
	int status;

	CHECK_OK(spawn_start(ARGV("sh", "-c", "echo e >&2; exit 5"),
			     SPAWN_PIPE_OUT | SPAWN_ERR_TO_OUT, &s, &e));
	CHECK_EQ(read(s.out, buf, sizeof(buf)), 2);
	CHECK_STR(buf, "e\n");
	CHECK_OK(spawn_wait(&s, &status, &e));
	CHECK_EQ(WEXITSTATUS(status), 5);
	CHECK_OK(spawn_start(ARGV("sh", "-c", "echo o; echo e >&2"),
			     SPAWN_OUT_NULL | SPAWN_ERR_TO_OUT, &s, &e));
	CHECK_OK(spawn_wait(&s, &status, &e));
	CHECK_EQ(status, 0);
}

static void describes_ends(void)
{
	char buf[80];

	CHECK_STR(spawn_describe(3 << 8, buf, sizeof(buf)), "exited with status 3");
	CHECK_STR(spawn_describe(0, buf, sizeof(buf)), "exited with status 0");
	CHECK_STR(spawn_describe(9, buf, sizeof(buf)), "was killed by signal 9 (Killed)");
	CHECK_STR(spawn_describe(11 | 0x80, buf, sizeof(buf)),
		  "was killed by signal 11 (Segmentation fault)");
}

/* A parent that ignores SIGCHLD loses the status: said, and no other process is killed for it. */
static void ignored_sigchld_is_an_error(void)
{
	struct sigaction ign = { .sa_handler = SIG_IGN }, old;
	struct spawn s = SPAWN_INIT;
	int status = 77, r;

	CHECK_EQ(sigaction(SIGCHLD, &ign, &old), 0);
	CHECK_OK(spawn_start(ARGV("true"), 0, &s, &e));
	r = spawn_wait(&s, &status, &e);
	CHECK_EQ(sigaction(SIGCHLD, &old, NULL), 0);
	CHECK_EQ(r, -ECHILD);
	CHECK_EQ(status, 77);
	CHECK_EQ(s.pid, 0);
	CHECK(s.pidfd < 0);
	spawn_done(&s);
}

int main(void)
{
	TAP_RUN(collects_output);
	TAP_RUN(failure_quotes_the_last_line);
	TAP_RUN(more_output_than_fits_does_not_block);
	TAP_RUN(missing_program_is_reported_at_start);
	TAP_RUN(arguments_are_not_interpreted);
	TAP_RUN(stderr_goes_where_it_is_told);
	TAP_RUN(talks_over_both_pipes);
	TAP_RUN(pidfd_tells_the_end);
	TAP_RUN(stdin_is_empty_unless_piped);
	TAP_RUN(done_kills_and_reaps);
	TAP_RUN(environment_and_mask_are_clean);
	TAP_RUN(sigpipe_is_default_again);
	TAP_RUN(leaks_no_descriptors);
	TAP_RUN(works_with_stdio_closed);
	TAP_RUN(own_group_when_asked);
	TAP_RUN(dies_with_its_parent);
	TAP_RUN(errors_to_output_and_to_nowhere);
	TAP_RUN(describes_ends);
	TAP_RUN(ignored_sigchld_is_an_error);
	return tap_done();
}
