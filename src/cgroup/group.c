// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups: open, make, empty of page cache, remove; and where their directories are. */
#include "cgroup/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/internal.h"

#define OWN_PREFIX "mmgauge" /* names of the groups that we make begin so */

static char *dir_in(const struct cg_mount *m, const char *path)
{
	const char *below = cg_path_below(path, m->root);

	/* a path outside what is mounted can't be named; keep it so that the message shows it */
	return xasprintf("%s%s", m->dir, below ? below : path);
}

char *cg_dir(const struct cg_env *env, const char *path)
{
	return dir_in(&env->memory, path);
}

static bool has_twins(const struct cg_env *env)
{
	return env->memory.version == CG_V1 && env->cpu.version != CG_NONE;
}

char *cg_cpu_dir(const struct cg_env *env, const char *path)
{
	_cleanup_free_ char *start = NULL;
	const char *below;

	if (!has_twins(env))
		return NULL;
	if (str_eq(path, env->memory.root) && !str_eq(path, env->memory.start))
		return xstrdup(env->cpu.dir);
	start = dir_in(&env->cpu, env->cpu.start);
	below = cg_path_below(path, env->memory.start);
	if (!below)
		below = strstr(path, "/" OWN_PREFIX);
	return below ? xasprintf("%s%s", start, below) : NULL;
}

static int open_dir(const struct cg_env *env, const char *path, struct err *e)
{
	_cleanup_free_ char *dir = cg_dir(env, path);

	return fsx_open(env->rootfd, cg_below_root(dir), O_RDONLY | O_DIRECTORY, e);
}

/* Of the twin; one that is missing or may not be read is done without. */
static int open_cpu_dir(const struct cg_env *env, const char *path)
{
	_cleanup_free_ char *dir = NULL;

	if (env->memory.version == CG_V2)
		return open_dir(env, path, NULL);
	dir = cg_cpu_dir(env, path);
	return dir ? fsx_open(env->rootfd, cg_below_root(dir), O_RDONLY | O_DIRECTORY, NULL) :
		     -EBADF;
}

int cg_open(const struct cg_env *env, const char *path, struct cg *ret, struct err *e)
{
	struct cg cg = CG_INIT;

	if (env->memory.version == CG_NONE)
		return err_set(e, -ENODEV, "could not open cgroup \"%s\": no memory controller is "
			       "mounted", path);
	if (*path != '/' || strstr(path, "/..") ||
	    (path[1] && path[strlen(path) - 1] == '/') || strstr(path, "//"))
		return err_set(e, -EINVAL, "could not open cgroup \"%s\": not an absolute path in "
			       "the hierarchy", path);
	cg.dirfd = open_dir(env, path, e);
	if (cg.dirfd < 0)
		return err_wrap(e, cg.dirfd, "could not open cgroup \"%s\"", path);
	cg.cpufd = open_cpu_dir(env, path);
	if (cg.cpufd < 0)
		cg.cpufd = -EBADF;
	cg.env = env;
	cg.path = xstrdup(path);
	cg.level = cg_path_level(path);
	*ret = cg;
	return 0;
}

void cg_close(struct cg *cg)
{
	if (cg->path) { /* a zeroed struct owns no descriptor 0 */
		cleanup_close(&cg->dirfd);
		cleanup_close(&cg->cpufd);
		free(cg->path);
	}
	*cg = CG_INIT;
}

static int switch_refused(int r, int dirfd, const char *path, const char *name, struct err *e)
{
	_cleanup_free_ pid_t *pids = NULL;
	ssize_t n;

	if (r != -EBUSY)
		return err_wrap(e, r, "cgroup \"%s\"", path);
	n = cg_list_pids(dirfd, &pids, NULL);
	r = err_set(e, -EBUSY, "could not enable controller \"%s\" below cgroup \"%s\": %zd "
		    "processes are in the group itself, and cgroup v2 allows only one of the two",
		    name, path, n < 0 ? 0 : n);
	err_hint(e, "choose a --cgroup-parent that holds no process");
	return r;
}

