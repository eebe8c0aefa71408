// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real groups, of whichever version this machine has: what is set is read back from the kernel's
 * own files, not from our functions alone. Runs as root on a host and as a job of a guest.
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/cgroup.h"

#define MIB (1ull << 20)
#define WAIT_NS (5 * NSEC_PER_SEC)

static struct cg_env env;
static struct cg_scope scope;
static struct err e;
static char group_name[64];

/* A fresh group for one test, removed with all that it holds when the test ends. */
static struct cg fresh_group(const char *suffix)
{
	struct cg cg = CG_INIT;
	int r;

	(void)snprintf(group_name, sizeof(group_name), "mmgauge-test-%d-%s", (int)getpid(), suffix);
	r = cg_make(&scope.base, group_name, "memory", &cg, &e);
	if (r < 0)
		printf("# %s\n", e.msg);
	return cg;
}

static void drop_group(struct cg *cg)
{
	struct err err = { 0 };

	if (cg->dirfd >= 0 && (cg_kill(cg, &err) < 0 || cg_evict(cg, &err) < 0 ||
			       cg_remove(cg, WAIT_NS, &err) < 0) && err.code != -ENOENT)
		printf("# left behind: %s\n", err.msg);
	cg_close(cg);
}
#define _cleanup_group_ _cleanup_(drop_group)

static bool is_v1(void)
{
	return env.memory.version == CG_V1;
}

/* A process in @cg that runs @fn and then waits for a byte, or dies with us. */
struct kid {
	pid_t pid;
	int to, from;
};
#define KID_INIT { .pid = 0, .to = -EBADF, .from = -EBADF }

static void kid_main(const struct cg *cg, int in, int out, uint64_t (*fn)(void *arg), void *arg)
{
	uint64_t result;
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cg && cg_enter(cg, 0, &e) < 0) {
		printf("# %s\n", e.msg);
		_exit(9);
	}
	result = fn(arg);
	if (write(out, &result, sizeof(result)) != sizeof(result))
		_exit(9);
	_exit(read(in, &byte, 1) < 0 ? 9 : 0);
}

/* Returns when the kid has run @fn; *@ret is what it returned. False: it died before. */
static bool kid_start(struct kid *k, const struct cg *cg, uint64_t (*fn)(void *arg), void *arg,
		      uint64_t *ret)
{
	int to[2], from[2];

	fflush(stdout);
	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return false;
	k->pid = fork();
	if (k->pid == 0) {
		(void)close(to[1]);
		(void)close(from[0]);
		kid_main(cg, to[0], from[1], fn, arg);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	k->to = to[1];
	k->from = from[0];
	return read(k->from, ret, sizeof(*ret)) == sizeof(*ret);
}

/* Lets it end; wait status, or -1. */
static int kid_end(struct kid *k)
{
	int status = -1;

	cleanup_close(&k->to);
	cleanup_close(&k->from);
	k->to = k->from = -EBADF;
	if (k->pid > 0 && waitpid(k->pid, &status, 0) < 0)
		status = -1;
	k->pid = 0;
	return status;
}

static void kid_drop(struct kid *k)
{
	if (k->pid > 0)
		(void)kill(k->pid, SIGKILL);
	(void)kid_end(k);
}
#define _cleanup_kid_ _cleanup_(kid_drop)

static uint64_t touch_anon(void *arg)
{
	size_t bytes = *(const size_t *)arg;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < bytes; i += 4096)
		*(volatile char *)(p + i) = 1;
	return bytes;
}

static uint64_t burn_cpu(void *arg)
{
	uint64_t until = clock_process_cpu_ns() + *(const uint64_t *)arg, now;

	do {
		now = clock_process_cpu_ns();
	} while (now < until);
	return now;
}

static uint64_t nothing(void *arg)
{
	(void)arg;
	return 1;
}

struct file_job {
	const char *path;
	size_t bytes;
};

