// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readtwice: the readers of a group read the group's one sparse file with read(2), each from its
 * start (vm-scalability's case lru-file-readtwice in containers, September 2020). The file system
 * fills the holes without a device, so what is left is the page cache: the first reader inserts a
 * page, the second finds and activates it, reclaim takes it out again. A tmpfs would copy from
 * the zero page and keep nothing; verify() looks whether pages really are in the cache.
 *
 * Reaching the end starts over and is no operation. Pages are charged to the reader's group.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "workload/cache.h"
#include "workload/fault.h"
#include "workload/workload.h"

static const struct param_spec readtwice_params[] = {
	{ .name = "tasks", .type = PARAM_U64, .def = "2", .min = 1, .max = 4096,
	  .help = "readers in each group, all of one file" },
	PARAM_MODE,
	{ .name = "file_size", .type = PARAM_SIZE, .def = "4G", .min = 4096, .max = 1ull << 50,
	  .help = "bytes of each group's sparse file" },
	{ .name = "block", .type = PARAM_SIZE, .def = "4K", .min = 512, .max = 64ull << 20,
	  .help = "bytes of one read" },
	{ 0 },
};

struct state {
	int fd;
	char *buf;
	uint64_t block;
	uint64_t last; /* offset of the block read last */
};

static uint64_t footprint(const struct params *p)
{
	return params_u64(p, "file_size");
}

static int check(const struct params *p, struct err *e)
{
	if (params_u64(p, "file_size") % params_u64(p, "block") == 0)
		return 0;
	return err_set(e, -EINVAL, "file_size %s is no multiple of block %s",
		       params_text(p, "file_size"), params_text(p, "block"));
}

static void format_name(unsigned group, char *buf, size_t len)
{
	(void)snprintf(buf, len, "g%u", group);
}

static void remove_files(const struct workload_ctx *ctx, unsigned n)
{
	char name[32];

	for (unsigned i = 0; i < n; i++) {
		format_name(i, name, sizeof(name));
		(void)unlinkat(ctx->dirfd, name, 0);
	}
}

static int make_file(const struct workload_ctx *ctx, const char *name, struct err *e)
{
	_cleanup_close_ int fd = openat(ctx->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
					0600);

	if (fd < 0)
		return err_errno(e, errno, "could not make \"%s\" in the work directory", name);
	if (ftruncate(fd, (off_t)params_u64(ctx->params, "file_size")) < 0)
		return err_errno(e, errno, "could not make \"%s\" %s bytes long", name,
				 params_text(ctx->params, "file_size"));
	return 0;
}

static int setup(struct workload_ctx *ctx, struct err *e)
{
	char name[32];

	for (unsigned i = 0; i < ctx->n_groups; i++) {
		int r;

		format_name(i, name, sizeof(name));
		r = make_file(ctx, name, e);
		if (r < 0) {
			remove_files(ctx, i + 1);
			return r;
		}
	}
	return 0;
}

static int task_init(struct task *t, struct err *e)
{
	_cleanup_close_ int fd = -EBADF;
	struct state *s;
	char name[32];

	format_name(t->group, name, sizeof(name));
	/* for writing, too: mincore(2) tells the owner or a writer only */
	fd = openat(t->dirfd, name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, errno, "could not open \"%s\"", name);
	s = xcalloc(1, sizeof(*s));
	s->block = params_u64(t->params, "block");
	s->buf = xcalloc(1, s->block);
	s->fd = steal_fd(&fd);
	t->priv = s;
	return 0;
}

static int run(struct task *t, struct err *e)
{
	struct state *s = t->priv;
	uint64_t ops = 0, pos = 0;

	if (lseek(s->fd, 0, SEEK_SET) < 0)
		return err_errno(e, errno, "could not go to the start of the file");
	while (task_running(t)) {
		ssize_t n = read(s->fd, s->buf, s->block);

		if (n == 0) {
			(void)lseek(s->fd, 0, SEEK_SET);
			pos = 0;
			continue;
		}
		if (n < 0)
			return err_errno(e, errno, "could not read %" PRIu64 " bytes", s->block);
		if ((uint64_t)n != s->block)
			return err_set(e, -EIO, "a read ended after %zd of %" PRIu64 " bytes", n,
				       s->block);
		s->last = pos;
		pos += s->block;
		task_count(t, 1);
		ops++;
	}
	t->bytes = ops * s->block;
	return 0;
}

/* Under a tight limit another reader may push the block out at once, so it is read again. */
static int verify_cached(const struct task *t, const struct state *s, struct err *e)
{
	uint64_t start = s->last - s->last % fault_page_bytes(), pages = 0;

	for (int i = 0; i < 10; i++) {
		int r = cache_resident(s->fd, start, fault_page_bytes(), &pages, e);

		if (r < 0 || pages)
			return r;
		if (pread(s->fd, s->buf, s->block, (off_t)s->last) < 0)
			return err_errno(e, errno, "could not read a block again");
	}
	err_set(e, -EIO, "what task %u reads does not stay in the page cache", t->index);
	err_hint(e, "holes of a tmpfs never do: use fs=xfs-loop or dir= on a disk file system");
	return -EIO;
}

static int verify(struct task *t, struct err *e)
{
	uint64_t ops = atomic_load_explicit(&t->ops, memory_order_relaxed);
	const struct state *s = t->priv;

	if (ops == 0)
		return err_set(e, -EIO, "it read nothing within the measured time");
	if (t->bytes != ops * s->block)
		return err_set(e, -EIO, "it read %" PRIu64 " bytes in %" PRIu64 " blocks", t->bytes,
			       ops);
	return verify_cached(t, s, e);
}

static void task_done(struct task *t)
{
	struct state *s = t->priv;

	(void)close(s->fd);
	free(s->buf);
	free(s);
	t->priv = NULL;
}

static void teardown(struct workload_ctx *ctx)
{
	remove_files(ctx, ctx->n_groups);
}

const struct workload workload_readtwice = {
	.name = "readtwice",
	.summary = "several readers of one sparse file in each group: the page cache's LRU lists",
	.revision = 1,
	.kind = WORKLOAD_RATE,
	.op = "block read",
	.timed = "read(2) of consecutive blocks",
	.exercises = "readahead, page-cache insertion, LRU activation, memcg charge, reclaim",
	.sleeps = true,
	.can_reclaim = true,
	.needs = NEED_DIR | NEED_REAL_CACHE,
	.default_fs = "xfs-loop",
	.params = readtwice_params,
	.footprint_bytes = footprint,
	.check = check,
	.setup = setup,
	.task_init = task_init,
	.run = run,
	.verify = verify,
	.task_done = task_done,
	.teardown = teardown,
};
