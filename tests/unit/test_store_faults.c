// SPDX-License-Identifier: GPL-2.0-or-later
/* Full disks, file size limits and kills: what was stored stays, and the message says why. */
#include "store_sample.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/spawn.h"

/* Shared with the child that writes. */
struct progress {
	_Atomic unsigned begun, done;
	int code;
	char msg[480], hint[240];
};

static struct progress *progress_map(void)
{
	void *p = mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static void progress_unmap(struct progress **p)
{
	(void)munmap(*p, sizeof(**p));
}
#define _cleanup_progress_ __attribute__((cleanup(progress_unmap)))

/* Adds runs until one fails, or @max are in. */
static void write_runs(struct store *s, const struct sample *x, unsigned max, struct progress *p)
{
	struct err e = { 0 };

	while (p->done < max) {
		p->begun++;
		p->code = sample_run(s, x, 0, 0, p->begun, p->begun, "ok", &e);
		if (p->code < 0) {
			memcpy(p->msg, e.msg, sizeof(p->msg));
			memcpy(p->hint, e.hint, sizeof(p->hint));
			return;
		}
		p->done++;
	}
}

/* Runs of experiment 1, and whether SQLite finds the file sound. */
static int count_runs(const char *db, size_t *ret_n, struct err *e)
{
	_cleanup_store_ struct store *s = NULL;
	_cleanup_runs_ struct store_runs runs = { 0 };
	int r = store_open(db, STORE_READ, &s, e);

	if (r >= 0)
		r = store_read_runs(s, 1, true, &runs, e);
	*ret_n = runs.n;
	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].n_samples != 2 || runs.v[i].n_counters != 3)
			return err_set(e, -EIO, "run %zu is not whole", i);
	return r;
}

static int check_integrity(const char *db, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	char sql[] = "PRAGMA integrity_check; PRAGMA foreign_key_check";
	int r = spawn_run((char *[]){ "sqlite3", (char *)db, sql, NULL }, &out, e);

	if (r >= 0 && strcmp(str_text(&out), "ok\n") != 0)
		return err_set(e, -EIO, "%s", str_text(&out));
	return r;
}

static int limited_writer(const char *db, struct progress *p)
{
	const struct rlimit limit = { 400 << 10, 400 << 10 };
	struct store *s = NULL;
	struct sample x;
	struct err e;

	if (store_open(db, STORE_WRITE, &s, &e) < 0 || sample_begin(s, &x, &e) < 0 ||
	    setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 1;
	write_runs(s, &x, 100000, p);
	store_close(s);
	return 0; /* not reached when SIGXFSZ gets through */
}

static void file_size_limit_is_an_error(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_progress_ struct progress *p = progress_map();
	pid_t pid = fork();
	size_t n = 0;
	int status;
	struct err e;

	if (pid == 0)
		_exit(limited_writer(t.db, p));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(p->code, -EFBIG);
	CHECK_HAS(p->msg, "could not store a run in");
	CHECK_HAS(p->msg, "File too large");
	CHECK_HAS(p->hint, "ulimit -f");
	CHECK(p->done > 10);
	CHECK_OK(count_runs(t.db, &n, &e));
	CHECK_EQ(n, p->done);
}

static void new_store_that_does_not_fit_is_taken_back(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		const struct rlimit limit = { 20 << 10, 20 << 10 };
		struct store *s = NULL;

		_exit(setrlimit(RLIMIT_FSIZE, &limit) < 0 ||
		      store_open(t.db, STORE_WRITE, &s, NULL) != -EFBIG);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK(access(t.db, F_OK) < 0);
	CHECK_EQ(rmdir(t.dir), 0); /* nothing else is left in it */
}

/* A small tmpfs in a mount namespace of the child, gone with it. */
static int full_disk(const char *dir, const char *db, struct progress *p, size_t *ret_n)
{
	struct store *s = NULL;
	struct sample x;
	struct err e;
	int r;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("mmgauge-test", dir, "tmpfs", 0, "size=1m") < 0)
		return 1;
	if (store_open(db, STORE_WRITE, &s, &e) < 0 || sample_begin(s, &x, &e) < 0)
		return 2;
	write_runs(s, &x, 100000, p);
	store_close(s);
	r = count_runs(db, ret_n, &e);
	if (r < 0 || check_integrity(db, &e) < 0) {
		printf("# %s\n", e.msg);
		return 3;
	}
	return 0;
}

