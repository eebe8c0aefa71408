// SPDX-License-Identifier: GPL-2.0-or-later
/* readtwice: one file a group, whole blocks, and the difference between a page cache and holes. */
#include "tap.h"
#include "workload_rig.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#define RUN_NS (30 * NSEC_PER_MSEC)

static bool is_tmpfs(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

static int run(struct rig *r, const char *settings, const char *dir, struct err *e)
{
	int ret = rig_init(r, "readtwice", settings, dir, e);

	if (ret == 0)
		ret = rig_start(r, e);
	return ret < 0 ? ret : rig_measure(r, RUN_NS, e);
}

static void reads_whole_blocks_round_and_round(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	struct stat st;

	if (is_tmpfs("/tmp"))
		SKIP("this machine has /tmp on a tmpfs, which has no page cache for holes");
	CHECK_OK(run(&r, "file_size=64K,block=8K", "/tmp", &e));
	CHECK(atomic_load(&r.task.ops) > 8); /* went past the end */
	CHECK_EQ(r.task.bytes, atomic_load(&r.task.ops) * 8192);
	CHECK_EQ(r.task.touched_bytes, 0);
	CHECK_OK(rig_verify(&r, &e));
	CHECK_EQ(fstatat(r.ctx.dirfd, "g0", &st, 0), 0);
	CHECK_EQ(st.st_size, 65536);
	CHECK_EQ(st.st_blocks, 0); /* still all hole */
	r.task.bytes -= 1;
	CHECK(rig_verify(&r, &e) < 0);
	CHECK_HAS(e.msg, "bytes in");
}

static void a_tmpfs_is_found_out(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	if (!is_tmpfs("/dev/shm"))
		SKIP("this machine has no tmpfs at /dev/shm");
	CHECK_OK(run(&r, "file_size=64K", "/dev/shm", &e));
	CHECK(atomic_load(&r.task.ops) > 0);
	CHECK_EQ(rig_verify(&r, &e), -EIO);
	CHECK_HAS(e.msg, "does not stay in the page cache");
	CHECK_HAS(e.hint, "xfs-loop");
}

static void each_group_has_a_file(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, "readtwice", "file_size=1G", "/tmp", &e));
	r.ctx.n_groups = 3;
	CHECK_OK(r.w->setup(&r.ctx, &e));
	r.set_up = true;
	CHECK_EQ(rig_files(&r), 3);
	CHECK(fsx_exists(r.ctx.dirfd, "g2"));
	rig_stop(&r);
	CHECK_EQ(rig_files(&r), 0);
}

static void failed_set_up_leaves_no_file(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, "readtwice", "file_size=1G", "/tmp", &e));
	r.ctx.n_groups = 3;
	CHECK_OK(fsx_mkdirs(r.ctx.dirfd, "g2", 0700, &e));
	CHECK_EQ(r.w->setup(&r.ctx, &e), -EEXIST);
	CHECK_HAS(e.msg, "could not make \"g2\"");
	CHECK_EQ(rig_files(&r), 1); /* the directory that was in the way */
}

static void refuses_a_torn_last_block(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_EQ(rig_init(&r, "readtwice", "file_size=10K,block=4K", "/tmp", &e), -EINVAL);
	CHECK_HAS(e.msg, "file_size 10K is no multiple of block 4K");
}

static void a_file_cut_short_is_an_error(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, "readtwice", "file_size=64K", "/tmp", &e));
	CHECK_OK(rig_start(&r, &e));
	CHECK_EQ(ftruncate(*(int *)r.task.priv, 100), 0);
	CHECK_EQ(r.w->run(&r.task, &e), -EIO);
	CHECK_HAS(e.msg, "a read ended after 100 of 4096 bytes");
}

int main(void)
{
	rig_min_ops = 20; /* past the end */
	TAP_RUN(reads_whole_blocks_round_and_round);
	TAP_RUN(a_tmpfs_is_found_out);
	TAP_RUN(each_group_has_a_file);
	TAP_RUN(failed_set_up_leaves_no_file);
	TAP_RUN(refuses_a_torn_last_block);
	TAP_RUN(a_file_cut_short_is_an_error);
	return tap_done();
}
