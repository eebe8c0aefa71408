/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to worker/: the tasks of one case and the memory that they share with the supervisor.
 * A host is a process that carries tasks: one each in process mode, one per group with a thread
 * per task in thread mode.
 *
 * Life of a task: init - (batch: a short warm-up pass) - ready - gate - (rate: warm-up until the
 * phase changes) - measured part - verify - done - leave gate - end. Tasks stay until the leave
 * gate opens, so that their groups can be read while the memory is still charged.
 */
#ifndef WORKER_CREW_H
#define WORKER_CREW_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/err.h"
#include "sys/noise.h"
#include "worker/worker.h"

enum slot_state { SLOT_NEW, SLOT_READY, SLOT_DONE, SLOT_FAILED };

struct slot {
	struct task task; /* aligned to a cache-line pair */
	atomic_int state; /* enum slot_state */
	int cpu;	  /* pinned to, or -1 */
	uint64_t child_maxrss_bytes; /* DRIVER: largest program */
	struct err err;	  /* when SLOT_FAILED */
};

struct shared {
	_Alignas(CACHELINE_PAIR) atomic_uint phase; /* read in the measured loops */
	_Alignas(CACHELINE_PAIR) atomic_uint gate;  /* futex: 0 closed, 1 open */
	atomic_uint leave;			    /* futex */
	size_t bytes;				    /* of the mapping */
	_Alignas(CACHELINE_PAIR) struct slot slots[];
};

struct host {
	pid_t pid; /* 0 once reaped */
	int pidfd;
	unsigned group;
	unsigned first, count; /* its slots */
};

struct crew {
	const struct worker_job *job;
	struct workload_ctx ctx;
	bool set_up; /* the workload's setup() was called and succeeded */
	struct shared *shm;
	struct host *hosts;
	unsigned n_hosts;
	int event_fd; /* tasks write 1 when their state changed */
};

/* Shared memory and set-up; no task yet. Ended by crew_done whatever it returned. */
__must_check int crew_init(struct crew *c, const struct worker_job *job, struct err *e);
/* Forks the hosts. */
__must_check int crew_start(struct crew *c, struct err *e);
/* Waits until all tasks are in @state. Fails when one fails or dies, on abort and at the
 * deadline (0: none) with -ETIMEDOUT naming a task that is late. */
__must_check int crew_await(struct crew *c, enum slot_state state, uint64_t deadline_ns,
			    struct err *e);
/* Sleeps until @until_ns unless a task dies or fails or the run is called off. */
__must_check int crew_watch(struct crew *c, uint64_t until_ns, struct err *e);
void crew_set_phase(struct crew *c, unsigned phase);
void crew_open_gate(struct crew *c);
/* Opens the leave gate and reaps all hosts; kills those that don't end in 10 s. */
__must_check int crew_leave(struct crew *c, struct err *e);
/* Kills and reaps what is left, tears the workload down, frees. */
void crew_done(struct crew *c);

/* Runs in the child: never returns. */
__attribute__((noreturn)) void host_main(struct crew *c, const struct host *h, bool entered);

bool crew_in_threads(const struct crew *c);
void futex_wait_while(atomic_uint *word, unsigned value);
void futex_wake_all(atomic_uint *word);

/* metric.c: everything that is derived from the stamps of the tasks and of the machine. */
struct machine_stamp {
	uint64_t mono_ns, agent_cpu_ns;
	struct sys_noise noise;
};
struct measured {
	uint64_t gate_ns; /* when the gate opened */
	struct machine_stamp before, after;
	bool untrustworthy;
};
__must_check int machine_stamp(int rootfd, struct machine_stamp *ret, struct err *e);
struct groups;
void measure_report(struct crew *c, const struct groups *g, struct measured *m,
		    const struct worker_events *ev);
/* Makes a note; an untrustworthy one marks @m. */
void measure_note(struct measured *m, const struct worker_events *ev, const char *kind,
		  const char *code, const char *fmt, ...) __printf(5, 6);

#endif