static int switch_one(int dirfd, const char *path, const char *name, bool on, struct err *e)
{
	_cleanup_free_ char *have = NULL, *enabled = NULL, *after = NULL;
	char text[64];
	int r = fsx_read_line(dirfd, "cgroup.subtree_control", &enabled, e);

	if (r < 0)
		return err_wrap(e, r, "cgroup \"%s\"", path);
	if (cg_has_word(enabled, name, " ") == on)
		return 0;
	r = fsx_read_line(dirfd, "cgroup.controllers", &have, e);
	if (r < 0)
		return err_wrap(e, r, "cgroup \"%s\"", path);
	if (!cg_has_word(have, name, " ")) {
		r = err_set(e, -EOPNOTSUPP, "could not enable controller \"%s\" below cgroup "
			    "\"%s\": the group does not have it", name, path);
		err_hint(e, "its parent groups must enable it in cgroup.subtree_control");
		return r;
	}
	(void)snprintf(text, sizeof(text), "%c%s", on ? '+' : '-', name);
	r = fsx_write(dirfd, "cgroup.subtree_control", text, e);
	if (r < 0)
		return switch_refused(r, dirfd, path, name, e);
	r = fsx_read_line(dirfd, "cgroup.subtree_control", &after, e);
	if (r < 0)
		return err_wrap(e, r, "cgroup \"%s\"", path);
	if (cg_has_word(after, name, " ") != on)
		return err_set(e, -EIO, "could not switch controller \"%s\" below cgroup \"%s\": "
			       "it reads \"%s\" after the write", name, path, after);
	return 0;
}