static uint64_t write_file(void *arg)
{
	const struct file_job *job = arg;
	int fd = open(job->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char chunk[1 << 16];

	memset(chunk, 'x', sizeof(chunk));
	for (size_t done = 0; done < job->bytes; done += sizeof(chunk)) {
		if (write(fd, chunk, sizeof(chunk)) != sizeof(chunk))
			return 0;
	}
	if (fsync(fd) < 0)
		return 0;
	(void)close(fd);
	return job->bytes;
}

/* A scratch directory on a file system whose pages can be written back and dropped. */
static char scratch[128];

static bool make_scratch(void)
{
	const char *tmp = getenv("TMPDIR");
	struct statfs fs;

	(void)snprintf(scratch, sizeof(scratch), "%s/mmgauge-test-XXXXXX", tmp ? tmp : "/tmp");
	if (statfs(tmp ? tmp : "/tmp", &fs) < 0 || fs.f_type == TMPFS_MAGIC ||
	    fs.f_type == RAMFS_MAGIC || !mkdtemp(scratch))
		scratch[0] = '\0';
	return scratch[0];
}

static void drop_scratch(char **file)
{
	(void)unlink(*file);
	(void)rmdir(scratch);
	free(*file);
}

static void raw(const struct cg *cg, const char *file, char *ret, size_t len)
{
	int fd = openat(cg->dirfd, file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, len - 1);

	ret[n < 0 ? 0 : n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	if (fd >= 0)
		(void)close(fd);
}

static void start_group_holds_us(void)
{
	_cleanup_cg_ struct cg start = CG_INIT;
	pid_t pids[2048];
	ssize_t n;
	bool found = false;

	if (env.memory.foreign)
		SKIP("this machine hides our own group");
	CHECK_OK(cg_open(&env, env.memory.start, &start, &e));
	if (scope.moved)
		SKIP("this machine made us move to a leaf");
	n = cg_procs(&start, pids, ARRAY_LEN(pids), &e);
	CHECK(n > 0 && n <= (ssize_t)ARRAY_LEN(pids));
	for (ssize_t i = 0; i < n; i++)
		found |= pids[i] == getpid();
	CHECK(found);
}

static void nests_and_goes(void)
{
	static const char *const names[] = { "l1", "l2", "l3" };
	struct cg level[4] = { fresh_group("nest"), CG_INIT, CG_INIT, CG_INIT };
	_cleanup_free_ char *dir = NULL, *cpu_dir = NULL;

	CHECK(level[0].dirfd >= 0);
	CHECK_EQ(level[0].level, scope.base.level + 1);
	for (int i = 0; i < 3; i++) {
		CHECK_OK(cg_make(&level[i], names[i], "memory", &level[i + 1], &e));
		CHECK_EQ(level[i + 1].level, scope.base.level + 2 + (unsigned)i);
		CHECK(fsx_exists(level[i + 1].dirfd, "memory.stat"));
		CHECK_EQ(level[i + 1].cpufd >= 0, env.cpu.version != CG_NONE);
	}
	dir = cg_dir(&env, level[3].path);
	CHECK(faccessat(AT_FDCWD, dir, F_OK, 0) == 0);
	CHECK_HAS(dir, "/l1/l2/l3");
	cpu_dir = cg_cpu_dir(&env, level[3].path);
	CHECK_EQ(cpu_dir != NULL, is_v1() && env.cpu.version != CG_NONE);
	CHECK(!cpu_dir || faccessat(AT_FDCWD, cpu_dir, F_OK, 0) == 0);
	CHECK_EQ(cg_remove(&level[1], 0, &e), -EBUSY);
	CHECK_HAS(e.msg, "group \"l2\" is below it");
	for (int i = 3; i >= 0; i--) {
		CHECK_OK(cg_remove(&level[i], WAIT_NS, &e));
		CHECK_OK(cg_remove(&level[i], WAIT_NS, &e)); /* missing is fine */
		cg_close(&level[i]);
	}
	CHECK(faccessat(AT_FDCWD, dir, F_OK, 0) < 0 && errno == ENOENT);
	CHECK(!cpu_dir || (faccessat(AT_FDCWD, cpu_dir, F_OK, 0) < 0 && errno == ENOENT));
	CHECK_OK(cg_remove_dir(env.rootfd, dir, 0, &e));
}

static void refuses_names(void)
{
	_cleanup_group_ struct cg cg = fresh_group("names");
	_cleanup_cg_ struct cg other = CG_INIT;

	CHECK(cg.dirfd >= 0);
	CHECK_EQ(cg_make(&scope.base, group_name, "memory", &other, &e), -EEXIST);
	CHECK_EQ(cg_make(&cg, "a/b", NULL, &other, &e), -EINVAL);
	CHECK_EQ(cg_make(&cg, "..", NULL, &other, &e), -EINVAL);
	CHECK_EQ(cg_open(&env, "/no/such/group", &other, &e), -ENOENT);
	CHECK_HAS(e.msg, "/no/such/group");
	CHECK_EQ(other.dirfd, -EBADF);
}

static void limit_is_set_and_rounded(void)
{
	_cleanup_group_ struct cg cg = fresh_group("limit");
	_cleanup_free_ char *got = NULL, *odd = NULL, *none = NULL, *plain = NULL, *back = NULL;
	const char *file = NULL;
	char text[64];

	CHECK(cg.dirfd >= 0);
	CHECK_OK(cg_get(&cg, "memory.max", &none, &e));
	CHECK_STR(none, "max");
	CHECK_OK(cg_set(&cg, "memory.max", "64M", &got, &file, &e));
	CHECK_STR(got, "64M");
	CHECK_STR(file, is_v1() ? "memory.limit_in_bytes" : "memory.max");
	raw(&cg, file, text, sizeof(text));
	CHECK_STR(text, "67108864");
	CHECK_OK(cg_set(&cg, "memory.max", "16777217", &odd, NULL, &e));
	CHECK_STR(odd, "16M"); /* whole pages */
	CHECK_OK(cg_get(&cg, "memory.max", &plain, &e));
	CHECK_STR(plain, "16777216");
	CHECK_OK(cg_set(&cg, "memory.max", "max", &back, NULL, &e));
	CHECK_STR(back, "max");
	CHECK_EQ(cg_set(&cg, "memory.max", "64 M", NULL, NULL, &e), -EINVAL);
	CHECK_HAS(e.msg, "\"64 M\" is not a size");
	CHECK_EQ(cg_set(&cg, "memory.nonsense", "1", NULL, NULL, &e), -ENOENT);
}

static void other_version_is_refused(void)
{
	_cleanup_group_ struct cg cg = fresh_group("refuse");

	CHECK(cg.dirfd >= 0);
	if (is_v1()) {
		CHECK_EQ(cg_set(&cg, "memory.high", "1M", NULL, NULL, &e), -EOPNOTSUPP);
		CHECK_HAS(e.msg, "has no counterpart on cgroup v1");
		CHECK_EQ(cg_set(&cg, "cpu.max", "max", NULL, NULL, &e), -EOPNOTSUPP);
	} else {
		CHECK_EQ(cg_set(&cg, "memory.limit_in_bytes", "1M", NULL, NULL, &e), -EOPNOTSUPP);
		CHECK_HAS(e.msg, "memory.max");
	}
	CHECK_EQ(cg_set(&cg, "memory.current", "1", NULL, NULL, &e), -EOPNOTSUPP);
}

static void text_knob_is_written_as_it_stands(void)
{
	_cleanup_group_ struct cg cg = fresh_group("text");
	_cleanup_free_ char *got = NULL;
	const char *knob = is_v1() ? "memory.swappiness" : "memory.oom.group";
	const char *file = NULL;

	CHECK(cg.dirfd >= 0);
	CHECK_OK(cg_set(&cg, knob, "1", &got, &file, &e));
	CHECK_STR(got, "1");
	CHECK_STR(file, knob);
}

/* On v1 the memory+swap limit follows the limit, so that the swap allowance stays. */
static void swap_allowance_is_kept(void)
{
	static const struct {
		const char *max, *memsw;
	} steps[] = { { "128M", "150994944" }, { "32M", "50331648" }, { "32M", "50331648" } };
	_cleanup_group_ struct cg cg = fresh_group("swap");
	_cleanup_free_ char *end = NULL;
	char text[64];

	CHECK(cg.dirfd >= 0);
	if (is_v1() && !fsx_exists(cg.dirfd, "memory.memsw.limit_in_bytes"))
		SKIP("this machine does not account swap");
	if (is_v1()) {
		CHECK_EQ(cg_set(&cg, "memory.swap.max", "16M", NULL, NULL, &e), -EINVAL);
		CHECK_HAS(e.hint, "set memory.max as well");
	} else if (!fsx_exists(cg.dirfd, "memory.swap.max")) {
		SKIP("this machine does not account swap");
	}
	CHECK_OK(cg_set(&cg, "memory.max", "64M", NULL, NULL, &e));
	CHECK_OK(cg_set(&cg, "memory.swap.max", "16M", NULL, NULL, &e));
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		_cleanup_free_ char *swap = NULL;

		CHECK_OK(cg_set(&cg, "memory.max", steps[i].max, NULL, NULL, &e));
		CHECK_OK(cg_get(&cg, "memory.swap.max", &swap, &e));
		CHECK_STR(swap, "16777216");
		raw(&cg, "memory.memsw.limit_in_bytes", text, sizeof(text));
		if (is_v1())
			CHECK_STR(text, steps[i].memsw);
	}
	CHECK_OK(cg_set(&cg, "memory.swap.max", "max", &end, NULL, &e));
	CHECK_STR(end, "max");
}

static void usage_counts_what_is_touched(void)
{
	_cleanup_group_ struct cg cg = fresh_group("usage");
	_cleanup_kid_ struct kid kid = KID_INIT;
	size_t bytes = 16 * MIB;
	uint64_t got;
	pid_t pids[4] = { 0 };
	struct cg_usage u;

	CHECK(cg.dirfd >= 0);
	CHECK_OK(cg_usage_read(&cg, &u, &e));
	CHECK_EQ(u.limit_bytes, CG_NO_LIMIT);
	CHECK_EQ(u.oom_kills, 0);
	CHECK(kid_start(&kid, &cg, touch_anon, &bytes, &got));
	CHECK_EQ(got, bytes);
	CHECK_EQ(cg_procs(&cg, pids, ARRAY_LEN(pids), &e), 1);
	CHECK_EQ(pids[0], kid.pid);
	CHECK_OK(cg_usage_read(&cg, &u, &e));
	CHECK(u.current_bytes >= bytes && u.current_bytes < bytes + 8 * MIB);
	CHECK(u.peak_bytes == CG_UNKNOWN || u.peak_bytes >= bytes);
	/* the kernel may hold back counts of 64 pages and a CPU: a stat lags by that much */
	CHECK(u.anon_bytes >= bytes / 2 && u.anon_bytes < bytes + 8 * MIB);
	CHECK(u.pgfault != CG_UNKNOWN);
	CHECK_EQ(u.limit_hits, 0);
	CHECK_EQ(kid_end(&kid), 0);
	CHECK_EQ(cg_procs(&cg, pids, ARRAY_LEN(pids), &e), 0);
}

static void cpu_time_is_of_the_group(void)
{
	_cleanup_group_ struct cg cg = fresh_group("cpu");
	_cleanup_kid_ struct kid kid = KID_INIT;
	uint64_t burn = 100 * NSEC_PER_MSEC, own;
	struct cg_usage u;

	CHECK(cg.dirfd >= 0);
	if (cg.cpufd < 0)
		SKIP("this machine has no hierarchy that tells CPU time");
	CHECK(kid_start(&kid, &cg, burn_cpu, &burn, &own));
	CHECK_EQ(kid_end(&kid), 0);
	CHECK_OK(cg_usage_read(&cg, &u, &e));
	/* it entered before it burned; its own clock holds the little before as well */
	CHECK(u.cpu_ns >= burn && u.cpu_ns < own + burn);
	CHECK(u.user_ns + u.sys_ns >= burn / 2 && u.user_ns + u.sys_ns <= u.cpu_ns + burn / 2);
}

static void page_cache_hits_the_limit(void)
{
	_cleanup_group_ struct cg cg = fresh_group("hits");
	_cleanup_kid_ struct kid kid = KID_INIT;
	_cleanup_(drop_scratch) char *file = NULL;
	struct file_job job;
	uint64_t got, hits;
	struct cg_usage u;

	CHECK(cg.dirfd >= 0);
	if (!make_scratch())
		SKIP("this machine has no disk file system for temporary files");
	file = xasprintf("%s/data", scratch);
	job = (struct file_job){ file, 48 * MIB };
	CHECK_OK(cg_set(&cg, "memory.max", "16M", NULL, NULL, &e));
	CHECK_OK(cg_limit_hits(&cg, &hits, &e));
	CHECK_EQ(hits, 0);
	CHECK(kid_start(&kid, &cg, write_file, &job, &got));
	CHECK_EQ(got, job.bytes);
	CHECK_EQ(kid_end(&kid), 0);
	CHECK_OK(cg_limit_hits(&cg, &hits, &e));
	CHECK(hits > 0);
	CHECK_OK(cg_usage_read(&cg, &u, &e));
	CHECK(u.limit_hits >= hits);
	CHECK_EQ(u.limit_bytes, 16 * MIB);
	CHECK(u.current_bytes <= 16 * MIB);
	CHECK(u.peak_bytes == CG_UNKNOWN ||
	      (u.peak_bytes > 8 * MIB && u.peak_bytes <= 16 * MIB));
}

static void evicts_page_cache_and_goes(void)
{
	struct cg cg = fresh_group("evict");
	_cleanup_kid_ struct kid kid = KID_INIT;
	_cleanup_(drop_scratch) char *file = NULL;
	_cleanup_free_ char *dir = NULL;
	struct file_job job;
	struct cg_usage before, after;
	uint64_t got;

	CHECK(cg.dirfd >= 0);
	if (!make_scratch()) {
		drop_group(&cg);
		SKIP("this machine has no disk file system for temporary files");
	}
	file = xasprintf("%s/data", scratch);
	job = (struct file_job){ file, 32 * MIB };
	CHECK(kid_start(&kid, &cg, write_file, &job, &got));
	CHECK_EQ(kid_end(&kid), 0);
	CHECK_OK(cg_usage_read(&cg, &before, &e));
	CHECK(before.current_bytes >= job.bytes);
	CHECK(before.file_bytes >= job.bytes / 2);
	CHECK_OK(cg_evict(&cg, &e));
	CHECK_OK(cg_usage_read(&cg, &after, &e));
	CHECK(after.current_bytes < 2 * MIB);
	dir = cg_dir(&env, cg.path);
	CHECK_OK(cg_remove(&cg, WAIT_NS, &e));
	CHECK(faccessat(AT_FDCWD, dir, F_OK, 0) < 0 && errno == ENOENT);
	cg_close(&cg);
}

static void oom_kill_is_counted(void)
{
	_cleanup_group_ struct cg cg = fresh_group("oom");
	_cleanup_kid_ struct kid kid = KID_INIT;
	size_t bytes = 64 * MIB;
	struct cg_usage u;
	uint64_t got;
	int status;

	CHECK(cg.dirfd >= 0);
	CHECK_OK(cg_set(&cg, "memory.max", "8M", NULL, NULL, &e));
	if (fsx_exists(cg.dirfd, "memory.swap.max") ||
	    fsx_exists(cg.dirfd, "memory.memsw.limit_in_bytes"))
		CHECK_OK(cg_set(&cg, "memory.swap.max", "0", NULL, NULL, &e));
	CHECK(!kid_start(&kid, &cg, touch_anon, &bytes, &got));
	status = kid_end(&kid);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGKILL);
	CHECK_OK(cg_usage_read(&cg, &u, &e));
	CHECK_EQ(u.oom_kills, 1);
	CHECK(u.limit_hits > 0);
}

