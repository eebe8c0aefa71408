// SPDX-License-Identifier: GPL-2.0-or-later
/* File systems, swap and settings of a placement; failures and kills leave nothing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "place_fixture.h"

static void write_file(const struct made *m, const char *name, size_t bytes)
{
	_cleanup_free_ char *text = calloc(1, bytes);
	_cleanup_close_ int fd = openat(place_dirfd(m->place), name, O_CREAT | O_WRONLY, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text, bytes), (ssize_t)bytes);
}

static void file_system(const char *spec, const char *type)
{
	_cleanup_free_ char *dir = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	if (in_guest() && strstr(spec, "loop"))
		SKIP("this machine is a guest without mkfs");
	CHECK_OK(make(&m, spec, NULL, &e));
	dir = xstrdup(place_dir(m.place));
	{
		_cleanup_free_ char *line = xasprintf(" %s %s ", dir, type);

		CHECK(file_has("proc/mounts", line));
	}
	write_file(&m, "f", 1 << 20);
	CHECK_OK(unmake(&m, &e));
	CHECK(!file_has("proc/mounts", dir));
	CHECK(access(dir, F_OK) < 0);
	for (int i = 0; i < 64; i++) {
		_cleanup_free_ char *backing = xasprintf("sys/block/loop%d/loop/backing_file", i);

		CHECK(!file_has(backing, "mmgauge-t"));
	}
}

static void tmpfs_of_its_own(void)
{
	file_system("fs=tmpfs:64M", "tmpfs");
}

static void xfs_on_a_loop_device(void)
{
	file_system("fs=xfs-loop:320M", "xfs");
}

static void ext4_on_a_loop_device(void)
{
	file_system("fs=ext4-loop:64M", "ext4");
}

static void tmpfs_has_no_huge_pages(void)
{
	_cleanup_str_ struct str mounts = STR_INIT(4u << 20);
	_cleanup_free_ char *line = NULL;
	const char *at;
	struct err e = { 0 };
	struct made m;
	struct statfs st;

	NEED_ROOT;
	CHECK_OK(make(&m, "fs=tmpfs:64M", NULL, &e));
	CHECK_OK(fsx_read(rootfd, "proc/mounts", &mounts, &e));
	at = strstr(str_text(&mounts), place_dir(m.place));
	CHECK(at != NULL);
	line = xstrndup(at, strcspn(at, "\n"));
	CHECK_HAS(line, "size=65536k");
	/* "never" is shown where it is not the default */
	CHECK(!strstr(line, "huge=") || strstr(line, "huge=never"));
	CHECK_EQ(fstatfs(place_dirfd(m.place), &st), 0);
	CHECK_EQ((uint64_t)st.f_blocks * (uint64_t)st.f_bsize, 64u << 20);
	CHECK_OK(unmake(&m, &e));
}

static void a_file_system_that_cannot_be_made(void)
{
	_cleanup_free_ char *dir = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	CHECK(make(&m, "fs=xfs-loop:8M", NULL, &e) < 0);
	CHECK_HAS(e.msg, "fs=xfs-loop:8M");
	CHECK_HAS(e.msg, "mkfs.xfs");
	dir = xasprintf("mmgauge-%s", m.id);
	CHECK(!file_has("proc/mounts", dir));
	CHECK_OK(unmake(&m, &e));
}

