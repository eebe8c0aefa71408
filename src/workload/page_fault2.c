// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_fault2: private mapping of a sparse file of the task's own, one store a page: a page of
 * page cache is found and copied. Same operation as the test of that name in will-it-scale. The
 * file is made before the gate and its holes are filled during the warm-up.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "workload/fault.h"
#include "workload/scratch.h"
#include "workload/workload.h"

#define NAME "page_fault2"

static const struct param_spec page_fault2_params[] = {
	PARAMS_TASKS,
	{ .name = "size", .type = PARAM_SIZE, .def = "128M", .min = 4096, .max = 1ull << 40,
	  .help = "bytes of each task's file, mapped, touched and unmapped in a pass" },
	{ 0 },
};

struct state {
	int fd; /* of the file, which has no name any more */
};

static uint64_t footprint(const struct params *p)
{
	/* the copies; the file's own page cache can be dropped */
	return params_u64(p, "tasks") * params_u64(p, "size");
}

static int setup(struct workload_ctx *ctx, struct err *e)
{
	return scratch_room(ctx, ctx->n_tasks * params_u64(ctx->params, "size"), e);
}

static int task_init(struct task *t, struct err *e)
{
	_cleanup_close_ int fd = scratch_open(t, NAME, params_u64(t->params, "size"), e);
	struct state *s;
	int r = fd < 0 ? fd : scratch_unlink(t, NAME, e);

	if (r < 0)
		return r;
	s = xcalloc(1, sizeof(*s));
	s->fd = steal_fd(&fd);
	t->priv = s;
	return 0;
}

static int run(struct task *t, struct err *e)
{
	const struct state *s = t->priv;
	const struct fault_loop loop = {
		.bytes = params_u64(t->params, "size"),
		.flags = MAP_PRIVATE,
		.fd = s->fd,
	};

	return fault_run(t, &loop, e);
}

static void task_done(struct task *t)
{
	struct state *s = t->priv;

	(void)close(s->fd);
	free(s);
	t->priv = NULL;
}

const struct workload workload_page_fault2 = {
	.name = NAME,
	.summary = "write faults in a private mapping of a file: a copy of each page",
	.revision = 1,
	.kind = WORKLOAD_RATE,
	.op = "page touched",
	.timed = "mmap, one store at the start of each page, munmap",
	.exercises = "write fault on a private file page, page allocation and copy, memcg charge",
	.needs = NEED_DIR,
	.params = page_fault2_params,
	.footprint_bytes = footprint,
	.setup = setup,
	.task_init = task_init,
	.run = run,
	.verify = fault_verify_cow,
	.task_done = task_done,
};