static void kills_group_and_below(void)
{
	struct cg outer = fresh_group("kill");
	_cleanup_cg_ struct cg inner = CG_INIT;
	struct kid kids[4] = { KID_INIT, KID_INIT, KID_INIT, KID_INIT };
	pid_t pids[8];
	uint64_t got;

	CHECK(outer.dirfd >= 0);
	/* v2: no controllers, so that both groups may hold processes */
	CHECK_OK(cg_make(&outer, "below", NULL, &inner, &e));
	for (int i = 0; i < 4; i++)
		CHECK(kid_start(&kids[i], i < 2 ? &outer : &inner, nothing, NULL, &got));
	CHECK_EQ(cg_procs(&outer, pids, ARRAY_LEN(pids), &e), 2);
	CHECK_EQ(cg_procs(&inner, pids, 1, &e), 2);
	CHECK_OK(cg_kill(&outer, &e));
	CHECK_EQ(cg_procs(&outer, pids, ARRAY_LEN(pids), &e), 0);
	CHECK_EQ(cg_procs(&inner, pids, ARRAY_LEN(pids), &e), 0);
	for (int i = 0; i < 4; i++) {
		int status = kid_end(&kids[i]);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	CHECK_OK(cg_kill(&outer, &e)); /* empty is fine */
	CHECK_OK(cg_remove(&inner, WAIT_NS, &e));
	CHECK_OK(cg_remove(&outer, WAIT_NS, &e));
	cg_close(&outer);
}

static uint64_t kill_own_group(void *arg)
{
	return (uint64_t)-cg_kill(arg, &e);
}

static void does_not_kill_itself(void)
{
	_cleanup_group_ struct cg cg = fresh_group("self");
	_cleanup_kid_ struct kid kid = KID_INIT;
	uint64_t got;

	CHECK(cg.dirfd >= 0);
	CHECK(kid_start(&kid, &cg, kill_own_group, &cg, &got));
	CHECK_EQ(got, EDEADLK);
	CHECK_EQ(kid_end(&kid), 0);
}

static void names_who_holds_it(void)
{
	_cleanup_group_ struct cg cg = fresh_group("held");
	_cleanup_kid_ struct kid kid = KID_INIT;
	char want[64];
	uint64_t got;

	CHECK(cg.dirfd >= 0);
	CHECK(kid_start(&kid, &cg, nothing, NULL, &got));
	CHECK_EQ(cg_remove(&cg, 20 * NSEC_PER_MSEC, &e), -EBUSY);
	(void)snprintf(want, sizeof(want), "%d (test_cgroup)", (int)kid.pid);
	CHECK_HAS(e.msg, want);
}

/* The kid has much to give back, so it is still exiting when we start to remove. */
static void waits_for_exiting_tasks(void)
{
	size_t bytes = 64 * MIB;

	for (int i = 0; i < 5; i++) {
		struct cg cg = fresh_group("exit");
		struct kid kid = KID_INIT;
		uint64_t got;
		bool ok = cg.dirfd >= 0 && kid_start(&kid, &cg, touch_anon, &bytes, &got);
		int r = -1;

		if (ok) {
			(void)kill(kid.pid, SIGKILL);
			r = cg_remove(&cg, WAIT_NS, &e);
		}
		kid_drop(&kid);
		if (r < 0)
			drop_group(&cg);
		cg_close(&cg);
		CHECK(ok);
		CHECK_OK(r);
	}
}

static void dead_groups_are_counted(void)
{
	uint64_t n = CG_UNKNOWN;

	if (is_v1() && strcmp(env.memory.root, "/") != 0)
		SKIP("this machine shows a part of the hierarchy only");
	CHECK_OK(cg_dying(&scope.base, &n, &e));
	CHECK(n < 65536); /* memory cgroup ids are 16 bits */
}

int main(void)
{
	struct err err = { 0 };
	int rootfd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char id[32];

	(void)snprintf(id, sizeof(id), "test-%d", (int)getpid());
	if (rootfd < 0 || cg_probe(rootfd, &env, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		return 1;
	}
	if (env.memory.version == CG_NONE || geteuid() != 0) {
		printf("1..0 # SKIP this machine has no memory controller, or we are not root\n");
		return 0;
	}
	if (cg_scope_enter(&env, NULL, id, &scope, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		return 1;
	}
	printf("# cgroup %s at %s, groups below %s\n", cg_version_name(env.memory.version),
	       env.memory.dir, scope.base.path);
	TAP_RUN(start_group_holds_us);
	TAP_RUN(nests_and_goes);
	TAP_RUN(refuses_names);
	TAP_RUN(limit_is_set_and_rounded);
	TAP_RUN(other_version_is_refused);
	TAP_RUN(text_knob_is_written_as_it_stands);
	TAP_RUN(swap_allowance_is_kept);
	TAP_RUN(usage_counts_what_is_touched);
	TAP_RUN(cpu_time_is_of_the_group);
	TAP_RUN(page_cache_hits_the_limit);
	TAP_RUN(evicts_page_cache_and_goes);
	TAP_RUN(oom_kill_is_counted);
	TAP_RUN(kills_group_and_below);
	TAP_RUN(does_not_kill_itself);
	TAP_RUN(names_who_holds_it);
	TAP_RUN(waits_for_exiting_tasks);
	TAP_RUN(dead_groups_are_counted);
	if (cg_scope_leave(&scope, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		return 1;
	}
	cg_env_done(&env);
	(void)close(rootfd);
	return tap_done();
}