/* A run without mkfs in its PATH says what to install. */
static void an_absent_program_is_told(void)
{
	struct err e = { 0 };
	struct made m;
	int status;
	pid_t pid;

	NEED_ROOT;
	pid = fork();
	if (pid == 0) {
		if (setenv("PATH", "/there/is/none", 1) < 0 ||
		    make(&m, "fs=ext4-loop:64M", NULL, &e) != -ENOENT ||
		    !strstr(e.msg, "mkfs.ext4") || !strstr(e.hint, "e2fsprogs") ||
		    unmake(&m, &e) < 0)
			_exit(1);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* A folder of the name that we would take is somebody's: it stays with what is in it. */
static void a_folder_that_is_there_is_not_touched(void)
{
	char base[] = "/tmp/mmgauge-test-dir-XXXXXX";
	_cleanup_kvs_ struct kvs kvs = { 0 };
	_cleanup_free_ char *dir = NULL, *precious = NULL;
	struct place_spec spec;
	struct place *place = NULL;
	struct undo *undo = NULL;
	struct err e = { 0 }, ignored = { 0 };
	bool kept;
	int r;

	CHECK(mkdtemp(base));
	dir = xasprintf("%s/mmgauge-tdir", base);
	precious = xasprintf("%s/precious", dir);
	CHECK(mkdir(dir, 0700) == 0 && mkdir(precious, 0700) == 0);
	kvs_set(&kvs, "dir", base);
	CHECK_OK(place_parse(&kvs, &spec, &e));
	CHECK_OK(undo_open(journals, "tdir", &undo, &e));
	r = place_open(rootfd, &spec, NULL, "tdir", undo, &place, &e);
	CHECK_OK(undo_close(undo, &ignored));
	place_spec_done(&spec);
	kept = access(precious, F_OK) == 0;
	CHECK_OK(fsx_remove_tree(AT_FDCWD, base, &ignored));
	CHECK_EQ(r, -EEXIST);
	CHECK_HAS(e.msg, dir);
	CHECK(kept);
}

static void a_folder_where_the_user_says(void)
{
	char base[] = "/tmp/mmgauge-test-dir-XXXXXX";
	_cleanup_free_ char *spec = NULL, *dir = NULL;
	struct err e = { 0 };
	struct made m;

	CHECK(mkdtemp(base));
	spec = xasprintf("dir=%s", base);
	CHECK_OK(make(&m, spec, "tmpfs", &e));
	dir = xstrdup(place_dir(m.place));
	CHECK(str_starts(dir, base));
	CHECK(!file_has("proc/mounts", dir));
	write_file(&m, "f", 4096);
	CHECK_OK(unmake(&m, &e));
	CHECK_EQ(rmdir(base), 0); /* empty again */
	free(steal_ptr(&spec));
	spec = xasprintf("dir=%s/absent", base);
	CHECK_EQ(make(&m, spec, "tmpfs", &e), -ENOENT);
	CHECK_HAS(e.msg, "work directory");
	CHECK_OK(unmake(&m, &e));
}

static unsigned zram_devices(void)
{
	unsigned n = 0;

	for (int i = 0; i < 64; i++) {
		_cleanup_free_ char *dir = xasprintf("sys/block/zram%d", i);

		n += fsx_exists(rootfd, dir);
	}
	return n;
}

static void swap_on_zram(void)
{
	_cleanup_str_ struct str before = STR_INIT(1 << 16), after = STR_INIT(1 << 16);
	unsigned devices = zram_devices();
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	if (access("/sys/class/zram-control", F_OK) < 0)
		SKIP("this machine has no zram");
	CHECK_OK(fsx_read(rootfd, "proc/swaps", &before, &e));
	CHECK_OK(make(&m, "swap=zram:16M", NULL, &e));
	CHECK(file_has("proc/swaps", "/dev/zram"));
	CHECK_EQ(zram_devices(), devices + 1); /* reading hot_add once adds one */
	CHECK_OK(unmake(&m, &e));
	CHECK_EQ(zram_devices(), devices);
	CHECK_OK(fsx_read(rootfd, "proc/swaps", &after, &e));
	CHECK_STR(str_text(&after), str_text(&before));
}

static void settings_are_put_back(void)
{
	_cleanup_free_ char *old = NULL, *now = NULL, *end = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/percpu_pagelist_high_fraction", &old, &e));
	CHECK_OK(make(&m, "vm.percpu_pagelist_high_fraction=8", NULL, &e));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/percpu_pagelist_high_fraction", &now, &e));
	CHECK_STR(now, "8");
	CHECK_OK(unmake(&m, &e));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/percpu_pagelist_high_fraction", &end, &e));
	CHECK_STR(end, old);
}

/* vm.dirty_bytes reads 0 while the ratio rules, and 0 can't be written to it. */
static void a_setting_of_a_pair_is_put_back(void)
{
	_cleanup_free_ char *ratio = NULL, *bytes = NULL, *now = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/dirty_ratio", &ratio, &e));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/dirty_bytes", &bytes, &e));
	CHECK_OK(make(&m, "vm.dirty_bytes=67108864", NULL, &e));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/dirty_bytes", &now, &e));
	CHECK_STR(now, "67108864");
	CHECK_OK(unmake(&m, &e));
	free(steal_ptr(&now));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/dirty_ratio", &now, &e));
	CHECK_STR(now, ratio);
	free(steal_ptr(&now));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/dirty_bytes", &now, &e));
	CHECK_STR(now, bytes);
}

/* Of "always [madvise] never" the chosen word is compared, and written back. */
static void a_setting_of_words_is_put_back(void)
{
	static const char file[] = "sys/kernel/mm/transparent_hugepage/defrag";
	_cleanup_free_ char *old = NULL, *end = NULL, *spec = NULL;
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;
	const char *other;

	NEED_ROOT;
	if (!fsx_exists(rootfd, file))
		SKIP("this machine has no transparent huge pages");
	CHECK_OK(fsx_read_line(rootfd, file, &old, &e));
	other = strstr(old, "[never]") ? "madvise" : "never";
	spec = xasprintf("sys.kernel.mm.transparent_hugepage.defrag=%s", other);
	CHECK_OK(make(&m, spec, NULL, &e));
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	free(steal_ptr(&spec));
	spec = xasprintf("defrag:%s:%s\n", other, other);
	CHECK_HAS(seen.text, spec);
	CHECK_OK(unmake(&m, &e));
	CHECK_OK(fsx_read_line(rootfd, file, &end, &e));
	CHECK_STR(end, old);
}

