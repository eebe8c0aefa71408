// SPDX-License-Identifier: GPL-2.0-or-later
/* The child's side: what a host process and its tasks do. Next: crew.c, the supervisor's side. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fsx.h"
#include "base/mark.h"
#include "place/place.h"
#include "worker/crew.h"

void futex_wait_while(atomic_uint *word, unsigned value)
{
	/* shared between processes, so not FUTEX_PRIVATE */
	while (atomic_load_explicit(word, memory_order_acquire) == value)
		(void)syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

void futex_wake_all(atomic_uint *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void announce(struct crew *c, struct slot *s, enum slot_state state)
{
	uint64_t one = 1;

	atomic_store_explicit(&s->state, (int)state, memory_order_release);
	(void)!write(c->event_fd, &one, sizeof(one));
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * NSEC_PER_SEC + (uint64_t)tv.tv_usec * NSEC_PER_USEC;
}

/* What the kernel accounted to the task so far; for drivers, to the programs it ran. */
struct usage_stamp {
	uint64_t mono_ns, cpu_ns;
	struct rusage ru;
};

static void usage_stamp(bool driver, struct usage_stamp *u)
{
	(void)getrusage(driver ? RUSAGE_CHILDREN : RUSAGE_THREAD, &u->ru);
	u->cpu_ns = driver ? timeval_ns(u->ru.ru_utime) + timeval_ns(u->ru.ru_stime) :
			     clock_thread_cpu_ns();
	u->mono_ns = clock_mono_ns();
}

static void usage_store(struct slot *s, const struct usage_stamp *a, const struct usage_stamp *b)
{
	struct task *t = &s->task;

	t->start_ns = a->mono_ns;
	t->end_ns = b->mono_ns;
	t->cpu_ns = b->cpu_ns - a->cpu_ns;
	t->user_ns = timeval_ns(b->ru.ru_utime) - timeval_ns(a->ru.ru_utime);
	t->sys_ns = timeval_ns(b->ru.ru_stime) - timeval_ns(a->ru.ru_stime);
	t->minflt = (uint64_t)(b->ru.ru_minflt - a->ru.ru_minflt);
	t->majflt = (uint64_t)(b->ru.ru_majflt - a->ru.ru_majflt);
	t->nvcsw = (uint64_t)(b->ru.ru_nvcsw - a->ru.ru_nvcsw);
	t->nivcsw = (uint64_t)(b->ru.ru_nivcsw - a->ru.ru_nivcsw);
	s->child_maxrss_bytes = (uint64_t)b->ru.ru_maxrss * 1024;
}

static void set_phase(struct task *t, unsigned phase)
{
	t->my_phase = phase;
	atomic_store_explicit(&t->own_phase, phase, memory_order_relaxed);
}

/*
 * The stamps stand directly around run(): the second call's first operation follows the first
 * read of the clock, whose page was touched by the warm-up's stamps.
 */
static int measure(const struct workload *w, struct slot *s)
{
	struct task *t = &s->task;
	bool driver = w->kind == WORKLOAD_DRIVER;
	struct usage_stamp before, after;
	int r;

	usage_stamp(driver, &after); /* pages in code and stack of what follows */
	usage_stamp(driver, &before);
	if (w->kind == WORKLOAD_RATE) {
		set_phase(t, PHASE_WARM);
		r = w->run(t, &s->err);
		if (r < 0)
			return r;
	}
	atomic_store_explicit(&t->ops, 0, memory_order_relaxed);
	t->bytes = 0;
	t->touched_bytes = 0;
	set_phase(t, PHASE_RUN);
	usage_stamp(driver, &before);
	mark_begin();
	r = w->run(t, &s->err);
	mark_end();
	usage_stamp(driver, &after);
	usage_store(s, &before, &after);
	return r;
}

static int task_start(struct crew *c, struct slot *s)
{
	const struct workload *w = c->job->w;
	struct task *t = &s->task;
	int r = place_pin(c->job->place, t->index, t->n_tasks, &s->cpu, &s->err);

	if (r == 0 && w->task_init)
		r = w->task_init(t, &s->err);
	if (r == 0 && w->kind == WORKLOAD_BATCH) {
		set_phase(t, PHASE_WARM);
		r = w->run(t, &s->err);
	}
	return r;
}

static void task_fail(struct crew *c, struct slot *s, int code)
{
	if (!s->err.code)
		(void)err_set(&s->err, code, "workload \"%s\" failed without a message",
			      c->job->w->name);
	announce(c, s, SLOT_FAILED);
}

/* The whole life of a task; returns false when it failed. */
static bool task_main(struct crew *c, struct slot *s)
{
	const struct workload *w = c->job->w;
	int r = task_start(c, s);

	if (r < 0) {
		task_fail(c, s, r);
		return false;
	}
	announce(c, s, SLOT_READY);
	futex_wait_while(&c->shm->gate, 0);
	r = measure(w, s);
	if (r == 0 && w->verify)
		r = w->verify(&s->task, &s->err);
	if (r < 0) {
		task_fail(c, s, r);
		return false;
	}
	announce(c, s, SLOT_DONE);
	futex_wait_while(&c->shm->leave, 0);
	if (w->task_done)
		w->task_done(&s->task);
	return true;
}

struct thread_arg {
	struct crew *c;
	struct slot *s;
};

static void *thread_main(void *arg)
{
	const struct thread_arg *a = arg;

	return task_main(a->c, a->s) ? NULL : arg;
}

static bool run_threads(struct crew *c, const struct host *h)
{
	struct thread_arg *args = calloc(h->count, sizeof(*args));
	pthread_t *threads = calloc(h->count, sizeof(*threads));
	struct slot *first = &c->shm->slots[h->first];
	bool ok = args && threads;
	unsigned n = 0;

	if (!ok)
		task_fail(c, first, err_set(&first->err, -ENOMEM, "no memory for threads"));
	for (; ok && n < h->count; n++) {
		struct slot *s = &c->shm->slots[h->first + n];
		int r;

		args[n] = (struct thread_arg){ .c = c, .s = s };
		r = pthread_create(&threads[n], NULL, thread_main, &args[n]);
		if (r) {
			task_fail(c, s, err_errno(&s->err, r, "could not make thread %u", n));
			ok = false;
			break;
		}
	}
	for (unsigned i = 0; ok && i < n; i++) {
		void *failed;

		(void)pthread_join(threads[i], &failed);
		ok = ok && !failed;
	}
	free(threads);
	free(args);
	return ok;
}

/* The tasks, not the tool, are what the machine may kill when it is out of memory. */
static void offer_to_oom_killer(void)
{
	(void)!fsx_write(AT_FDCWD, "/proc/self/oom_score_adj", "1000", NULL);
}

void host_main(struct crew *c, const struct host *h, bool entered)
{
	struct slot *first = &c->shm->slots[h->first];
	sigset_t none;
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, c->job->w->name);
	(void)sigemptyset(&none);
	(void)pthread_sigmask(SIG_SETMASK, &none, NULL);
	offer_to_oom_killer();
	r = place_enter(c->job->place, h->group, entered, &first->err);
	if (r < 0) {
		task_fail(c, first, r);
		_exit(1);
	}
	_exit((crew_in_threads(c) ? run_threads(c, h) : task_main(c, first)) ? 0 : 1);
}
