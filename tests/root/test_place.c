// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups, CPUs and memory nodes on the real kernel: made, read back, gone. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "place_fixture.h"

static void nests_to_the_depth_asked_for(void)
{
	_cleanup_free_ char *path = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=4,memory.max=64M,memory.max@2=96M", NULL, &e));
	path = xstrdup(place_leaf(m.place, 0)->path);
	CHECK_HAS(path, m.id);
	CHECK_HAS(path, "/l2/l3/l4");
	CHECK_EQ(place_leaf(m.place, 0)->level, facts.start_level + 4);
	CHECK(group_exists(path));
	CHECK_OK(unmake(&m, &e));
	CHECK(!group_exists(path));
}

static void every_depth_can_be_made(void)
{
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	for (unsigned depth = 1; depth <= 4; depth++) {
		_cleanup_free_ char *spec = xasprintf("depth=%u,groups=2", depth);
		_cleanup_free_ char *a = NULL, *b = NULL;

		CHECK_OK(make(&m, spec, NULL, &e));
		CHECK_EQ(place_groups(m.place), 2);
		CHECK_EQ(place_leaf(m.place, 1)->level, facts.start_level + depth);
		a = xstrdup(place_leaf(m.place, 0)->path);
		b = xstrdup(place_leaf(m.place, 1)->path);
		CHECK(strcmp(a, b) != 0);
		CHECK(group_exists(a) && group_exists(b));
		CHECK_OK(unmake(&m, &e));
		CHECK(!group_exists(a) && !group_exists(b));
	}
}

/* The kernel rounds down to pages: less than one is recorded, never hidden. */
static void rounding_is_recorded(void)
{
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=1,memory.max=67108865", NULL, &e));
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	CHECK_HAS(seen.text, ":memory.max:67108865:64M\n");
	CHECK_OK(unmake(&m, &e));
}

/* Facts come from the kernel when they are asked for, not from memory. */
static void facts_are_read_when_asked_for(void)
{
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	NEED_ROOT;
	CHECK_OK(make(&m, "depth=1,memory.max=64M,vm.swappiness=61", NULL, &e));
	CHECK_OK(cg_set(place_leaf(m.place, 0), "memory.max", "32M", NULL, NULL, &e));
	CHECK_OK(fsx_write(rootfd, "proc/sys/vm/swappiness", "62", &e));
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	CHECK_HAS(seen.text, ":memory.max:64M:32M\n");
	CHECK_HAS(seen.text, ":vm.swappiness:61:62\n");
	CHECK_OK(unmake(&m, &e));
}

static void swap_limit_goes_after_the_memory_limit(void)
{
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	/* the other order than the one that v1 wants */
	if (make(&m, "depth=2,memory.swap.max=16M,memory.max=64M,memory.max@1=128M", NULL, &e) ==
	    -EOPNOTSUPP) {
		CHECK_OK(unmake(&m, &e));
		SKIP("this machine's kernel does not account swap");
	}
	CHECK(m.place != NULL);
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	CHECK_HAS(seen.text, "/l2:memory.swap.max:16M:16M\n");
	CHECK_HAS(seen.text, "/l2:memory.max:64M:64M\n");
	CHECK_OK(unmake(&m, &e));
}

static void sockets_are_accounted_when_asked(void)
{
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	if (facts.version != CG_V1)
		SKIP("this machine has cgroup v2, where it is always so");
	CHECK_OK(make(&m, "depth=2,groups=2,sock=on", NULL, &e));
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	CHECK_HAS(seen.text, "/g0:memory.kmem.tcp.limit_in_bytes:1T:1T\n");
	CHECK_HAS(seen.text, "/g1:memory.kmem.tcp.limit_in_bytes:1T:1T\n");
	CHECK_OK(unmake(&m, &e));
}

/* Somebody else's group of that name, with a task in it, survives our failure. */
static void a_group_that_is_there_is_not_touched(void)
{
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg start = CG_INIT, other = CG_INIT;
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct err e = { 0 }, ignored = { 0 };
	struct place_spec spec;
	struct undo *undo = NULL;
	struct place *place = NULL;
	int status, r;
	pid_t pid;

	NEED_GROUPS;
	if (facts.version != CG_V1)
		SKIP("this machine has cgroup v2, where the group would not be ours to make");
	CHECK_OK(cg_probe(rootfd, &env, &e));
	CHECK_OK(cg_open(&env, env.memory.start, &start, &e));
	CHECK_OK(cg_make(&start, "mmgauge-tforeign", NULL, &other, &e));
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	r = cg_enter(&other, pid, &e);
	if (r == 0)
		r = kvs_parse("depth=1", &kvs, &e);
	if (r == 0)
		r = place_parse(&kvs, &spec, &e);
	if (r == 0)
		r = undo_open(journals, "tforeign", &undo, &e);
	if (r == 0) {
		r = place_open(rootfd, &spec, NULL, "tforeign", undo, &place, &e);
		if (undo_close(undo, &ignored) < 0)
			TAP_FAIL("%s", ignored.msg);
	}
	status = waitpid(pid, NULL, WNOHANG); /* 0: it lives */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_OK(cg_remove(&other, UINT64_C(5000000000), &ignored));
	CHECK_EQ(r, -EEXIST);
	CHECK_HAS(e.msg, "mmgauge-tforeign");
	CHECK_HAS(e.hint, "mmgauge clean");
	CHECK_EQ(status, 0);
}

