// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fsx.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "tap.h"

static struct err e;
static int dir = -EBADF; /* an empty directory of our own */
static char path[4096];	 /* its path */

static void put(const char *name, const char *text)
{
	_cleanup_close_ int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		TAP_FAIL("could not write the fixture %s", name);
}

static void opens_close_on_exec(void)
{
	_cleanup_close_ int fd = -EBADF;

	put("a", "x");
	fd = fsx_open(dir, "a", O_RDONLY, &e);
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK_EQ(fsx_open(dir, "none", O_RDONLY, &e), -ENOENT);
	CHECK_STR(e.msg, "could not open \"none\": No such file or directory");
}

static void reads_whole_files(void)
{
	_cleanup_str_ struct str out = STR_INIT(20000), want = STR_INIT(20000);

	for (int i = 0; i < 12000; i++)
		str_addc(&want, (char)('a' + i % 26));
	put("long", str_text(&want));
	str_add(&out, "stale");
	CHECK_OK(fsx_read(dir, "long", &out, &e));
	CHECK_STR(str_text(&out), str_text(&want));
	put("empty", "");
	CHECK_OK(fsx_read(dir, "empty", &out, &e));
	CHECK_STR(str_text(&out), "");
}

static void refuses_too_long_a_file(void)
{
	_cleanup_str_ struct str out = STR_INIT(4);

	put("five", "12345");
	CHECK_EQ(fsx_read(dir, "five", &out, &e), -EFBIG);
	CHECK_HAS(e.msg, "larger than 4 bytes");
	put("four", "1234");
	CHECK_OK(fsx_read(dir, "four", &out, &e));
	CHECK_STR(str_text(&out), "1234");
}

static void reading_a_directory_fails(void)
{
	_cleanup_str_ struct str out = STR_INIT(10);

	CHECK_EQ(fsx_read(dir, ".", &out, &e), -EISDIR);
	CHECK_HAS(e.msg, "could not read \".\"");
}

static void reads_lines_and_numbers(void)
{
	_cleanup_free_ char *text = NULL;
	uint64_t v = 99;

	put("line", "hello world\n\n");
	CHECK_OK(fsx_read_line(dir, "line", &text, &e));
	CHECK_STR(text, "hello world");
	put("number", "4096\n");
	CHECK_OK(fsx_read_u64(dir, "number", &v, &e));
	CHECK_EQ(v, 4096);
	put("number", "max\n");
	CHECK_EQ(fsx_read_u64(dir, "number", &v, &e), -EINVAL);
	CHECK_HAS(e.msg, "file \"number\": \"max\" is not");
	CHECK_EQ(v, 4096);
	CHECK_EQ(fsx_read_u64(dir, "none", &v, &e), -ENOENT);
}

static void writes_in_place(void)
{
	_cleanup_free_ char *text = NULL;

	put("w", "old text");
	CHECK_OK(fsx_write(dir, "w", "new", &e));
	CHECK_OK(fsx_read_line(dir, "w", &text, &e));
	CHECK_STR(text, "new text"); /* one write(2), no truncation: as a kernel file wants it */
	CHECK_EQ(fsx_write(dir, "none", "x", &e), -ENOENT);
	CHECK(!fsx_exists(dir, "none"));
	CHECK_HAS(e.msg, "could not write \"x\" to \"none\": No such file");
}

/* A real kernel file that refuses the value: its errno arrives. */
static void write_reports_the_kernels_reason(void)
{
	CHECK_EQ(fsx_write(AT_FDCWD, "/proc/self/oom_score_adj", "5000", &e), -EINVAL);
	CHECK_STR(e.msg, "could not write \"5000\" to \"/proc/self/oom_score_adj\": "
			 "Invalid argument");
}

