/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload is. Each lives in one file named after it and defines
 * `const struct workload workload_NAME`; list.h names them all. A workload doesn't know in which
 * group, container or kernel it runs, nor who counts its time: worker/ calls its hooks, keeps the
 * clock and makes the rates. Help, man section and contract test come from the descriptor.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/kv.h"

struct err;
struct str;

enum workload_kind {
	WORKLOAD_RATE,	  /* loops until told to stop; value = operations / measured time */
	WORKLOAD_BATCH,	  /* a fixed amount of work; value = seconds from gate to the last end */
	WORKLOAD_DRIVER,  /* runs a real program and reads its report */
};

enum param_type {
	PARAM_U64,
	PARAM_SIZE,	/* bytes, "64K" */
	PARAM_DURATION, /* nanoseconds, "3s" */
	PARAM_CHOICE,	/* one of the words in `choices`, parsed to its index */
	PARAM_BOOL,
	PARAM_TEXT,
};

/* Tables of these end with an entry without a name. */
struct param_spec {
	const char *name;
	enum param_type type;
	const char *def;  /* default, as text; must parse */
	const char *help; /* one line, lower case */
	uint64_t min, max; /* inclusive; length in bytes for PARAM_TEXT; max 0 = no upper bound */
	const char *const *choices; /* NULL-terminated, for PARAM_CHOICE */
};

struct param_value {
	uint64_t u;	/* numeric types, choice index, bool */
	char *text;	/* canonical text: "128M", "process" */
};

struct params {
	const struct param_spec *spec;
	struct param_value *v; /* one per spec entry, in order */
	size_t n;
};

/* By name; asking for a parameter that the workload doesn't have is our bug (assert). */
uint64_t params_u64(const struct params *p, const char *name);
const char *params_text(const struct params *p, const char *name);
bool params_have(const struct params *p, const char *name);

enum metric_direction { METRIC_HIGHER, METRIC_LOWER };

/*
 * Metrics beyond those that worker/ derives for every workload of a kind (see worker/metric.h).
 * Values are set with task_metric() by the workload; worker/ adds or averages over tasks.
 */
struct metric_spec {
	const char *name;
	const char *unit;
	enum metric_direction direction;
	const char *help;
	enum { METRIC_SUM, METRIC_MEAN, METRIC_MAX } over_tasks;
};

enum workload_need {
	NEED_ROOT = 1,
	NEED_DIR = 2,	     /* files in the work directory */
	NEED_REAL_CACHE = 4, /* a page-cache file system: tmpfs does not do */
	NEED_SWAP = 8,
	NEED_MEMCG = 16,     /* a memory controller in the placement */
};

#define TASK_METRICS_MAX 8

/* Values of *task.phase; task.my_phase is one of the first two. */
enum task_phase { PHASE_WARM, PHASE_RUN, PHASE_STOP };

/*
 * One task: a process or a thread. It lives in shared memory, one per cache-line pair for the
 * part written in the measured loop. Hooks run in the task itself.
 */
struct task {
	/* Written in the loop, read by the supervisor; nothing else shares these lines. */
	_Alignas(CACHELINE_PAIR) atomic_ullong ops;
	/* Read in the loop. */
	_Alignas(CACHELINE_PAIR) const atomic_uint *phase; /* shared by all tasks of a case */
	const atomic_uint *pass;  /* as phase; whole passes: a word that never changes */
	atomic_uint own_phase;	  /* that word: my_phase again */
	unsigned my_phase; /* go on while *phase has this value */
	unsigned index;	   /* 0.. over all tasks of the case */
	unsigned group;	   /* 0.. which group it is in */
	unsigned member;   /* 0.. within its group */
	unsigned n_tasks;  /* all tasks of the case */
	unsigned per_group;
	int dirfd;	   /* work directory, or -EBADF when the workload needs none */
	uint64_t seed;	   /* for access patterns: same in every variant and round of a case */
	const struct params *params;
	void *priv;	   /* the workload's own, set up in task_init */
	void *shared;	   /* what setup() returned in ctx->shared, common to all tasks */

	/* Filled by worker/ around the measured part; verify() may read them. */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns, user_ns, sys_ns;
	uint64_t minflt, majflt, nvcsw, nivcsw;
	/* Set by run() where they mean something; worker/ clears them after the warm-up. */
	uint64_t bytes;		/* data moved: read, written, walked over */
	uint64_t touched_bytes; /* memory whose first touches the operations were: per fault */
	double metric[TASK_METRICS_MAX];
};

/* True while the task should go on: one relaxed load of a line that nobody writes meanwhile. */
static inline bool task_running(const struct task *t)
{
	return atomic_load_explicit(t->phase, memory_order_relaxed) == t->my_phase;
}

/*
 * The same within a pass, whose parts don't cost alike (touching a mapping and unmapping it): where
 * operations are counted in instructions a pass that was begun is finished, so that its parts are
 * in proportion whenever the stop comes.
 */
static inline bool task_in_pass(const struct task *t)
{
	return atomic_load_explicit(t->pass, memory_order_relaxed) == t->my_phase;
}

