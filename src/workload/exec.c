// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec: any program. A run is one start of it to its end; a status other than 0, or a signal, is
 * a failed run and never a value. Its standard output and error are read through a pipe, the last
 * MiB is kept: for the error message, and for a metric picked by a pattern (match.c).
 *
 * What it used is told by wait4(2), so with those of its children that it waited for; all others
 * are in the figures of the task's group. "prepare" runs once before, outside the groups.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/spawn.h"
#include "base/str.h"
#include "workload/argv.h"
#include "workload/match.h"
#include "workload/tail.h"
#include "workload/workload.h"

static const char *const directions[] = { "higher", "lower", NULL };

static const struct param_spec exec_params[] = {
	PARAMS_TASKS,
	{ .name = "argv", .type = PARAM_TEXT, .def = "",
	  .help = "program and arguments, encoded (\"-- PROGRAM ARG...\" on the command line)" },
	{ .name = "prepare", .type = PARAM_TEXT, .def = "",
	  .help = "program and arguments that run once before, encoded" },
	{ .name = "metric_pattern", .type = PARAM_TEXT, .def = "", .max = 1000,
	  .help = "extended regular expression whose first group is the metric's value" },
	{ .name = "metric_name", .type = PARAM_TEXT, .def = "", .max = 40,
	  .help = "name of the metric that the pattern picks; it becomes the primary one" },
	{ .name = "metric_unit", .type = PARAM_TEXT, .def = "1", .min = 1, .max = 20,
	  .help = "its unit" },
	{ .name = "metric_better", .type = PARAM_CHOICE, .def = "higher", .choices = directions,
	  .help = "which way is better" },
	{ 0 },
};

enum { EXEC_USER, EXEC_SYSTEM, EXEC_RSS, EXEC_MINFLT, EXEC_MAJFLT, EXEC_PICKED };
static const struct metric_spec exec_metrics[] = {
	[EXEC_USER] = { .name = "user_s", .unit = "s", .direction = METRIC_LOWER,
			.help = "user CPU time of the programs by wait4" },
	[EXEC_SYSTEM] = { .name = "system_s", .unit = "s", .direction = METRIC_LOWER,
			  .help = "system CPU time of the programs by wait4" },
	[EXEC_RSS] = { .name = "max_rss_bytes", .unit = "B", .direction = METRIC_LOWER,
		       .help = "largest resident set of one process", .over_tasks = METRIC_MAX },
	[EXEC_MINFLT] = { .name = "minor_faults", .unit = "fault", .direction = METRIC_LOWER,
			  .help = "page faults without I/O by wait4" },
	[EXEC_MAJFLT] = { .name = "major_faults", .unit = "fault", .direction = METRIC_LOWER,
			  .help = "page faults with I/O by wait4" },
	[EXEC_PICKED] = { 0 },
};

struct state {
	struct strv argv;
	struct str output;
};

static uint64_t unknown_memory(const struct params *p __unused)
{
	return 0;
}

static bool named_metric(const struct params *p, struct metric_spec *ret)
{
	if (!*params_text(p, "metric_name"))
		return false;
	*ret = (struct metric_spec){
		.name = params_text(p, "metric_name"),
		.unit = params_text(p, "metric_unit"),
		.direction = params_u64(p, "metric_better") ? METRIC_LOWER : METRIC_HIGHER,
		.help = "picked from the program's output",
		.over_tasks = METRIC_MEAN,
	};
	return true;
}

/* What worker/ derives: see the table in worker/metric.c. */
static const char *const derived[] = {
	"elapsed_s", "ops_per_s", "ops_per_cpu_s", "ops_per_machine_cpu_s",
	"faults_per_op", "bytes_per_fault", "bytes_per_s", "cpu_s",
};

static int check_metric_name(const char *name, struct err *e)
{
	bool taken = false;

	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		return err_set(e, -EINVAL,
			       "metric name \"%s\" is not made of a-z, 0-9 and \"_\"", name);
	for (const struct metric_spec *m = exec_metrics; m->name; m++)
		if (strcmp(m->name, name) == 0)
			taken = true;
	for (size_t i = 0; i < ARRAY_LEN(derived); i++)
		if (strcmp(derived[i], name) == 0)
			taken = true;
	if (taken)
		return err_set(e, -EINVAL, "metric \"%s\" is there without a pattern", name);
	return 0;
}

