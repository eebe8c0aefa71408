// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/parallel.h"

#include <sched.h>
#include <stdatomic.h>

#include "tap.h"

enum { N = 1000 };

static atomic_uint calls[N];

static void count(size_t i, void *arg)
{
	CHECK(arg == calls);
	atomic_fetch_add(&calls[i], 1);
	(void)sched_yield(); /* lets others in, so that one can't take them all */
}

static void every_turn_once(void)
{
	parallel_for(0, count, calls);
	parallel_for(1, count, calls);
	CHECK_EQ(calls[0], 1);
	CHECK_EQ(calls[1], 0);
	parallel_for(N, count, calls);
	CHECK_EQ(calls[0], 2);
	for (size_t i = 1; i < N; i++)
		CHECK_EQ(calls[i], 1);
}

/* On one CPU there is nothing to share: no thread is made, all turns are the caller's. */
static void alone_on_one_cpu(void)
{
	cpu_set_t all, one;

	CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
	CPU_ZERO(&one);
	for (int c = 0; c < CPU_SETSIZE; c++) {
		if (CPU_ISSET(c, &all)) {
			CPU_SET(c, &one);
			break;
		}
	}
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	for (size_t i = 0; i < N; i++)
		calls[i] = 0;
	parallel_for(N, count, calls);
	for (size_t i = 0; i < N; i++)
		CHECK_EQ(calls[i], 1);
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
}

int main(void)
{
	TAP_RUN(every_turn_once);
	TAP_RUN(alone_on_one_cpu);
	return tap_done();
}