/* The file size limit cuts the write short, which must not pass as done. */
static void short_write_is_an_error(void)
{
	pid_t pid;
	int status;

	put("limited", "");
	pid = fork();
	if (pid == 0) {
		struct rlimit lim = { 2, 2 };

		if (setrlimit(RLIMIT_FSIZE, &lim) < 0)
			_exit(1);
		_exit(fsx_write(dir, "limited", "12345", &e) == -EIO &&
				      strstr(e.msg, "only 2 bytes taken") ? 0 : 2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void replaces_atomically(void)
{
	_cleanup_free_ char *text = NULL, *kept = NULL;

	CHECK_OK(fsx_replace(dir, "r", "first, and longer\n", &e));
	CHECK_OK(fsx_replace(dir, "r", "second\n", &e));
	CHECK_OK(fsx_read_line(dir, "r", &text, &e));
	CHECK_STR(text, "second");
	CHECK_EQ(fsx_replace(dir, "none/r", "x", &e), -ENOENT);
	CHECK_OK(fsx_mkdirs(dir, "isdir/x", 0755, &e));
	CHECK_EQ(fsx_replace(dir, "isdir", "x", &e), -EISDIR);
	CHECK_OK(fsx_read_line(dir, "r", &kept, &e));
	CHECK_STR(kept, "second");
}

static void replace_leaves_no_temporary(void)
{
	CHECK_OK(fsx_mkdirs(dir, "tmp/sub/x", 0755, &e));
	CHECK_EQ(fsx_replace(dir, "tmp/sub", "x", &e), -EISDIR);
	CHECK_OK(fsx_remove_tree(dir, "tmp/sub", &e));
	CHECK_EQ(unlinkat(dir, "tmp", AT_REMOVEDIR), 0); /* empty, so nothing was left */
}

static void makes_directories(void)
{
	struct stat st;

	CHECK_OK(fsx_mkdirs(dir, "m/n//o/", 0700, &e));
	CHECK_EQ(fstatat(dir, "m/n/o", &st, 0), 0);
	CHECK_EQ(st.st_mode & 0777, 0700);
	CHECK_OK(fsx_mkdirs(dir, "m/n/o", 0700, &e));
	CHECK_OK(fsx_mkdirs(dir, "/", 0700, &e));
	CHECK_OK(fsx_mkdirs(dir, "/tmp", 0700, &e));
	CHECK_OK(fsx_mkdirs(dir, "", 0700, &e));
}

static void directory_where_a_file_is(void)
{
	put("file", "x");
	CHECK_EQ(fsx_mkdirs(dir, "file", 0755, &e), -ENOTDIR);
	CHECK_HAS(e.msg, "could not make directory \"file\"");
	CHECK_EQ(fsx_mkdirs(dir, "file/x", 0755, &e), -ENOTDIR);
	CHECK_EQ(symlinkat("nowhere", dir, "dangling"), 0);
	CHECK_EQ(fsx_mkdirs(dir, "dangling", 0755, &e), -ENOTDIR);
}

static void removes_trees(void)
{
	CHECK_OK(fsx_mkdirs(dir, "t/a/b", 0755, &e));
	CHECK_OK(fsx_mkdirs(dir, "outside", 0755, &e));
	put("t/a/b/f", "x");
	put("t/g", "x");
	put("outside/kept", "x");
	CHECK_EQ(symlinkat("../outside", dir, "t/link"), 0);
	CHECK_OK(fsx_remove_tree(dir, "t", &e));
	CHECK(!fsx_exists(dir, "t"));
	CHECK(fsx_exists(dir, "outside/kept"));
	CHECK_OK(fsx_remove_tree(dir, "t", &e)); /* gone is fine */
	put("single", "x");
	CHECK_OK(fsx_remove_tree(dir, "single", &e));
	CHECK(!fsx_exists(dir, "single"));
}

static void removes_many_entries(void)
{
	char name[32];

	CHECK_OK(fsx_mkdirs(dir, "many", 0755, &e));
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "many/%d", i);
		put(name, "");
	}
	CHECK_OK(fsx_remove_tree(dir, "many", &e));
	CHECK(!fsx_exists(dir, "many"));
}

static void bounds_its_depth(void)
{
	_cleanup_str_ struct str deep = STR_INIT(1000);

	str_add(&deep, "deep");
	for (int i = 0; i < 64; i++)
		str_add(&deep, "/d");
	CHECK_OK(fsx_mkdirs(dir, str_text(&deep), 0755, &e));
	CHECK_OK(fsx_remove_tree(dir, "deep", &e));
	str_add(&deep, "/d");
	CHECK_OK(fsx_mkdirs(dir, str_text(&deep), 0755, &e));
	CHECK_EQ(fsx_remove_tree(dir, "deep", &e), -ELOOP);
	CHECK_OK(fsx_remove_tree(dir, "deep/d", &e));
	CHECK_OK(fsx_remove_tree(dir, "deep", &e));
}

/* In a mount namespace of its own: a bind mount of the SAME file system is not walked into. */
static int remove_across_bind_mount(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 1;
	if (chdir(path) < 0 || mount("precious", "scratch/on", NULL, MS_BIND, NULL) < 0)
		return 2;
	if (fsx_remove_tree(AT_FDCWD, "scratch", &e) != -EXDEV || !strstr(e.msg, "mounted on it"))
		return 3;
	if (!fsx_exists(AT_FDCWD, "precious/kept"))
		return 4;
	return 0;
}

static void never_crosses_a_mount(void)
{
	pid_t pid;
	int status;

	if (geteuid() != 0)
		SKIP("needs root to mount");
	CHECK_OK(fsx_mkdirs(dir, "scratch/on", 0755, &e));
	CHECK_OK(fsx_mkdirs(dir, "precious", 0755, &e));
	put("precious/kept", "x");
	pid = fork();
	if (pid == 0)
		_exit(remove_across_bind_mount());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 0);
	CHECK(WIFEXITED(status));
	CHECK_OK(fsx_remove_tree(dir, "scratch", &e)); /* the mount went with its namespace */
}