/* Counts by a plain add to the task's own line: one writer, so no locked instruction. */
static inline void task_count(struct task *t, uint64_t n)
{
	atomic_store_explicit(&t->ops,
			      atomic_load_explicit(&t->ops, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

/* Sets metric number @i of the workload's `metrics` table. */
static inline void task_metric(struct task *t, size_t i, double value)
{
	t->metric[i] = value;
}

/* What is common to the tasks of one case; setup() and teardown() run in the supervisor. */
struct workload_ctx {
	const struct params *params;
	unsigned n_tasks;
	unsigned n_groups;
	unsigned per_group;
	int dirfd;    /* work directory or -EBADF */
	void *shared; /* setup() may put shared memory (MAP_SHARED) or read-only data here */
	size_t shared_bytes;
};

struct workload {
	const char *name;
	const char *summary;
	unsigned revision; /* up when the meaning of an operation changes; compare refuses a mix */
	enum workload_kind kind;
	const char *op;	   /* what one operation is, singular: "page touched" */
	const char *timed; /* what is inside the timed part */
	const char *exercises; /* kernel paths it is meant to load */
	bool sleeps;	   /* may block: then the wall rate is primary even with one task */
	bool pin_default;  /* task k on CPU k mod n even when the placement pins nothing */
	bool can_reclaim;  /* stands a limit below its footprint without swap: page cache */
	unsigned needs;	   /* enum workload_need, or-ed */
	const char *default_fs; /* value of the placement key "fs" when none is given, or NULL */
	const struct param_spec *params; /* PARAMS_TASKS, then the workload's own */
	const struct metric_spec *metrics; /* own ones, or NULL; read by workload_metrics() */
	/* One more whose name the user chose; false when there is none. May be NULL. */
	bool (*named_metric)(const struct params *p, struct metric_spec *ret);

	/* Memory that the tasks of one group use, for the check against limits. */
	uint64_t (*footprint_bytes)(const struct params *p);
	/* Further checks of parameters against each other, without side effects. May be NULL. */
	int (*check)(const struct params *p, struct err *e);

	/*
	 * All hooks but run may be NULL. One that fails has taken back what it did. run() is
	 * called twice, for warm-up and for real, but once for DRIVER; BATCH does at least a
	 * twentieth of its work when my_phase is PHASE_WARM, the others go on until stopped.
	 */
	int (*setup)(struct workload_ctx *ctx, struct err *e);
	int (*task_init)(struct task *t, struct err *e); /* before the gate, may allocate */
	int (*run)(struct task *t, struct err *e); /* see kind; called for warm-up and for real */
	/* Did it do what it claims? Called after the end stamps, so it may set slow metrics. */
	int (*verify)(struct task *t, struct err *e);
	void (*task_done)(struct task *t);
	void (*teardown)(struct workload_ctx *ctx);
};

/* The two parameters that every workload with tasks has; put first in its table. */
extern const char *const workload_modes[]; /* process, thread */
#define PARAM_MODE                                                                           \
	{ .name = "mode", .type = PARAM_CHOICE, .def = "process", .choices = workload_modes,   \
	  .help = "tasks are processes or threads of one process per group" }
#define PARAMS_TASKS                                                                         \
	{ .name = "tasks", .type = PARAM_U64, .def = "1", .min = 1, .max = 4096,               \
	  .help = "tasks in each group" },                                                     \
	PARAM_MODE
enum { MODE_PROCESS, MODE_THREAD };

/* All workloads, NULL-terminated, in the order of list.h. */
extern const struct workload *const workload_table[];
const struct workload *workload_find(const char *name); /* NULL when unknown */
/* Where files go when nobody says: its own choice, a tmpfs of the run, or NULL: it has none. */
const char *workload_default_fs(const struct workload *w);
/* Nearest name for an error message, or NULL. */
const char *workload_nearest(const char *name);

/*
 * Parses @kvs against the workload's table: every key known, every value in range, defaults for
 * the rest, then the workload's check(). *@ret is ended with params_done.
 */
__must_check int params_parse(const struct workload *w, const struct kvs *kvs, struct params *ret,
			      struct err *e);
void params_done(struct params *p);
/* All parameters in table order with canonical values, as kvs_parse reads them: the identity of
 * a case. */
void params_format(const struct params *p, struct str *out);
/*
 * Fills @ret[0..TASK_METRICS_MAX) with the workload's own metrics under these parameters, in the
 * order of task.metric[]; returns how many. Names live as long as @p.
 */
size_t workload_metrics(const struct workload *w, const struct params *p,
			struct metric_spec *ret);
/* Name of the primary derived metric: see design, "one primary metric a workload". */
const char *workload_primary(const struct workload *w, const struct params *p, unsigned n_tasks);

#define DECLARE_WORKLOAD(name) extern const struct workload workload_##name
#define WORKLOAD(name) DECLARE_WORKLOAD(name);
#include "workload/list.h"
#undef WORKLOAD

#endif
