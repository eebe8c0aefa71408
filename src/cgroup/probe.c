// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which hierarchy is where. Sources: proc/self/mountinfo (what is mounted, and which group of
 * the hierarchy a mount shows) and proc/self/cgroup (where we are). Both are relative to the
 * cgroup namespace of the reader. In a container the two disagree in ways that are sorted out
 * in place_start(). See Documentation/admin-guide/cgroup-v2.rst, "Namespace", and proc(5).
 */
#include "cgroup/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/internal.h"

const char *cg_version_name(enum cg_version v)
{
	static const char *const names[] = { "none", "v1", "v2" };

	return names[v];
}

const char *cg_below_root(const char *abs)
{
	while (*abs == '/')
		abs++;
	return *abs ? abs : ".";
}

char *cg_join(const char *dir, const char *name)
{
	return xasprintf("%s/%s", str_eq(dir, "/") ? "" : dir, name);
}

const char *cg_path_below(const char *path, const char *top)
{
	size_t len = str_eq(top, "/") ? 0 : strlen(top);

	if (strncmp(path, top, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return str_eq(path + len, "/") ? "" : path + len;
}

bool cg_has_word(const char *list, const char *word, const char *seps)
{
	size_t len = strlen(word);

	for (const char *p = list; p && *p; p += strcspn(p, seps)) {
		p += strspn(p, seps);
		if (strncmp(p, word, len) == 0 && (!p[len] || strchr(seps, p[len])))
			return true;
	}
	return false;
}

bool cg_has_controller(const struct cg_env *env, const char *name)
{
	return cg_has_word(env->controllers, name, ",");
}

unsigned cg_path_level(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/' && path[1] && path[1] != '/';
	return n;
}

/* The kernel writes blank, tab, newline and backslash as \040 \011 \012 \134; in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

struct mount_line {
	char *root, *dir, *type, *options;
};

/* "36 35 98:0 ROOT DIR OPTIONS OPTIONAL... - TYPE SOURCE SUPER_OPTIONS" */
static bool parse_mount(char *line, struct mount_line *ret)
{
	char *field = NULL;

	for (int i = 0; i < 5; i++) {
		field = str_cut(&line, " ");
		if (i == 3)
			ret->root = field;
	}
	ret->dir = field;
	do {
		field = str_cut(&line, " ");
	} while (field && strcmp(field, "-") != 0);
	ret->type = str_cut(&line, " ");
	(void)str_cut(&line, " ");
	ret->options = str_cut(&line, " ");
	if (!ret->options)
		return false;
	unescape(ret->root);
	unescape(ret->dir);
	return true;
}

char *cg_path_in(const char *self_cgroup, const char *controller)
{
	_cleanup_free_ char *copy = xstrdup(self_cgroup);
	char *rest = copy, *line;

	while ((line = str_cut(&rest, "\n"))) {
		char *p = line;
		const char *controllers;

		(void)str_cut(&p, ":");
		controllers = str_cut(&p, ":");
		if (!controllers || !p)
			continue;
		if (*controller ? cg_has_word(controllers, controller, ",") : !*controllers)
			return xstrdup(p);
	}
	return NULL;
}

static bool lists_pid(int dirfd, pid_t pid)
{
	_cleanup_free_ pid_t *pids = NULL;
	ssize_t n = cg_list_pids(dirfd, &pids, NULL);

	for (ssize_t i = 0; i < n; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

/*
 * Looks @depth levels below @dirfd for the group that holds @pid; appends its path to @path. The
 * recursion is as deep as a mount root has "..", which the kernel bounds by its path length.
 */
static bool find_pid(int parent, const char *name, unsigned depth, pid_t pid, struct str *path)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t len = path->len;
	struct dirent *d;
	bool found;

	if (!dir)
		return false;
	found = depth == 0 && lists_pid(fd, pid);
	while (depth > 0 && !found && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.')
			continue;
		str_addf(path, "/%s", d->d_name);
		found = str_ok(path) && find_pid(fd, d->d_name, depth - 1, pid, path);
		if (!found) {
			path->len = len;
			path->buf[len] = '\0';
		}
	}
	(void)closedir(dir);
	return found;
}

static pid_t own_pid(int rootfd)
{
	_cleanup_free_ char *stat = NULL;
	uint64_t pid;

	if (fsx_read_line(rootfd, "proc/self/stat", &stat, NULL) < 0)
		return getpid();
	stat[strcspn(stat, " ")] = '\0';
	return num_u64(stat, &pid, NULL) < 0 ? getpid() : (pid_t)pid;
}

/*
 * Puts root and start of @m in order. Four cases: (1) our path is at or below the root of the
 * mount: the plain one. (2) The root is "/../..": the mount shows more than our namespace, from
 * so many levels above us; names of those levels are not in the kernel's text, so our group is
 * searched for by pid, and paths then count from the mount. (3) Our path has ".." or is
 * elsewhere: we were put outside of what is mounted; groups can only be made below its root.
 */
static void place_start(int rootfd, struct cg_mount *m, const char *own)
{
	_cleanup_str_ struct str found = STR_INIT(4096);
	bool dots = str_starts(m->root, "/..");

	if (!dots && !strstr(own, "/..") && cg_path_below(own, m->root)) {
		m->start = xstrdup(own);
		return;
	}
	m->foreign = true;
	if (dots && !strstr(own, "/..") &&
	    find_pid(rootfd, cg_below_root(m->dir), cg_path_level(m->root) + cg_path_level(own),
		     own_pid(rootfd), &found)) {
		free(m->root);
		m->root = xstrdup("/");
		m->start = xstrdup(found.len ? found.buf : "/");
		return;
	}
	if (dots) {
		free(m->root);
		m->root = xstrdup("/");
	}
	m->start = xstrdup(m->root);
}

static void mount_done(struct cg_mount *m)
{
	free(m->dir);
	free(m->root);
	free(m->start);
	free(m->options);
	*m = (struct cg_mount){ 0 };
}

/* How good a mount is: one that shows our group, is not hidden by a later mount, is writable. */
static int mount_score(int rootfd, const struct cg_mount *m)
{
	_cleanup_free_ char *procs = cg_join(cg_below_root(m->dir), "cgroup.procs");

	if (!fsx_exists(rootfd, procs))
		return -1;
	return (m->foreign ? 0 : 2) + (cg_has_word(m->options, "ro", ",") ? 0 : 1);
}

/* Finds the best mount of a hierarchy: v1 by @controller, v2 when that is "". */
static void find_mount(int rootfd, const char *mountinfo, const char *self_cgroup,
		       const char *controller, struct cg_mount *ret)
{
	_cleanup_free_ char *own = cg_path_in(self_cgroup, controller);
	_cleanup_free_ char *copy = xstrdup(mountinfo);
	char *rest = copy, *line;
	int best = -1;

	while (own && (line = str_cut(&rest, "\n"))) {
		const char *type = *controller ? "cgroup" : "cgroup2";
		struct mount_line l = { 0 };
		struct cg_mount m;
		int score;

		if (!parse_mount(line, &l) || !str_eq(l.type, type) ||
		    (*controller && !cg_has_word(l.options, controller, ",")))
			continue;
		m = (struct cg_mount){ .version = *controller ? CG_V1 : CG_V2,
				       .dir = xstrdup(l.dir),
				       .root = xstrdup(l.root),
				       .options = xstrdup(l.options) };
		place_start(rootfd, &m, own);
		score = mount_score(rootfd, &m);
		if (score > best) {
			mount_done(ret);
			*ret = m;
			best = score;
		} else {
			mount_done(&m);
		}
	}
}

static struct cg_mount mount_copy(const struct cg_mount *m)
{
	return (struct cg_mount){ .version = m->version,
				  .dir = xstrdup(m->dir),
				  .root = xstrdup(m->root),
				  .start = xstrdup(m->start),
				  .options = xstrdup(m->options),
				  .foreign = m->foreign };
}

/* cgroup.controllers of the group @path of @m as "memory,cpu"; NULL when it can't be read. */
static char *v2_controllers(int rootfd, const struct cg_mount *m, const char *path)
{
	const char *below = cg_path_below(path, m->root);
	_cleanup_free_ char *file = xasprintf("%s%s/cgroup.controllers", cg_below_root(m->dir),
					      below ? below : "");
	char *text = NULL;

	if (fsx_read_line(rootfd, file, &text, NULL) < 0)
		return NULL;
	for (char *p = text; (p = strchr(p, ' ')); p++)
		*p = ',';
	return text;
}

/* Controllers of all v1 hierarchies we are in: "cpuset,cpu,cpuacct,memory". */
static char *v1_controllers(const char *self_cgroup)
{
	_cleanup_str_ struct str out = STR_INIT(4096);
	_cleanup_free_ char *copy = xstrdup(self_cgroup);
	char *rest = copy, *line;

	while ((line = str_cut(&rest, "\n"))) {
		const char *controllers;

		(void)str_cut(&line, ":");
		controllers = str_cut(&line, ":");
		if (!controllers || !*controllers || str_starts(controllers, "name="))
			continue;
		if (out.len)
			str_addc(&out, ',');
		str_add(&out, controllers);
	}
	return xstrdup(str_text(&out));
}

static void pick(int rootfd, const char *mountinfo, const char *self, struct cg_env *env)
{
	_cleanup_free_ char *at_root = NULL;
	struct cg_mount v2 = { 0 };
	char *at_start = NULL;

	find_mount(rootfd, mountinfo, self, "memory", &env->memory);
	find_mount(rootfd, mountinfo, self, "", &v2);
	if (v2.version == CG_V2) {
		at_root = v2_controllers(rootfd, &v2, v2.root);
		at_start = v2_controllers(rootfd, &v2, v2.start);
	}
	if (env->memory.version == CG_NONE && at_root && cg_has_word(at_root, "memory", ",")) {
		env->memory = mount_copy(&v2);
		env->controllers = steal_ptr(&at_start);
	} else {
		env->controllers = v1_controllers(self);
	}
	free(at_start);
	if (v2.version == CG_V2)
		env->cpu = v2;
	else
		find_mount(rootfd, mountinfo, self, "cpuacct", &env->cpu);
	if (!env->controllers)
		env->controllers = xstrdup("");
}

int cg_probe(int rootfd, struct cg_env *ret, struct err *e)
{
	_cleanup_str_ struct str mountinfo = STR_INIT(CG_TEXT_MAX);
	_cleanup_str_ struct str self = STR_INIT(CG_TEXT_MAX);
	struct cg_env env = { .rootfd = rootfd };
	int r = fsx_read(rootfd, "proc/self/mountinfo", &mountinfo, e);

	if (r < 0)
		return err_wrap(e, r, "could not find the cgroup hierarchies");
	r = fsx_read(rootfd, "proc/self/cgroup", &self, e);
	if (r == -ENOENT) /* a kernel without CONFIG_CGROUPS */
		str_clear(&self);
	else if (r < 0)
		return err_wrap(e, r, "could not find our cgroup");
	pick(rootfd, str_text(&mountinfo), str_text(&self), &env);
	*ret = env;
	return 0;
}

void cg_env_done(struct cg_env *env)
{
	mount_done(&env->memory);
	mount_done(&env->cpu);
	free(env->controllers);
	env->controllers = NULL;
}
