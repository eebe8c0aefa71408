// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usemem: maps fresh anonymous memory and walks it with 64-bit accesses, as the cases anon-w-seq,
 * anon-w-rand and anon-r-seq of vm-scalability do. Where it differs from that usemem on purpose:
 * bytes are those accessed, without an eighth for the allocation; the clock starts at the gate;
 * the step is a page, not a word, unless told otherwise; random addresses come from the case's
 * seed, another sequence for each task, evenly over the whole range.
 *
 * Reading memory that was never written touches the zero page only: page tables, not memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/rng.h"
#include "base/str.h"
#include "workload/fault.h"
#include "workload/walk.h"
#include "workload/workload.h"

#define WORD sizeof(uint64_t)

static const struct param_spec usemem_params[] = {
	PARAMS_TASKS,
	{ .name = "size", .type = PARAM_SIZE, .def = "256M", .min = 65536, .max = 1ull << 44,
	  .help = "bytes that each task maps and walks" },
	{ .name = "step", .type = PARAM_SIZE, .def = "4K", .min = WORD, .max = 1ull << 30,
	  .help = "bytes from one access to the next; size / step accesses make a pass" },
	{ .name = "passes", .type = PARAM_U64, .def = "1", .min = 1, .max = 1ull << 32,
	  .help = "walks over the same mapping" },
	WALK_PARAMS,
	{ 0 },
};

static const struct metric_spec usemem_metrics[] = {
	{ .name = "unmap_s", .unit = "s", .direction = METRIC_LOWER,
	  .help = "time to unmap the memory, mean over tasks", .over_tasks = METRIC_MEAN },
	{ 0 },
};
enum { METRIC_UNMAP };

static uint64_t footprint(const struct params *p)
{
	return params_u64(p, "tasks") * params_u64(p, "size");
}

static int check(const struct params *p, struct err *e)
{
	if (params_u64(p, "step") % WORD)
		return err_set(e, -EINVAL, "step %s is no multiple of %zu", params_text(p, "step"),
			       WORD);
	if (params_u64(p, "step") > params_u64(p, "size"))
		return err_set(e, -EINVAL, "step %s is larger than size %s",
			       params_text(p, "step"), params_text(p, "size"));
	return 0;
}

static uint64_t pass_accesses(const struct params *p)
{
	return params_u64(p, "size") / params_u64(p, "step");
}

static void access_word(char *at, bool write)
{
	volatile uint64_t *word = (volatile uint64_t *)(void *)at;

	if (write)
		*word = (uint64_t)(uintptr_t)at;
	else
		(void)*word;
}

/* One pass; returns the accesses made, fewer than all when stopped. */
static uint64_t walk(struct task *t, char *mem, struct rng *rng)
{
	bool random = params_u64(t->params, "order") == WALK_RANDOM;
	bool write = params_u64(t->params, "access") == WALK_WRITE;
	uint64_t words = params_u64(t->params, "size") / WORD;
	uint64_t step = params_u64(t->params, "step");
	uint64_t n = pass_accesses(t->params), i;

	for (i = 0; i < n && task_running(t); i++) {
		access_word(mem + (random ? rng_below(rng, words) * WORD : i * step), write);
		task_count(t, 1);
	}
	return i;
}

/* Pages that the first pass touches for the first time; 0 where the draws decide. */
static uint64_t known_pages(const struct params *p)
{
	uint64_t size = params_u64(p, "size"), page = fault_page_bytes();

	if (params_u64(p, "populate") == WALK_POPULATE)
		return size / page;
	if (params_u64(p, "order") == WALK_RANDOM)
		return 0;
	return params_u64(p, "step") < page ? size / page : pass_accesses(p);
}

static int run(struct task *t, struct err *e)
{
	size_t bytes = (size_t)params_u64(t->params, "size");
	uint64_t passes = params_u64(t->params, "passes");
	uint64_t n = t->my_phase == PHASE_WARM ? passes / 20 + (passes < 20) : passes;
	uint64_t accesses = 0, start_ns;
	struct rng rng;
	char *mem;
	int r = walk_map(t->params, bytes, &mem, e);

	if (r < 0)
		return r;
	rng_init(&rng, t->seed + t->index);
	for (uint64_t i = 0; i < n && task_running(t); i++)
		accesses += walk(t, mem, &rng);
	start_ns = clock_mono_ns();
	if (munmap(mem, bytes) < 0)
		return err_errno(e, errno, "could not unmap %zu bytes", bytes);
	task_metric(t, METRIC_UNMAP, (double)(clock_mono_ns() - start_ns) / NSEC_PER_SEC);
	t->bytes = accesses * WORD;
	t->touched_bytes = known_pages(t->params) * fault_page_bytes();
	return 0;
}

/* Replaying more draws than this would take longer than it proves. */
#define REPLAYED 1000000

/* Different pages among the first draws. */
static uint64_t drawn_pages(const struct task *t)
{
	uint64_t size = params_u64(t->params, "size"), page = fault_page_bytes();
	_cleanup_free_ unsigned char *seen = xcalloc((size_t)(size / page + 1), 1);
	uint64_t n = pass_accesses(t->params), distinct = 0;
	struct rng rng;

	rng_init(&rng, t->seed + t->index);
	for (uint64_t i = 0; i < n && i < REPLAYED; i++) {
		unsigned char *at = &seen[rng_below(&rng, size / WORD) * WORD / page];

		distinct += !*at;
		*at = 1;
	}
	return distinct;
}

static int verify(struct task *t, struct err *e)
{
	_cleanup_close_ int root = fsx_open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, e);
	uint64_t want = params_u64(t->params, "passes") * pass_accesses(t->params);
	uint64_t pages = known_pages(t->params);
	uint64_t ops = atomic_load_explicit(&t->ops, memory_order_relaxed);

	if (root < 0)
		return root;
	if (ops != want)
		return err_set(e, -EIO, "it made %" PRIu64 " of %" PRIu64 " accesses", ops, want);
	return fault_at_least(t, pages ? pages : drawn_pages(t),
			      fault_largest_anon_bytes(root), e);
}

const struct workload workload_usemem = {
	.name = "usemem",
	.summary = "maps anonymous memory and walks it",
	.revision = 1,
	.kind = WORKLOAD_BATCH,
	.op = "64-bit access",
	.timed = "mmap, all accesses of all passes, munmap",
	.exercises = "anonymous fault, page allocation, memcg charge; reclaim and swap at a limit",
	.params = usemem_params,
	.metrics = usemem_metrics,
	.footprint_bytes = footprint,
	.check = check,
	.run = run,
	.verify = verify,
};