static void too_many_groups_for_the_file_limit(void)
{
	struct err e = { 0 };
	struct made m;
	struct rlimit old, low = { 300, 300 };
	int status;
	pid_t pid;

	NEED_GROUPS;
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	pid = fork();
	if (pid == 0) { /* a hard limit can't be raised again */
		if (setrlimit(RLIMIT_NOFILE, &low) < 0 ||
		    make(&m, "depth=1,groups=50", NULL, &e) != -EMFILE ||
		    !strstr(e.msg, "50 groups need") || !strstr(e.hint, "ulimit"))
			_exit(1);
		_exit(unmake(&m, &e) < 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void the_root_group_is_entered(void)
{
	struct err e = { 0 };
	struct made m;
	int status;
	pid_t pid;

	NEED_GROUPS;
	NEED_ROOT;
	CHECK_OK(make(&m, "cgroup=root", NULL, &e));
	CHECK_EQ(place_leaf(m.place, 0)->level, 0);
	pid = fork();
	if (pid == 0) {
		if (place_enter(m.place, 0, false, &e) < 0)
			_exit(1);
		_exit(file_has("proc/self/cgroup", facts.version == CG_V1 ? ":memory:/\n" :
								      "0::/\n") ? 0 : 2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_OK(unmake(&m, &e));
}

static void a_parent_by_name(void)
{
	_cleanup_free_ char *spec = NULL, *want = NULL;
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	if (facts.version != CG_V1)
		SKIP("this machine has cgroup v2, where the start group holds processes");
	spec = xasprintf("depth=2,cgroup-parent=%s", facts.start_path);
	CHECK_OK(make(&m, spec, NULL, &e));
	want = xasprintf("%s/mmgauge-%s/l2", str_eq(facts.start_path, "/") ? "" : facts.start_path,
			 m.id);
	CHECK_STR(place_leaf(m.place, 0)->path, want);
	CHECK_OK(unmake(&m, &e));
	CHECK(make(&m, "cgroup-parent=/there/is/none", NULL, &e) < 0);
	CHECK_HAS(e.msg, "/there/is/none");
	CHECK_OK(unmake(&m, &e));
}

static void limits_are_read_back_at_every_level(void)
{
	_cleanup_free_ char *got = NULL;
	struct facts_seen seen = { "" };
	struct err e = { 0 };
	struct made m;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=3,groups=2,memory.max=64M,memory.max@1=1G", NULL, &e));
	CHECK_OK(place_each_fact(m.place, see, &seen, &e));
	CHECK_HAS(seen.text, ":memory.max:1G:1G");
	CHECK_HAS(seen.text, "/l2/g0:memory.max:64M:64M");
	CHECK_HAS(seen.text, "/l2/g1:memory.max:64M:64M");
	CHECK_OK(cg_get(place_leaf(m.place, 1), "memory.max", &got, &e));
	CHECK_STR(got, "67108864");
	CHECK_OK(unmake(&m, &e));
}

static void groups_share_all_but_the_leaf(void)
{
	struct err e = { 0 };
	struct made m;
	const char *a, *b;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=2,groups=3", NULL, &e));
	a = strrchr(place_leaf(m.place, 0)->path, '/');
	b = strrchr(place_leaf(m.place, 2)->path, '/');
	CHECK_STR(a, "/g0");
	CHECK_STR(b, "/g2");
	CHECK_EQ(strncmp(place_leaf(m.place, 0)->path, place_leaf(m.place, 2)->path,
			 (size_t)(a - place_leaf(m.place, 0)->path)), 0);
	CHECK_OK(unmake(&m, &e));
	CHECK_OK(make(&m, "depth=2,groups=2,fanout=top", NULL, &e));
	CHECK_HAS(place_leaf(m.place, 1)->path, "-g1/l2");
	CHECK_OK(unmake(&m, &e));
	CHECK_OK(make(&m, "depth=1,groups=2", NULL, &e));
	CHECK_HAS(place_leaf(m.place, 1)->path, "-g1");
	CHECK_OK(unmake(&m, &e));
}

static void a_child_enters_and_is_pinned(void)
{
	struct err e = { 0 };
	struct made m;
	int status;
	pid_t pid;

	NEED_GROUPS;
	CHECK_OK(make(&m, "depth=2,cpus=0", NULL, &e));
	pid = fork();
	if (pid == 0) {
		cpu_set_t set;
		int cpu = -1;

		if (place_enter(m.place, 0, false, &e) < 0 ||
		    place_pin(m.place, 5, 6, &cpu, &e) < 0)
			_exit(1);
		if (sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) != 1 ||
		    !CPU_ISSET(0, &set) || cpu != 0)
			_exit(2);
		_exit(file_has("proc/self/cgroup", place_leaf(m.place, 0)->path) ? 0 : 3);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 0);
	CHECK_OK(unmake(&m, &e));
}

/* Task i gets CPU i mod n in the order asked for; each child tells where it may run. */
static void tasks_take_the_cpus_in_turn(void)
{
	_cleanup_free_ char *cpus = num_set_format(&facts.cpus), *spec = NULL;
	size_t n = num_set_count(&facts.cpus);
	struct num_set seen = { { 0 } };
	struct err e = { 0 };
	struct made m;

	spec = xasprintf("cpus=%s,spread=cores", cpus);
	CHECK_OK(make(&m, spec, NULL, &e));
	for (unsigned i = 0; i < 2 * n && i < 8; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			cpu_set_t set;
			int cpu = -1;

			if (place_pin(m.place, i, (unsigned)n, &cpu, &e) < 0 || cpu < 0 ||
			    sched_getaffinity(0, sizeof(set), &set) < 0 ||
			    CPU_COUNT(&set) != 1 || !CPU_ISSET((size_t)cpu, &set))
				_exit(255);
			_exit(cpu < 255 ? cpu : 254);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 255);
		num_set_add(&seen, (size_t)WEXITSTATUS(status));
	}
	CHECK_EQ(num_set_count(&seen), n < 8 ? n : 8);
	CHECK(num_set_within(&seen, &facts.cpus));
	CHECK_OK(unmake(&m, &e));
}

static void memory_nodes_are_bound(void)
{
	_cleanup_free_ char *mems = num_set_format(&facts.mems), *spec = NULL;
	unsigned long mask[16] = { 0 };
	struct err e = { 0 };
	struct made m;
	int status;
	pid_t pid;

	if (!*mems)
		SKIP("this machine tells no memory nodes");
	spec = xasprintf("mems=%s", mems);
	CHECK_OK(make(&m, spec, NULL, &e));
	pid = fork();
	if (pid == 0) {
		int mode = -1;

		if (place_enter(m.place, 0, false, &e) < 0 ||
		    syscall(SYS_get_mempolicy, &mode, mask, 1024ul, NULL, 0ul) < 0)
			_exit(1);
		_exit(mode == MPOL_BIND && (mask[0] & 1) == num_set_has(&facts.mems, 0) ? 0 : 2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_OK(unmake(&m, &e));
}

static void without_keys_tasks_stay_where_they_are(void)
{
	struct err e = { 0 };
	struct made m;

	CHECK_OK(make(&m, "", NULL, &e));
	CHECK_EQ(place_groups(m.place), 1);
	CHECK_EQ(place_clone_fd(m.place, 0), -EBADF);
	CHECK_EQ(place_dirfd(m.place), -EBADF);
	if (facts.version != CG_NONE)
		CHECK_STR(place_leaf(m.place, 0)->path, facts.start_path);
	CHECK_OK(unmake(&m, &e));
}

int main(void)
{
	int r;

	if (place_fixture_open() < 0)
		return 1;
	TAP_RUN(nests_to_the_depth_asked_for);
	TAP_RUN(every_depth_can_be_made);
	TAP_RUN(rounding_is_recorded);
	TAP_RUN(facts_are_read_when_asked_for);
	TAP_RUN(swap_limit_goes_after_the_memory_limit);
	TAP_RUN(sockets_are_accounted_when_asked);
	TAP_RUN(a_group_that_is_there_is_not_touched);
	TAP_RUN(too_many_groups_for_the_file_limit);
	TAP_RUN(the_root_group_is_entered);
	TAP_RUN(a_parent_by_name);
	TAP_RUN(limits_are_read_back_at_every_level);
	TAP_RUN(groups_share_all_but_the_leaf);
	TAP_RUN(a_child_enters_and_is_pinned);
	TAP_RUN(tasks_take_the_cpus_in_turn);
	TAP_RUN(memory_nodes_are_bound);
	TAP_RUN(without_keys_tasks_stay_where_they_are);
	r = tap_done();
	return place_fixture_close() < 0 ? 1 : r;
}
