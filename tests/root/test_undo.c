// SPDX-License-Identifier: GPL-2.0-or-later
/* The journal: what it takes back, in which order, and what becomes of it when its owner dies. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "cgroup/cgroup.h"
#include "tap.h"
#include "undo/undo.h"

static char dir[64];	 /* of the journals */
static char things[64];	 /* what is made and taken back */
static char reports[4000];

static void collect(const char *what, const struct err *e, void *arg)
{
	size_t len = strlen(reports);

	(void)arg;
	snprintf(reports + len, sizeof(reports) - len, "%s%s%s\n", what, e ? ": " : "",
		 e ? e->msg : "");
}

static char *thing(const char *name)
{
	return xasprintf("%s/%s", things, name);
}

static int put(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ? -1 : 0;
}

static void takes_back_in_reverse(void)
{
	_cleanup_free_ char *d = thing("d"), *f = thing("d/f"), *s = thing("setting");
	_cleanup_free_ char *now = NULL;
	struct undo *u = NULL;
	struct err e = { 0 };

	CHECK(put(s, "old") == 0);
	CHECK_OK(undo_open(dir, "a", &u, &e));
	CHECK_OK(undo_note_rmdir(u, d, &e));
	CHECK(mkdir(d, 0700) == 0);
	CHECK_OK(undo_note_unlink(u, f, &e));
	CHECK(put(f, "x") == 0);
	CHECK_OK(undo_note_write(u, s, "old", &e));
	CHECK(put(s, "new") == 0);
	/* the folder can only be removed after its file */
	CHECK_OK(undo_close(u, &e));
	CHECK(access(d, F_OK) < 0);
	CHECK_OK(fsx_read_line(AT_FDCWD, s, &now, &e));
	CHECK_STR(now, "old");
}

static void back_to_a_mark_keeps_the_rest(void)
{
	_cleanup_free_ char *a = thing("a"), *b = thing("b");
	struct undo *u = NULL;
	struct err e = { 0 };
	size_t mark;

	CHECK_OK(undo_open(dir, "m", &u, &e));
	CHECK_OK(undo_note_unlink(u, a, &e));
	CHECK(put(a, "x") == 0);
	mark = undo_mark(u);
	CHECK_OK(undo_note_unlink(u, b, &e));
	CHECK(put(b, "x") == 0);
	CHECK_OK(undo_back_to(u, mark, &e));
	CHECK(access(a, F_OK) == 0);
	CHECK(access(b, F_OK) < 0);
	CHECK_EQ(undo_mark(u), mark);
	CHECK_OK(undo_close(u, &e));
	CHECK(access(a, F_OK) < 0);
}

static void odd_names_survive(void)
{
	_cleanup_free_ char *odd = thing("a b\n%=~\xc3\xa9");
	struct undo *u = NULL;
	struct err e = { 0 };

	CHECK(put(odd, "x") == 0);
	CHECK_OK(undo_open(dir, "odd", &u, &e));
	CHECK_OK(undo_note_unlink(u, odd, &e));
	CHECK_OK(undo_close(u, &e));
	CHECK(access(odd, F_OK) < 0);
}

/* A child notes and makes things, and dies of SIGKILL with the journal open. */
static void die_with(void (*make)(struct undo *u), const char *id)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct undo *u = NULL;

		if (undo_open(dir, id, &u, NULL) == 0)
			make(u);
		raise(SIGKILL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
}

static void make_two(struct undo *u)
{
	_cleanup_free_ char *d = thing("dead"), *f = thing("dead/f");

	if (undo_note_rmtree(u, d, NULL) == 0)
		(void)!mkdir(d, 0700);
	if (undo_note_unlink(u, f, NULL) == 0)
		(void)!put(f, "x");
}

static void a_dead_owners_journal_is_replayed(void)
{
	_cleanup_free_ char *d = thing("dead");
	struct err e = { 0 };

	die_with(make_two, "dead");
	CHECK(access(d, F_OK) == 0);
	reports[0] = '\0';
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 1);
	CHECK(access(d, F_OK) < 0);
	CHECK_HAS(reports, "removed file");
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 0);
}

