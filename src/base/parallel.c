// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct loop {
	atomic_size_t next;
	size_t n;
	void (*fn)(size_t i, void *arg);
	void *arg;
};

static void *work(void *arg)
{
	struct loop *l = arg;
	size_t i;

	while ((i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->n)
		l->fn(i, l->arg);
	return NULL;
}

static size_t cpus(void)
{
	cpu_set_t set;

	/* more CPUs than a cpu_set_t holds: enough for PARALLEL_MAX */
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set)
							     : PARALLEL_MAX;
}

void parallel_for(size_t n, void (*fn)(size_t i, void *arg), void *arg)
{
	struct loop l = { .n = n, .fn = fn, .arg = arg };
	pthread_t thread[PARALLEL_MAX - 1];
	size_t wanted = cpus(), made = 0;

	if (wanted > PARALLEL_MAX)
		wanted = PARALLEL_MAX;
	while (made + 1 < wanted && made + 1 < n) {
		int r = pthread_create(&thread[made], NULL, work, &l); /* style: no task of ours */

		if (r)
			break;
		made++;
	}
	(void)work(&l);
	while (made > 0)
		(void)pthread_join(thread[--made], NULL);
}
