// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes of a group: listing, entering, killing, and waiting for those that exit. A killed
 * task leaves its group only late in its exit, and v1 has no event for "empty": there we wait on
 * pidfds, and nap for the last part that no descriptor tells.
 */
#include "cgroup/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/internal.h"

#define KILL_TIMEOUT_NS (5 * NSEC_PER_SEC)

ssize_t cg_read_pids(int dirfd, pid_t *pids, size_t max, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(CG_TEXT_MAX);
	int r = fsx_read(dirfd, "cgroup.procs", &text, e);
	char *rest, *line;
	size_t n = 0;

	if (r < 0)
		return r;
	rest = text.buf;
	while ((line = str_cut(&rest, "\n"))) {
		uint64_t pid;

		if (!*line)
			continue;
		r = num_u64(line, &pid, e);
		if (r < 0)
			return err_wrap(e, r, "file \"cgroup.procs\"");
		if (n < max)
			pids[n] = (pid_t)pid;
		n++;
	}
	return (ssize_t)n;
}

ssize_t cg_list_pids(int dirfd, pid_t **ret, struct err *e)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t cap = 0;

	for (;;) {
		ssize_t n = cg_read_pids(dirfd, pids, cap, e);

		if (n < 0)
			return n;
		if ((size_t)n <= cap) {
			*ret = n ? steal_ptr(&pids) : NULL;
			return n;
		}
		cap = (size_t)n + 16;
		pids = xrealloc(pids, cap, sizeof(*pids));
	}
}

ssize_t cg_procs(const struct cg *cg, pid_t *pids, size_t max, struct err *e)
{
	ssize_t n = cg_read_pids(cg->dirfd, pids, max, e);

	if (n < 0)
		return err_wrap(e, (int)n, "cgroup \"%s\"", cg->path);
	return n;
}

char *cg_name_pids(int rootfd, const pid_t *pids, size_t n)
{
	_cleanup_str_ struct str out = STR_INIT(240);
	size_t shown = n > 6 ? 6 : n;

	for (size_t i = 0; i < shown; i++) {
		_cleanup_free_ char *file = xasprintf("proc/%d/comm", (int)pids[i]);
		_cleanup_free_ char *comm = NULL;

		if (pids[i] == 0)
			comm = xstrdup("of another pid namespace");
		else if (fsx_read_line(rootfd, file, &comm, NULL) < 0)
			comm = xstrdup("gone");
		str_addf(&out, "%s%d (%s)", i ? ", " : "", (int)pids[i], comm);
	}
	if (n > shown)
		str_addf(&out, " and %zu more", n - shown);
	return xstrdup(str_text(&out));
}

int cg_write_pid(int dirfd, pid_t pid, struct err *e)
{
	char number[16];

	(void)snprintf(number, sizeof(number), "%d", (int)pid);
	return fsx_write(dirfd, "cgroup.procs", number, e);
}

/* Path of a process (0: the caller) in the memory hierarchy; NULL when it can't be known. */
static char *path_of(const struct cg_env *env, pid_t pid)
{
	_cleanup_str_ struct str text = STR_INIT(CG_TEXT_MAX);
	_cleanup_free_ char *file = pid ? xasprintf("proc/%d/cgroup", (int)pid) :
					  xstrdup("proc/self/cgroup");

	if (env->memory.foreign || fsx_read(env->rootfd, file, &text, NULL) < 0)
		return NULL;
	return cg_path_in(str_text(&text), env->memory.version == CG_V1 ? "memory" : "");
}

/* A process that is gone and a proc that isn't mounted prove nothing. */
static int check_entered(const struct cg *cg, pid_t pid, struct err *e)
{
	_cleanup_free_ char *path = path_of(cg->env, pid);

	if (!path || strcmp(path, cg->path) == 0)
		return 0;
	return err_set(e, -EIO, "could not enter cgroup \"%s\": the kernel took the write, but the "
		       "process is in \"%s\"", cg->path, path);
}

int cg_enter(const struct cg *cg, pid_t pid, struct err *e)
{
	int r = cg_write_pid(cg->dirfd, pid, e);

	if (r == 0 && cg->cpufd >= 0 && cg->env->memory.version == CG_V1)
		r = cg_write_pid(cg->cpufd, pid, e);
	if (r < 0)
		return err_wrap(e, r, "could not enter cgroup \"%s\"", cg->path);
	return check_entered(cg, pid, e);
}

/* Waits for the end of a process or @until_ns; true when it has ended. */
static bool wait_pid(pid_t pid, uint64_t until_ns)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = clock_mono_ns();

	if (fd < 0)
		return errno == ESRCH;
	if (now >= until_ns)
		return poll(&p, 1, 0) > 0;
	return poll(&p, 1, (int)((until_ns - now) / NSEC_PER_MSEC) + 1) > 0;
}

