// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * createdelete: each task extends a file of its own by one write and truncates it, over and over
 * (Mel Gorman's variant of create-delete from ext3-tools, November 2007). The data is constant
 * over tasks: each writes size / tasks, rounded down. Nothing is created or deleted but pages.
 * backing=anon maps and unmaps populated memory instead.
 *
 * The buffer is what malloc() gave the original: 16 bytes into fresh memory of which only the
 * first word was ever written, so that write(2) reads the shared zero page but for its start.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "workload/cache.h"
#include "workload/fault.h"
#include "workload/scratch.h"
#include "workload/workload.h"

#define NAME "createdelete"
#define AUTO_BYTES (1ull << 30) /* of data per case when passes are not given */
#define MALLOC_HEAD 16

static const char *const backings[] = { "file", "anon", NULL };
enum { BACKING_FILE, BACKING_ANON };

static const struct param_spec createdelete_params[] = {
	PARAMS_TASKS,
	{ .name = "size", .type = PARAM_SIZE, .def = "64K", .min = 1, .max = 1ull << 40,
	  .help = "bytes of a pass, divided by the tasks of a group" },
	{ .name = "passes", .type = PARAM_U64, .def = "0", .max = 1ull << 32,
	  .help = "passes of each task; 0: as many as make 1 GiB of data, at least 50" },
	{ .name = "backing", .type = PARAM_CHOICE, .def = "file", .choices = backings,
	  .help = "write and truncate a file, or map and unmap anonymous memory" },
	{ 0 },
};

struct state {
	int fd;
	char *map; /* of the buffer */
	size_t map_bytes, bytes;
	uint64_t passes;
	bool anon;
};

static uint64_t task_bytes(const struct params *p)
{
	return params_u64(p, "size") / params_u64(p, "tasks");
}

static uint64_t passes(const struct params *p)
{
	uint64_t n = params_u64(p, "passes");
	uint64_t fill = AUTO_BYTES / params_u64(p, "size");

	if (n)
		return n;
	return fill > 50 ? fill : 50;
}

static uint64_t footprint(const struct params *p)
{
	return params_u64(p, "size");
}

static int check(const struct params *p, struct err *e)
{
	if (task_bytes(p) > 0)
		return 0;
	return err_set(e, -EINVAL, "size %s divided by %s tasks leaves nothing to write",
		       params_text(p, "size"), params_text(p, "tasks"));
}

static int setup(struct workload_ctx *ctx, struct err *e)
{
	if (params_u64(ctx->params, "backing") == BACKING_ANON)
		return 0;
	return scratch_room(ctx, ctx->n_tasks * task_bytes(ctx->params), e);
}

static int map_buffer(struct state *s, struct err *e)
{
	s->map_bytes = s->bytes + MALLOC_HEAD;
	s->map = mmap(NULL, s->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (s->map == MAP_FAILED)
		return err_errno(e, errno, "could not map a buffer of %zu bytes", s->map_bytes);
	*(volatile uint64_t *)(void *)s->map = s->bytes; /* malloc's own header */
	return 0;
}

static int task_init(struct task *t, struct err *e)
{
	struct state s = {
		.fd = -EBADF,
		.bytes = (size_t)task_bytes(t->params),
		.passes = passes(t->params),
		.anon = params_u64(t->params, "backing") == BACKING_ANON,
	};
	struct state *copy;
	int r;

	if (!s.anon) {
		r = map_buffer(&s, e);
		if (r < 0)
			return r;
		s.fd = scratch_open(t, NAME, 0, e);
		if (s.fd < 0) {
			(void)munmap(s.map, s.map_bytes);
			return s.fd;
		}
	}
	copy = xcalloc(1, sizeof(*copy));
	*copy = s;
	t->priv = copy;
	return 0;
}

static int pass_file(const struct state *s, struct err *e)
{
	ssize_t n;

	if (lseek(s->fd, 0, SEEK_SET) != 0)
		return err_errno(e, errno, "could not go to the start of the file");
	n = write(s->fd, s->map + MALLOC_HEAD, s->bytes);
	if (n < 0)
		return err_errno(e, errno, "could not write %zu bytes", s->bytes);
	if ((size_t)n != s->bytes)
		return err_set(e, -ENOSPC, "could not write %zu bytes: only %zd fitted", s->bytes,
			       n);
	if (ftruncate(s->fd, 0) < 0)
		return err_errno(e, errno, "could not truncate the file");
	return 0;
}

static int pass_anon(const struct state *s, struct err *e)
{
	void *mem = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (mem == MAP_FAILED)
		return err_errno(e, errno, "could not map %zu bytes", s->bytes);
	if (munmap(mem, s->bytes) < 0)
		return err_errno(e, errno, "could not unmap %zu bytes", s->bytes);
	return 0;
}

static int run(struct task *t, struct err *e)
{
	const struct state *s = t->priv;
	uint64_t n = t->my_phase == PHASE_WARM ? s->passes / 20 + (s->passes < 20) : s->passes;
	uint64_t done;
	int r = 0;

	for (done = 0; r == 0 && done < n && task_running(t); done++) {
		r = s->anon ? pass_anon(s, e) : pass_file(s, e);
		task_count(t, 1);
	}
	t->bytes = done * s->bytes;
	t->touched_bytes = s->anon ? t->bytes : 0;
	return r;
}

/* One more write, looked at: is it in the page cache? A limit may have taken half back already. */
static int verify_file(const struct state *s, struct err *e)
{
	uint64_t page = fault_page_bytes();
	uint64_t pages = (s->bytes + page - 1) / page, resident = 0;
	int r;

	if (pwrite(s->fd, s->map + MALLOC_HEAD, s->bytes, 0) != (ssize_t)s->bytes)
		return err_errno(e, errno, "could not write %zu bytes again", s->bytes);
	r = cache_resident(s->fd, 0, s->bytes, &resident, e);
	if (r == 0 && resident < (pages + 1) / 2)
		r = err_set(e, -EIO,
			    "it wrote %" PRIu64 " pages but %" PRIu64
			    " are in the page cache", pages, resident);
	if (ftruncate(s->fd, 0) < 0 && r == 0)
		r = err_errno(e, errno, "could not truncate the file again");
	return r;
}

static int verify_anon(const struct task *t, const struct state *s, struct err *e)
{
	uint64_t page = fault_page_bytes();
	uint64_t pages = s->passes * ((s->bytes + page - 1) / page);
	_cleanup_close_ int root = fsx_open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, e);

	return root < 0 ? root : fault_check(t, pages, fault_largest_anon_bytes(root), e);
}

static int verify(struct task *t, struct err *e)
{
	uint64_t ops = atomic_load_explicit(&t->ops, memory_order_relaxed);
	const struct state *s = t->priv;

	if (ops != s->passes)
		return err_set(e, -EIO, "it made %" PRIu64 " of %" PRIu64 " passes",
			       ops, s->passes);
	return s->anon ? verify_anon(t, s, e) : verify_file(s, e);
}

static void task_done(struct task *t)
{
	struct state *s = t->priv;

	if (!s->anon) {
		(void)!scratch_unlink(t, NAME, NULL);
		(void)close(s->fd);
		(void)munmap(s->map, s->map_bytes);
	}
	free(s);
	t->priv = NULL;
}

const struct workload workload_createdelete = {
	.name = NAME,
	.summary = "extend and truncate a file by one write: the page allocator's per-CPU lists",
	.revision = 1,
	.kind = WORKLOAD_BATCH,
	.op = "pass: write, truncate (or map, unmap)",
	.timed = "all passes of all tasks: lseek, write, ftruncate; no create, no fork",
	.exercises = "page-cache insertion and removal, order-0 allocation and batched free",
	.pin_default = true,
	.can_reclaim = true,
	.needs = NEED_DIR,
	.params = createdelete_params,
	.footprint_bytes = footprint,
	.check = check,
	.setup = setup,
	.task_init = task_init,
	.run = run,
	.verify = verify,
	.task_done = task_done,
};
