// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rule of cgroup v2 that a group holds processes or gives controllers to its children, on
 * copies of other machines' trees that behave so (fixtures/fakefs.h).
 */
#include "tap.h"

#include "fixtures/fakefs.h"

#include <errno.h>

#include "cgroup/cgroup.h"

static struct err e;
#define SYSTEMD_PARENT "sys/fs/cgroup/user.slice/user-1000.slice/"

struct fake {
	struct fixture_copy copy;
	struct cg_env env;
};

static bool fake_open(struct fake *f, const char *name)
{
	f->copy = fixture_copy(name);
	fakefs_dir = f->copy.dir;
	fakefs_log[0] = '\0';
	return f->copy.fd >= 0 && cg_probe(f->copy.fd, &f->env, &e) == 0;
}

static void fake_close(struct fake *f)
{
	fakefs_dir = NULL;
	cg_env_done(&f->env);
	fixture_drop(&f->copy);
}
#define _cleanup_fake_ _cleanup_(fake_close)

static void sibling_where_the_parent_is_ours(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	_cleanup_cg_ struct cg leaf = CG_INIT;
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-systemd"));
	CHECK_OK(cg_scope_enter(&f.env, NULL, "77", &s, &e));
	CHECK(s.own_group && !s.moved);
	CHECK_STR(s.base.path, "/user.slice/user-1000.slice/mmgauge-scope-77");
	CHECK_EQ(s.base.level, 3);
	CHECK_OK(cg_make(&s.base, "l1", "memory", &leaf, &e));
	CHECK_STR(fixture_text(f.copy.fd, SYSTEMD_PARENT "mmgauge-scope-77/cgroup.subtree_control"),
		  "memory");
	CHECK_STR(fixture_text(leaf.dirfd, "cgroup.controllers"), "memory");
	CHECK_EQ(cg_scope_leave(&s, &e), -EBUSY); /* l1 is left */
	CHECK_OK(cg_remove(&leaf, 0, &e));
	CHECK_OK(cg_scope_leave(&s, &e)); /* a second time is fine */
	CHECK_STR(fixture_text(f.copy.fd, SYSTEMD_PARENT "session-3.scope/cgroup.procs"),
		  "1201\n1202\n4711");
}

static void sibling_leaves_nothing(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-systemd"));
	/* the controller is there but not given to the children yet */
	CHECK_OK(fsx_replace(f.copy.fd, SYSTEMD_PARENT "cgroup.subtree_control", "pids\n", &e));
	CHECK_OK(cg_scope_enter(&f.env, NULL, "78", &s, &e));
	CHECK_STR(fixture_text(f.copy.fd, SYSTEMD_PARENT "cgroup.subtree_control"), "pids memory");
	CHECK_OK(cg_scope_leave(&s, &e));
	CHECK_STR(fixture_text(f.copy.fd, SYSTEMD_PARENT "cgroup.subtree_control"), "pids ");
	CHECK(!fsx_exists(f.copy.fd, SYSTEMD_PARENT "mmgauge-scope-78"));
}

static void supervisor_in_a_container(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	_cleanup_cg_ struct cg leaf = CG_INIT;
	struct cg_scope_plan plan;
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-container"));
	CHECK_OK(cg_scope_plan(&f.env, NULL, "79", &plan, &e));
	CHECK_EQ(plan.way, CG_SCOPE_SUPERVISOR);
	CHECK_STR(plan.base, "/");
	CHECK_STR(plan.supervisor, "/supervisor");
	cg_scope_plan_done(&plan);
	CHECK_STR(fakefs_log, ""); /* planning changes nothing */
	CHECK_OK(cg_scope_enter(&f.env, NULL, "79", &s, &e));
	CHECK(s.moved && !s.own_group);
	CHECK_STR(fakefs_log, "/supervisor cgroup.procs 1\n/supervisor cgroup.procs 7\n"
			      "/supervisor cgroup.procs 4711\n");
	CHECK_STR(fixture_text(f.copy.fd, "sys/fs/cgroup/cgroup.procs"), "");
	CHECK_OK(cg_make(&s.base, "mmgauge-79", "memory,pids", &leaf, &e));
	CHECK_STR(fixture_text(leaf.dirfd, "cgroup.controllers"), "memory pids");
	CHECK_OK(cg_remove(&leaf, 0, &e));
	CHECK_OK(cg_scope_leave(&s, &e));
	CHECK_STR(fixture_text(f.copy.fd, "sys/fs/cgroup/cgroup.procs"), "1\n7\n4711");
	CHECK_STR(fixture_text(f.copy.fd, "sys/fs/cgroup/cgroup.subtree_control"), "");
	CHECK(!fsx_exists(f.copy.fd, "sys/fs/cgroup/supervisor"));
}

