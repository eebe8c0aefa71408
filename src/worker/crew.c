// SPDX-License-Identifier: GPL-2.0-or-later
/* The supervisor's side of the tasks: start, watch, stop, reap. */
#include "worker/crew.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/spawn.h"
#include "base/str.h"
#include "place/place.h"

#define LEAVE_NS (10 * NSEC_PER_SEC)

bool crew_in_threads(const struct crew *c)
{
	const struct params *p = c->job->params;

	return params_have(p, "mode") && params_u64(p, "mode") == MODE_THREAD;
}

static void slots_init(struct crew *c)
{
	const struct worker_job *job = c->job;
	struct rng r;

	rng_init(&r, job->seed);
	for (unsigned i = 0; i < c->ctx.n_tasks; i++) {
		struct slot *s = &c->shm->slots[i];

		s->cpu = -1;
		s->task = (struct task){
			.phase = &c->shm->phase,
			.pass = job->count ? &s->task.own_phase : &c->shm->phase,
			.index = i,
			.group = i / c->ctx.per_group,
			.member = i % c->ctx.per_group,
			.n_tasks = c->ctx.n_tasks,
			.per_group = c->ctx.per_group,
			.dirfd = c->ctx.dirfd,
			.seed = rng_next(&r),
			.params = job->params,
		};
	}
}

/* The mapping is written here so that its pages are charged to the supervisor's group. */
static int map_shared(struct crew *c, struct err *e)
{
	size_t bytes = sizeof(struct shared) + c->ctx.n_tasks * sizeof(struct slot);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		return err_errno(e, errno, "could not map %zu bytes for %u tasks", bytes,
				 c->ctx.n_tasks);
	c->shm = p;
	c->shm->bytes = bytes;
	atomic_init(&c->shm->phase, PHASE_WARM);
	slots_init(c);
	return 0;
}

int crew_init(struct crew *c, const struct worker_job *job, struct err *e)
{
	unsigned groups = place_groups(job->place);
	int r;

	*c = (struct crew){ .job = job, .event_fd = -EBADF };
	c->ctx = (struct workload_ctx){
		.params = job->params,
		.n_groups = groups,
		.per_group = (unsigned)params_u64(job->params, "tasks"),
		.dirfd = place_dirfd(job->place),
	};
	c->ctx.n_tasks = groups * c->ctx.per_group;
	r = map_shared(c, e);
	if (r < 0)
		return r;
	c->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->event_fd < 0)
		return err_errno(e, errno, "could not make an eventfd");
	r = job->w->setup ? job->w->setup(&c->ctx, e) : 0;
	if (r < 0)
		return err_wrap(e, r, "workload \"%s\"", job->w->name);
	c->set_up = true;
	for (unsigned i = 0; i < c->ctx.n_tasks; i++)
		c->shm->slots[i].task.shared = c->ctx.shared;
	return 0;
}

/*
 * With a descriptor of the group the child is born inside it (Linux 5.7, cgroup v2): its kernel
 * stack and page tables are charged there. Else it is forked here and enters by itself.
 */
static pid_t fork_into(int cgroup_fd, bool *ret_entered)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (__u64)(unsigned)cgroup_fd,
	};
	long pid = -1;

	*ret_entered = false;
	if (cgroup_fd >= 0)
		pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid >= 0) {
		*ret_entered = true;
		return (pid_t)pid;
	}
	return fork();
}

static int start_host(struct crew *c, struct host *h, struct err *e)
{
	pid_t parent = getpid();
	bool entered;

	h->pid = fork_into(place_clone_fd(c->job->place, h->group), &entered);
	if (h->pid == 0) {
		if (getppid() != parent)
			_exit(1);
		host_main(c, h, entered);
	}
	if (h->pid < 0) {
		int r = err_errno(e, errno, "could not start task %u of %u", h->first + 1,
				  c->ctx.n_tasks);

		h->pid = 0;
		if (r == -EAGAIN)
			err_hint(e, "raise \"ulimit -u\" or the pids limit, or use fewer tasks");
		return r;
	}
	h->pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	if (h->pidfd < 0) {
		int r = err_errno(e, errno, "could not watch task %u", h->first + 1);

		if (r == -EMFILE)
			err_hint(e, "raise \"ulimit -n\": each task needs a descriptor");
		return r;
	}
	return 0;
}

