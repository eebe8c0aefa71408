/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs, cores and memory nodes, and orders in which tasks take CPUs. */
#ifndef SYS_TOPO_H
#define SYS_TOPO_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/num.h"

struct err;

struct sys_node {
	unsigned id;
	struct num_set cpus;	 /* online ones */
	uint64_t mem_total_bytes; /* 0: a node without memory */
	uint64_t mem_free_bytes;
};

struct sys_topo {
	struct num_set online, possible; /* CPUs */
	struct num_set allowed;	     /* online CPUs that this process may run on */
	struct num_set allowed_mems; /* memory nodes that it may use */
	unsigned *core_of;  /* [CPU]: lowest CPU number of its core; length n_cpus */
	unsigned *node_of;  /* [CPU]: id of its node */
	size_t n_cpus;	    /* highest online CPU + 1 */
	unsigned n_cores;   /* cores with a CPU online */
	struct sys_node *nodes; /* in rising order of id; without NUMA one node 0 */
	size_t n_nodes;
};

__must_check int sys_topo_read(int rootfd, struct sys_topo *ret, struct err *e);
void sys_topo_done(struct sys_topo *t); /* a zeroed one is fine */
#define _cleanup_topo_ __attribute__((cleanup(sys_topo_done)))

enum sys_order {
	/* fill a core, then a node, before the next: by node, core, CPU number */
	SYS_ORDER_COMPACT,
	/* one CPU of each core before the second of any: by rank in the core, node, core */
	SYS_ORDER_CORES,
	/* nodes take turns in rising order; within a node as SYS_ORDER_CORES. A node that has no
	 * CPU left is passed over */
	SYS_ORDER_NODES,
};

/*
 * Writes the members of @among that are online to @ret_cpus (room for NUM_SET_MAX) in order
 * @how and returns their number. A CPU's rank in its core counts the siblings in @among only, so
 * with a second hardware thread alone in @among that thread is the first of its core.
 */
size_t sys_topo_order(const struct sys_topo *t, const struct num_set *among, enum sys_order how,
		      unsigned *ret_cpus);

#endif
