// SPDX-License-Identifier: GPL-2.0-or-later
/* The page-fault workloads: what they count against what the kernel accounted to them. */
#include "tap.h"
#include "workload_rig.h"

#include <sys/mman.h>
#include <sys/statfs.h>

#include "workload/fault.h"
#include "workload/scratch.h"

#define RUN_NS (60 * NSEC_PER_MSEC)

/* A sysfs as the kernel writes it, below a directory; NULL leaves a file out. */
struct thp {
	const char *enabled, *mode_64k, *mode_2m;
	bool sysfs;
};

static int put(int dirfd, const char *path, const char *text)
{
	struct err e;

	return text ? fsx_replace(dirfd, path, text, &e) : 0;
}

static uint64_t largest_in(const struct thp *thp, uint64_t (*ask)(int rootfd))
{
	char dir[] = "/tmp/mmgauge-test-XXXXXX";
	const char *base = "sys/kernel/mm/transparent_hugepage";
	_cleanup_close_ int fd = -EBADF;
	struct err e = { 0 };
	uint64_t bytes = 1;
	int r = 0;

	if (!mkdtemp(dir))
		return 1;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (thp->sysfs)
		r = fsx_mkdirs(fd, "sys/kernel/mm", 0700, &e);
	if (thp->enabled) {
		_cleanup_free_ char *a = xasprintf("%s/hugepages-64kB", base);
		_cleanup_free_ char *b = xasprintf("%s/hugepages-2048kB", base);
		_cleanup_free_ char *c = xasprintf("%s/enabled", base);
		_cleanup_free_ char *d = xasprintf("%s/hpage_pmd_size", base);
		_cleanup_free_ char *a2 = xasprintf("%s/enabled", a);
		_cleanup_free_ char *b2 = xasprintf("%s/enabled", b);

		r |= fsx_mkdirs(fd, base, 0700, &e);
		r |= thp->mode_64k ? fsx_mkdirs(fd, a, 0700, &e) : 0;
		r |= thp->mode_2m ? fsx_mkdirs(fd, b, 0700, &e) : 0;
		r |= put(fd, c, thp->enabled) | put(fd, d, "2097152\n");
		r |= put(fd, a2, thp->mode_64k) | put(fd, b2, thp->mode_2m);
	}
	if (r == 0)
		bytes = ask(fd);
	r |= fsx_remove_tree(AT_FDCWD, dir, &e);
	return r == 0 ? bytes : 1;
}

