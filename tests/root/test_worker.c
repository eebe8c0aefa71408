// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting, gating, counting, stopping and losing tasks, with workloads made for the purpose. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "base/str.h"
#include "place/place.h"
#include "tap.h"
#include "undo/undo.h"
#include "worker/worker.h"
#include "workload/workload.h"

static const struct param_spec test_params[] = { PARAMS_TASKS, { 0 } };

static int count_until_stop(struct task *t, struct err *e)
{
	(void)e;
	while (task_running(t))
		task_count(t, 1);
	return 0;
}

static int fail_init(struct task *t, struct err *e)
{
	return t->index == 1 ? err_set(e, -ENOSPC, "no room in the test") : 0;
}

static int die_by_signal(struct task *t, struct err *e)
{
	(void)e;
	if (t->my_phase != 0 && t->index == 0)
		raise(SIGSEGV);
	return count_until_stop(t, e);
}

static int sleep_in_init(struct task *t, struct err *e)
{
	(void)t;
	(void)e;
	clock_sleep_until_ns(clock_mono_ns() + 20 * NSEC_PER_SEC);
	return 0;
}

static int never_stop(struct task *t, struct err *e)
{
	(void)e;
	for (;;)
		if (t->my_phase == 0 && !task_running(t))
			return 0; /* the warm-up ends, the rest doesn't */
}

static int start_late(struct task *t, struct err *e)
{
	if (t->my_phase == 0 && t->index == 0)
		clock_sleep_until_ns(clock_mono_ns() + 200 * NSEC_PER_MSEC);
	return count_until_stop(t, e);
}

static int verify_refuses(struct task *t, struct err *e)
{
	return t->index == 0 ? err_set(e, -EIO, "not what was claimed") : 0;
}

static int setup_fails(struct workload_ctx *ctx, struct err *e)
{
	(void)ctx;
	return err_set(e, -EINVAL, "set-up says no");
}

static int touch_memory(struct task *t, struct err *e)
{
	size_t bytes = 64u << 20;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return err_errno(e, errno, "mmap");
	for (size_t i = 0; i < bytes; i += 4096) {
		p[i] = 1;
		task_count(t, 1);
	}
	munmap(p, bytes);
	return 0;
}

static int eat_memory(struct task *t, struct err *e)
{
	int r = touch_memory(t, e);

	return r < 0 ? r : count_until_stop(t, e);
}

#define TEST_WORKLOAD(ident, ...)                                           \
	static const struct workload ident = {                              \
		.name = #ident, .summary = "test", .revision = 1,           \
		.kind = WORKLOAD_RATE, .op = "turn", .timed = "the loop",   \
		.exercises = "nothing", .params = test_params,              \
		__VA_ARGS__                                                 \
	}

TEST_WORKLOAD(turns, .run = count_until_stop);
TEST_WORKLOAD(bad_init, .run = count_until_stop, .task_init = fail_init);
TEST_WORKLOAD(segv, .run = die_by_signal);
TEST_WORKLOAD(not_ready, .run = count_until_stop, .task_init = sleep_in_init);
TEST_WORKLOAD(endless, .run = never_stop);
TEST_WORKLOAD(late, .run = start_late);
TEST_WORKLOAD(liar, .run = count_until_stop, .verify = verify_refuses);
TEST_WORKLOAD(no_setup, .run = count_until_stop, .setup = setup_fails);
TEST_WORKLOAD(eater, .run = eat_memory);
static const struct workload work_batch = {
	.name = "work_batch", .summary = "test", .revision = 1, .kind = WORKLOAD_BATCH,
	.op = "turn", .timed = "all", .exercises = "nothing", .params = test_params,
	.run = touch_memory,
};

struct seen {
	struct {
		char name[40], unit[16];
		double value;
		bool primary;
	} sample[32];
	size_t n_samples;
	char notes[2000];
	double ops[8], wall[8];
};

static void on_sample(void *arg, const struct worker_sample *s)
{
	struct seen *seen = arg;

	snprintf(seen->sample[seen->n_samples].name, 40, "%s", s->name);
	seen->sample[seen->n_samples].primary = s->primary;
	seen->sample[seen->n_samples++].value = s->value;
}

