// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_fault1: private anonymous memory, one store a page. Same operation as the test of that
 * name in will-it-scale: mapping, first touch of every page in rising order, unmapping, again.
 */
#include <sys/mman.h>

#include "workload/fault.h"
#include "workload/workload.h"

static const struct param_spec page_fault1_params[] = {
	PARAMS_TASKS,
	{ .name = "size", .type = PARAM_SIZE, .def = "128M", .min = 4096, .max = 1ull << 40,
	  .help = "bytes that each task maps, touches and unmaps in a pass" },
	{ 0 },
};

static uint64_t footprint(const struct params *p)
{
	return params_u64(p, "tasks") * params_u64(p, "size");
}

static int run(struct task *t, struct err *e)
{
	const struct fault_loop loop = {
		.bytes = params_u64(t->params, "size"),
		.flags = MAP_PRIVATE | MAP_ANONYMOUS,
		.fd = -1,
	};

	return fault_run(t, &loop, e);
}

const struct workload workload_page_fault1 = {
	.name = "page_fault1",
	.summary = "first touch of private anonymous pages",
	.revision = 1,
	.kind = WORKLOAD_RATE,
	.op = "page touched",
	.timed = "mmap, one store at the start of each page, munmap",
	.exercises = "anonymous fault, page allocation and clearing, memcg charge, LRU add, free",
	.params = page_fault1_params,
	.footprint_bytes = footprint,
	.run = run,
	.verify = fault_verify_anon,
};