static void failure_half_way_leaves_nothing(void)
{
	_cleanup_free_ char *old = NULL, *end = NULL, *group = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	NEED_GROUPS;
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/swappiness", &old, &e));
	/* the folder can't be made, after settings and groups were */
	CHECK(make(&m, "vm.swappiness=61,depth=2,fs=tmpfs,dir=/there/is/none", NULL, &e) < 0);
	group = xasprintf("%s/mmgauge-%s", facts.start_path, m.id);
	CHECK(!group_exists(group));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/swappiness", &end, &e));
	CHECK_STR(end, old);
	CHECK_OK(unmake(&m, &e));
}

static void refused_values_are_told(void)
{
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	NEED_ROOT;
	CHECK(make(&m, "depth=1,memory.oom.grroup.x=1", NULL, &e) < 0);
	CHECK_HAS(e.msg, "memory.oom.grroup.x");
	CHECK_HAS(e.msg, m.id); /* the group */
	CHECK_OK(unmake(&m, &e));
	CHECK(make(&m, "vm.there_is_no_such_setting=1", NULL, &e) < 0);
	CHECK_HAS(e.msg, "vm.there_is_no_such_setting");
	CHECK_OK(unmake(&m, &e));
	CHECK(make(&m, "vm.percpu_pagelist_high_fraction=-3", NULL, &e) < 0);
	CHECK_HAS(e.msg, "percpu_pagelist_high_fraction");
	CHECK_OK(unmake(&m, &e));
}

/* All of it made by a child that dies of SIGKILL; the journal takes it back. */
static void a_killed_owner_is_cleaned_up_after(void)
{
	_cleanup_free_ char *old = NULL, *end = NULL;
	unsigned devices = zram_devices();
	char id[40] = "";
	struct err e = { 0 };
	int p[2], status;
	pid_t pid;

	NEED_ROOT;
	NEED_GROUPS;
	if (in_guest())
		SKIP("this machine is a guest without mkfs");
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/swappiness", &old, &e));
	CHECK(pipe2(p, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		struct made m;

		if (make(&m, "depth=2,groups=2,vm.swappiness=61,fs=xfs-loop:320M,swap=zram:16M",
			 NULL, &e) < 0) {
			fprintf(stderr, "# %s\n", e.msg);
			_exit(1);
		}
		write_file(&m, "f", 1 << 20);
		(void)!write(p[1], m.id, sizeof(m.id));
		raise(SIGKILL);
	}
	close(p[1]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(read(p[0], id, sizeof(id)) > 0);
	close(p[0]);
	CHECK(file_has("proc/mounts", id));
	CHECK(file_has("proc/swaps", "zram"));
	CHECK_EQ(undo_clean(journals, NULL, NULL, &e), 1);
	CHECK_EQ(zram_devices(), devices);
	for (int i = 0; i < 64; i++) {
		_cleanup_free_ char *backing = xasprintf("sys/block/loop%d/loop/backing_file", i);

		CHECK(!file_has(backing, id));
	}
	CHECK(!file_has("proc/mounts", id));
	CHECK(!file_has("proc/swaps", "zram"));
	CHECK_OK(fsx_read_line(rootfd, "proc/sys/vm/swappiness", &end, &e));
	CHECK_STR(end, old);
	{
		_cleanup_free_ char *group = xasprintf("%s/mmgauge-%s", facts.start_path, id);

		CHECK(!group_exists(group));
	}
}

int main(void)
{
	int r;

	if (place_fixture_open() < 0)
		return 1;
	TAP_RUN(tmpfs_of_its_own);
	TAP_RUN(xfs_on_a_loop_device);
	TAP_RUN(ext4_on_a_loop_device);
	TAP_RUN(tmpfs_has_no_huge_pages);
	TAP_RUN(a_file_system_that_cannot_be_made);
	TAP_RUN(an_absent_program_is_told);
	TAP_RUN(a_folder_that_is_there_is_not_touched);
	TAP_RUN(a_folder_where_the_user_says);
	TAP_RUN(swap_on_zram);
	TAP_RUN(settings_are_put_back);
	TAP_RUN(a_setting_of_a_pair_is_put_back);
	TAP_RUN(a_setting_of_words_is_put_back);
	TAP_RUN(failure_half_way_leaves_nothing);
	TAP_RUN(refused_values_are_told);
	TAP_RUN(a_killed_owner_is_cleaned_up_after);
	r = tap_done();
	return place_fixture_close() < 0 ? 1 : r;
}