static void reads_what_one_fault_may_map(void)
{
	const char *always = "[always] inherit madvise never\n";
	const char *inherit = "always [inherit] madvise never\n";
	const char *never = "always inherit madvise [never]\n";
	const char *top_always = "[always] madvise never\n", *top_madv = "always [madvise] never\n";
	uint64_t page = fault_page_bytes();
	const struct {
		struct thp thp;
		uint64_t anon, file;
	} cases[] = {
		{ { NULL, NULL, NULL, false }, UINT64_MAX, UINT64_MAX },
		{ { NULL, NULL, NULL, true }, page, page },
		{ { top_madv, never, inherit, true }, page, 2 << 20 },
		{ { top_always, never, inherit, true }, 2 << 20, 2 << 20 },
		{ { top_always, inherit, never, true }, 65536, 2 << 20 },
		{ { top_madv, always, inherit, true }, 65536, 2 << 20 },
		{ { top_always, never, never, true }, page, 2 << 20 },
		{ { top_always, NULL, NULL, true }, 2 << 20, 2 << 20 },
		{ { top_madv, NULL, NULL, true }, page, 2 << 20 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CHECK_EQ(largest_in(&cases[i].thp, fault_largest_anon_bytes), cases[i].anon);
		CHECK_EQ(largest_in(&cases[i].thp, fault_largest_file_bytes), cases[i].file);
	}
}

static int check(uint64_t minflt, uint64_t majflt, uint64_t pages, uint64_t largest, struct err *e)
{
	const struct task t = { .minflt = minflt, .majflt = majflt };

	return fault_check(&t, pages, largest, e);
}

static void checks_faults_against_pages(void)
{
	uint64_t page = fault_page_bytes();
	struct err e = { 0 };

	CHECK_OK(check(10000, 0, 10000, page, &e));
	CHECK_OK(check(4000, 6000, 10000, page, &e));
	CHECK(check(9999, 0, 10000, page, &e) < 0);
	CHECK_HAS(e.msg, "touched 10000 new pages with 9999 page faults");
	CHECK_OK(check(20, 0, 10000, 512 * page, &e));
	CHECK(check(18, 0, 10000, 512 * page, &e) < 0);
	CHECK(check(0, 0, 100, 512 * page, &e) < 0);
	CHECK_OK(check(1, 0, 1000, UINT64_MAX, &e));
	CHECK(check(0, 0, 1000, UINT64_MAX, &e) < 0);
	CHECK(check(5000, 0, 0, page, &e) < 0);
	CHECK_HAS(e.msg, "touched no page");
	CHECK_OK(check(11500, 0, 10000, page, &e));
	if (!FAULT_SHADOW) {
		CHECK(check(11501, 0, 10000, page, &e) < 0);
		CHECK_HAS(e.msg, "something else faulted");
	}
}

/* One run; the caller looks at what was counted. */
static int run(struct rig *r, const char *name, const char *settings, struct err *e)
{
	int ret = rig_init(r, name, settings, "/tmp", e);

	if (ret == 0)
		ret = rig_start(r, e);
	return ret < 0 ? ret : rig_measure(r, RUN_NS, e);
}

static void page_fault1_takes_the_faults_it_counts(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	uint64_t ops;

	CHECK_OK(run(&r, "page_fault1", "size=2M", &e));
	ops = atomic_load(&r.task.ops);
	CHECK(ops > 512);
	CHECK_EQ(r.task.touched_bytes, ops * fault_page_bytes());
	CHECK_OK(rig_verify(&r, &e));
	/* the same faults for work ten times that: refused, whatever one fault maps */
	r.task.minflt = ops / 5120;
	CHECK(rig_verify(&r, &e) < 0);
}

/* Whole passes: the one that the stop came in is finished. Passes of 64 MiB outlast the window. */
static void a_pass_is_finished(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	uint64_t pages = (64ull << 20) / fault_page_bytes();

	CHECK_OK(rig_init(&r, "page_fault1", "size=64M", "/tmp", &e));
	r.whole_passes = true;
	CHECK_OK(rig_start(&r, &e));
	CHECK_OK(rig_measure(&r, RUN_NS, &e));
	CHECK(atomic_load(&r.task.ops) >= pages);
	CHECK_EQ(atomic_load(&r.task.ops) % pages, 0);
}

static void page_fault2_copies_every_page(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	uint64_t ops;

	CHECK_OK(run(&r, "page_fault2", "size=2M", &e));
	CHECK_EQ(rig_files(&r), 0);
	ops = atomic_load(&r.task.ops);
	CHECK(r.task.minflt + r.task.majflt >= ops); /* a copy is never of more than a page */
	CHECK_OK(rig_verify(&r, &e));
	r.task.minflt = ops - 1;
	r.task.majflt = 0;
	CHECK(rig_verify(&r, &e) < 0);
}

static void page_fault3_writes_to_its_file(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	struct stat st;

	CHECK_OK(run(&r, "page_fault3", "size=2M", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK_EQ(rig_files(&r), 0);
	CHECK_EQ(fsync(*(int *)r.task.priv), 0);
	CHECK_EQ(fstat(*(int *)r.task.priv, &st), 0);
	CHECK(atomic_load(&r.task.ops) + r.warm_ops >= 512); /* a whole pass, at least */
	CHECK(st.st_blocks >= (2 << 20) / 512);		     /* no hole is left */
}

static void odd_size_counts_its_last_page(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	/* three pages a pass: the last one is touched by its first byte only */
	CHECK_OK(run(&r, "page_fault1", "size=8193", &e));
	CHECK(atomic_load(&r.task.ops) > 3);
	CHECK_OK(rig_verify(&r, &e));
}

static void says_when_memory_cannot_be_mapped(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct rlimit old, low;
	struct err e = { 0 };
	int ret;

	CHECK_OK(rig_init(&r, "page_fault1", "size=512G", "/tmp", &e));
	CHECK_OK(rig_start(&r, &e));
	CHECK_EQ(getrlimit(RLIMIT_AS, &old), 0);
	low = (struct rlimit){ .rlim_cur = 1ul << 38, .rlim_max = old.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_AS, &low), 0);
	ret = r.w->run(&r.task, &e);
	CHECK_EQ(setrlimit(RLIMIT_AS, &old), 0);
	CHECK_EQ(ret, -ENOMEM);
	CHECK_HAS(e.msg, "could not map 549755813888 bytes");
}

static void refuses_a_full_directory(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, "page_fault3", "size=1T,tasks=4000", "/tmp", &e));
	CHECK_EQ(rig_start(&r, &e), -ENOSPC);
	CHECK_HAS(e.msg, "could not fit");
	CHECK_HAS(e.hint, "size");
	CHECK_EQ(rig_files(&r), 0);
}

int main(void)
{
	rig_min_ops = 600; /* more than a pass */
	TAP_RUN(reads_what_one_fault_may_map);
	TAP_RUN(checks_faults_against_pages);
	TAP_RUN(page_fault1_takes_the_faults_it_counts);
	TAP_RUN(a_pass_is_finished);
	TAP_RUN(page_fault2_copies_every_page);
	TAP_RUN(page_fault3_writes_to_its_file);
	TAP_RUN(odd_size_counts_its_last_page);
	TAP_RUN(says_when_memory_cannot_be_mapped);
	TAP_RUN(refuses_a_full_directory);
	return tap_done();
}