static void on_counter(void *arg, const char *where, const char *name, const char *unit,
		       double value)
{
	struct seen *seen = arg;
	unsigned i = (unsigned)(where[5] - '0');

	(void)unit;
	if (!str_starts(where, "task/") || i >= 8)
		return;
	if (strcmp(name, "ops") == 0)
		seen->ops[i] = value;
	if (strcmp(name, "wall") == 0)
		seen->wall[i] = value;
}

static void on_note(void *arg, const char *kind, const char *code, const char *text)
{
	struct seen *seen = arg;
	size_t len = strlen(seen->notes);

	snprintf(seen->notes + len, sizeof(seen->notes) - len, "%s %s %s\n", kind, code, text);
}

static double sample_of(const struct seen *s, const char *name)
{
	for (size_t i = 0; i < s->n_samples; i++)
		if (strcmp(s->sample[i].name, name) == 0)
			return s->sample[i].value;
	return (double)NAN;
}

struct trial {
	int statfd; /* root for proc/stat, 0: the real one */
	const char *params, *place;
	uint64_t time_ns, ready_ns;
	int abort_fd;
};
#define TRIAL ((struct trial){ 0, "", "", 50 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC, -1 })

static char journal_dir[] = "/tmp/mmgauge-test-worker-XXXXXX";
static int rootfd;

static int try_run(const struct workload *w, struct trial t, struct seen *seen,
		   struct worker_result *res, struct err *e)
{
	static unsigned serial;
	_cleanup_free_ char *id = xasprintf("test-%d-%u", (int)getpid(), serial++);
	struct worker_events ev = {
		.sample = on_sample, .counter = on_counter, .note = on_note, .arg = seen,
	};
	_cleanup_kvs_ struct kvs pk = { 0 }, lk = { 0 };
	struct place_spec spec = { 0 };
	struct params params = { 0 };
	struct place *place = NULL;
	struct undo *undo = NULL;
	struct err undone = { 0 };
	int r = kvs_parse(t.params, &pk, e);

	*seen = (struct seen){ 0 };
	*res = (struct worker_result){ 0 };
	if (r == 0)
		r = kvs_parse(t.place, &lk, e);
	if (r == 0)
		r = params_parse(w, &pk, &params, e);
	if (r == 0)
		r = place_parse(&lk, &spec, e);
	if (r == 0)
		r = undo_open(journal_dir, id, &undo, e);
	if (r == 0)
		r = place_open(rootfd, &spec, NULL, id, undo, &place, e);
	if (r == 0) {
		struct worker_job job = {
			.w = w, .params = &params, .place = place,
			.rootfd = t.statfd ? t.statfd : rootfd,
			.time_ns = t.time_ns, .warmup_ns = 20 * NSEC_PER_MSEC, .seed = 1,
			.ready_ns = t.ready_ns, .abort_fd = t.abort_fd,
		};

		r = worker_run(&job, &ev, res, e);
	}
	if (place_close(place, &undone) < 0 || undo_close(undo, &undone) < 0)
		TAP_FAIL("not taken back: %s", undone.msg);
	params_done(&params);
	place_spec_done(&spec);
	return r;
}

static void counts_per_task(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.params = "tasks=2";
	CHECK_OK(try_run(&turns, t, &s, &res, &e));
	for (int i = 0; i < 2; i++) {
		CHECK(s.ops[i] > 1000);
		CHECK(s.wall[i] > 0);
	}
	CHECK(res.end_ns > res.start_ns);
	CHECK_NEAR(sample_of(&s, "ops_per_s"), s.ops[0] / s.wall[0] + s.ops[1] / s.wall[1], 1e-9);
	CHECK(sample_of(&s, "ops_per_cpu_s") > 0);
	CHECK(sample_of(&s, "faults_per_op") >= 0);
}

