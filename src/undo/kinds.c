// SPDX-License-Identifier: GPL-2.0-or-later
/* How each kind of change is taken back. What is already gone is fine. */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/cgroup.h"
#include "undo/internal.h"
#include "undo/undo.h"

#define REMOVE_GROUP_NS (10 * NSEC_PER_SEC)
#define PROCESS_END_MS 10000
#define BUSY_NS (3 * NSEC_PER_SEC)
#define BUSY_NAP_NS (10 * NSEC_PER_MSEC)

static int open_root(struct err *e)
{
	return fsx_open(AT_FDCWD, "/", O_PATH | O_DIRECTORY, e);
}

/* Everything in a group that we made is ours: it is killed, its page cache dropped. */
static int empty_group(const struct cg_env *env, const char *dir)
{
	const char *mount = env->memory.dir;
	_cleanup_free_ char *path = NULL;
	struct cg cg;
	int r;

	if (env->memory.version == CG_NONE || !str_starts(dir, mount))
		return 0; /* the twin for CPU time: its tasks were those of the group */
	path = xasprintf("%s%s", str_eq(env->memory.root, "/") ? "" : env->memory.root,
			 dir + strlen(mount));
	r = cg_open(env, path, &cg, NULL);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	(void)!cg_kill(&cg, NULL);  /* what matters is whether it can be removed */
	(void)!cg_evict(&cg, NULL);
	cg_close(&cg);
	return 0;
}

static int remove_group(char *const *arg, struct err *e)
{
	_cleanup_close_ int root = open_root(e);
	struct cg_env env = { 0 };
	int r;

	if (root < 0)
		return root;
	if (!fsx_exists(root, arg[0] + 1))
		return 0;
	r = cg_probe(root, &env, e);
	if (r < 0)
		return r;
	r = empty_group(&env, arg[0]);
	if (r == 0)
		r = cg_remove_dir(root, arg[0], REMOVE_GROUP_NS, e);
	else
		r = err_set(e, r, "could not open cgroup \"%s\"", arg[0]);
	cg_env_done(&env);
	return r;
}

/* Waits a little between two tries at something that is busy; false when time is up. */
static bool try_again(uint64_t until_ns)
{
	uint64_t now = clock_mono_ns();

	if (now >= until_ns)
		return false;
	clock_sleep_until_ns(now + BUSY_NAP_NS);
	return true;
}

/*
 * A task that was killed a moment ago may still hold the mount, and no event tells when it lets
 * go. What is held for longer is hidden at least, and goes when its last user does.
 */
static int unmount(char *const *arg, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + BUSY_NS;
	int code;

	do {
		code = umount2(arg[0], UMOUNT_NOFOLLOW) < 0 ? errno : 0;
	} while (code == EBUSY && try_again(until_ns));
	if (code == EBUSY)
		code = umount2(arg[0], MNT_DETACH | UMOUNT_NOFOLLOW) < 0 ? errno : 0;
	if (code == 0 || code == EINVAL || code == ENOENT)
		return 0;
	return err_errno(e, code, "could not unmount \"%s\"", arg[0]);
}

/* The kernel adds " (deleted)" to the name of a backing file that is gone. */
static bool backed_by(const char *dev, const char *backing)
{
	_cleanup_free_ char *attr = xasprintf("/sys/block/%s/loop/backing_file", dev + 5);
	_cleanup_free_ char *now = NULL;

	return fsx_read_line(AT_FDCWD, attr, &now, NULL) == 0 && str_starts(now, backing) &&
	       (!now[strlen(backing)] || str_eq(now + strlen(backing), " (deleted)"));
}

static int detach_loop(char *const *arg, struct err *e)
{
	_cleanup_close_ int fd = -EBADF;

	if (!backed_by(arg[0], arg[1]))
		return 0;
	fd = fsx_open(AT_FDCWD, arg[0], O_RDONLY, e);
	if (fd < 0)
		return fd;
	if (ioctl(fd, LOOP_CLR_FD, 0) < 0 && errno != ENXIO)
		return err_errno(e, errno, "could not detach \"%s\"", arg[0]);
	return 0;
}

