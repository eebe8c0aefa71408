// SPDX-License-Identifier: GPL-2.0-or-later
/* createdelete: the size rule of the post, the number of passes, and what verify() sees through. */
#include "tap.h"
#include "workload_rig.h"

#include <sys/mman.h>

#include "workload/cache.h"
#include "workload/fault.h"

static int start(struct rig *r, const char *settings, const char *dir, struct err *e)
{
	int ret = rig_init(r, "createdelete", settings, dir, e);

	return ret < 0 ? ret : rig_start(r, e);
}

static void divides_the_size_by_the_tasks(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	/* the post's own odd case: 16 KiB over 6 is 2730 bytes */
	CHECK_OK(start(&r, "size=16K,tasks=6,passes=40", "/tmp", &e));
	CHECK_EQ(rig_files(&r), 1);
	CHECK_OK(rig_measure(&r, 0, &e));
	CHECK_EQ(atomic_load(&r.task.ops), 40);
	CHECK_EQ(r.warm_ops, 2);
	CHECK_EQ(r.task.bytes, 40 * 2730);
	CHECK_EQ(r.task.touched_bytes, 0);
	CHECK_OK(rig_verify(&r, &e));
	CHECK_EQ(r.w->footprint_bytes(&r.params), 16384);
}

static void makes_a_gigabyte_by_itself(void)
{
	_cleanup_rig_ struct rig r = { 0 }, large = { 0 };
	struct err e = { 0 };

	CHECK_OK(start(&r, "size=4M", "/dev/shm", &e));
	r.task.my_phase = PHASE_WARM;
	CHECK_OK(r.w->run(&r.task, &e));
	CHECK_EQ(atomic_load(&r.task.ops), 256 / 20);
	CHECK_OK(start(&large, "size=512M,tasks=512", "/tmp", &e));
	CHECK_OK(large.w->run(&large.task, &e));
	CHECK_EQ(atomic_load(&large.task.ops), 2); /* of 50 */
}

static void counts_populated_memory(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(start(&r, "size=1M,backing=anon,passes=30", "/tmp", &e));
	CHECK_EQ(rig_files(&r), 0);
	CHECK_OK(rig_measure(&r, 0, &e));
	CHECK_EQ(r.task.touched_bytes, 30 << 20);
	CHECK_OK(rig_verify(&r, &e));
	r.task.minflt = r.task.majflt = 0;
	CHECK(rig_verify(&r, &e) < 0);
	CHECK_HAS(e.msg, "7680 new pages with 0 page faults");
}

static void stopped_early_is_no_result(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(start(&r, "size=1M,passes=1000000", "/tmp", &e));
	r.task.my_phase = PHASE_WARM;
	CHECK_OK(rig_run(&r, 20 * NSEC_PER_MSEC, PHASE_STOP, &e));
	CHECK(atomic_load(&r.task.ops) < 1000000 / 20);
	CHECK(rig_verify(&r, &e) < 0);
	CHECK_HAS(e.msg, "of 1000000 passes");
}

static void the_file_is_empty_between_passes(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	struct stat st;

	CHECK_OK(start(&r, "size=64K,passes=3", "/tmp", &e));
	CHECK_OK(rig_measure(&r, 0, &e));
	CHECK_EQ(fstatat(r.ctx.dirfd, "createdelete-0", &st, 0), 0);
	CHECK_EQ(st.st_size, 0);
	CHECK_OK(rig_verify(&r, &e));
	CHECK_EQ(fstatat(r.ctx.dirfd, "createdelete-0", &st, 0), 0);
	CHECK_EQ(st.st_size, 0);
	rig_stop(&r);
	CHECK_EQ(rig_files(&r), 0);
}

static void a_full_file_system_is_an_error(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct rlimit old, low;
	struct err e = { 0 };
	int ret;

	CHECK_OK(start(&r, "size=1M", "/tmp", &e));
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){ .rlim_cur = 1 << 19, .rlim_max = old.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &low), 0); /* the write is cut short, as by a full disk */
	ret = r.w->run(&r.task, &e);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
	CHECK_EQ(ret, -ENOSPC);
	CHECK_HAS(e.msg, "could not write 1048576 bytes: only 524288 fitted");
}

static void refuses_less_than_a_byte_a_task(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_EQ(rig_init(&r, "createdelete", "size=10,tasks=11", "/tmp", &e), -EINVAL);
	CHECK_HAS(e.msg, "size 10 divided by 11 tasks leaves nothing to write");
}

static void sees_what_is_in_the_page_cache(void)
{
	_cleanup_close_ int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	uint64_t page = fault_page_bytes(), n = 99;
	struct err e = { 0 };

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, (off_t)(9000 * page)), 0); /* more than one chunk */
	CHECK_OK(cache_resident(fd, 0, 9000 * page, &n, &e));
	CHECK_EQ(n, 0);
	CHECK_EQ(pwrite(fd, "x", 1, (off_t)(3 * page)), 1);
	CHECK_EQ(pwrite(fd, "x", 1, (off_t)(8000 * page + 7)), 1);
	CHECK_OK(cache_resident(fd, 0, 9000 * page, &n, &e));
	CHECK_EQ(n, 2);
	CHECK_OK(cache_resident(fd, 4 * page, 8990 * page, &n, &e));
	CHECK_EQ(n, 1);
	CHECK_OK(cache_resident(fd, 4 * page, page, &n, &e));
	CHECK_EQ(n, 0);
	CHECK(cache_resident(-1, 0, page, &n, &e) < 0);
}

int main(void)
{
	TAP_RUN(divides_the_size_by_the_tasks);
	TAP_RUN(makes_a_gigabyte_by_itself);
	TAP_RUN(counts_populated_memory);
	TAP_RUN(stopped_early_is_no_result);
	TAP_RUN(the_file_is_empty_between_passes);
	TAP_RUN(a_full_file_system_is_an_error);
	TAP_RUN(refuses_less_than_a_byte_a_task);
	TAP_RUN(sees_what_is_in_the_page_cache);
	return tap_done();
}
