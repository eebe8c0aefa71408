// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * delay: a known amount of work, to test the instrument: with 5 % more steps the rate must come
 * out 5 % lower. A step is one multiplication that depends on the one before it, so its cost is
 * the latency of a multiply; the chain goes on through the operations, so that the loop around
 * it runs in its shadow. verify() recomputes the product: no step was skipped.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "workload/workload.h"

#define FACTOR 0x9e3779b97f4a7c15ull /* odd: powers never collapse to 0 */

static const struct param_spec delay_params[] = {
	PARAMS_TASKS,
	{ .name = "steps", .type = PARAM_U64, .def = "1000", .min = 1, .max = 1000000000,
	  .help = "dependent multiplications in one operation" },
	{ 0 },
};

struct state {
	uint64_t product;
};

static uint64_t no_memory(const struct params *p __unused)
{
	return 0;
}

static int task_init(struct task *t, struct err *e __unused)
{
	t->priv = xcalloc(1, sizeof(struct state));
	return 0;
}

/* Of its own and 64-byte aligned, so that code around it doesn't move it across cache lines. */
__attribute__((noinline, aligned(64)))
static uint64_t chain(uint64_t x, uint64_t steps)
{
	for (; steps; steps--) {
		x *= FACTOR;
		__asm__ volatile("" : "+r"(x)); /* keeps each step a multiplication */
	}
	return x;
}

static int run(struct task *t, struct err *e __unused)
{
	struct state *s = t->priv;
	uint64_t steps = params_u64(t->params, "steps");
	uint64_t x = 1;

	while (task_running(t)) {
		x = chain(x, steps);
		task_count(t, 1);
	}
	s->product = x;
	return 0;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
	uint64_t x = 1;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			x *= base;
		base *= base;
	}
	return x;
}

static int verify(struct task *t, struct err *e)
{
	uint64_t ops = atomic_load_explicit(&t->ops, memory_order_relaxed);
	const struct state *s = t->priv;

	if (ops == 0)
		return err_set(e, -EIO, "it did not run within the measured time");
	if (s->product != power(power(FACTOR, params_u64(t->params, "steps")), ops))
		return err_set(e, -EIO, "it counted operations that it did not do");
	return 0;
}

static void task_done(struct task *t)
{
	free(t->priv);
	t->priv = NULL;
}

const struct workload workload_delay = {
	.name = "delay",
	.summary = "a chain of multiplications of known length, to test the instrument",
	.revision = 1,
	.kind = WORKLOAD_RATE,
	.op = "chain of STEPS multiplications",
	.timed = "the chain, load of the stop flag, store of the counter",
	.exercises = "nothing in the kernel but the scheduler's tick",
	.params = delay_params,
	.footprint_bytes = no_memory,
	.task_init = task_init,
	.run = run,
	.verify = verify,
	.task_done = task_done,
};