int cg_switch(int dirfd, const char *path, const char *controllers, bool on, struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(controllers);
	char *rest = copy, *name;

	while ((name = str_cut(&rest, ", \n"))) {
		int r = *name ? switch_one(dirfd, path, name, on, e) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int make_dir(int parentfd, const char *name, const char *path, struct err *e)
{
	int r;

	if (mkdirat(parentfd, name, 0755) == 0)
		return 0;
	r = err_errno(e, errno, "could not make cgroup \"%s\"", path);
	if (r == -ENOSPC)
		err_hint(e, "the kernel has no memory cgroup id left: dead groups hold them until "
			 "their page cache is reclaimed");
	else if (r == -EAGAIN)
		err_hint(e, "see cgroup.max.depth and cgroup.max.descendants of its parents");
	else if (r == -EACCES || r == -EPERM)
		err_hint(e, "run as root, or choose a --cgroup-parent that is yours to write");
	return r;
}

/* COMPAT(5.11): before, v1 groups below the root did not count for their parents by default. */
static int make_hierarchical(const struct cg *cg, struct err *e)
{
	uint64_t v = 1;

	if (cg->env->memory.version != CG_V1 || !fsx_exists(cg->dirfd, "memory.use_hierarchy"))
		return 0;
	if (fsx_read_u64(cg->dirfd, "memory.use_hierarchy", &v, e) < 0)
		return -EIO;
	return v ? 0 : fsx_write(cg->dirfd, "memory.use_hierarchy", "1", e);
}

static int make_twin(const struct cg_env *env, const char *path, struct err *e)
{
	_cleanup_free_ char *dir = cg_cpu_dir(env, path);
	int r = dir ? make_dir(env->rootfd, cg_below_root(dir), dir, e) : 0;

	return r == -EACCES || r == -EPERM || r == -EROFS ? 0 : r;
}

/* Of a group that nobody has entered yet. */
static void unmake(const struct cg_env *env, const char *path)
{
	_cleanup_free_ char *dir = cg_dir(env, path);
	_cleanup_free_ char *cpu_dir = cg_cpu_dir(env, path);

	(void)unlinkat(env->rootfd, cg_below_root(dir), AT_REMOVEDIR);
	if (cpu_dir)
		(void)unlinkat(env->rootfd, cg_below_root(cpu_dir), AT_REMOVEDIR);
}

int cg_make(const struct cg *parent, const char *name, const char *controllers, struct cg *ret,
	    struct err *e)
{
	const struct cg_env *env = parent->env;
	_cleanup_free_ char *path = cg_join(parent->path, name);
	_cleanup_cg_ struct cg cg = CG_INIT;
	int r = 0;

	if (!*name || *name == '.' || strpbrk(name, "/\n"))
		return err_set(e, -EINVAL, "could not make cgroup \"%s\": not a name", name);
	if (env->memory.version == CG_V2 && controllers)
		r = cg_switch(parent->dirfd, parent->path, controllers, true, e);
	if (r == 0)
		r = make_dir(parent->dirfd, name, path, e);
	if (r < 0)
		return r;
	r = make_twin(env, path, e);
	if (r < 0) { /* a twin that was there before is not ours to remove */
		(void)unlinkat(parent->dirfd, name, AT_REMOVEDIR);
		return r;
	}
	r = cg_open(env, path, &cg, e);
	if (r == 0)
		r = make_hierarchical(&cg, e);
	if (r < 0) {
		unmake(env, path);
		return r;
	}
	*ret = cg;
	cg = CG_INIT;
	return 0;
}

/* One write reclaims in many rounds, but gives up early when a signal is pending. */
static int evict_v1(const struct cg *cg, struct err *e)
{
	int r;

	for (int i = 0; i < 8; i++) {
		r = fsx_write(cg->dirfd, "memory.force_empty", "0", e);
		if (r != -EINTR)
			break;
	}
	if (r == -ENOENT)
		return err_set(e, -EOPNOTSUPP, "could not evict: no file \"memory.force_empty\"");
	return r;
}

/* COMPAT(5.19): memory.reclaim; before, a high limit of 0 for a moment reclaims as well. */
static int evict_by_high(const struct cg *cg, struct err *e)
{
	_cleanup_free_ char *old = NULL;
	int r = fsx_read_line(cg->dirfd, "memory.high", &old, e);

	if (r == 0)
		r = fsx_write(cg->dirfd, "memory.high", "0", e);
	if (r < 0)
		return r;
	return fsx_write(cg->dirfd, "memory.high", old, e);
}

#define EVICT_ROUNDS 16

static int evict_v2(const struct cg *cg, struct err *e)
{
	if (!fsx_exists(cg->dirfd, "memory.reclaim"))
		return evict_by_high(cg, e);
	for (int i = 0; i < EVICT_ROUNDS; i++) {
		uint64_t before, after;
		char number[24];
		int r = fsx_read_u64(cg->dirfd, "memory.current", &before, e);

		if (r < 0 || before == 0)
			return r;
		(void)snprintf(number, sizeof(number), "%" PRIu64, before);
		r = fsx_write(cg->dirfd, "memory.reclaim", number, e);
		if (r < 0 && r != -EAGAIN && r != -EINTR) /* EAGAIN: less than asked for */
			return r;
		r = fsx_read_u64(cg->dirfd, "memory.current", &after, e);
		if (r < 0 || after >= before)
			return r;
	}
	return 0;
}

int cg_evict(const struct cg *cg, struct err *e)
{
	int r = cg->env->memory.version == CG_V1 ? evict_v1(cg, e) : evict_v2(cg, e);

	if (r < 0)
		return err_wrap(e, r, "could not reclaim the memory of cgroup \"%s\"", cg->path);
	return 0;
}

/* Name of some group below @dirfd, malloc'd, or NULL. */
static char *child_group(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	char *name = NULL;

	if (!dir)
		return NULL;
	while (!name && (d = readdir(dir))) {
		if (d->d_type == DT_DIR && strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0)
			name = xstrdup(d->d_name);
	}
	(void)closedir(dir);
	return name;
}

/* Why rmdir said EBUSY: groups below it (waiting won't help: 0), or tasks (wait: 1). */
static int why_busy(int rootfd, int dirfd, const char *dir, bool last, struct err *e)
{
	_cleanup_free_ pid_t *pids = NULL;
	_cleanup_free_ char *names = NULL, *child = child_group(dirfd);
	ssize_t n;

	if (child)
		return err_set(e, -EBUSY, "could not remove cgroup \"%s\": group \"%s\" is below "
			       "it", dir, child);
	if (!last)
		return 0;
	n = cg_list_pids(dirfd, &pids, NULL);
	if (n <= 0)
		return err_set(e, -EBUSY, "could not remove cgroup \"%s\": exiting tasks still "
			       "hold it, but it lists none", dir);
	names = cg_name_pids(rootfd, pids, (size_t)n);
	return err_set(e, -EBUSY, "could not remove cgroup \"%s\": it still holds %s", dir, names);
}

int cg_remove_dir(int rootfd, const char *abs_dir, uint64_t timeout_ns, struct err *e)
{
	const char *dir = cg_below_root(abs_dir);
	uint64_t until_ns = clock_mono_ns() + timeout_ns;

	for (;;) {
		_cleanup_close_ int fd = -EBADF;
		bool last = clock_mono_ns() >= until_ns;
		int r;

		if (unlinkat(rootfd, dir, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return err_errno(e, errno, "could not remove cgroup \"%s\"", abs_dir);
		fd = fsx_open(rootfd, dir, O_RDONLY | O_DIRECTORY, e);
		if (fd == -ENOENT)
			return 0;
		r = fd < 0 ? fd : why_busy(rootfd, fd, abs_dir, last, e);
		if (r < 0)
			return r;
		cg_wait_exits(fd, until_ns);
	}
}

int cg_remove(const struct cg *cg, uint64_t timeout_ns, struct err *e)
{
	_cleanup_free_ char *dir = cg_dir(cg->env, cg->path);
	_cleanup_free_ char *cpu_dir = cg_cpu_dir(cg->env, cg->path);
	int r = cg_remove_dir(cg->env->rootfd, dir, timeout_ns, e);
	int r2 = cpu_dir ? cg_remove_dir(cg->env->rootfd, cpu_dir, timeout_ns, r < 0 ? NULL : e) :
			   0;

	return r < 0 ? r : r2;
}