static int check(const struct params *p, struct err *e)
{
	_cleanup_strv_ struct strv args = { 0 };
	const char *name = params_text(p, "metric_name");
	const char *pattern = params_text(p, "metric_pattern");
	int r = argv_decode(params_text(p, "argv"), &args, e);

	if (r == 0)
		r = argv_decode(params_text(p, "prepare"), &args, e);
	if (r < 0)
		return r;
	if (params_u64(p, "mode") == MODE_THREAD)
		return err_set(e, -EINVAL, "a program is a process: mode can't be \"thread\"");
	if (!*name != !*pattern)
		return err_set(e, -EINVAL, "metric_name and metric_pattern go together");
	r = check_metric_name(name, e);
	return r < 0 || !*pattern ? r : match_check(pattern, e);
}

static int setup(struct workload_ctx *ctx, struct err *e)
{
	_cleanup_strv_ struct strv args = { 0 };
	int r = argv_decode(params_text(ctx->params, "prepare"), &args, e);

	if (r < 0 || args.n == 0)
		return r;
	r = spawn_run(args.v, NULL, e);
	return r < 0 ? err_wrap(e, r, "could not prepare") : 0;
}

static void state_free(struct state *s)
{
	strv_done(&s->argv);
	str_done(&s->output);
	free(s);
}

static int task_init(struct task *t, struct err *e)
{
	struct state *s = xcalloc(1, sizeof(*s));
	int r = argv_decode(params_text(t->params, "argv"), &s->argv, e);

	s->output = STR_INIT(TAIL_MAX);
	if (r == 0 && s->argv.n == 0) {
		r = err_set(e, -EINVAL, "exec has no program to run");
		err_hint(e, "give it after \"--\", or as argv in a plan");
	}
	if (r < 0) {
		state_free(s);
		return r;
	}
	t->priv = s;
	return 0;
}

static double timeval_s(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static void set_metrics(struct task *t, const struct rusage *ru)
{
	task_metric(t, EXEC_USER, timeval_s(ru->ru_utime));
	task_metric(t, EXEC_SYSTEM, timeval_s(ru->ru_stime));
	task_metric(t, EXEC_RSS, (double)ru->ru_maxrss * 1024);
	task_metric(t, EXEC_MINFLT, (double)ru->ru_minflt);
	task_metric(t, EXEC_MAJFLT, (double)ru->ru_majflt);
}

static int run(struct task *t, struct err *e)
{
	struct state *s = t->priv;
	struct spawn p = SPAWN_INIT;
	struct rusage ru;
	char how[80];
	int status, r;

	str_clear(&s->output);
	r = spawn_start(s->argv.v, SPAWN_PIPE_OUT | SPAWN_ERR_TO_OUT, &p, e);
	if (r < 0)
		return r;
	tail_read(&p, &s->output);
	r = spawn_wait4(&p, &status, &ru, e);
	if (r < 0)
		return r;
	if (status != 0)
		return err_set(e, -EIO, "program \"%s\" %s: %s", s->argv.v[0],
			       spawn_describe(status, how, sizeof(how)),
			       tail_last_line(&s->output));
	set_metrics(t, &ru);
	task_count(t, 1);
	return 0;
}

static int verify(struct task *t, struct err *e)
{
	const char *pattern = params_text(t->params, "metric_pattern");
	const struct state *s = t->priv;
	double value;
	int r;

	if (atomic_load_explicit(&t->ops, memory_order_relaxed) != 1)
		return err_set(e, -EIO, "program \"%s\" did not run to its end", s->argv.v[0]);
	if (!*pattern)
		return 0;
	r = match_number(pattern, str_text(&s->output), &value, e);
	if (r < 0)
		return err_wrap(e, r, "output of \"%s\"", s->argv.v[0]);
	task_metric(t, EXEC_PICKED, value);
	return 0;
}

static void task_done(struct task *t)
{
	state_free(t->priv);
	t->priv = NULL;
}

const struct workload workload_exec = {
	.name = "exec",
	.summary = "any program, from its start to its end",
	.revision = 1,
	.kind = WORKLOAD_DRIVER,
	.op = "run of the program",
	.timed = "fork, exec, the program, its exit",
	.exercises = "whatever the program does",
	.sleeps = true,
	.can_reclaim = true,
	.params = exec_params,
	.metrics = exec_metrics,
	.named_metric = named_metric,
	.footprint_bytes = unknown_memory,
	.check = check,
	.setup = setup,
	.task_init = task_init,
	.run = run,
	.verify = verify,
	.task_done = task_done,
};
