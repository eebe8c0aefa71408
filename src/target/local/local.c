// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * This machine. Every case gets an agent of its own: address-space layout is drawn at exec, and
 * one agent for a whole variant would freeze a single draw into all of its samples.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/spawn.h"
#include "base/str.h"
#include "target/target.h"
#include "undo/undo.h"
#include "wire/wire.h"

#define HELLO_NS (10 * NSEC_PER_SEC)
/* An agent that is told to stop first takes everything back: groups, loop devices, swap. */
#define STOP_NS (30 * NSEC_PER_SEC)

struct local {
	char *agent;   /* path of the program */
	char *journal; /* directory */
};

static int start_agent(const struct local *l, struct spawn *s, struct err *e)
{
	char *argv[] = { l->agent, (char[]){ "--wire" }, NULL };

	/* it takes everything back when its pipe ends, also when this tool was killed */
	return spawn_start(argv, SPAWN_PIPE_IN | SPAWN_PIPE_OUT | SPAWN_OWN_GROUP | SPAWN_OUTLIVE,
			   s, e);
}

/* Ends an agent: at the end of its pipe it takes everything back. Waits, then kills. */
static int stop_agent(struct spawn *s, struct err *e)
{
	struct pollfd p = { .fd = s->pidfd, .events = POLLIN };
	int status;

	if (s->in >= 0)
		(void)close(s->in);
	s->in = -EBADF;
	if (poll(&p, 1, (int)(STOP_NS / NSEC_PER_MSEC)) <= 0) {
		spawn_done(s);
		return err_set(e, -ETIMEDOUT, "the agent did not end and was killed");
	}
	return spawn_wait(s, &status, e);
}

static int greet(struct target *t, struct spawn *s, struct wire_reader *in, bool with_env,
		 struct err *e)
{
	uint64_t deadline = clock_mono_ns() + HELLO_NS;
	int r = target_read_hello(t, in, deadline, e);

	if (r == 0 && with_env)
		r = target_read_env(t, in, s->in, deadline, e);
	return r;
}

/* Starts an agent, runs @job when there is one, stops it. */
static int with_agent(struct target *t, const struct target_job *job, struct target_result *ret,
		      struct err *e)
{
	struct local *l = t->priv;
	struct spawn s = SPAWN_INIT;
	struct wire_reader in;
	struct err late = { 0 };
	int r = start_agent(l, &s, e);

	if (r < 0)
		return r;
	in = WIRE_READER(s.out);
	r = greet(t, &s, &in, !job, e);
	if (r == 0 && job)
		r = target_do_job(&in, s.in, job, l->journal, 0, ret, e);
	if (stop_agent(&s, &late) < 0 && r == 0 && !job) {
		*e = late;
		r = e->code;
	}
	wire_reader_done(&in);
	return r < 0 ? err_wrap(e, r, "agent \"%s\"", l->agent) : 0;
}

static int local_open(struct target *t, const struct kvs *options, struct err *e)
{
	struct local *l = xcalloc(1, sizeof(*l));
	int r;

	t->priv = l;
	(void)options;
	l->journal = undo_default_dir();
	r = target_find_agent(&l->agent, e);
	return r < 0 ? r : with_agent(t, NULL, NULL, e);
}

static int local_run(struct target *t, const struct target_job *job, struct target_result *ret,
		     struct err *e)
{
	return with_agent(t, job, ret, e);
}

static void local_close(struct target *t)
{
	struct local *l = t->priv;

	if (!l)
		return;
	free(l->agent);
	free(l->journal);
	free(l);
	t->priv = NULL;
}

static const char *const no_options[] = { NULL };

const struct target_ops target_local = {
	.name = "local",
	.options = no_options,
	.summary = "this machine, the running kernel",
	.open = local_open,
	.run = local_run,
	.close = local_close,
};