static void finds_keys(void)
{
	static const char text[] = "\n\nanon 5\nanon_thp 7\nMemTotal:       16384 kB\n"
				   "eq=3\ntab\t9\nbare\nneg -1\nmax max\nlast 11";
	uint64_t v = 99;

	CHECK(fsx_key_u64(text, "anon", &v));
	CHECK_EQ(v, 5);
	CHECK(fsx_key_u64(text, "anon_thp", &v));
	CHECK_EQ(v, 7);
	CHECK(fsx_key_u64(text, "MemTotal", &v));
	CHECK_EQ(v, 16384);
	CHECK(fsx_key_u64(text, "tab", &v));
	CHECK_EQ(v, 9);
	CHECK(fsx_key_u64(text, "eq", &v));
	CHECK_EQ(v, 3);
	CHECK(fsx_key_u64(text, "last", &v));
	CHECK_EQ(v, 11);
	v = 99;
	CHECK(!fsx_key_u64(text, "ano", &v));
	CHECK(!fsx_key_u64(text, "thp", &v));
	CHECK(!fsx_key_u64(text, "bare", &v));
	CHECK(!fsx_key_u64(text, "neg", &v));
	CHECK(!fsx_key_u64(text, "max", &v));
	CHECK(!fsx_key_u64("", "anon", &v));
	CHECK(!fsx_key_u64("big 18446744073709551616\n", "big", &v));
	CHECK(!fsx_key_u64("big 99999999999999999999999999999\n", "big", &v));
	CHECK_EQ(v, 99);
}

static void exists_sees_the_link_itself(void)
{
	put("here", "x");
	CHECK(fsx_exists(dir, "here"));
	CHECK(!fsx_exists(dir, "not-here"));
	CHECK_EQ(symlinkat("nowhere", dir, "lost"), 0);
	CHECK(fsx_exists(dir, "lost"));
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/mmgauge-fsx.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(path) || (dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 1;
	TAP_RUN(opens_close_on_exec);
	TAP_RUN(reads_whole_files);
	TAP_RUN(refuses_too_long_a_file);
	TAP_RUN(reading_a_directory_fails);
	TAP_RUN(reads_lines_and_numbers);
	TAP_RUN(writes_in_place);
	TAP_RUN(write_reports_the_kernels_reason);
	TAP_RUN(short_write_is_an_error);
	TAP_RUN(replaces_atomically);
	TAP_RUN(replace_leaves_no_temporary);
	TAP_RUN(makes_directories);
	TAP_RUN(directory_where_a_file_is);
	TAP_RUN(removes_trees);
	TAP_RUN(removes_many_entries);
	TAP_RUN(bounds_its_depth);
	TAP_RUN(never_crosses_a_mount);
	TAP_RUN(finds_keys);
	TAP_RUN(exists_sees_the_link_itself);
	close(dir);
	if (fsx_remove_tree(AT_FDCWD, path, &e) < 0)
		return 1;
	return tap_done();
}