static int swap_off(char *const *arg, struct err *e)
{
	if (swapoff(arg[0]) == 0 || errno == EINVAL || errno == ENOENT || errno == ENXIO)
		return 0;
	return err_errno(e, errno, "could not switch swap off on \"%s\"", arg[0]);
}

static int reset_zram(char *const *arg, struct err *e)
{
	_cleanup_free_ char *reset = xasprintf("/sys/block/zram%s/reset", arg[0]);
	uint64_t until_ns = clock_mono_ns() + BUSY_NS;
	int r;

	do { /* programs that look at new block devices may have it open for a moment */
		r = fsx_write(AT_FDCWD, reset, "1", e);
	} while (r == -EBUSY && try_again(until_ns));
	if (r == -ENOENT)
		return 0;
	if (r == 0 && str_eq(arg[1], "1"))
		r = fsx_write(AT_FDCWD, "/sys/class/zram-control/hot_remove", arg[0], e);
	return r;
}

static int write_back(char *const *arg, struct err *e)
{
	int r = fsx_write(AT_FDCWD, arg[0], arg[1], e);

	return r == -ENOENT ? 0 : r;
}

static int unlink_file(char *const *arg, struct err *e)
{
	if (unlink(arg[0]) == 0 || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return err_errno(e, errno, "could not remove \"%s\"", arg[0]);
}

static int remove_tree(char *const *arg, struct err *e)
{
	return fsx_remove_tree(AT_FDCWD, arg[0], e);
}

static int remove_dir(char *const *arg, struct err *e)
{
	if (rmdir(arg[0]) == 0 || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return err_errno(e, errno, "could not remove directory \"%s\"", arg[0]);
}

uint64_t undo_start_time(pid_t pid)
{
	_cleanup_free_ char *file = xasprintf("/proc/%d/stat", (int)pid);
	_cleanup_free_ char *text = NULL;
	uint64_t start = 0;
	char *p, *field = NULL;

	if (fsx_read_line(AT_FDCWD, file, &text, NULL) < 0)
		return 0;
	p = strrchr(text, ')'); /* the name before it may hold anything */
	/* "PID (NAME) STATE PPID …": the state is field 3, the start time field 22 */
	for (int i = 2; p && i <= 22; i++)
		field = str_cut(&p, " ");
	return p && field && num_u64(field, &start, NULL) == 0 ? start : 0;
}

static int kill_process(char *const *arg, struct err *e)
{
	_cleanup_close_ int fd = -EBADF;
	struct pollfd p = { .events = POLLIN };
	uint64_t pid = 0, start = 0;
	int r = num_u64(arg[0], &pid, e);

	if (r == 0)
		r = num_u64(arg[1], &start, e);
	if (r < 0)
		return r;
	fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	/* compared with the descriptor in hand: the number can't be given away any more */
	if (fd < 0 || undo_start_time((pid_t)pid) != start)
		return 0;
	if (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0)
		return errno == ESRCH ? 0 :
					err_errno(e, errno, "could not kill process %s", arg[0]);
	p.fd = fd;
	if (poll(&p, 1, PROCESS_END_MS) <= 0)
		return err_set(e, -ETIMEDOUT, "process %s did not end", arg[0]);
	return 0;
}

static int move_back(char *const *arg, struct err *e)
{
	_cleanup_close_ int root = open_root(e);

	return root < 0 ? root : cg_move_back(root, arg[0], arg[1], e);
}

static const struct entry_kind kinds[] = {
	{ "group", 1, "removed group", remove_group },
	{ "mount", 1, "unmounted", unmount },
	{ "loop", 2, "detached", detach_loop },
	{ "swap", 1, "switched swap off on", swap_off },
	{ "zram", 2, "reset zram device", reset_zram },
	{ "write", 2, "put back", write_back },
	{ "file", 1, "removed file", unlink_file },
	{ "tree", 1, "removed", remove_tree },
	{ "dir", 1, "removed directory", remove_dir },
	{ "process", 2, "ended process", kill_process },
	{ "procs", 2, "moved the processes back from", move_back },
};

const struct entry_kind *undo_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}
