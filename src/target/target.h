/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an agent runs. A target is opened once per variant (a boot, a container; nothing for the
 * machine itself), says its facts, runs cases one at a time and is closed. Each kind is a
 * descriptor in target.c's table with a folder of its own; local/ is this machine.
 */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/kv.h"
#include "place/place.h"

struct err;
struct str;

struct target_job {
	const char *id;	      /* letters, digits, dashes: names groups and journals */
	const char *workload;
	const char *params;   /* key=value text */
	const char *place;    /* key=value text */
	uint64_t time_ns, warmup_ns, ready_ns, seed;
	bool count;	      /* in instructions: the target's clock must count them */
	int abort_fd;	      /* readable: call the case off; -1: none */
};

/* All strings of a result belong to it. */
struct target_sample {
	char *name, *unit, *help;
	bool higher_is_better, primary;
	double value;
};
struct target_counter {
	char *where, *name, *unit;
	double value;
};
struct target_place {
	unsigned group, level;
	char *path, *key, *want, *got, *file;
};
struct target_note {
	char *kind, *code, *text;
};

struct target_result {
	char *status; /* "ok", "untrustworthy", "failed" */
	char *hint;   /* of the error, "" when there is none */
	int failure;  /* errno of the error record, negative; 0: the job did not fail */
	uint64_t start_ns, end_ns;
	struct target_sample *samples; size_t n_samples;
	struct target_counter *counters; size_t n_counters;
	struct target_place *places; size_t n_places;
	struct target_note *notes; size_t n_notes; /* an error of the job is one of kind "error" */
	char *profile; /* what the TCG plugin wrote, where it was asked for; or NULL */
};
void target_result_done(struct target_result *r);

struct target;

struct target_ops {
	const char *name;
	const char *summary;
	const char *const *options; /* keys, NULL-terminated */
	/* Are the values well formed? Looks at nothing but them. NULL: nothing to check. */
	int (*check)(const struct kvs *options, struct err *e);
	/* Finds out what the target is: fills facts and env. */
	int (*open)(struct target *t, const struct kvs *options, struct err *e);
	int (*run)(struct target *t, const struct target_job *job, struct target_result *ret,
		   struct err *e);
	void (*close)(struct target *t);
	/* A target with a kernel of its own: see target_boot. */
	int (*boot)(struct target *t, struct err *e);
	bool (*is_up)(const struct target *t);
};

struct target {
	const struct target_ops *ops;
	struct place_facts facts;
	struct kvs env;	 /* the environment record */
	char *build;	 /* of the agent */
	void *priv;
};

const struct target_ops *target_find(const char *name); /* NULL when unknown */
const char *target_nearest(const char *name);
bool target_has_option(const struct target_ops *ops, const char *key);
/* -EINVAL for a key or value that can't be, before anything is opened. */
__must_check int target_check_options(const char *name, const struct kvs *options, struct err *e);
/* The program mmgauge-agent, malloc'd: beside the tool, where it is installed, $MMGAUGE_AGENT. */
__must_check int target_find_agent(char **ret, struct err *e);
/* The plugin mmgauge-tcg.so, malloc'd: beside the tool, or in ../lib/mmgauge. */
__must_check int target_find_plugin(char **ret, struct err *e);

/* @options: the target's own, from the plan. Ended with target_close, also after a failure. */
__must_check int target_open(struct target *t, const char *name, const struct kvs *options,
			     struct err *e);
/*
 * A target that boots a kernel runs nothing before target_boot, which ends the boot before and
 * fills env again: a boot is a unit of replication. After a case that took the kernel down
 * target_is_up is false. Other targets are always up, and booting them does nothing.
 */
bool target_boots(const struct target *t);
__must_check int target_boot(struct target *t, struct err *e);
bool target_is_up(const struct target *t);
/*
 * Runs a case. Returns 0 when the agent told how it ended, be it "failed", or its kernel's end
 * is known; negative when the agent could not be started, is of another build, broke off or was
 * called off (-EINTR).
 */
__must_check int target_run(struct target *t, const struct target_job *job,
			    struct target_result *ret, struct err *e);
void target_close(struct target *t);

/*
 * What every target does once it has a channel: check the greeting, read the environment, hand a
 * job over and collect the records (talk.c).
 */
struct wire_reader;
__must_check int target_read_hello(struct target *t, struct wire_reader *in, uint64_t deadline_ns,
				   struct err *e);
__must_check int target_read_env(struct target *t, struct wire_reader *in, int out_fd,
				 uint64_t deadline_ns, struct err *e);
/*
 * All that will be said to an agent that is not listened to by anybody while it runs: the job and
 * the word to go (without a job: the wish for the environment), and the end. The two calls around
 * this one are then told -1 as @out_fd.
 */
void target_write_ahead(const struct target_job *job, const char *journal, struct str *out);
/* -ETIMEDOUT at @deadline_ns (CLOCK_MONOTONIC; 0: none). */
__must_check int target_do_job(struct wire_reader *in, int out_fd, const struct target_job *job,
			       const char *journal, uint64_t deadline_ns,
			       struct target_result *ret, struct err *e);

extern const struct target_ops target_local, target_vm;

#endif
