// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files open as what, and who may write. */
#include "store_sample.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/spawn.h"

#define SHELL_MISSING "sqlite3 (the shell) is not installed"

static bool have_shell(void)
{
	return spawn_run((char *[]){ "sqlite3", "-version", NULL }, NULL, NULL) == 0;
}

/* Runs @sql on @db by the sqlite3 shell, its output to @out (may be NULL). */
static int shell(const char *db, const char *sql, struct str *out, struct err *e)
{
	return spawn_run((char *[]){ "sqlite3", "-bail", (char *)db, (char *)sql, NULL }, out, e);
}

/* Runs @fn in a child; its status, 0 when all was well there. */
static int in_child(int (*fn)(const char *db), const char *db)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(fn(db));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int make_sample(const char *db, struct err *e)
{
	_cleanup_store_ struct store *s = NULL;
	struct sample x;
	int r = store_open(db, STORE_WRITE, &s, e);

	if (r >= 0)
		r = sample_begin(s, &x, e);
	return r < 0 ? r : sample_fill(s, &x, 2, e);
}

static int count_obs(const char *db, size_t *ret_n, struct err *e)
{
	_cleanup_store_ struct store *s = NULL;
	_cleanup_store_data_ struct store_data d = { 0 };
	int r = store_open(db, STORE_READ, &s, e);

	if (r == 0)
		r = store_read_data(s, 1, &d, e);
	if (r == 0)
		*ret_n = d.n_obs;
	return r;
}

static void one_file_after_close(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str list = STR_INIT(4096);
	struct err e;

	CHECK_OK(make_sample(t.db, &e));
	CHECK_OK(spawn_run((char *[]){ "ls", t.dir, NULL }, &list, &e));
	CHECK_STR(str_text(&list), "test.db\n");
}

static void writing_again_appends(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_experiment_ struct store_experiment x = { 0 };
	size_t n = 0;
	struct err e;

	CHECK_OK(make_sample(t.db, &e));
	CHECK_OK(make_sample(t.db, &e));
	CHECK_OK(count_obs(t.db, &n, &e));
	CHECK_EQ(n, 16);
	CHECK_OK(store_open(t.db, STORE_READ, &s, &e));
	CHECK_OK(store_read_experiment(s, 0, &x, &e));
	CHECK_EQ(x.id, 2);
}

static int second_writer(const char *db)
{
	_cleanup_store_ struct store *s = NULL;
	char want[40];
	struct err e;

	snprintf(want, sizeof(want), "(pid %d)", (int)getppid());
	if (store_open(db, STORE_WRITE, &s, &e) != -EBUSY)
		return 1;
	if (!strstr(e.msg, want)) {
		printf("# %s\n", e.msg);
		return 2;
	}
	return e.hint[0] ? 0 : 3;
}

static int reader(const char *db)
{
	size_t n = 0;

	return count_obs(db, &n, NULL) < 0 ? 1 : n == 8 ? 0 : 2;
}

static void second_writer_is_refused_readers_are_not(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	struct sample x;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(sample_fill(s, &x, 1, &e));
	CHECK_EQ(in_child(second_writer, t.db), 0);
	CHECK_EQ(in_child(reader, t.db), 0);
	CHECK_OK(sample_run(s, &x, 0, 0, 5, 50, "ok", &e));
	store_close(s);
	s = NULL;
	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e)); /* the lock went with the handle */
}

static int wait_writer(int fd, const char *db)
{
	struct store *s = NULL;
	struct sample x;

	if (store_open(db, STORE_WRITE, &s, NULL) < 0 || sample_begin(s, &x, NULL) < 0 ||
	    sample_fill(s, &x, 1, NULL) < 0 || write(fd, "r", 1) != 1)
		return 1;
	for (;;)
		pause();
}

/* Starts a writer that holds the store with 8 samples in it. */
static pid_t start_writer(const char *db)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		_exit(wait_writer(fds[1], db));
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		pid = -1;
	close(fds[0]);
	return pid;
}

