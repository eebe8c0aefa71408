/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the hooks of a workload in the order in which worker/ does, in this process: one task, a
 * thread that turns the phase, and a work directory of its own. Ends with rig_done, always.
 */
#ifndef TESTS_WORKLOAD_RIG_H
#define TESTS_WORKLOAD_RIG_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "workload/workload.h"

struct rig {
	const struct workload *w;
	struct params params;
	struct workload_ctx ctx;
	struct task task;
	atomic_uint phase;
	bool whole_passes; /* as where instructions are counted */
	char dir[64];
	uint64_t warm_ops;
	bool set_up, task_up;
};

struct rig_flip {
	struct rig *rig;
	uint64_t after_ns;
	unsigned to;
};

/* A loop goes on until it has done this much, however busy the machine is. */
static uint64_t rig_min_ops = 1;

static void *rig_flip_main(void *arg)
{
	const struct rig_flip *f = arg;
	uint64_t give_up_ns = clock_mono_ns() + 20 * NSEC_PER_SEC;

	clock_sleep_until_ns(clock_mono_ns() + f->after_ns);
	while (atomic_load(&f->rig->task.ops) < rig_min_ops && clock_mono_ns() < give_up_ns)
		clock_sleep_until_ns(clock_mono_ns() + NSEC_PER_MSEC);
	atomic_store(&f->rig->phase, f->to);
	return NULL;
}

/* Calls run() and lets the phase become @to after @after_ns or later (0: it stays). */
static inline int rig_run(struct rig *r, uint64_t after_ns, unsigned to, struct err *e)
{
	struct rig_flip flip = { .rig = r, .after_ns = after_ns, .to = to };
	pthread_t thread;
	int ret;

	if (after_ns && pthread_create(&thread, NULL, rig_flip_main, &flip) != 0)
		return err_set(e, -EAGAIN, "could not make a thread");
	ret = r->w->run(&r->task, e);
	if (after_ns)
		pthread_join(thread, NULL);
	return ret;
}

static inline void rig_stamp(struct task *t, int sign)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	t->minflt += (uint64_t)(sign * ru.ru_minflt);
	t->majflt += (uint64_t)(sign * ru.ru_majflt);
	if (sign < 0)
		t->start_ns = clock_mono_ns();
	else
		t->end_ns = clock_mono_ns();
}

/* @settings as "size=1M,order=random". The work directory is below @parent. */
static inline int rig_init(struct rig *r, const char *name, const char *settings,
			   const char *parent, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int ret;

	*r = (struct rig){ .w = workload_find(name) };
	r->ctx.dirfd = -EBADF;
	ret = kvs_parse(settings, &kvs, e);
	if (ret == 0)
		ret = params_parse(r->w, &kvs, &r->params, e);
	if (ret < 0)
		return ret;
	snprintf(r->dir, sizeof(r->dir), "%s/mmgauge-test-XXXXXX", parent);
	if (!mkdtemp(r->dir))
		return err_errno(e, errno, "could not make a directory in \"%s\"", parent);
	r->ctx.dirfd = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r->ctx.params = &r->params;
	r->ctx.n_tasks = r->ctx.per_group = (unsigned)params_u64(&r->params, "tasks");
	r->ctx.n_groups = 1;
	return 0;
}

static inline int rig_start(struct rig *r, struct err *e)
{
	struct task *t = &r->task;
	int ret = r->w->setup ? r->w->setup(&r->ctx, e) : 0;

	if (ret < 0)
		return ret;
	r->set_up = true;
	t->phase = &r->phase;
	t->pass = r->whole_passes ? &t->own_phase : &r->phase;
	t->n_tasks = r->ctx.n_tasks;
	t->per_group = r->ctx.per_group;
	t->dirfd = r->ctx.dirfd;
	t->seed = 42;
	t->params = &r->params;
	t->shared = r->ctx.shared;
	ret = r->w->task_init ? r->w->task_init(t, e) : 0;
	r->task_up = ret == 0;
	return ret;
}

/* Warm-up and measured part; RATE workloads are stopped after @run_ns. */
static inline int rig_measure(struct rig *r, uint64_t run_ns, struct err *e)
{
	bool rate = r->w->kind == WORKLOAD_RATE;
	int ret = 0;

	r->task.my_phase = PHASE_WARM;
	atomic_store(&r->task.own_phase, PHASE_WARM);
	if (r->w->kind != WORKLOAD_DRIVER)
		ret = rig_run(r, rate ? run_ns / 4 : 0, PHASE_RUN, e);
	r->warm_ops = atomic_load(&r->task.ops);
	atomic_store(&r->task.ops, 0);
	r->task.bytes = r->task.touched_bytes = 0;
	atomic_store(&r->phase, PHASE_RUN);
	r->task.my_phase = PHASE_RUN;
	atomic_store(&r->task.own_phase, PHASE_RUN);
	r->task.minflt = r->task.majflt = 0;
	rig_stamp(&r->task, -1);
	if (ret == 0)
		ret = rig_run(r, rate ? run_ns : 0, PHASE_STOP, e);
	rig_stamp(&r->task, 1);
	return ret;
}

static inline int rig_verify(struct rig *r, struct err *e)
{
	return r->w->verify ? r->w->verify(&r->task, e) : 0;
}

static inline void rig_stop(struct rig *r)
{
	if (r->task_up && r->w->task_done)
		r->w->task_done(&r->task);
	if (r->set_up && r->w->teardown)
		r->w->teardown(&r->ctx);
	r->task_up = r->set_up = false;
}

/* Names in the work directory. */
static inline unsigned rig_files(const struct rig *r)
{
	DIR *d = opendir(r->dir);
	const struct dirent *entry;
	unsigned n = 0;

	while (d && (entry = readdir(d)))
		n += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static inline unsigned rig_open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static inline void rig_done(struct rig *r)
{
	struct err e;

	rig_stop(r);
	if (r->ctx.dirfd >= 0)
		close(r->ctx.dirfd);
	if (r->dir[0])
		(void)!fsx_remove_tree(AT_FDCWD, r->dir, &e);
	params_done(&r->params);
}
#define _cleanup_rig_ __attribute__((cleanup(rig_done)))

#endif
