// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where groups can be made at all. v1: below the start group. v2 doesn't let a group hold
 * processes and enable domain controllers for its children (cgroup-v2.rst, "No Internal Process
 * Constraint"), and the start group holds at least us. Three ways, in this order:
 *
 *  - the start group is the real root (a guest), which is exempt, or is empty: as it is;
 *  - its parent is ours to write, has the memory controller to give, and its cgroup.procs may be
 *    written, which moving a task between the two needs: a sibling of the start group;
 *  - else everything in the start group moves into a leaf of it, so that it becomes free.
 *
 * The decision reads only, so that the journal can be written before anything changes.
 */
#include "cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "cgroup/internal.h"

#define SUPERVISOR "supervisor"
#define REMOVE_NS (5 * NSEC_PER_SEC)

/* Every v2 group but the real root has the file; the root of a cgroup namespace has it, too. */
static bool is_real_root(int dirfd)
{
	return !fsx_exists(dirfd, "cgroup.type");
}

static bool may_write(int dirfd, const char *file)
{
	return faccessat(dirfd, file, W_OK, AT_EACCESS) == 0;
}

static bool file_has_word(int dirfd, const char *file, const char *word)
{
	_cleanup_free_ char *text = NULL;

	return fsx_read_line(dirfd, file, &text, NULL) == 0 && cg_has_word(text, word, " ");
}

/* Can groups with a memory controller be made below @dirfd: is it on, or can it be put on? */
static bool gives_memory(int dirfd)
{
	if (file_has_word(dirfd, "cgroup.subtree_control", "memory"))
		return true;
	return file_has_word(dirfd, "cgroup.controllers", "memory") &&
	       may_write(dirfd, "cgroup.subtree_control") &&
	       (is_real_root(dirfd) || cg_read_pids(dirfd, NULL, 0, NULL) == 0);
}

static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

/* The parent of the start group, open, when a sibling can be made there. */
static bool sibling_possible(const struct cg_env *env, const char *parent)
{
	_cleanup_cg_ struct cg cg = CG_INIT;

	if (!cg_path_below(parent, env->memory.root) || cg_open(env, parent, &cg, NULL) < 0)
		return false;
	return may_write(cg.dirfd, ".") && may_write(cg.dirfd, "cgroup.procs") &&
	       gives_memory(cg.dirfd);
}

static int refuse_populated(const struct cg *base, ssize_t n, struct err *e)
{
	_cleanup_free_ pid_t *pids = NULL;
	_cleanup_free_ char *names = NULL;

	n = cg_list_pids(base->dirfd, &pids, NULL);
	names = cg_name_pids(base->env->rootfd, pids, n > 0 ? (size_t)n : 0);
	err_set(e, -EBUSY, "could not make groups below cgroup \"%s\": it holds processes: %s",
		base->path, names);
	err_hint(e, "cgroup v2 takes groups below a group without processes only; choose another "
		 "--cgroup-parent");
	return -EBUSY;
}

/* Can the processes of @base move into a leaf of it, and then groups be made? */
static int check_delegated(const struct cg *base, struct err *e)
{
	bool memory = file_has_word(base->dirfd, "cgroup.controllers", "memory");
	int r;

	if (memory && may_write(base->dirfd, ".") && may_write(base->dirfd, "cgroup.procs") &&
	    may_write(base->dirfd, "cgroup.subtree_control"))
		return 0;
	r = err_set(e, memory ? -EACCES : -EOPNOTSUPP, "could not make groups below cgroup \"%s\": "
		    "%s", base->path, memory ? "it is not ours to write" :
		    "it does not have the memory controller");
	err_hint(e, "run as root, or: systemd-run --user --scope -p Delegate=yes COMMAND");
	return r;
}

static int plan_v2(const struct cg *base, bool given, const char *id, struct cg_scope_plan *plan,
		   struct err *e)
{
	const struct cg_env *env = base->env;
	bool is_start = str_eq(base->path, env->memory.start);
	_cleanup_free_ char *parent = parent_of(base->path);
	ssize_t n = cg_read_pids(base->dirfd, NULL, 0, e);
	int r;

	if (n < 0)
		return err_wrap(e, (int)n, "cgroup \"%s\"", base->path);
	if (n == 0 || is_real_root(base->dirfd)) {
		plan->base = xstrdup(base->path);
		return 0;
	}
	if (!is_start || env->memory.foreign)
		return refuse_populated(base, n, e);
	if (!given && !str_eq(base->path, env->memory.root) && sibling_possible(env, parent)) {
		_cleanup_free_ char *name = xasprintf("mmgauge-scope-%s", id);

		plan->way = CG_SCOPE_SIBLING;
		plan->base = cg_join(parent, name);
		return 0;
	}
	r = check_delegated(base, e);
	if (r < 0)
		return r;
	plan->way = CG_SCOPE_SUPERVISOR;
	plan->base = xstrdup(base->path);
	plan->supervisor = cg_join(base->path, SUPERVISOR);
	return 0;
}

int cg_scope_plan(const struct cg_env *env, const char *parent, const char *id,
		  struct cg_scope_plan *ret, struct err *e)
{
	struct cg_scope_plan plan = { .way = CG_SCOPE_AS_IS };
	const char *path = parent ? parent : env->memory.start;
	_cleanup_cg_ struct cg base = CG_INIT;
	int r = cg_open(env, path ? path : "/", &base, e);

	if (r < 0)
		return r;
	if (env->memory.version == CG_V2)
		r = plan_v2(&base, parent != NULL, id, &plan, e);
	else
		plan.base = xstrdup(path);
	if (r < 0)
		return r;
	*ret = plan;
	return 0;
}

void cg_scope_plan_done(struct cg_scope_plan *p)
{
	free(p->base);
	free(p->supervisor);
	*p = (struct cg_scope_plan){ 0 };
}

/* Moves what is in @from until nothing is left; new children of movers appear meanwhile. */
#define MOVE_PASSES 20
static int move_all(int rootfd, int from, int to, struct err *e)
{
	_cleanup_free_ char *names = NULL;
	pid_t *pids = NULL;
	ssize_t n = 0;

	for (int pass = 0; pass < MOVE_PASSES; pass++) {
		free(pids);
		pids = NULL;
		n = cg_list_pids(from, &pids, e);
		if (n <= 0)
			return (int)n;
		for (ssize_t i = 0; i < n; i++) {
			int r = pids[i] > 0 ? cg_write_pid(to, pids[i], e) : 0;

			if (r < 0 && r != -ESRCH) {
				free(pids);
				return r;
			}
		}
	}
	names = cg_name_pids(rootfd, pids, (size_t)n);
	free(pids);
	return err_set(e, -EBUSY, "could not move all processes: left are %s", names);
}

static int enter_sibling(const struct cg_env *env, const char *path, struct cg_scope *s,
			 struct err *e)
{
	_cleanup_free_ char *parent_path = parent_of(path);
	_cleanup_free_ char *enabled = NULL;
	_cleanup_cg_ struct cg parent = CG_INIT;
	int r = cg_open(env, parent_path, &parent, e);

	if (r == 0)
		r = fsx_read_line(parent.dirfd, "cgroup.subtree_control", &enabled, e);
	if (r == 0)
		r = cg_make(&parent, strrchr(path, '/') + 1, "memory", &s->base, e);
	if (r < 0)
		return r;
	s->own_group = true;
	s->enabled = steal_ptr(&enabled);
	return 0;
}

static int enter_supervisor(struct cg_scope *s, struct err *e)
{
	_cleanup_free_ char *enabled = NULL;
	_cleanup_close_ int leaf = -EBADF;
	int r = fsx_read_line(s->base.dirfd, "cgroup.subtree_control", &enabled, e);

	if (r < 0)
		return r;
	if (mkdirat(s->base.dirfd, SUPERVISOR, 0755) < 0 && errno != EEXIST)
		return err_errno(e, errno, "could not make cgroup \"%s/%s\"", s->base.path,
				 SUPERVISOR);
	leaf = fsx_open(s->base.dirfd, SUPERVISOR, O_RDONLY | O_DIRECTORY, e);
	if (leaf < 0)
		return leaf;
	r = move_all(s->base.env->rootfd, s->base.dirfd, leaf, e);
	if (r < 0) {
		if (move_all(s->base.env->rootfd, leaf, s->base.dirfd, NULL) == 0)
			(void)unlinkat(s->base.dirfd, SUPERVISOR, AT_REMOVEDIR);
		return err_wrap(e, r, "could not free cgroup \"%s\" of its processes",
				s->base.path);
	}
	s->moved = true;
	s->enabled = steal_ptr(&enabled);
	return 0;
}

int cg_scope_enter(const struct cg_env *env, const char *parent, const char *id,
		   struct cg_scope *ret, struct err *e)
{
	struct cg_scope s = { .base = CG_INIT };
	struct cg_scope_plan plan;
	int r = cg_scope_plan(env, parent, id, &plan, e);

	if (r < 0)
		return r;
	if (plan.way == CG_SCOPE_SIBLING)
		r = enter_sibling(env, plan.base, &s, e);
	else
		r = cg_open(env, plan.base, &s.base, e);
	if (r == 0 && plan.way == CG_SCOPE_SUPERVISOR) {
		r = enter_supervisor(&s, e);
		if (r < 0)
			cg_close(&s.base);
	}
	cg_scope_plan_done(&plan);
	if (r == 0)
		*ret = s;
	return r;
}

/* Turns off what is on now in @dirfd and isn't in @keep. */
static int switch_back(int dirfd, const char *path, const char *keep, struct err *e)
{
	_cleanup_free_ char *now = NULL;
	char *rest, *name;
	int r = fsx_read_line(dirfd, "cgroup.subtree_control", &now, e);

	if (r < 0)
		return r;
	rest = now;
	while ((name = str_cut(&rest, " "))) {
		r = *name && !cg_has_word(keep, name, " ") ?
			    cg_switch(dirfd, path, name, false, e) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int leave_sibling(struct cg_scope *s, struct err *e)
{
	_cleanup_free_ char *path = parent_of(s->base.path);
	_cleanup_cg_ struct cg parent = CG_INIT;
	int r = cg_remove(&s->base, REMOVE_NS, e);

	if (r == 0)
		r = cg_open(s->base.env, path, &parent, e);
	return r < 0 ? r : switch_back(parent.dirfd, path, s->enabled, e);
}

static int move_back(int rootfd, int from, int to, const char *to_path, const char *keep,
		     struct err *e)
{
	int r = switch_back(to, to_path, keep, e);

	return r < 0 ? r : move_all(rootfd, from, to, e);
}

static int leave_supervisor(struct cg_scope *s, struct err *e)
{
	_cleanup_free_ char *base = cg_dir(s->base.env, s->base.path);
	_cleanup_free_ char *dir = cg_join(base, SUPERVISOR);
	_cleanup_close_ int from = fsx_open(s->base.dirfd, SUPERVISOR, O_RDONLY | O_DIRECTORY, e);
	int r;

	if (from == -ENOENT)
		return 0;
	if (from < 0)
		return from;
	r = move_back(s->base.env->rootfd, from, s->base.dirfd, s->base.path, s->enabled, e);
	return r < 0 ? r : cg_remove_dir(s->base.env->rootfd, dir, REMOVE_NS, e);
}

int cg_scope_leave(struct cg_scope *s, struct err *e)
{
	int r = 0;

	if (s->own_group)
		r = leave_sibling(s, e);
	else if (s->moved)
		r = leave_supervisor(s, e);
	cg_close(&s->base);
	free(s->enabled);
	*s = (struct cg_scope){ .base = CG_INIT };
	return r;
}

/* Threaded controllers may stay on while the group holds processes: cgroup-v2.rst, "Threads". */
#define THREADED "cpu cpuset perf_event pids"

int cg_move_back(int rootfd, const char *from, const char *to, struct err *e)
{
	_cleanup_close_ int from_fd =
		fsx_open(rootfd, cg_below_root(from), O_RDONLY | O_DIRECTORY, e);
	_cleanup_close_ int to_fd = -EBADF;
	int r;

	if (from_fd == -ENOENT)
		return 0;
	if (from_fd < 0)
		return from_fd;
	to_fd = fsx_open(rootfd, cg_below_root(to), O_RDONLY | O_DIRECTORY, e);
	if (to_fd < 0)
		return to_fd;
	r = move_back(rootfd, from_fd, to_fd, to, THREADED, e);
	if (r < 0)
		return err_wrap(e, r, "could not move the processes of \"%s\" back", from);
	return 0;
}