static void killed_writer_leaves_a_readable_store(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_free_ char *wal = xasprintf("%s-wal", t.db);
	pid_t pid = start_writer(t.db);
	size_t n = 0;
	struct err e;

	CHECK(pid > 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(access(wal, F_OK) == 0);
	CHECK_OK(count_obs(t.db, &n, &e)); /* with the log beside it */
	CHECK_EQ(n, 8);
	CHECK_OK(make_sample(t.db, &e)); /* the lock died with it */
	CHECK(access(wal, F_OK) < 0);
	CHECK_OK(count_obs(t.db, &n, &e));
	CHECK_EQ(n, 8);
}

static void shell_reads_while_a_run_goes_on(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str out = STR_INIT(4096);
	_cleanup_store_ struct store *s = NULL;
	struct sample x;
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(sample_fill(s, &x, 2, &e));
	CHECK_OK(shell(t.db, "SELECT count(*), min(variant) FROM v_samples", &out, &e));
	CHECK_STR(str_text(&out), "16|base\n");
	CHECK_OK(sample_run(s, &x, 0, 0, 5, 50, "ok", &e));
}

/* A reader that sits on a query, as a pager does, does not hold up a commit. */
static void open_query_does_not_block_the_writer(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	struct spawn sh = SPAWN_INIT;
	struct sample x;
	char buf[16] = "";
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(spawn_start((char *[]){ "sqlite3", "-batch", t.db, NULL },
			     SPAWN_PIPE_IN | SPAWN_PIPE_OUT, &sh, &e));
	CHECK(write(sh.in, "BEGIN; SELECT count(*) FROM runs;\n", 34) == 34);
	CHECK(read(sh.out, buf, sizeof(buf) - 1) > 0);
	CHECK_STR(buf, "0\n");
	CHECK_OK(sample_fill(s, &x, 1, &e));
	spawn_done(&sh);
}

static void missing_store_says_what_to_do(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_free_ char *deep = xasprintf("%s/no/such.db", t.dir);
	struct store *s = NULL;
	struct err e;

	CHECK_EQ(store_open(t.db, STORE_READ, &s, &e), -ENOENT);
	CHECK_HAS(e.msg, t.db);
	CHECK_HAS(e.msg, "No such file or directory");
	CHECK_HAS(e.hint, "mmgauge run");
	CHECK(access(t.db, F_OK) < 0);
	CHECK_EQ(store_open(deep, STORE_WRITE, &s, &e), -ENOENT);
	CHECK_HAS(e.msg, deep);
	CHECK_EQ(store_open(t.dir, STORE_WRITE, &s, &e), -EISDIR);
	CHECK_EQ(store_open(t.dir, STORE_READ, &s, &e), -EISDIR);
	CHECK_EQ(store_open("/dev/null", STORE_READ, &s, &e), -EINVAL);
	CHECK_HAS(e.msg, "not a regular file");
	CHECK(!s);
}

static void other_files_are_refused_untouched(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str text = STR_INIT(4096);
	struct store *s = NULL;
	struct err e;

	CHECK_OK(fsx_replace(AT_FDCWD, t.db, "not a database, but long enough to have a header "
			     "of one hundred bytes, which is where SQLite looks first\n", &e));
	for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
		CHECK_EQ(store_open(t.db, mode, &s, &e), -EINVAL);
		CHECK_HAS(e.msg, "it is not an mmgauge store");
	}
	CHECK_OK(fsx_read(AT_FDCWD, t.db, &text, &e));
	CHECK(str_starts(str_text(&text), "not a database"));
	CHECK_OK(fsx_replace(AT_FDCWD, t.db, "", &e));
	CHECK_EQ(store_open(t.db, STORE_READ, &s, &e), -EINVAL);
	CHECK_HAS(e.msg, "it is empty");
}

static void other_databases_are_refused_untouched(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str out = STR_INIT(4096);
	struct store *s = NULL;
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	CHECK_OK(shell(t.db, "CREATE TABLE writer (id); INSERT INTO writer VALUES (5)", NULL, &e));
	for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
		CHECK_EQ(store_open(t.db, mode, &s, &e), -EINVAL);
		CHECK_HAS(e.msg, "a database of another program");
	}
	CHECK_OK(shell(t.db, "SELECT * FROM writer; PRAGMA journal_mode", &out, &e));
	CHECK_STR(str_text(&out), "5\ndelete\n");
}

static void newer_schema_is_refused(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	struct store *s = NULL;
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	CHECK_OK(make_sample(t.db, &e));
	CHECK_OK(shell(t.db, "PRAGMA user_version = 77", NULL, &e));
	for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
		CHECK_EQ(store_open(t.db, mode, &s, &e), -EINVAL);
		CHECK_HAS(e.msg, "made by a newer mmgauge (schema 77, this one knows up to 3)");
	}
}

/* A store as the first version made it: a sample a run and metric. */
static int make_old(const char *db, struct err *e)
{
	static const char to_1[] =
		"ALTER TABLE cases DROP COLUMN floor;"
		"DROP VIEW v_samples;"
		"CREATE TABLE samples_1 (metric INTEGER NOT NULL REFERENCES metrics,"
		" run INTEGER NOT NULL REFERENCES runs, value REAL NOT NULL,"
		" PRIMARY KEY (metric, run)) STRICT, WITHOUT ROWID;"
		"INSERT INTO samples_1 SELECT metric, run, value FROM samples;"
		"DROP TABLE samples;"
		"ALTER TABLE samples_1 RENAME TO samples;"
		"CREATE VIEW v_samples AS SELECT value FROM samples;"
		"PRAGMA user_version = 1";
	int r = make_sample(db, e);

	return r < 0 ? r : shell(db, to_1, NULL, e);
}

static int hash_of(const char *db, enum store_mode mode, char *hash, struct err *e)
{
	_cleanup_store_ struct store *s = NULL;
	int r = store_open(db, mode, &s, e);

	return r < 0 ? r : store_hash(s, 1, hash, e);
}

