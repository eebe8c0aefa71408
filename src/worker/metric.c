// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics derived from the stamps of the tasks and of the machine, and the notes that mark them.
 *
 *	ops_per_s		sum over tasks of operations / measured seconds of that task
 *	ops_per_cpu_s		all operations / CPU seconds of all tasks
 *	ops_per_machine_cpu_s	all operations / CPU seconds of the machine outside idle
 *	instructions_per_op	counting: first start to last end of the tasks / operations
 *	task_instructions_per_op
 *				counting: CPU time of the tasks alone / operations
 *	elapsed_s		BATCH, DRIVER: gate to the last task's end
 *	cpu_s			DRIVER: of the programs and all their descendants, by their group
 *	faults_per_op		minor and major faults by rusage / operations
 *	bytes_per_fault		bytes that the workload says it touched first / faults
 *	bytes_per_s		sum over tasks of bytes / measured seconds
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "worker/crew.h"
#include "worker/groups.h"

/* Shares of the capacity of the tasks' CPUs beyond which a run is marked or remarked on. */
#define STEAL_MARKED 0.02
#define FOREIGN_REMARKED 0.05
#define COMMON_WINDOW 0.90

#define METRIC_INSTRUCTIONS "instructions_per_op"

int machine_stamp(int rootfd, struct machine_stamp *ret, struct err *e)
{
	struct machine_stamp m = { 0 };
	int r = sys_noise_read(rootfd, &m.noise, e);

	if (r < 0)
		return r;
	m.agent_cpu_ns = clock_process_cpu_ns();
	m.mono_ns = clock_mono_ns();
	*ret = m;
	return 0;
}

void measure_note(struct measured *m, const struct worker_events *ev, const char *kind,
		  const char *code, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strcmp(kind, "untrustworthy") == 0)
		m->untrustworthy = true;
	ev->note(ev->arg, kind, code, text);
}

struct totals {
	double ops, ops_per_s, bytes, bytes_per_s, touched_bytes, faults;
	double cpu_s;	   /* of all tasks */
	double elapsed_s;  /* gate to last end */
	uint64_t first_start, last_start, first_end, last_end;
};

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NSEC_PER_SEC;
}

static struct totals add_up(const struct crew *c, const struct measured *m)
{
	struct totals t = { .first_start = UINT64_MAX, .first_end = UINT64_MAX };

	for (unsigned i = 0; i < c->ctx.n_tasks; i++) {
		const struct task *k = &c->shm->slots[i].task;
		double ops = (double)atomic_load_explicit(&k->ops, memory_order_relaxed);
		double wall = seconds(k->end_ns - k->start_ns);

		t.ops += ops;
		t.bytes += (double)k->bytes;
		t.touched_bytes += (double)k->touched_bytes;
		t.faults += (double)(k->minflt + k->majflt);
		t.cpu_s += seconds(k->cpu_ns);
		if (wall > 0) {
			t.ops_per_s += ops / wall;
			t.bytes_per_s += (double)k->bytes / wall;
		}
		t.first_start = k->start_ns < t.first_start ? k->start_ns : t.first_start;
		t.last_start = k->start_ns > t.last_start ? k->start_ns : t.last_start;
		t.first_end = k->end_ns < t.first_end ? k->end_ns : t.first_end;
		t.last_end = k->end_ns > t.last_end ? k->end_ns : t.last_end;
	}
	t.elapsed_s = seconds(t.last_end - m->gate_ns);
	return t;
}

static void task_counters(const struct crew *c, const struct worker_events *ev)
{
	for (unsigned i = 0; i < c->ctx.n_tasks; i++) {
		const struct slot *s = &c->shm->slots[i];
		const struct task *t = &s->task;
		double ops = (double)atomic_load_explicit(&t->ops, memory_order_relaxed);
		char where[32];

		(void)snprintf(where, sizeof(where), "task/%u", i);
		ev->counter(ev->arg, where, "ops", "op", ops);
		ev->counter(ev->arg, where, "wall", "s", seconds(t->end_ns - t->start_ns));
		ev->counter(ev->arg, where, "cpu", "s", seconds(t->cpu_ns));
		ev->counter(ev->arg, where, "user", "s", seconds(t->user_ns));
		ev->counter(ev->arg, where, "system", "s", seconds(t->sys_ns));
		ev->counter(ev->arg, where, "minflt", "fault", (double)t->minflt);
		ev->counter(ev->arg, where, "majflt", "fault", (double)t->majflt);
		ev->counter(ev->arg, where, "nvcsw", "switch", (double)t->nvcsw);
		ev->counter(ev->arg, where, "nivcsw", "switch", (double)t->nivcsw);
		ev->counter(ev->arg, where, "on_cpu", "cpu", (double)s->cpu);
		if (t->bytes)
			ev->counter(ev->arg, where, "bytes", "byte", (double)t->bytes);
	}
}