/* Waits for "populated 0" in cgroup.events; returns when it is so, at @until_ns, or on trouble. */
static void wait_unpopulated(int dirfd, uint64_t until_ns)
{
	_cleanup_close_ int fd = openat(dirfd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	struct pollfd p = { .fd = fd, .events = POLLPRI };
	char text[256];
	uint64_t populated, now;

	for (;;) {
		ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

		if (n < 0)
			return;
		text[n] = '\0';
		if (!fsx_key_u64(text, "populated", &populated) || !populated)
			return;
		now = clock_mono_ns();
		if (now >= until_ns)
			return;
		(void)poll(&p, 1, (int)((until_ns - now) / NSEC_PER_MSEC) + 1);
	}
}

void cg_wait_exits(int dirfd, uint64_t until_ns)
{
	_cleanup_free_ pid_t *pids = NULL;
	ssize_t n;

	if (fsx_exists(dirfd, "cgroup.events"))
		wait_unpopulated(dirfd, until_ns);
	n = cg_list_pids(dirfd, &pids, NULL);
	for (ssize_t i = 0; i < n; i++) {
		if (pids[i] > 0 && !wait_pid(pids[i], until_ns))
			return;
	}
	/* no event tells that a task has left its group: between the end that a pidfd shows and
	 * cgroup_exit() (or the task's last switch) lie microseconds, more under preemption */
	clock_sleep_until_ns(clock_mono_ns() + NSEC_PER_MSEC);
}

/*
 * Sends SIGKILL to what is in the group. A pid may be used again between listing and killing, so
 * the descriptor is opened first and the pid must be in the group still after that.
 */
static void kill_listed(int dirfd, const pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_close_ int fd = -EBADF;
		_cleanup_free_ pid_t *now = NULL;
		ssize_t n_now;

		if (pids[i] <= 0) /* of another pid namespace: not ours to kill */
			continue;
		fd = (int)syscall(SYS_pidfd_open, pids[i], 0);
		if (fd < 0)
			continue;
		n_now = cg_list_pids(dirfd, &now, NULL);
		for (ssize_t k = 0; k < n_now; k++) {
			if (now[k] == pids[i])
				(void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
		}
	}
}

static int refuse_self(const pid_t *pids, ssize_t n, struct err *e)
{
	for (ssize_t i = 0; i < n; i++) {
		if (pids[i] == getpid())
			return err_set(e, -EDEADLK, "could not kill the processes of the group: "
				       "we are one of them");
	}
	return 0;
}

/* Kills one group until it is empty; each pass lists again, since members may fork meanwhile. */
static int kill_one(int rootfd, int dirfd, uint64_t until_ns, struct err *e)
{
	for (;;) {
		_cleanup_free_ pid_t *pids = NULL;
		_cleanup_free_ char *names = NULL;
		ssize_t n = cg_list_pids(dirfd, &pids, e);

		if (n <= 0)
			return (int)n;
		if (refuse_self(pids, n, e) < 0)
			return -EDEADLK;
		if (clock_mono_ns() >= until_ns) {
			names = cg_name_pids(rootfd, pids, (size_t)n);
			return err_set(e, -ETIMEDOUT, "could not kill all processes: left are %s",
				       names);
		}
		kill_listed(dirfd, pids, (size_t)n);
		cg_wait_exits(dirfd, until_ns);
	}
}

/* Depth first over the groups below @fd, which it closes. */
static int kill_tree(int rootfd, int fd, uint64_t until_ns, struct err *e)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	int r = 0;

	if (!dir) {
		r = err_errno(e, errno, "could not list the groups below");
		(void)close(fd);
		return r;
	}
	while (r == 0 && (d = readdir(dir))) {
		int child;

		if (d->d_type != DT_DIR || strcmp(d->d_name, ".") == 0 ||
		    strcmp(d->d_name, "..") == 0)
			continue;
		child = openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child >= 0)
			r = kill_tree(rootfd, child, until_ns, e);
	}
	if (r == 0)
		r = kill_one(rootfd, fd, until_ns, e);
	(void)closedir(dir);
	return r;
}

static int kill_v2(const struct cg *cg, uint64_t until_ns, struct err *e)
{
	_cleanup_str_ struct str events = STR_INIT(4096);
	uint64_t populated = 0;
	int r = fsx_write(cg->dirfd, "cgroup.kill", "1", e);

	if (r < 0)
		return r;
	wait_unpopulated(cg->dirfd, until_ns);
	r = fsx_read(cg->dirfd, "cgroup.events", &events, e);
	if (r < 0)
		return r;
	if (fsx_key_u64(str_text(&events), "populated", &populated) && populated)
		return err_set(e, -ETIMEDOUT, "could not kill all processes: the group is still "
			       "populated");
	return 0;
}

int cg_kill(const struct cg *cg, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + KILL_TIMEOUT_NS;
	_cleanup_free_ char *own = path_of(cg->env, 0);
	int r = 0, fd;

	if (own && cg_path_below(own, cg->path))
		return err_set(e, -EDEADLK, "could not kill the processes of cgroup \"%s\": we are "
			       "one of them", cg->path);
	if ( fsx_exists(cg->dirfd, "cgroup.kill")) {
		r = kill_v2(cg, until_ns, e);
	} else { /* COMPAT(5.14): v2 has cgroup.kill from then on, v1 never */
		fd = fsx_open(cg->dirfd, ".", O_RDONLY | O_DIRECTORY, e);
		r = fd < 0 ? fd : kill_tree(cg->env->rootfd, fd, until_ns, e);
	}
	if (r < 0)
		return err_wrap(e, r, "cgroup \"%s\"", cg->path);
	return 0;
}
