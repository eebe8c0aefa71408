// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * anon_touch: goes round a working set of private anonymous memory that is mapped and filled
 * before the gate, one touch a page. Below a limit every touch is a hit; above it, reclaim and
 * swap set the pace. Each page holds a word of its own, so that swap can't take it for one of
 * the same-filled pages that zram and zswap store for nothing; verify() reads the words back.
 *
 * In random order a touch includes drawing its page (a few ns).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"
#include "workload/fault.h"
#include "workload/walk.h"
#include "workload/workload.h"

static const struct param_spec anon_touch_params[] = {
	PARAMS_TASKS,
	{ .name = "size", .type = PARAM_SIZE, .def = "64M", .min = 65536, .max = 1ull << 44,
	  .help = "working set of each task, bytes" },
	WALK_PARAMS,
	{ 0 },
};

struct state {
	char *mem;
	size_t bytes, page, pages;
};

static uint64_t footprint(const struct params *p)
{
	return params_u64(p, "tasks") * params_u64(p, "size");
}

/* What page @i holds from task_init on. */
static uint64_t word_of(const struct task *t, size_t i)
{
	return (t->seed ^ i) * 0x9e3779b97f4a7c15ull | 1;
}

static volatile uint64_t *page_word(const struct state *s, size_t i)
{
	return (volatile uint64_t *)(void *)(s->mem + i * s->page);
}

static int task_init(struct task *t, struct err *e)
{
	struct state s = { .bytes = (size_t)params_u64(t->params, "size") };
	struct state *copy;
	int r = walk_map(t->params, s.bytes, &s.mem, e);

	if (r < 0)
		return r;
	s.page = (size_t)fault_page_bytes();
	s.pages = s.bytes / s.page;
	for (size_t i = 0; i < s.pages; i++)
		*page_word(&s, i) = word_of(t, i);
	copy = xcalloc(1, sizeof(*copy));
	*copy = s;
	t->priv = copy;
	return 0;
}

static void touch(const struct task *t, const struct state *s, size_t i, bool write)
{
	if (write)
		*page_word(s, i) = word_of(t, i);
	else
		(void)*page_word(s, i);
}

static int run(struct task *t, struct err *e __unused)
{
	bool random = params_u64(t->params, "order") == WALK_RANDOM;
	bool write = params_u64(t->params, "access") == WALK_WRITE;
	const struct state *s = t->priv;
	struct rng rng;
	size_t i = 0;

	rng_init(&rng, t->seed + t->index);
	while (task_running(t)) {
		if (random)
			i = (size_t)rng_below(&rng, s->pages);
		touch(t, s, i, write);
		task_count(t, 1);
		if (!random && ++i == s->pages)
			i = 0;
	}
	return 0;
}

#define VERIFIED_PAGES 1024 /* reading all of a swapped-out set back would take as long again */

static int verify(struct task *t, struct err *e)
{
	const struct state *s = t->priv;
	size_t step = s->pages / VERIFIED_PAGES + 1;

	if (atomic_load_explicit(&t->ops, memory_order_relaxed) == 0)
		return err_set(e, -EIO, "it touched no page within the measured time");
	for (size_t i = 0; i < s->pages; i += step)
		if (*page_word(s, i) != word_of(t, i))
			return err_set(e, -EIO, "page %zu of task %u lost what was written to it",
				       i, t->index);
	return 0;
}

static void task_done(struct task *t)
{
	struct state *s = t->priv;

	(void)munmap(s->mem, s->bytes);
	free(s);
	t->priv = NULL;
}

const struct workload workload_anon_touch = {
	.name = "anon_touch",
	.summary = "goes round a working set of anonymous memory, within or above a limit",
	.revision = 1,
	.kind = WORKLOAD_RATE,
	.op = "page touched again",
	.timed = "one load or store in each page; mapping and filling are before the gate",
	.exercises = "TLB and cache below a limit; reclaim, swap-out and swap-in above it",
	.sleeps = true,
	.params = anon_touch_params,
	.footprint_bytes = footprint,
	.task_init = task_init,
	.run = run,
	.verify = verify,
	.task_done = task_done,
};
