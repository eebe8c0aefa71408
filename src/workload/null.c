// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * null: nothing at all. What is left is the instrument's own loop: one relaxed load of the flag
 * and one relaxed store of the counter per operation, all else in registers. A bare loop of the
 * same two is its yardstick (make bench).
 */
#include <errno.h>

#include "base/err.h"
#include "workload/workload.h"

static const struct param_spec null_params[] = { PARAMS_TASKS, { 0 } };

static uint64_t no_memory(const struct params *p __unused)
{
	return 0;
}

static int run(struct task *t, struct err *e __unused)
{
	const atomic_uint *phase = t->phase;
	unsigned mine = t->my_phase;
	uint64_t ops = 0;

	while (atomic_load_explicit(phase, memory_order_relaxed) == mine)
		atomic_store_explicit(&t->ops, ++ops, memory_order_relaxed);
	return 0;
}

static int verify(struct task *t, struct err *e)
{
	if (atomic_load_explicit(&t->ops, memory_order_relaxed) == 0)
		return err_set(e, -EIO, "it did not run within the measured time");
	return 0;
}

const struct workload workload_null = {
	.name = "null",
	.summary = "does nothing: what the measuring loop itself costs",
	.revision = 1,
	.kind = WORKLOAD_RATE,
	.op = "pass of the empty loop",
	.timed = "load of the stop flag, store of the counter",
	.exercises = "nothing in the kernel but the scheduler's tick",
	.params = null_params,
	.footprint_bytes = no_memory,
	.run = run,
	.verify = verify,
};
