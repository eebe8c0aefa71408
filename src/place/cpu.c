// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs and memory nodes of tasks. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "place/internal.h"

static enum sys_order order_of(enum place_spread s)
{
	switch (s) {
	case SPREAD_COMPACT:
		return SYS_ORDER_COMPACT;
	case SPREAD_CORES:
		return SYS_ORDER_CORES;
	case SPREAD_NODES:
		return SYS_ORDER_NODES;
	}
	return SYS_ORDER_COMPACT;
}

int place_open_cpus(struct place *p, struct err *e)
{
	_cleanup_topo_ struct sys_topo topo = { 0 };
	_cleanup_free_ char *text = NULL;
	int r;

	if (p->spec->bound) {
		_cleanup_free_ char *mems = num_set_format(&p->spec->mems);

		place_record(p, 0, 0, "", "mems", mems, mems, "set_mempolicy");
	}
	if (!p->spec->pinned)
		return 0;
	r = sys_topo_read(p->rootfd, &topo, e);
	if (r < 0)
		return r;
	p->cpus = xcalloc(NUM_SET_MAX, sizeof(*p->cpus));
	p->n_cpus = sys_topo_order(&topo, &p->spec->cpus, order_of(p->spec->spread), p->cpus);
	if (!p->n_cpus)
		return err_set(e, -EINVAL, "none of the CPUs to be pinned to is online");
	text = num_set_format(&p->spec->cpus);
	place_record(p, 0, 0, "", "cpus", text, text, "sched_setaffinity");
	return 0;
}

int place_pin(const struct place *p, unsigned index, unsigned n_tasks, int *ret_cpu, struct err *e)
{
	size_t bytes = CPU_ALLOC_SIZE(NUM_SET_MAX);
	_cleanup_free_ cpu_set_t *set = NULL, *got = NULL;
	unsigned cpu;

	(void)n_tasks;
	*ret_cpu = -1;
	if (!p->n_cpus)
		return 0;
	cpu = p->cpus[index % p->n_cpus];
	set = xcalloc(1, bytes);
	got = xcalloc(1, bytes);
	CPU_SET_S(cpu, bytes, set);
	if (sched_setaffinity(0, bytes, set) < 0)
		return err_errno(e, errno, "could not pin task %u to CPU %u", index + 1, cpu);
	if (sched_getaffinity(0, bytes, got) < 0 || !CPU_EQUAL_S(bytes, set, got))
		return err_set(e, -EIO, "task %u was pinned to CPU %u but may run elsewhere",
			       index + 1, cpu);
	*ret_cpu = (int)cpu;
	return 0;
}

static cpu_set_t *to_cpu_set(const struct num_set *set)
{
	size_t bytes = CPU_ALLOC_SIZE(NUM_SET_MAX);
	cpu_set_t *out = xcalloc(1, bytes);

	for (size_t i = 0; i < NUM_SET_MAX; i++)
		if (num_set_has(set, i))
			CPU_SET_S(i, bytes, out);
	return out;
}

void place_step_aside(const struct place *p, struct num_set *ret_old)
{
	size_t bytes = CPU_ALLOC_SIZE(NUM_SET_MAX);
	_cleanup_free_ cpu_set_t *now = xcalloc(1, bytes), *want = NULL;
	struct num_set others = { 0 };

	*ret_old = (struct num_set){ 0 };
	if (!p->n_cpus || sched_getaffinity(0, bytes, now) < 0)
		return;
	for (size_t i = 0; i < NUM_SET_MAX; i++) {
		if (!CPU_ISSET_S(i, bytes, now))
			continue;
		num_set_add(ret_old, i);
		if (!num_set_has(&p->spec->cpus, i))
			num_set_add(&others, i);
	}
	want = to_cpu_set(&others);
	if (num_set_count(&others))
		(void)sched_setaffinity(0, bytes, want); /* a courtesy, no promise */
}

void place_step_back(const struct place *p, const struct num_set *old)
{
	_cleanup_free_ cpu_set_t *want = to_cpu_set(old);

	if (p->n_cpus && num_set_count(old))
		(void)sched_setaffinity(0, CPU_ALLOC_SIZE(NUM_SET_MAX), want);
}

/* The kernel takes at most MAX_NUMNODES bits: 1024 on the largest configurations. */
#define NODES_MAX 1024
#define NODE_BITS (8 * sizeof(unsigned long))

int place_bind_mems(const struct place *p, struct err *e)
{
	unsigned long mask[NODES_MAX / NODE_BITS] = { 0 }, got[NODES_MAX / NODE_BITS] = { 0 };
	int mode = MPOL_DEFAULT;

	if (!p->spec->bound)
		return 0;
	for (size_t i = 0; i < NODES_MAX; i++)
		if (num_set_has(&p->spec->mems, i))
			mask[i / NODE_BITS] |= 1ul << (i % NODE_BITS);
	if (syscall(SYS_set_mempolicy, MPOL_BIND, mask, (unsigned long)NODES_MAX) < 0)
		return err_errno(e, errno, "could not bind to memory nodes");
	if (syscall(SYS_get_mempolicy, &mode, got, (unsigned long)NODES_MAX, NULL, 0ul) < 0)
		return err_errno(e, errno, "could not read the memory policy back");
	if (mode != MPOL_BIND || memcmp(mask, got, sizeof(mask)) != 0)
		return err_set(e, -EIO, "a task was bound to memory nodes but may use others");
	return 0;
}
