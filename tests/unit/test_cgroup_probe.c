// SPDX-License-Identifier: GPL-2.0-or-later
/* Hierarchies of other machines: where memory and CPU time are counted, and where we are. */
#include "tap.h"

#include <errno.h>

#include "cgroup/cgroup.h"
#include "fixtures/fixture.h"

static struct err e;

static void hybrid(void)
{
	_cleanup_close_ int root = fixture_open("hybrid-6.18");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_free_ char *dir = NULL, *cpu = NULL;

	CHECK_OK(cg_probe(root, &env, &e));
	CHECK_EQ(env.memory.version, CG_V1);
	CHECK_STR(env.memory.dir, "/sys/fs/cgroup/memory");
	CHECK_STR(env.memory.root, "/");
	CHECK_STR(env.memory.start, "/session/a");
	CHECK(!env.memory.foreign);
	CHECK_EQ(env.cpu.version, CG_V2);
	CHECK_STR(env.cpu.dir, "/sys/fs/cgroup/unified");
	CHECK_STR(env.cpu.start, "/");
	CHECK(cg_has_controller(&env, "cpuset"));
	CHECK(!cg_has_controller(&env, "cpu,cpuset"));
	CHECK(!cg_has_controller(&env, "mem"));
	dir = cg_dir(&env, "/session/a/mmgauge-1/l2");
	CHECK_STR(dir, "/sys/fs/cgroup/memory/session/a/mmgauge-1/l2");
	cpu = cg_cpu_dir(&env, "/session/a/mmgauge-1/l2");
	CHECK_STR(cpu, "/sys/fs/cgroup/unified/mmgauge-1/l2");
}

static void twins_follow_their_group(void)
{
	static const char *const pairs[][2] = {
		{ "/session/a", "/sys/fs/cgroup/unified" },
		{ "/", "/sys/fs/cgroup/unified" },
		{ "/other/mmgauge-7/leaf", "/sys/fs/cgroup/unified/mmgauge-7/leaf" },
		{ "/session/ab", NULL },
		{ "/other", NULL },
	};
	_cleanup_close_ int root = fixture_open("hybrid-6.18");
	_cleanup_cg_env_ struct cg_env env = { 0 };

	CHECK_OK(cg_probe(root, &env, &e));
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		_cleanup_free_ char *dir = cg_cpu_dir(&env, pairs[i][0]);

		if (pairs[i][1])
			CHECK_STR(dir, pairs[i][1]);
		else
			CHECK(dir == NULL);
	}
}

static void v1_with_comounted_controllers(void)
{
	_cleanup_close_ int root = fixture_open("synthetic-v1-only");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg cg = CG_INIT;

	CHECK_OK(cg_probe(root, &env, &e));
	CHECK_EQ(env.memory.version, CG_V1);
	CHECK_STR(env.memory.dir, "/dev/my cgroups/memory");
	CHECK_STR(env.memory.start, "/user.slice");
	CHECK_EQ(env.cpu.version, CG_V1);
	CHECK_STR(env.cpu.dir, "/sys/fs/cgroup/cpu,cpuacct");
	CHECK_STR(env.cpu.start, "/user.slice");
	CHECK_STR(env.controllers, "memory,cpu,cpuacct,blkio");
	CHECK_OK(cg_open(&env, env.memory.start, &cg, &e));
	CHECK_EQ(cg.level, 1);
	CHECK(cg.cpufd >= 0);
}

static void v1_in_a_container(void)
{
	_cleanup_close_ int root = fixture_open("synthetic-v1-container");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_free_ char *dir = NULL, *cpu = NULL;
	_cleanup_cg_ struct cg cg = CG_INIT, outside = CG_INIT;
	uint64_t n;

	CHECK_OK(cg_probe(root, &env, &e));
	CHECK_STR(env.memory.dir, "/sys/fs/cgroup/memory");
	CHECK_STR(env.memory.root, "/docker/c0ffee");
	CHECK_STR(env.memory.start, "/docker/c0ffee");
	CHECK(!env.memory.foreign);
	dir = cg_dir(&env, "/docker/c0ffee/mmgauge-x");
	CHECK_STR(dir, "/sys/fs/cgroup/memory/mmgauge-x");
	cpu = cg_cpu_dir(&env, "/docker/c0ffee/mmgauge-x");
	CHECK_STR(cpu, "/sys/fs/cgroup/cpuacct/mmgauge-x");
	CHECK_OK(cg_open(&env, env.memory.start, &cg, &e));
	CHECK_EQ(cg.level, 2); /* counted from the true root */
	CHECK_EQ(cg_dying(&cg, &n, &e), -EOPNOTSUPP);
	CHECK_EQ(cg_open(&env, "/docker", &outside, &e), -ENOENT);
}

static void v2_under_systemd(void)
{
	_cleanup_close_ int root = fixture_open("synthetic-v2-systemd");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg cg = CG_INIT;

	CHECK_OK(cg_probe(root, &env, &e));
	CHECK_EQ(env.memory.version, CG_V2);
	CHECK_EQ(env.cpu.version, CG_V2);
	CHECK_STR(env.memory.start, "/user.slice/user-1000.slice/session-3.scope");
	CHECK_STR(env.memory.options, "rw,nsdelegate,memory_recursiveprot");
	CHECK_STR(env.controllers, "memory,pids");
	CHECK_OK(cg_open(&env, env.memory.start, &cg, &e));
	CHECK_EQ(cg.level, 3);
	CHECK(cg_cpu_dir(&env, env.memory.start) == NULL);
}