/* Read as it is; brought up to date by the first that may write. */
static void an_older_schema_is_read_and_migrated(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str version = STR_INIT(100);
	char want[33], got[33];
	size_t n = 0, again = 0;
	struct err e;

	if (!have_shell())
		SKIP(SHELL_MISSING);
	CHECK_OK(make_sample(t.db, &e));
	CHECK_OK(hash_of(t.db, STORE_READ, want, &e));
	CHECK_OK(count_obs(t.db, &n, &e));
	(void)unlink(t.db);
	CHECK_OK(make_old(t.db, &e));
	CHECK_OK(hash_of(t.db, STORE_READ, got, &e));
	CHECK_STR(got, want);
	CHECK_OK(count_obs(t.db, &again, &e));
	CHECK_EQ(again, n);
	CHECK_OK(hash_of(t.db, STORE_WRITE, got, &e));
	CHECK_STR(got, want);
	CHECK_OK(shell(t.db, "PRAGMA user_version; SELECT sum(idx) FROM v_samples", &version, &e));
	CHECK_STR(str_text(&version), "3\n0\n");
}

static void damage_is_reported(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_close_ int fd = -EBADF;
	char junk[4096];
	struct stat st;
	size_t n = 0;
	struct err e;

	CHECK_OK(make_sample(t.db, &e));
	fd = open(t.db, O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	memset(junk, 0xa5, sizeof(junk));
	for (off_t at = 4096; at < st.st_size; at += 4096)
		CHECK(pwrite(fd, junk, sizeof(junk), at) == sizeof(junk));
	CHECK_EQ(count_obs(t.db, &n, &e), -EBADMSG);
	CHECK_HAS(e.msg, "it is damaged");
	CHECK_HAS(e.hint, ".recover");
}

static void removed_file_stops_the_run(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	struct sample x;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_EQ(unlink(t.db), 0);
	CHECK_EQ(sample_run(s, &x, 0, 0, 1, 1, "ok", &e), -ESTALE);
	CHECK_HAS(e.msg, "the file was removed while it was in use");
}

static void odd_names_are_plain_files(void)
{
	static const char *const names[] = { ":memory:", "file:x?mode=memory", "a b%20#?.db" };
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_free_ char *old = getcwd(NULL, 0);
	size_t n = 0;
	struct err e;

	CHECK(old && chdir(t.dir) == 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		int r = make_sample(names[i], &e);

		if (r >= 0)
			r = count_obs(names[i], &n, &e);
		if (r < 0 || n != 16 || access(names[i], F_OK) < 0)
			TAP_FAIL("\"%s\": %d, %zu samples", names[i], r, n);
	}
	CHECK(chdir(old) == 0);
}

/* Read as a user who may write neither the file nor its directory. */
static int read_as_nobody(const char *db)
{
	struct err e = { 0 };
	size_t n = 0;

	if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
		return 1;
	if (count_obs(db, &n, &e) < 0) {
		printf("# %s\n", e.msg);
		return 2;
	}
	return n == 16 ? 0 : 3;
}

static int write_as_nobody(const char *db)
{
	struct store *s = NULL;
	struct err e;

	if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
		return 1;
	return store_open(db, STORE_WRITE, &s, &e) == -EACCES && strstr(e.msg, "denied") ? 0 : 2;
}

static void reading_needs_no_right_to_write(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	struct err e;

	if (geteuid() != 0)
		SKIP("needs root, to become another user");
	CHECK_OK(make_sample(t.db, &e));
	CHECK_EQ(chmod(t.dir, 0755), 0);
	CHECK_EQ(chmod(t.db, 0644), 0);
	CHECK_EQ(in_child(read_as_nobody, t.db), 0);
	CHECK_EQ(in_child(write_as_nobody, t.db), 0);
}

/* A copy made while a writer was at work says "log" but has none. */
static void copy_with_a_log_mark_reads_anywhere(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	struct err e;

	if (geteuid() != 0)
		SKIP("needs root, to become another user");
	if (!have_shell())
		SKIP(SHELL_MISSING);
	CHECK_OK(make_sample(t.db, &e));
	CHECK_OK(shell(t.db, "PRAGMA journal_mode = WAL", NULL, &e));
	CHECK_EQ(chmod(t.dir, 0755), 0);
	CHECK_EQ(chmod(t.db, 0644), 0);
	CHECK_EQ(in_child(read_as_nobody, t.db), 0);
}

int main(void)
{
	TAP_RUN(one_file_after_close);
	TAP_RUN(writing_again_appends);
	TAP_RUN(second_writer_is_refused_readers_are_not);
	TAP_RUN(killed_writer_leaves_a_readable_store);
	TAP_RUN(shell_reads_while_a_run_goes_on);
	TAP_RUN(open_query_does_not_block_the_writer);
	TAP_RUN(missing_store_says_what_to_do);
	TAP_RUN(other_files_are_refused_untouched);
	TAP_RUN(other_databases_are_refused_untouched);
	TAP_RUN(newer_schema_is_refused);
	TAP_RUN(an_older_schema_is_read_and_migrated);
	TAP_RUN(damage_is_reported);
	TAP_RUN(removed_file_stops_the_run);
	TAP_RUN(odd_names_are_plain_files);
	TAP_RUN(reading_needs_no_right_to_write);
	TAP_RUN(copy_with_a_log_mark_reads_anywhere);
	return tap_done();
}