int crew_start(struct crew *c, struct err *e)
{
	unsigned per_host = crew_in_threads(c) ? c->ctx.per_group : 1;

	c->n_hosts = c->ctx.n_tasks / per_host;
	c->hosts = xcalloc(c->n_hosts, sizeof(*c->hosts));
	for (unsigned i = 0; i < c->n_hosts; i++)
		c->hosts[i] = (struct host){
			.pidfd = -EBADF,
			.first = i * per_host,
			.count = per_host,
			.group = i * per_host / c->ctx.per_group,
		};
	for (unsigned i = 0; i < c->n_hosts; i++) {
		int r = start_host(c, &c->hosts[i], e);

		if (r < 0)
			return r;
	}
	return 0;
}

/* "group \"X\" at N bytes (limit 16M)" when the OOM killer was there, else false. */
static bool oom_text(const struct crew *c, unsigned group, struct str *out)
{
	const struct cg *cg = place_leaf(c->job->place, group);
	struct cg_usage u;
	char limit[32];

	if (!cg || cg_usage_read(cg, &u, NULL) < 0 || u.oom_kills == CG_UNKNOWN || !u.oom_kills)
		return false;
	str_addf(out, "group \"%s\" at %" PRIu64 " bytes (limit %s)", cg->path, u.peak_bytes,
		 u.limit_bytes == CG_NO_LIMIT ? "none" :
						num_fmt_size(limit, sizeof(limit), u.limit_bytes));
	return true;
}

#define OOM_HINT "raise memory.max, use a smaller size, or add swap=zram:SIZE"

static int slot_error(const struct crew *c, struct err *e)
{
	for (unsigned i = 0; i < c->ctx.n_tasks; i++) {
		_cleanup_str_ struct str oom = STR_INIT(1024);
		const struct slot *s = &c->shm->slots[i];
		int r;

		if (atomic_load_explicit(&s->state, memory_order_acquire) != SLOT_FAILED)
			continue;
		*e = s->err;
		r = err_wrap(e, s->err.code, "task %u of %u", i + 1, c->ctx.n_tasks);
		/* a program that was killed tells only the signal */
		if (c->job->w->kind == WORKLOAD_DRIVER && place_own_groups(c->job->place) &&
		    oom_text(c, s->task.group, &oom)) {
			r = err_wrap(e, r, "the OOM killer was in %s", str_text(&oom));
			err_hint(e, OOM_HINT);
		}
		return r;
	}
	return 0;
}

/* A host ended before it was told to: says which, how, and whether its group ran out of memory. */
static int death_error(const struct crew *c, struct host *h, struct err *e)
{
	_cleanup_str_ struct str oom = STR_INIT(1024);
	char how[80];
	int status = 0, r;

	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	h->pid = 0;
	r = slot_error(c, e);
	if (r < 0)
		return r;
	(void)spawn_describe(status, how, sizeof(how));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && oom_text(c, h->group, &oom)) {
		r = err_set(e, -ENOMEM, "task %u of %u was killed by the OOM killer in %s",
			    h->first + 1, c->ctx.n_tasks, str_text(&oom));
		err_hint(e, OOM_HINT);
		return r;
	}
	return err_set(e, -ECHILD, "task %u of %u %s", h->first + 1, c->ctx.n_tasks, how);
}

/* One poll over tasks, events and the call-off; *@ret_event when some task changed its state. */
static int poll_crew(struct crew *c, int timeout_ms, bool *ret_event, struct err *e)
{
	_cleanup_free_ struct pollfd *p = xcalloc(c->n_hosts + 2, sizeof(*p));
	uint64_t count;
	int n;

	p[0] = (struct pollfd){ .fd = c->event_fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = c->job->abort_fd, .events = POLLIN };
	for (unsigned i = 0; i < c->n_hosts; i++)
		p[i + 2] = (struct pollfd){ .fd = c->hosts[i].pidfd, .events = POLLIN };
	n = poll(p, c->n_hosts + 2, timeout_ms);
	if (n < 0 && errno != EINTR)
		return err_errno(e, errno, "could not watch the tasks");
	if (n <= 0)
		return 0;
	if (p[1].revents)
		return err_set(e, -EINTR, "called off");
	if (p[0].revents) {
		(void)!read(c->event_fd, &count, sizeof(count));
		*ret_event = true;
	}
	for (unsigned i = 0; i < c->n_hosts; i++)
		if (p[i + 2].revents)
			return death_error(c, &c->hosts[i], e);
	return slot_error(c, e);
}