struct report {
	struct crew *c;
	struct measured *m;
	const struct worker_events *ev;
	const char *primary;
};

static void emit(const struct report *r, const char *name, const char *unit, bool higher,
		 const char *help, double value)
{
	struct worker_sample s = {
		.name = name,
		.unit = unit,
		.help = help,
		.higher_is_better = higher,
		.primary = strcmp(name, r->primary) == 0,
		.value = value,
	};

	r->ev->sample(r->ev->arg, &s);
}

/* A quotient is only printed when its divisor was measurable. */
static void emit_ratio(const struct report *r, const char *name, const char *unit, bool higher,
		       const char *help, double num, double den)
{
	if (den > 0)
		emit(r, name, unit, higher, help, num / den);
	else
		measure_note(r->m, r->ev, "untrustworthy", "below_resolution",
			     "%s can't be told: the time was below the clock's resolution", name);
}

/* Everything the machine tells beside CPU time, which machine_metrics() puts into seconds. */
static void noise_counter(const char *name, const char *unit, uint64_t value, void *arg)
{
	const struct worker_events *const *evp = arg;
	const struct worker_events *ev = *evp;

	if (strcmp(name, "busy_ns") != 0 && strcmp(name, "idle_ns") != 0 &&
	    strcmp(name, "steal_ns") != 0)
		ev->counter(ev->arg, "machine", name, unit, (double)value);
}

/* Notes on what the machine did beside the tasks, as shares of its CPU time in the window. */
static void machine_notes(const struct report *r, double foreign, double steal)
{
	if (steal > STEAL_MARKED)
		measure_note(r->m, r->ev, "untrustworthy", "steal",
			     "the hypervisor took %.1f %% of the machine's CPU time", 100 * steal);
	if (foreign > FOREIGN_REMARKED)
		measure_note(r->m, r->ev, "warning", "foreign_cpu",
			     "other processes used %.1f %% of the machine's CPU time",
			     100 * foreign);
}

static void machine_metrics(const struct report *r, const struct totals *t)
{
	const struct machine_stamp *a = &r->m->before, *b = &r->m->after;
	double busy_s, steal_s, agent_s, foreign_s, capacity_s;
	const struct worker_events *ev = r->ev;
	struct sys_noise d;

	sys_noise_delta(&a->noise, &b->noise, &d);
	if (d.busy_ns == SYS_UNKNOWN || d.idle_ns == SYS_UNKNOWN || d.steal_ns == SYS_UNKNOWN) {
		measure_note(r->m, r->ev, "untrustworthy", "counter_backwards",
			     "the machine's CPU time went backwards");
		return;
	}
	busy_s = seconds(d.busy_ns);
	steal_s = seconds(d.steal_ns);
	agent_s = seconds(b->agent_cpu_ns - a->agent_cpu_ns);
	foreign_s = fmax(busy_s - t->cpu_s - agent_s, 0);
	capacity_s = busy_s + steal_s + seconds(d.idle_ns);
	r->ev->counter(r->ev->arg, "machine", "busy", "s", busy_s);
	r->ev->counter(r->ev->arg, "machine", "steal", "s", steal_s);
	r->ev->counter(r->ev->arg, "machine", "foreign_cpu", "s", foreign_s);
	r->ev->counter(r->ev->arg, "machine", "wall", "s", seconds(b->mono_ns - a->mono_ns));
	r->ev->counter(r->ev->arg, "agent", "cpu", "s", agent_s);
	sys_noise_each(&d, noise_counter, &ev);
	if (t->ops > 0)
		emit_ratio(r, "ops_per_machine_cpu_s", "op/s", true,
			   "operations per CPU second of the whole machine outside idle", t->ops,
			   busy_s);
	if (capacity_s > 0 && !r->c->job->count) /* ticks of one CPU tell nothing here */
		machine_notes(r, foreign_s / capacity_s, steal_s / capacity_s);
}

