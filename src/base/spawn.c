// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

struct pipes {
	int in[2];
	int out[2];
	int fault[2]; /* close-on-exec: holds errno when exec failed, nothing when it worked */
	int err;      /* the caller's descriptor for stderr, or -EBADF */
};

static void close_pair(int p[2])
{
	for (int i = 0; i < 2; i++) {
		if (p[i] >= 0)
			(void)close(p[i]);
		p[i] = -EBADF;
	}
}

static void pipes_done(struct pipes *p)
{
	close_pair(p->in);
	close_pair(p->out);
	close_pair(p->fault);
}

/*
 * Moves descriptors out of the way of 0 to 2: where one of those was closed, a pipe would get its
 * number and be overwritten, or be left close-on-exec, when the child sets up its own.
 */
static int raise_fds(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int low = fds[i];

		if (low < 0 || low > STDERR_FILENO)
			continue;
		fds[i] = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (fds[i] < 0) {
			fds[i] = low;
			return -1;
		}
		(void)close(low);
	}
	return 0;
}

static int pipes_open(struct pipes *p, unsigned flags, struct err *e)
{
	if (pipe2(p->fault, O_CLOEXEC) < 0 ||
	    ((flags & SPAWN_PIPE_IN) && pipe2(p->in, O_CLOEXEC) < 0) ||
	    ((flags & SPAWN_PIPE_OUT) && pipe2(p->out, O_CLOEXEC) < 0) ||
	    raise_fds(p->in, 2) < 0 || raise_fds(p->out, 2) < 0 || raise_fds(p->fault, 2) < 0)
		return err_errno(e, errno, "could not make a pipe");
	return 0;
}

/* In the child: descriptors 0 to 2 as asked. Returns -1 with errno on failure. */
static int child_stdio(const struct pipes *p, unsigned flags)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || raise_fds(&null, 1) < 0 ||
	    dup2((flags & SPAWN_PIPE_IN) ? p->in[0] : null, STDIN_FILENO) < 0)
		return -1;
	if ((flags & SPAWN_PIPE_OUT) && dup2(p->out[1], STDOUT_FILENO) < 0)
		return -1;
	if ((flags & SPAWN_OUT_NULL) && dup2(null, STDOUT_FILENO) < 0)
		return -1;
	if ((flags & SPAWN_ERR_TO_OUT) && dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		return -1;
	if (p->err >= 0 && dup2(p->err, STDERR_FILENO) < 0)
		return -1;
	return 0;
}

__attribute__((noreturn))
static void child_exec(char *const argv[], const struct pipes *p, unsigned flags, pid_t parent)
{
	sigset_t none;
	int code;

	(void)sigemptyset(&none);
	(void)pthread_sigmask(SIG_SETMASK, &none, NULL);
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (!(flags & SPAWN_OUTLIVE))
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* the parent died before the line above */
	if (flags & SPAWN_OWN_GROUP)
		(void)setpgid(0, 0);
	if (child_stdio(p, flags) == 0) {
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): after fork there is one thread */
		(void)setenv("LC_ALL", "C", 1);
		(void)execvp(argv[0], argv);
	}
	code = errno;
	(void)!write(p->fault[1], &code, sizeof(code));
	_exit(127);
}