static int left_ms(uint64_t deadline_ns)
{
	uint64_t now = clock_mono_ns();

	if (now >= deadline_ns)
		return 0;
	if (deadline_ns - now > 1000 * NSEC_PER_SEC)
		return 1000000;
	return (int)((deadline_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static unsigned count_in_state(const struct crew *c, enum slot_state state, unsigned *ret_late)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->ctx.n_tasks; i++) {
		if (atomic_load_explicit(&c->shm->slots[i].state, memory_order_acquire) >=
		    (int)state)
			n++;
		else
			*ret_late = i;
	}
	return n;
}

int crew_await(struct crew *c, enum slot_state state, uint64_t deadline_ns, struct err *e)
{
	for (;;) {
		bool event = false;
		unsigned late = 0;
		int r;

		if (count_in_state(c, state, &late) == c->ctx.n_tasks)
			return slot_error(c, e);
		if (deadline_ns && clock_mono_ns() >= deadline_ns)
			return err_set(e, -ETIMEDOUT, "task %u of %u did not %s in time", late + 1,
				       c->ctx.n_tasks,
				       state == SLOT_READY ? "become ready" : "stop");
		r = poll_crew(c, deadline_ns ? left_ms(deadline_ns) : -1, &event, e);
		if (r < 0)
			return r;
	}
}

int crew_watch(struct crew *c, uint64_t until_ns, struct err *e)
{
	while (clock_mono_ns() < until_ns) {
		bool event = false;
		int r = poll_crew(c, left_ms(until_ns), &event, e);

		if (r < 0)
			return r;
	}
	return 0;
}

void crew_set_phase(struct crew *c, unsigned phase)
{
	atomic_store_explicit(&c->shm->phase, phase, memory_order_release);
}

void crew_open_gate(struct crew *c)
{
	atomic_store_explicit(&c->shm->gate, 1, memory_order_release);
	futex_wake_all(&c->shm->gate);
}

/* Returns the wait status, 0 when it was reaped before. */
static int reap(struct host *h)
{
	int status = 0;

	if (h->pid > 0)
		while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
			;
	h->pid = 0;
	return status;
}

static void kill_hosts(struct crew *c)
{
	for (unsigned i = 0; i < c->n_hosts; i++)
		if (c->hosts[i].pid > 0)
			(void)kill(c->hosts[i].pid, SIGKILL);
	for (unsigned i = 0; i < c->n_hosts; i++)
		(void)reap(&c->hosts[i]);
}

int crew_leave(struct crew *c, struct err *e)
{
	uint64_t deadline = clock_mono_ns() + LEAVE_NS;

	atomic_store_explicit(&c->shm->leave, 1, memory_order_release);
	futex_wake_all(&c->shm->leave);
	for (unsigned i = 0; i < c->n_hosts; i++) {
		struct pollfd p = { .fd = c->hosts[i].pidfd, .events = POLLIN };
		char how[80];
		int status;

		while (poll(&p, 1, left_ms(deadline)) < 0 && errno == EINTR)
			;
		if (!p.revents) {
			kill_hosts(c);
			return err_set(e, -ETIMEDOUT, "task %u did not end and was killed",
				       c->hosts[i].first + 1);
		}
		status = reap(&c->hosts[i]);
		if (status)
			return err_set(e, -ECHILD, "task %u of %u %s after it was measured",
				       c->hosts[i].first + 1, c->ctx.n_tasks,
				       spawn_describe(status, how, sizeof(how)));
	}
	return 0;
}

void crew_done(struct crew *c)
{
	kill_hosts(c);
	for (unsigned i = 0; i < c->n_hosts; i++)
		if (c->hosts[i].pidfd >= 0)
			(void)close(c->hosts[i].pidfd);
	if (c->set_up && c->job->w->teardown)
		c->job->w->teardown(&c->ctx);
	if (c->event_fd >= 0)
		(void)close(c->event_fd);
	if (c->shm)
		(void)munmap(c->shm, c->shm->bytes);
	free(c->hosts);
	*c = (struct crew){ .event_fd = -EBADF };
}