static void rate_metrics(const struct report *r, const struct totals *t)
{
	if (t->ops > 0) {
		emit(r, "ops_per_s", "op/s", true, "operations per wall second, tasks added",
		     t->ops_per_s);
		emit_ratio(r, "ops_per_cpu_s", "op/s", true,
			   "operations per CPU second of the tasks", t->ops, t->cpu_s);
		emit(r, "faults_per_op", "fault/op", false, "minor and major faults by rusage",
		     t->faults / t->ops);
	}
	if (t->bytes > 0)
		emit(r, "bytes_per_s", "B/s", true, "bytes per wall second, tasks added",
		     t->bytes_per_s);
	if (t->touched_bytes > 0 && t->faults > 0)
		emit(r, "bytes_per_fault", "B/fault", true,
		     "bytes first touched per fault: large folios and THP",
		     t->touched_bytes / t->faults);
}

/* A nanosecond of the guest's clock is an instruction. */
static void count_metrics(const struct report *r, const struct totals *t)
{
	if (t->ops <= 0)
		return;
	emit(r, METRIC_INSTRUCTIONS, "instr/op", false,
	     "instructions of the guest in the window, kernel and user, per operation",
	     (double)(t->last_end - t->first_start) / t->ops);
	emit(r, "task_instructions_per_op", "instr/op", false,
	     "instructions while a task was running, per operation",
	     t->cpu_s * (double)NSEC_PER_SEC / t->ops);
}

static void own_metrics(const struct report *r)
{
	struct metric_spec spec[TASK_METRICS_MAX];
	size_t n = workload_metrics(r->c->job->w, r->c->job->params, spec);

	for (size_t i = 0; i < n; i++) {
		double v = spec[i].over_tasks == METRIC_MAX ? -HUGE_VAL : 0;

		for (unsigned k = 0; k < r->c->ctx.n_tasks; k++) {
			double x = r->c->shm->slots[k].task.metric[i];

			if (spec[i].over_tasks == METRIC_MAX)
				v = x > v ? x : v;
			else
				v += x;
		}
		if (spec[i].over_tasks == METRIC_MEAN)
			v /= r->c->ctx.n_tasks;
		emit(r, spec[i].name, spec[i].unit, spec[i].direction == METRIC_HIGHER,
		     spec[i].help, v);
	}
}

/* Rates of tasks may only be added where all of them ran: the part of the window in common. */
static void check_common_window(const struct report *r, const struct totals *t)
{
	double common, all;

	if (t->last_start >= t->first_end) {
		measure_note(r->m, r->ev, "untrustworthy", "common_window",
			     "there was no time at which all tasks ran");
		return;
	}
	common = seconds(t->first_end - t->last_start);
	all = seconds(t->last_end - t->first_start);
	r->ev->counter(r->ev->arg, "tasks", "common_window", "1", common / all);
	if (common < COMMON_WINDOW * all)
		measure_note(r->m, r->ev, "warning", "common_window",
			     "all tasks ran together only for %.0f %% of the window",
			     100 * common / all);
}

/*
 * What programs used: wait4 knows only those that were waited for, their group knows all. Groups
 * tell CPU time with a delay of a tick at most, so the larger of the two is the truth.
 */
static void driver_metrics(const struct report *r, const struct groups *g, struct totals *t)
{
	uint64_t group_ns = groups_cpu_ns(g), strangers = groups_strangers(g, r->c->n_hosts);

	if (group_ns != CG_UNKNOWN && seconds(group_ns) > t->cpu_s)
		t->cpu_s = seconds(group_ns);
	emit(r, "cpu_s", "s", false, "CPU time of the programs and all their descendants",
	     t->cpu_s);
	if (strangers)
		measure_note(r->m, r->ev, "warning", "left_running",
			     "%" PRIu64 " processes outlived the program and are killed",
			     strangers);
}

void measure_report(struct crew *c, const struct groups *g, struct measured *m,
		    const struct worker_events *ev)
{
	const struct workload *w = c->job->w;
	struct report r = {
		.c = c,
		.m = m,
		.ev = ev,
		.primary = c->job->count ? METRIC_INSTRUCTIONS :
			   workload_primary(w, c->job->params, c->ctx.n_tasks),
	};
	struct totals t = add_up(c, m);

	task_counters(c, ev);
	if (w->kind == WORKLOAD_RATE)
		check_common_window(&r, &t);
	else
		emit(&r, "elapsed_s", "s", false, "from the gate to the last task's end",
		     t.elapsed_s);
	if (w->kind == WORKLOAD_DRIVER)
		driver_metrics(&r, g, &t);
	if (c->job->count)
		count_metrics(&r, &t);
	rate_metrics(&r, &t);
	own_metrics(&r);
	machine_metrics(&r, &t);
}