static void v2_namespace(void)
{
	_cleanup_close_ int root = fixture_open("synthetic-v2-container");
	_cleanup_cg_env_ struct cg_env env = { 0 };

	CHECK_OK(cg_probe(root, &env, &e));
	CHECK_EQ(env.memory.version, CG_V2);
	CHECK_STR(env.memory.start, "/");
	CHECK(!env.memory.foreign);
}

/* The mount shows two levels above our namespace: our group is the one that lists our pid. */
static void v2_outer_mount(void)
{
	_cleanup_close_ int root = fixture_open("synthetic-v2-outer-mount");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg cg = CG_INIT;

	CHECK_OK(cg_probe(root, &env, &e));
	CHECK_STR(env.memory.root, "/");
	CHECK_STR(env.memory.start, "/pods/b/work");
	CHECK(env.memory.foreign);
	CHECK_OK(cg_open(&env, env.memory.start, &cg, &e));
	CHECK_EQ(cg.level, 3);
}

static void put(int fd, const char *path, const char *text)
{
	(void)!fsx_replace(fd, path, text, NULL);
}

/* We were moved out of our namespace: only what is below the mount can be used. */
static void outside_of_the_mount(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v2-container");
	_cleanup_cg_env_ struct cg_env env = { 0 };

	CHECK(c.fd >= 0);
	put(c.fd, "proc/self/cgroup", "0::/../elsewhere\n");
	CHECK_OK(cg_probe(c.fd, &env, &e));
	CHECK_STR(env.memory.start, "/");
	CHECK(env.memory.foreign);
}

static void no_controller_is_no_error(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v2-container");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg cg = CG_INIT;

	CHECK(c.fd >= 0);
	put(c.fd, "sys/fs/cgroup/cgroup.controllers", "cpu pids\n");
	CHECK_OK(cg_probe(c.fd, &env, &e));
	CHECK_EQ(env.memory.version, CG_NONE);
	CHECK_EQ(env.cpu.version, CG_V2);
	CHECK_STR(env.controllers, "");
	CHECK_EQ(cg_open(&env, "/", &cg, &e), -ENODEV);
	CHECK_STR(cg_version_name(env.memory.version), "none");
}

static void kernel_without_cgroups(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v2-container");
	_cleanup_cg_env_ struct cg_env env = { 0 };

	CHECK(c.fd >= 0);
	CHECK(unlinkat(c.fd, "proc/self/cgroup", 0) == 0);
	CHECK_OK(cg_probe(c.fd, &env, &e));
	CHECK_EQ(env.memory.version, CG_NONE);
	CHECK_EQ(env.cpu.version, CG_NONE);
}

static void broken_lines_are_passed_over(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v2-container");
	_cleanup_cg_env_ struct cg_env env = { 0 };

	CHECK(c.fd >= 0);
	put(c.fd, "proc/self/mountinfo",
	    "\n1\n1 2 3:4 /\n1 2 3:4 / /x rw - cgroup2\n1 2 3:4 / /x rw cgroup2 x rw\n"
	    "9 8 0:1 / /sys/fs/cgroup rw - cgroup2 none rw\n");
	put(c.fd, "proc/self/cgroup", "garbage\n:\n0:\n0::/\n");
	CHECK_OK(cg_probe(c.fd, &env, &e));
	CHECK_EQ(env.memory.version, CG_V2);
	CHECK_STR(env.memory.dir, "/sys/fs/cgroup");
}

static void levels(void)
{
	CHECK_EQ(cg_path_level("/"), 0);
	CHECK_EQ(cg_path_level("/a"), 1);
	CHECK_EQ(cg_path_level("/a/b/c"), 3);
}

static void odd_paths_are_refused(void)
{
	static const char *const bad[] = { "", "a", "/user.slice/..", "/user.slice/",
					   "//user.slice" };
	_cleanup_close_ int root = fixture_open("synthetic-v1-only");
	_cleanup_cg_env_ struct cg_env env = { 0 };

	CHECK_OK(cg_probe(root, &env, &e));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		_cleanup_cg_ struct cg cg = CG_INIT;

		CHECK_EQ(cg_open(&env, bad[i], &cg, &e), -EINVAL);
	}
}

int main(void)
{
	TAP_RUN(hybrid);
	TAP_RUN(twins_follow_their_group);
	TAP_RUN(v1_with_comounted_controllers);
	TAP_RUN(v1_in_a_container);
	TAP_RUN(v2_under_systemd);
	TAP_RUN(v2_namespace);
	TAP_RUN(v2_outer_mount);
	TAP_RUN(outside_of_the_mount);
	TAP_RUN(no_controller_is_no_error);
	TAP_RUN(kernel_without_cgroups);
	TAP_RUN(broken_lines_are_passed_over);
	TAP_RUN(levels);
	TAP_RUN(odd_paths_are_refused);
	return tap_done();
}