static void a_living_owners_journal_is_left_alone(void)
{
	_cleanup_free_ char *f = thing("alive");
	struct undo *u = NULL;
	struct err e = { 0 };

	CHECK(put(f, "x") == 0);
	CHECK_OK(undo_open(dir, "alive", &u, &e));
	CHECK_OK(undo_note_unlink(u, f, &e));
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 0);
	CHECK(access(f, F_OK) == 0);
	CHECK_OK(undo_close(u, &e));
	CHECK(access(f, F_OK) < 0);
}

static void a_cut_line_is_passed_over(void)
{
	_cleanup_free_ char *journal = xasprintf("%s/cut.journal", dir), *d = thing("dead");
	struct err e = { 0 };
	struct stat st;

	die_with(make_two, "cut");
	CHECK(stat(journal, &st) == 0);
	CHECK(truncate(journal, st.st_size - 3) == 0);
	reports[0] = '\0';
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 1);
	CHECK_HAS(reports, "cut off");
	CHECK(access(d, F_OK) < 0); /* the whole tree was noted in the line before */
	CHECK(access(journal, F_OK) < 0);
}

static void empty_and_absent_journals(void)
{
	_cleanup_free_ char *journal = xasprintf("%s/empty.journal", dir);
	struct err e = { 0 };

	CHECK(put(journal, "") == 0);
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 1);
	CHECK(access(journal, F_OK) < 0);
	CHECK_EQ(undo_clean("/there/is/no/such/folder", collect, NULL, &e), 0);
}

static void make_stuck(struct undo *u)
{
	_cleanup_free_ char *d = thing("stuck"), *f = thing("stuck/foreign");

	if (undo_note_rmdir(u, d, NULL) == 0)
		(void)!mkdir(d, 0700);
	(void)!put(f, "not ours");
}

static void what_fails_is_tried_again(void)
{
	_cleanup_free_ char *d = thing("stuck"), *f = thing("stuck/foreign");
	struct err e = { 0 };

	die_with(make_stuck, "stuck");
	reports[0] = '\0';
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), -ENOTEMPTY);
	CHECK_HAS(reports, "could not remove directory");
	CHECK(unlink(f) == 0);
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 1);
	CHECK(access(d, F_OK) < 0);
}

static void make_stuck_and_setting(struct undo *u)
{
	_cleanup_free_ char *s = thing("kept");

	make_stuck(u);
	if (undo_note_write(u, s, "old", NULL) == 0)
		(void)!put(s, "new");
}

/* What was taken back is not taken back again by the next cleaner, whatever else failed. */
static void only_what_failed_is_tried_again(void)
{
	_cleanup_free_ char *f = thing("stuck/foreign"), *s = thing("kept"), *now = NULL;
	struct err e = { 0 };

	die_with(make_stuck_and_setting, "partly");
	CHECK_EQ(undo_clean(dir, NULL, NULL, &e), -ENOTEMPTY);
	CHECK_OK(fsx_read_line(AT_FDCWD, s, &now, &e));
	CHECK_STR(now, "old");
	CHECK(put(s, "set by the user") == 0);
	CHECK(unlink(f) == 0);
	CHECK_EQ(undo_clean(dir, NULL, NULL, &e), 1);
	free(steal_ptr(&now));
	CHECK_OK(fsx_read_line(AT_FDCWD, s, &now, &e));
	CHECK_STR(now, "set by the user");
}

static void make_stuck_setting_and_one(struct undo *u)
{
	make_stuck_and_setting(u);
	(void)!undo_note_unlink(u, "/there/is/none", NULL);
}

/* What the cleaner adds must not be glued to half a line and be lost with it. */
static void a_failure_after_a_cut_line_is_kept(void)
{
	_cleanup_free_ char *journal = xasprintf("%s/glued.journal", dir);
	_cleanup_free_ char *d = thing("stuck"), *f = thing("stuck/foreign"), *s = thing("kept");
	_cleanup_free_ char *now = NULL;
	struct err e = { 0 };
	struct stat st;

	die_with(make_stuck_setting_and_one, "glued");
	CHECK(stat(journal, &st) == 0);
	CHECK(truncate(journal, st.st_size - 3) == 0);
	CHECK_EQ(undo_clean(dir, NULL, NULL, &e), -ENOTEMPTY);
	CHECK(put(s, "set by the user") == 0);
	CHECK(unlink(f) == 0);
	CHECK_EQ(undo_clean(dir, NULL, NULL, &e), 1);
	CHECK(access(d, F_OK) < 0);
	CHECK_OK(fsx_read_line(AT_FDCWD, s, &now, &e));
	CHECK_STR(now, "set by the user");
}