static void threads_count_too(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.params = "tasks=3,mode=thread";
	CHECK_OK(try_run(&turns, t, &s, &res, &e));
	CHECK(s.ops[0] > 0 && s.ops[1] > 0 && s.ops[2] > 0);
	CHECK_EQ(s.ops[3], 0);
}

static void one_primary(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	unsigned primary = 0;
	struct seen s;

	CHECK_OK(try_run(&turns, t, &s, &res, &e));
	for (size_t i = 0; i < s.n_samples; i++)
		primary += s.sample[i].primary;
	CHECK_EQ(primary, 1);
}

static void error_of_a_task_is_told(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.params = "tasks=2";
	CHECK_EQ(try_run(&bad_init, t, &s, &res, &e), -ENOSPC);
	CHECK_HAS(e.msg, "task 2 of 2");
	CHECK_HAS(e.msg, "no room in the test");
	t.params = "tasks=2,mode=thread";
	CHECK_EQ(try_run(&bad_init, t, &s, &res, &e), -ENOSPC);
	CHECK_HAS(e.msg, "task 2 of 2");
}

static void death_by_signal_is_told(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.params = "tasks=2";
	CHECK_EQ(try_run(&segv, t, &s, &res, &e), -ECHILD);
	CHECK_HAS(e.msg, "task 1 of 2");
	CHECK_EQ(s.n_samples, 0);
}

static void not_ready_in_time(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.ready_ns = 100 * NSEC_PER_MSEC;
	CHECK_EQ(try_run(&not_ready, t, &s, &res, &e), -ETIMEDOUT);
	CHECK_HAS(e.msg, "become ready");
}

static void does_not_stop(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.ready_ns = 300 * NSEC_PER_MSEC;
	CHECK_EQ(try_run(&endless, t, &s, &res, &e), -ETIMEDOUT);
	CHECK_HAS(e.msg, "stop in time");
}

static void no_common_window(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.params = "tasks=2";
	t.time_ns = NSEC_PER_SEC;
	CHECK_OK(try_run(&late, t, &s, &res, &e));
	CHECK_HAS(s.notes, "warning common_window");
	CHECK(!res.untrustworthy);
	t.time_ns = 50 * NSEC_PER_MSEC;
	CHECK_OK(try_run(&late, t, &s, &res, &e));
	CHECK_HAS(s.notes, "untrustworthy common_window");
	CHECK(res.untrustworthy);
}

static void verification_fails_the_run(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	CHECK_EQ(try_run(&liar, t, &s, &res, &e), -EIO);
	CHECK_HAS(e.msg, "not what was claimed");
	CHECK_EQ(try_run(&no_setup, t, &s, &res, &e), -EINVAL);
	CHECK_HAS(e.msg, "set-up says no");
}

static void called_off(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;
	int p[2];

	CHECK(pipe2(p, O_CLOEXEC) == 0);
	close(p[1]); /* end of file is readable */
	t.abort_fd = p[0];
	t.time_ns = 60 * NSEC_PER_SEC;
	CHECK_EQ(try_run(&turns, t, &s, &res, &e), -EINTR);
	close(p[0]);
}

static void batch_is_timed_from_the_gate(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	t.params = "tasks=2";
	CHECK_OK(try_run(&work_batch, t, &s, &res, &e));
	CHECK_EQ(s.ops[0], 16384);
	CHECK_NEAR(sample_of(&s, "elapsed_s"), (double)(res.end_ns - res.start_ns) / 1e9, 1e-6);
	CHECK(sample_of(&s, "elapsed_s") >= s.wall[0]);
}

static int fake_root;