#define SHELL_MISSING "sqlite3 (the shell) is not installed"

static bool have_shell(void)
{
	return spawn_run((char *[]){ "sqlite3", "-version", NULL }, NULL, NULL) == 0;
}

static void full_disk_is_an_error(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_progress_ struct progress *p = progress_map();
	pid_t pid;
	int status;

	if (geteuid() != 0)
		SKIP("needs root, to mount a small tmpfs");
	if (!have_shell())
		SKIP(SHELL_MISSING);
	pid = fork();
	if (pid == 0) {
		size_t n = 0;
		int r = full_disk(t.dir, t.db, p, &n);

		_exit(r ? r : n != p->done ? 9 : 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(p->code, -ENOSPC);
	CHECK_HAS(p->msg, "could not store a run in");
	CHECK_HAS(p->msg, "the disk is full");
	CHECK_HAS(p->hint, "make room");
	CHECK(p->done > 10);
}

static void endless_writer(const char *db, struct progress *p)
{
	struct store *s = NULL;
	struct sample x;

	if (store_open(db, STORE_WRITE, &s, NULL) < 0 || sample_begin(s, &x, NULL) < 0)
		_exit(1);
	for (;;)
		write_runs(s, &x, UINT32_MAX, p);
}

/* One kill at a random moment of the writing; checks what is left. */
static int kill_once(const char *db, uint64_t after_ns, struct progress *p, struct err *e)
{
	pid_t pid = fork();
	size_t n = 0;
	int r;

	if (pid == 0)
		endless_writer(db, p);
	while (!p->begun)
		clock_sleep_until_ns(clock_mono_ns() + 100000);
	clock_sleep_until_ns(clock_mono_ns() + after_ns);
	(void)kill(pid, SIGKILL);
	if (waitpid(pid, NULL, 0) != pid)
		return err_errno(e, errno, "could not wait");
	r = count_runs(db, &n, e);
	if (r < 0)
		return r;
	/* what was begun may have become durable without the writer's living to say so */
	if (n < p->done || n > p->done + 1)
		return err_set(e, -EIO, "%zu runs, %u were acknowledged", n, p->done);
	return check_integrity(db, e);
}

static void kills_lose_at_most_the_run_in_flight(void)
{
	struct rng rng;
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	rng_init(&rng, 20);
	for (unsigned i = 0; i < 20; i++) {
		_cleanup_scratch_ struct scratch t = scratch_make();
		_cleanup_progress_ struct progress *p = progress_map();
		_cleanup_store_ struct store *s = NULL;
		struct sample x;

		CHECK_OK(kill_once(t.db, rng_below(&rng, 20 * NSEC_PER_MSEC), p, &e));
		CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
		CHECK_OK(sample_begin(s, &x, &e));
		CHECK_OK(sample_fill(s, &x, 1, &e));
	}
}

/* Killed before the schema is whole, it is a file that the next writer takes for new. */
static void kills_while_creating_leave_nothing_in_the_way(void)
{
	struct rng rng;
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	rng_init(&rng, 21);
	for (unsigned i = 0; i < 20; i++) {
		_cleanup_scratch_ struct scratch t = scratch_make();
		_cleanup_store_ struct store *s = NULL;
		pid_t pid = fork();
		struct sample x;

		if (pid == 0)
			_exit(store_open(t.db, STORE_WRITE, &s, NULL) < 0);
		clock_sleep_until_ns(clock_mono_ns() + rng_below(&rng, 30 * NSEC_PER_MSEC));
		(void)kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
		CHECK_OK(sample_begin(s, &x, &e));
		CHECK_OK(check_integrity(t.db, &e));
	}
}

int main(void)
{
	TAP_RUN(file_size_limit_is_an_error);
	TAP_RUN(new_store_that_does_not_fit_is_taken_back);
	TAP_RUN(full_disk_is_an_error);
	TAP_RUN(kills_lose_at_most_the_run_in_flight);
	TAP_RUN(kills_while_creating_leave_nothing_in_the_way);
	return tap_done();
}