static void a_mark_holds_after_a_failure(void)
{
	_cleanup_free_ char *d = thing("stuck"), *f = thing("stuck/foreign"), *s = thing("kept");
	_cleanup_free_ char *now = NULL;
	struct undo *u = NULL;
	struct err e = { 0 };
	size_t mark;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (undo_open(dir, "marks", &u, NULL) < 0)
			_exit(1);
		make_stuck(u);
		mark = undo_mark(u);
		make_stuck_and_setting(u);
		/* first with the foreign file in the way, then without */
		if (undo_back_to(u, mark, NULL) != -ENOTEMPTY || unlink(f) < 0 ||
		    undo_back_to(u, mark, NULL) < 0 || undo_mark(u) != mark)
			_exit(2);
		if (mkdir(d, 0700) < 0 || put(s, "set by the user") < 0)
			_exit(3);
		raise(SIGKILL);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(undo_clean(dir, NULL, NULL, &e), 1);
	CHECK(access(d, F_OK) < 0); /* noted before the mark */
	CHECK_OK(fsx_read_line(AT_FDCWD, s, &now, &e));
	CHECK_STR(now, "set by the user"); /* noted after it */
}

static void zeroes_in_a_journal_are_told(void)
{
	_cleanup_free_ char *journal = xasprintf("%s/zero.journal", dir), *d = thing("dead");
	struct err e = { 0 };
	struct stat st;

	die_with(make_two, "zero");
	CHECK(stat(journal, &st) == 0);
	CHECK(truncate(journal, st.st_size + 512) == 0); /* as after a power cut */
	reports[0] = '\0';
	CHECK_EQ(undo_clean(dir, collect, NULL, &e), 1);
	CHECK_HAS(reports, "zero byte");
	CHECK(access(d, F_OK) < 0);
}