/* Returns the errno of a failed exec in the child, 0 when it worked. */
static int exec_fault(int fd)
{
	int code = 0;
	ssize_t n;

	do {
		n = read(fd, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code) ? code : 0;
}

int spawn_start(char *const argv[], unsigned flags, struct spawn *ret, struct err *e)
{
	return spawn_start_err(argv, flags, -EBADF, ret, e);
}

int spawn_start_err(char *const argv[], unsigned flags, int err_fd, struct spawn *ret,
		    struct err *e)
{
	struct pipes p = { { -EBADF, -EBADF }, { -EBADF, -EBADF }, { -EBADF, -EBADF }, err_fd };
	struct spawn s = SPAWN_INIT;
	pid_t parent = getpid();
	int r = pipes_open(&p, flags, e);

	if (r < 0) {
		pipes_done(&p);
		return r;
	}
	s.pid = fork();
	if (s.pid == 0)
		child_exec(argv, &p, flags, parent);
	if (s.pid < 0) {
		r = err_errno(e, errno, "could not start \"%s\"", argv[0]);
		pipes_done(&p);
		return r;
	}
	(void)close(p.fault[1]);
	p.fault[1] = -EBADF;
	s.pidfd = (int)syscall(SYS_pidfd_open, s.pid, 0);
	s.in = steal_fd(&p.in[1]);
	s.out = steal_fd(&p.out[0]);
	r = exec_fault(p.fault[0]);
	pipes_done(&p);
	if (r > 0) {
		spawn_done(&s);
		return err_errno(e, r, "could not run program \"%s\"", argv[0]);
	}
	if (s.pidfd < 0) {
		spawn_done(&s);
		return err_set(e, -ENOSYS, "could not watch \"%s\": no pidfd_open", argv[0]);
	}
	*ret = s;
	return 0;
}

static void close_fds(struct spawn *s)
{
	int *fds[] = { &s->in, &s->out, &s->pidfd };

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (*fds[i] >= 0)
			(void)close(*fds[i]);
		*fds[i] = -EBADF;
	}
}

int spawn_wait4(struct spawn *s, int *ret_status, struct rusage *ret_ru, struct err *e)
{
	pid_t pid = s->pid, r;
	int fault;

	if (s->in >= 0)
		(void)close(s->in);
	s->in = -EBADF;
	do {
		r = wait4(pid, ret_status, 0, ret_ru);
	} while (r < 0 && errno == EINTR);
	fault = r < 0 ? errno : 0;
	s->pid = 0; /* also when it is not ours any more: the number may be somebody else's soon */
	close_fds(s);
	if (fault)
		return err_errno(e, fault, "could not wait for process %d", (int)pid);
	return 0;
}

int spawn_wait(struct spawn *s, int *ret_status, struct err *e)
{
	struct rusage ru;

	return spawn_wait4(s, ret_status, &ru, e);
}

void spawn_done(struct spawn *s)
{
	int saved = errno;

	if (s->pid > 0) {
		(void)kill(s->pid, SIGKILL);
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
		s->pid = 0;
	}
	close_fds(s);
	errno = saved;
}

char *spawn_describe(int status, char *buf, size_t len)
{
	if (WIFSIGNALED(status))
		(void)snprintf(buf, len, "was killed by signal %d (%s)", WTERMSIG(status),
			       sigdescr_np(WTERMSIG(status)) ? sigdescr_np(WTERMSIG(status)) :
							       "unknown");
	else
		(void)snprintf(buf, len, "exited with status %d", WEXITSTATUS(status));
	return buf;
}

static void drain(int fd, struct str *output)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0)
			str_addn(output, chunk, (size_t)n);
	}
}

static const char *last_line(struct str *output)
{
	char *nl;

	while (output->len && output->buf[output->len - 1] == '\n')
		output->buf[--output->len] = '\0';
	nl = output->len ? strrchr(output->buf, '\n') : NULL;
	return nl ? nl + 1 : str_text(output);
}

int spawn_run(char *const argv[], struct str *output, struct err *e)
{
	_cleanup_str_ struct str own = STR_INIT(1 << 20);
	struct str *text = output ? output : &own;
	struct spawn s = SPAWN_INIT;
	char how[80];
	int status, r;

	r = spawn_start(argv, SPAWN_PIPE_OUT | SPAWN_ERR_TO_OUT, &s, e);
	if (r < 0)
		return r;
	drain(s.out, text);
	r = spawn_wait(&s, &status, e);
	if (r < 0)
		return r;
	if (status != 0)
		return err_set(e, -EIO, "program \"%s\" %s: %s", argv[0],
			       spawn_describe(status, how, sizeof(how)), last_line(text));
	return 0;
}
