// SPDX-License-Identifier: GPL-2.0-or-later
/* Placements on the real kernel: made, read back, and gone without a trace. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "base/str.h"
#include "place/place.h"
#include "tap.h"
#include "undo/undo.h"

static char journals[64];
static int rootfd;
static struct place_facts facts;

struct made {
	struct place_spec spec;
	struct undo *undo;
	struct place *place;
	char id[40];
};

static int make(struct made *m, const char *text, const char *default_fs, struct err *e)
{
	static unsigned serial;
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(text, &kvs, e);

	*m = (struct made){ 0 };
	snprintf(m->id, sizeof(m->id), "t%d-%u", (int)getpid(), serial++);
	if (r == 0)
		r = place_parse(&kvs, &m->spec, e);
	if (r == 0)
		r = undo_open(journals, m->id, &m->undo, e);
	if (r == 0)
		r = place_open(rootfd, &m->spec, default_fs, m->id, m->undo, &m->place, e);
	return r;
}

static int unmake(struct made *m, struct err *e)
{
	int r = place_close(m->place, e);

	if (undo_close(m->undo, r < 0 ? NULL : e) < 0 && r == 0)
		r = e->code;
	place_spec_done(&m->spec);
	*m = (struct made){ 0 };
	return r;
}

static bool file_has(const char *path, const char *text)
{
	_cleanup_str_ struct str all = STR_INIT(4u << 20);

	return fsx_read(rootfd, path, &all, NULL) == 0 && strstr(str_text(&all), text);
}

struct facts_seen {
	char text[8000];
};

static void see(const struct place_fact *f, void *arg)
{
	struct facts_seen *s = arg;
	size_t len = strlen(s->text);

	snprintf(s->text + len, sizeof(s->text) - len, "%u:%u:%s:%s:%s:%s\n", f->group, f->level,
		 f->path, f->key, f->want, f->got);
}

static bool group_exists(const char *path)
{
	_cleanup_cg_env_ struct cg_env env = { 0 };
	struct cg cg;

	if (cg_probe(rootfd, &env, NULL) < 0 || cg_open(&env, path, &cg, NULL) < 0)
		return false;
	cg_close(&cg);
	return true;
}

#define NEED_GROUPS                                                              \
	do {                                                                     \
		if (facts.version == CG_NONE || !facts.may_make_groups)          \
			SKIP("no right to make memory cgroups");                 \
	} while (0)
#define NEED_ROOT                                  \
	do {                                       \
		if (!facts.root)                   \
			SKIP("needs root");        \
	} while (0)

static void nests_to_the_depth_asked_for(void)
{
	_cleanup_free_ char *path = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=4,memory.max=64M,memory.max@2=96M", NULL, &e));
	path = xstrdup(place_leaf(m.place, 0)->path);
	CHECK_HAS(path, m.id);
	CHECK_HAS(path, "/l2/l3/l4");
	CHECK_EQ(place_leaf(m.place, 0)->level, facts.start_level + 4);
	CHECK(group_exists(path));
	CHECK_OK(unmake(&m, &e));
	CHECK(!group_exists(path));
}

static void limits_are_read_back_at_every_level(void)
{
	_cleanup_free_ char *got = NULL;
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=3,groups=2,memory.max=64M,memory.max@1=1G", NULL, &e));
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	CHECK_HAS(seen.text, ":memory.max:1G:1G");
	CHECK_HAS(seen.text, "/l2/g0:memory.max:64M:64M");
	CHECK_HAS(seen.text, "/l2/g1:memory.max:64M:64M");
	CHECK_OK(cg_get(place_leaf(m.place, 1), "memory.max", &got, &e));
	CHECK_STR(got, "67108864");
	CHECK_OK(unmake(&m, &e));
}

static void groups_share_all_but_the_leaf(void)
{
	struct err e = { 0 };
	struct made m;
	const char *a, *b;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=2,groups=3", NULL, &e));
	a = strrchr(place_leaf(m.place, 0)->path, '/');
	b = strrchr(place_leaf(m.place, 2)->path, '/');
	CHECK_STR(a, "/g0");
	CHECK_STR(b, "/g2");
	CHECK_EQ(strncmp(place_leaf(m.place, 0)->path, place_leaf(m.place, 2)->path,
			 (size_t)(a - place_leaf(m.place, 0)->path)), 0);
	CHECK_OK(unmake(&m, &e));
	CHECK_OK(make(&m, "depth=2,groups=2,fanout=top", NULL, &e));
	CHECK_HAS(place_leaf(m.place, 1)->path, "-g1/l2");
	CHECK_OK(unmake(&m, &e));
	CHECK_OK(make(&m, "depth=1,groups=2", NULL, &e));
	CHECK_HAS(place_leaf(m.place, 1)->path, "-g1");
	CHECK_OK(unmake(&m, &e));
}

static void a_child_enters_and_is_pinned(void)
{
	struct err e = { 0 };
	struct made m;
	int status;
	pid_t pid;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=2,cpus=0", NULL, &e));
	pid = fork();
	if (pid == 0) {
		cpu_set_t set;
		int cpu = -1;

		if (place_enter(m.place, 0, false, &e) < 0 ||
		    place_pin(m.place, 5, 6, &cpu, &e) < 0)
			_exit(1);
		if (sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) != 1 ||
		    !CPU_ISSET(0, &set) || cpu != 0)
			_exit(2);
		_exit(file_has("proc/self/cgroup", place_leaf(m.place, 0)->path) ? 0 : 3);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 0);
	CHECK_OK(unmake(&m, &e));
}

static void without_keys_tasks_stay_where_they_are(void)
{
	struct err e = { 0 };
	struct made m;

	CHECK_OK(make(&m, "", NULL, &e));
	CHECK_EQ(place_groups(m.place), 1);
	CHECK_EQ(place_clone_fd(m.place, 0), -EBADF);
	CHECK_EQ(place_dirfd(m.place), -EBADF);
	if (facts.version != CG_NONE)
		CHECK_STR(place_leaf(m.place, 0)->path, facts.start_path);
	CHECK_OK(unmake(&m, &e));
}

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
	spec = xasprintf("dir=%s/absent", base);
	CHECK_EQ(make(&m, spec, "tmpfs", &e), -ENOENT);
	CHECK_HAS(e.msg, "work directory");
	CHECK_OK(unmake(&m, &e));
}

static void swap_on_zram(void)
{
	_cleanup_str_ struct str before = STR_INIT(1 << 16), after = STR_INIT(1 << 16);
	struct err e = { 0 };
	struct made m;

	NEED_ROOT;
	if (access("/sys/class/zram-control", F_OK) < 0)
		SKIP("this machine has no zram");
	CHECK_OK(fsx_read(rootfd, "proc/swaps", &before, &e));
	CHECK_OK(make(&m, "swap=zram:16M", NULL, &e));
	CHECK(file_has("proc/swaps", "/dev/zram"));
	CHECK_OK(unmake(&m, &e));
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
	CHECK(make(&m, "depth=1,memory.max=12Q", NULL, &e) < 0);
	CHECK_HAS(e.msg, "memory.max");
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
	char id[40] = "";
	struct err e = { 0 };
	int p[2], status;
	pid_t pid;

	NEED_ROOT;
	NEED_GROUPS;
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
	CHECK_EQ(undo_clean(journals, NULL, NULL, &e), 1);
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
	char base[] = "/tmp/mmgauge-test-place-XXXXXX";
	struct err e = { 0 };
	int r;

	rootfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!mkdtemp(base) || place_facts_read(rootfd, &facts, &e) < 0)
		return 1;
	snprintf(journals, sizeof(journals), "%s/journals", base);
	TAP_RUN(nests_to_the_depth_asked_for);
	TAP_RUN(limits_are_read_back_at_every_level);
	TAP_RUN(groups_share_all_but_the_leaf);
	TAP_RUN(a_child_enters_and_is_pinned);
	TAP_RUN(without_keys_tasks_stay_where_they_are);
	TAP_RUN(tmpfs_of_its_own);
	TAP_RUN(xfs_on_a_loop_device);
	TAP_RUN(ext4_on_a_loop_device);
	TAP_RUN(a_folder_where_the_user_says);
	TAP_RUN(swap_on_zram);
	TAP_RUN(settings_are_put_back);
	TAP_RUN(failure_half_way_leaves_nothing);
	TAP_RUN(refused_values_are_told);
	TAP_RUN(a_killed_owner_is_cleaned_up_after);
	r = tap_done();
	place_facts_done(&facts);
	return fsx_remove_tree(AT_FDCWD, base, NULL) < 0 ? 1 : r;
}
