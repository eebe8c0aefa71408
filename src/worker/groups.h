/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to worker/: what the leaves of the placement say before and after the measured part. */
#ifndef WORKER_GROUPS_H
#define WORKER_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroup/cgroup.h"

struct err;
struct measured;
struct place;
struct worker_events;

struct groups {
	const struct place *place;
	unsigned n; /* 0: tasks run in no group that can be read */
	struct cg_usage *before, *after;
};

__must_check int groups_init(struct groups *g, const struct place *p, struct err *e);
void groups_done(struct groups *g);
/* How many of the limited groups, at whatever level, were never reached by their limit. */
unsigned groups_unreached(const struct groups *g);
uint64_t groups_peak_sum(const struct groups *g);
__must_check int groups_read_before(struct groups *g, struct err *e);
__must_check int groups_read_after(struct groups *g, struct err *e);
/* Counters "group/N", and notes on limits never reached, OOM kills, counters gone backwards. */
void groups_report(const struct groups *g, struct measured *m, const struct worker_events *ev);
/* CPU time that our own groups used in between, or CG_UNKNOWN. */
uint64_t groups_cpu_ns(const struct groups *g);
/* Processes in our groups beyond the @n_hosts of the tasks; 0 when the groups aren't ours. */
uint64_t groups_strangers(const struct groups *g, unsigned n_hosts);

#endif