/* What the journal does when the process that entered the scope was killed. */
static void journal_moves_back(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	_cleanup_cg_ struct cg leaf = CG_INIT;
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-container"));
	CHECK_OK(cg_scope_enter(&f.env, NULL, "80", &s, &e));
	CHECK_OK(cg_make(&s.base, "mmgauge-80", "memory", &leaf, &e));
	CHECK_OK(cg_remove_dir(f.copy.fd, "/sys/fs/cgroup/mmgauge-80", 0, &e));
	CHECK_OK(cg_move_back(f.copy.fd, "/sys/fs/cgroup/supervisor", "/sys/fs/cgroup", &e));
	CHECK_OK(cg_remove_dir(f.copy.fd, "/sys/fs/cgroup/supervisor", 0, &e));
	CHECK_STR(fixture_text(f.copy.fd, "sys/fs/cgroup/cgroup.procs"), "1\n7\n4711");
	CHECK_OK(cg_move_back(f.copy.fd, "/sys/fs/cgroup/supervisor", "/sys/fs/cgroup", &e));
	CHECK_OK(cg_scope_leave(&s, &e));
}

static void real_root_is_exempt(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	_cleanup_cg_ struct cg leaf = CG_INIT;
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-container"));
	CHECK(unlinkat(f.copy.fd, "sys/fs/cgroup/cgroup.type", 0) == 0); /* as in a guest */
	CHECK_OK(cg_scope_enter(&f.env, NULL, "81", &s, &e));
	CHECK(!s.moved && !s.own_group);
	CHECK_STR(s.base.path, "/");
	CHECK_EQ(s.base.level, 0);
	CHECK_OK(cg_make(&s.base, "mmgauge-81", "memory", &leaf, &e));
	CHECK_OK(cg_remove(&leaf, 0, &e));
	CHECK_OK(cg_scope_leave(&s, &e));
}

static void parent_of_the_user_must_be_empty(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	struct cg_scope_plan plan;
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-systemd"));
	CHECK_OK(cg_scope_plan(&f.env, "/user.slice", "82", &plan, &e));
	CHECK_EQ(plan.way, CG_SCOPE_AS_IS);
	CHECK_STR(plan.base, "/user.slice");
	cg_scope_plan_done(&plan);
	CHECK_OK(fsx_replace(f.copy.fd, "sys/fs/cgroup/user.slice/cgroup.procs", "5\n", &e));
	CHECK_EQ(cg_scope_enter(&f.env, "/user.slice", "82", &s, &e), -EBUSY);
	CHECK_HAS(e.msg, "\"/user.slice\": it holds processes: 5 (gone)");
	CHECK_EQ(cg_scope_enter(&f.env, "/none", "82", &s, &e), -ENOENT);
	CHECK_STR(fakefs_log, "");
}

static void processes_block_controllers(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	_cleanup_cg_ struct cg start = CG_INIT, leaf = CG_INIT;

	CHECK(fake_open(&f, "synthetic-v2-container"));
	CHECK_OK(cg_open(&f.env, "/", &start, &e));
	CHECK_EQ(cg_make(&start, "mmgauge-83", "memory", &leaf, &e), -EBUSY);
	CHECK_HAS(e.msg, "3 processes are in the group itself");
	CHECK(e.hint[0]);
	CHECK_EQ(cg_make(&start, "mmgauge-83", "io", &leaf, &e), -EOPNOTSUPP);
	CHECK_HAS(e.msg, "controller \"io\"");
	CHECK(!fsx_exists(f.copy.fd, "sys/fs/cgroup/mmgauge-83"));
}

static void without_the_controller(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v2-systemd"));
	CHECK_OK(fsx_replace(f.copy.fd, SYSTEMD_PARENT "cgroup.controllers", "pids\n", &e));
	CHECK_OK(fsx_replace(f.copy.fd, SYSTEMD_PARENT "cgroup.subtree_control", "pids\n", &e));
	CHECK_OK(fsx_replace(f.copy.fd, SYSTEMD_PARENT "session-3.scope/cgroup.controllers",
			     "pids\n", &e));
	CHECK_EQ(cg_scope_enter(&f.env, NULL, "84", &s, &e), -EOPNOTSUPP);
	CHECK_HAS(e.msg, "it does not have the memory controller");
	CHECK_HAS(e.hint, "systemd-run --user --scope -p Delegate=yes");
}

static void v1_needs_no_scope(void)
{
	_cleanup_fake_ struct fake f = { 0 };
	struct cg_scope s = { 0 };

	CHECK(fake_open(&f, "synthetic-v1-only"));
	CHECK_OK(cg_scope_enter(&f.env, NULL, "85", &s, &e));
	CHECK_STR(s.base.path, "/user.slice");
	CHECK(!s.moved && !s.own_group);
	CHECK_OK(cg_scope_leave(&s, &e));
}

int main(void)
{
	TAP_RUN(sibling_where_the_parent_is_ours);
	TAP_RUN(sibling_leaves_nothing);
	TAP_RUN(supervisor_in_a_container);
	TAP_RUN(journal_moves_back);
	TAP_RUN(real_root_is_exempt);
	TAP_RUN(parent_of_the_user_must_be_empty);
	TAP_RUN(processes_block_controllers);
	TAP_RUN(without_the_controller);
	TAP_RUN(v1_needs_no_scope);
	return tap_done();
}