static void write_stat(unsigned ticks)
{
	_cleanup_close_ int fd = openat(fake_root, "proc/stat", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dprintf(fd, "cpu  %u 0 %u 100000 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nctxt 5\n", ticks,
		ticks);
}

static int turn_clock_back(struct task *t, struct err *e)
{
	if (t->my_phase == PHASE_RUN)
		write_stat(10);
	return count_until_stop(t, e);
}
TEST_WORKLOAD(turns_back, .run = turn_clock_back);

static bool make_fake_root(void)
{
	char *path = xasprintf("%s/root", journal_dir);

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return false;
	fake_root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fake_root > 0 && (mkdirat(fake_root, "proc", 0700) == 0 || errno == EEXIST);
}

/* The machine's CPU time stands still or runs backwards: no quotient, and a mark. */
static void time_that_can_not_be_told_is_marked(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	CHECK(make_fake_root());
	t.statfd = fake_root;
	write_stat(1000);
	CHECK_OK(try_run(&turns, t, &s, &res, &e));
	CHECK_HAS(s.notes, "untrustworthy below_resolution");
	CHECK(res.untrustworthy);
	CHECK(isnan(sample_of(&s, "ops_per_machine_cpu_s")));
	CHECK(sample_of(&s, "ops_per_cpu_s") > 0);
	write_stat(1000);
	CHECK_OK(try_run(&turns_back, t, &s, &res, &e));
	CHECK_HAS(s.notes, "untrustworthy counter_backwards");
	CHECK(res.untrustworthy);
	close(fake_root);
}

static bool can_make_groups(void)
{
	struct place_facts f = { 0 };
	bool ok = place_facts_read(rootfd, &f, NULL) == 0 && f.may_make_groups &&
		  f.version != CG_NONE;

	place_facts_done(&f);
	return ok;
}

static void oom_kill_is_named(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	if (!can_make_groups())
		SKIP("no right to make memory cgroups");
	t.place = "depth=1,memory.max=16M";
	t.params = "tasks=2";
	CHECK_EQ(try_run(&eater, t, &s, &res, &e), -ENOMEM);
	CHECK_HAS(e.msg, "killed by the OOM killer");
	CHECK_HAS(e.msg, "mmgauge-test");
	CHECK_HAS(e.msg, "limit 16M");
	CHECK_HAS(e.hint, "memory.max");
}

static void unreached_limit_is_told(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	if (!can_make_groups())
		SKIP("no right to make memory cgroups");
	t.place = "depth=2,groups=2,memory.max=64M";
	CHECK_OK(try_run(&turns, t, &s, &res, &e));
	CHECK_HAS(s.notes, "warning limit_not_reached 2 of 2");
	CHECK(s.ops[0] > 0 && s.ops[1] > 0);
	/* the limit above the leaves is one */
	t.place = "depth=2,groups=2,memory.max@1=64M";
	CHECK_OK(try_run(&turns, t, &s, &res, &e));
	CHECK_HAS(s.notes, "warning limit_not_reached 1 of 1");
}

static void reached_limit_above_the_leaf_counts(void)
{
	struct worker_result res;
	struct err e = { 0 };
	struct trial t = TRIAL;
	struct seen s;

	if (!can_make_groups())
		SKIP("no right to make memory cgroups");
	if (access("/sys/class/zram-control/hot_add", R_OK) < 0)
		SKIP("this machine has no zram");
	t.place = "depth=2,memory.max@1=32M,swap=zram:128M";
	CHECK_OK(try_run(&eater, t, &s, &res, &e));
	CHECK(!strstr(s.notes, "limit_not_reached"));
}

int main(void)
{
	rootfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!mkdtemp(journal_dir))
		return 1;
	TAP_RUN(counts_per_task);
	TAP_RUN(threads_count_too);
	TAP_RUN(one_primary);
	TAP_RUN(error_of_a_task_is_told);
	TAP_RUN(death_by_signal_is_told);
	TAP_RUN(not_ready_in_time);
	TAP_RUN(does_not_stop);
	TAP_RUN(no_common_window);
	TAP_RUN(verification_fails_the_run);
	TAP_RUN(called_off);
	TAP_RUN(batch_is_timed_from_the_gate);
	TAP_RUN(time_that_can_not_be_told_is_marked);
	TAP_RUN(oom_kill_is_named);
	TAP_RUN(unreached_limit_is_told);
	TAP_RUN(reached_limit_above_the_leaf_counts);
	if (fsx_remove_tree(AT_FDCWD, journal_dir, NULL) < 0)
		return 1;
	return tap_done();
}
