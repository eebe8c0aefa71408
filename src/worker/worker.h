/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the tasks of one case in their placement, opens the gate, keeps the clock, stops and
 * reaps them, and turns what they counted into metrics. The only layer that forks tasks or makes
 * threads. Shared memory and task life: crew.h; rates: metric.c.
 *
 * What is timed. RATE: each task's own time from its first operation after the warm-up to the end
 * of the operation in which it saw the stop; operations are divided by that time, task by task,
 * and the rates added. BATCH and DRIVER: from the opening of the gate to the last task's end. No
 * counter is read, nothing is printed and no signal is sent between gate and stop.
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "workload/workload.h"

struct err;
struct place;

struct worker_job {
	const struct workload *w;
	const struct params *params;
	const struct place *place; /* made; borrowed */
	int rootfd;		   /* of the machine, for proc/stat; borrowed */
	uint64_t time_ns;	   /* measured part of RATE workloads */
	uint64_t warmup_ns;	   /* before it; longer while a limit is on its way to be hit */
	uint64_t seed;		   /* same in every variant and round of a case */
	/*
	 * The clock counts instructions (a guest under icount): passes are finished, the supervisor
	 * stays quiet until they are, and the value is instructions per operation.
	 */
	bool count;
	uint64_t ready_ns; /* how long tasks may take to get ready, and to stop when told */
	int abort_fd;	   /* readable: kill the tasks and return -EINTR; -1: none */
};

struct worker_sample {
	const char *name, *unit, *help;
	bool higher_is_better, primary;
	double value;
};

/* Kinds of notes: "warning" informs, "untrustworthy" marks the run. */
struct worker_events {
	/* All tasks wait at the gate; *@ret_at_ns says when to open it (0: now). NULL: now. */
	int (*ready)(void *arg, uint64_t *ret_at_ns, struct err *e);
	void (*sample)(void *arg, const struct worker_sample *s);
	/* @where: "task/3", "group/0", "machine", "agent" */
	void (*counter)(void *arg, const char *where, const char *name, const char *unit,
			double value);
	void (*note)(void *arg, const char *kind, const char *code, const char *text);
	void *arg;
};

struct worker_result {
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC: first start to last end of the tasks */
	bool untrustworthy;	   /* a note of that kind was made */
};

/*
 * Runs the case once. Fails when a task could not be started, died, reported an error, never got
 * ready or did not stop; no task is left alive in any case. Events are called only outside the
 * timed part, before this returns.
 */
__must_check int worker_run(const struct worker_job *job, const struct worker_events *ev,
			    struct worker_result *ret, struct err *e);

#endif
