/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: places and runs one case at a time and reports records (wire/wire.h) on a
 * descriptor. session.c serves a host tool; main.c also runs a single case from its command
 * line, so that the binary can be dropped on any machine.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "wire/wire.h"

struct err;

struct agent {
	int rootfd;	/* "/" */
	int out_fd;	/* records go there */
	int stop_fd;	/* readable when a signal asks us to end */
	int abort_fd;	/* readable when the running case is to be called off: a signal, or the
			   host went away or spoke out of turn */
	struct wire_reader *in; /* NULL when run from the command line */
	struct str out;	/* records not yet written */
};

struct agent_job {
	const char *id;	      /* names groups and the journal; letters, digits, dashes */
	const char *workload;
	const char *params;   /* key=value text */
	const char *place;    /* key=value text */
	const char *journal;  /* directory, or NULL: the default one */
	uint64_t time_ns, warmup_ns, ready_ns, seed;
	bool count;	      /* see worker_job */
};

/*
 * Runs a job and emits its records, up to and with `done`. Returns 0 when `done` was written,
 * whatever became of the job (*@ret_ok); negative when the host can't be reached any more.
 */
__must_check int agent_case(struct agent *a, const struct agent_job *job, bool *ret_ok,
			    struct err *e);
/* Serves a host tool until `quit` or the end of its pipe. */
__must_check int agent_serve(struct agent *a, struct err *e);
/* The greeting: protocol, build id, facts for place_check. */
__must_check int agent_hello(struct agent *a, struct err *e);

/* emit.c: one record each; errors of writing surface in agent_flush. */
void agent_emit_error(struct agent *a, const struct err *why);
void agent_emit_done(struct agent *a, const char *id, const char *status, uint64_t start_ns,
		     uint64_t end_ns);
__must_check int agent_flush(struct agent *a, struct err *e);

struct worker_events;
struct place;
/* Events of worker/ as records; ready waits for `go`. */
void agent_events(struct agent *a, struct worker_events *ret);
/* The placement as the kernel tells it now. */
__must_check int agent_emit_place(struct agent *a, const struct place *p, struct err *e);

#endif
