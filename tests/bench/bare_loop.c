// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The floor that `null` is measured against: one relaxed load of a flag, one relaxed store of a
 * counter, the same compiler flags, a file of its own. Prints operations per CPU second.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

static _Alignas(128) atomic_uint flag;
static _Alignas(128) atomic_ullong counter;

static void *stop_later(void *arg)
{
	clock_sleep_until_ns(clock_mono_ns() + *(uint64_t *)arg);
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	uint64_t time_ns = 1000 * NSEC_PER_MSEC, start;
	unsigned long long ops = 0;
	pthread_t stopper;

	if (pthread_create(&stopper, NULL, stop_later, &time_ns))
		return 1;
	start = clock_thread_cpu_ns();
	while (atomic_load_explicit(&flag, memory_order_relaxed) == 0)
		atomic_store_explicit(&counter, ++ops, memory_order_relaxed);
	printf("%.0f\n", (double)ops * 1e9 / (double)(clock_thread_cpu_ns() - start));
	return pthread_join(stopper, NULL);
}