static void a_folder_that_cannot_be_read_is_told(void)
{
	_cleanup_free_ char *file = thing("no-folder");
	struct err e = { 0 };

	CHECK(put(file, "") == 0);
	CHECK_EQ(undo_clean(file, collect, NULL, &e), -ENOTDIR);
	CHECK_HAS(e.msg, "no-folder");
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void only_the_same_process_is_killed(void)
{
	struct undo *u = NULL;
	struct err e = { 0 };
	pid_t pid = sleeper();
	uint64_t start = undo_start_time(pid);
	int status;

	CHECK(start > 0);
	CHECK_OK(undo_open(dir, "k", &u, &e));
	CHECK_OK(undo_note_kill(u, pid, start + 1, &e)); /* an older process of that number */
	CHECK_OK(undo_close(u, &e));
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	CHECK_OK(undo_open(dir, "k", &u, &e));
	CHECK_OK(undo_note_kill(u, pid, start, &e));
	CHECK_OK(undo_close(u, &e));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_EQ(undo_start_time(pid), 0);
}

/* A child of the owner that lives on must not make the owner look alive. */
static void a_child_does_not_keep_the_lock(void)
{
	_cleanup_free_ char *f = thing("orphaned");
	struct err e = { 0 };
	int p[2], q[2], status;
	pid_t owner;
	char c;

	CHECK(pipe2(p, O_CLOEXEC) == 0 && pipe2(q, O_CLOEXEC) == 0);
	owner = fork();
	if (owner == 0) {
		struct undo *u = NULL;

		if (undo_open(dir, "orphan", &u, NULL) < 0 || undo_note_unlink(u, f, NULL) < 0 ||
		    put(f, "x") < 0)
			_exit(1);
		if (fork() == 0) {
			undo_after_fork(u);
			(void)!write(p[1], "x", 1);
			/* lives until the test closes its end of the second pipe */
			close(q[1]);
			(void)!read(q[0], &c, 1);
			_exit(0);
		}
		(void)!read(p[0], &c, 1);
		raise(SIGKILL);
	}
	CHECK_EQ(waitpid(owner, &status, 0), owner);
	CHECK_EQ(undo_clean(dir, NULL, NULL, &e), 1);
	CHECK(access(f, F_OK) < 0);
	close(p[0]);
	close(p[1]);
	close(q[0]);
	close(q[1]);
}

/* Tasks in a noted group are ours and end with it; the one beside it lives on. */
static void a_group_goes_with_its_tasks(void)
{
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg start = CG_INIT, own = CG_INIT;
	_cleanup_close_ int rootfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *path = NULL, *abs = NULL, *twin = NULL;
	char name[40];
	struct undo *u = NULL;
	struct err e = { 0 };
	pid_t inside, beside;
	int status;

	CHECK_OK(cg_probe(rootfd, &env, &e));
	if (env.memory.version != CG_V1 || geteuid() != 0)
		SKIP("this machine lets no group be made in the start group");
	CHECK_OK(cg_open(&env, env.memory.start, &start, &e));
	snprintf(name, sizeof(name), "mmgauge-undo%d", (int)getpid());
	path = xasprintf("%s/%s", str_eq(start.path, "/") ? "" : start.path, name);
	abs = cg_dir(&env, path);
	twin = cg_cpu_dir(&env, path);
	CHECK_OK(undo_open(dir, "group", &u, &e));
	if (twin)
		CHECK_OK(undo_note_rmdir_cgroup(u, twin, &e));
	CHECK_OK(undo_note_rmdir_cgroup(u, abs, &e));
	CHECK_OK(cg_make(&start, name, "memory", &own, &e));
	inside = sleeper();
	beside = sleeper();
	CHECK_OK(cg_enter(&own, inside, &e));
	CHECK_OK(undo_close(u, &e));
	CHECK(access(abs, F_OK) < 0);
	CHECK(!twin || access(twin, F_OK) < 0);
	CHECK_EQ(waitpid(inside, &status, 0), inside);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_EQ(waitpid(beside, &status, WNOHANG), 0);
	kill(beside, SIGKILL);
	CHECK_EQ(waitpid(beside, &status, 0), beside);
}

static void an_id_is_used_once(void)
{
	struct undo *a = NULL, *b = NULL;
	struct err e = { 0 };

	CHECK_OK(undo_open(dir, "same", &a, &e));
	CHECK_EQ(undo_open(dir, "same", &b, &e), -EEXIST);
	CHECK_OK(undo_close(a, &e));
}

static void two_cleaners_at_once(void)
{
	pid_t pids[4];
	int status, ok = 0;

	for (int i = 0; i < 8; i++) {
		char id[16];

		snprintf(id, sizeof(id), "two%d", i);
		die_with(make_two, id);
	}
	for (size_t i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(undo_clean(dir, NULL, NULL, NULL) < 0);
	}
	for (size_t i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		ok += status == 0;
	}
	CHECK_EQ(ok, 4);
	CHECK_EQ(undo_clean(dir, NULL, NULL, NULL), 0);
}

int main(void)
{
	char base[] = "/tmp/mmgauge-test-undo-XXXXXX";
	int r;

	if (!mkdtemp(base))
		return 1;
	snprintf(dir, sizeof(dir), "%s/journals", base);
	snprintf(things, sizeof(things), "%s/things", base);
	if (mkdir(things, 0700) < 0)
		return 1;
	TAP_RUN(takes_back_in_reverse);
	TAP_RUN(back_to_a_mark_keeps_the_rest);
	TAP_RUN(odd_names_survive);
	TAP_RUN(a_dead_owners_journal_is_replayed);
	TAP_RUN(a_living_owners_journal_is_left_alone);
	TAP_RUN(a_cut_line_is_passed_over);
	TAP_RUN(empty_and_absent_journals);
	TAP_RUN(what_fails_is_tried_again);
	TAP_RUN(only_what_failed_is_tried_again);
	TAP_RUN(a_failure_after_a_cut_line_is_kept);
	TAP_RUN(a_mark_holds_after_a_failure);
	TAP_RUN(zeroes_in_a_journal_are_told);
	TAP_RUN(a_folder_that_cannot_be_read_is_told);
	TAP_RUN(a_group_goes_with_its_tasks);
	TAP_RUN(only_the_same_process_is_killed);
	TAP_RUN(a_child_does_not_keep_the_lock);
	TAP_RUN(an_id_is_used_once);
	TAP_RUN(two_cleaners_at_once);
	r = tap_done();
	return fsx_remove_tree(AT_FDCWD, base, NULL) < 0 ? 1 : r;
}
