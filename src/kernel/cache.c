// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache of unpacked kernel packages. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define DEPTH_MAX 32

char *kernel_cache_dir(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/')
		return xasprintf("%s/mmgauge", xdg);
	return home && home[0] == '/' ? xasprintf("%s/.cache/mmgauge", home) : NULL;
}

int kernel_cache_folder(bool make, char **ret, struct err *e)
{
	_cleanup_free_ char *dir = kernel_cache_dir(), *folder = NULL;
	int r = 0;

	if (!dir) {
		r = err_set(e, -ENOENT, "there is no place for a cache of kernels");
		err_hint(e, "set $HOME or $XDG_CACHE_HOME");
		return r;
	}
	folder = xasprintf("%s/kernels", dir);
	if (make)
		r = fsx_mkdirs(AT_FDCWD, folder, 0755, e);
	if (r == 0)
		*ret = steal_ptr(&folder);
	return r;
}

/* What a killed unpacking left: nobody holds its lock. */
static void remove_stale(const char *folder)
{
	DIR *dir = opendir(folder);

	for (struct dirent *d; dir && (d = readdir(dir));) {
		_cleanup_close_ int fd = -EBADF;

		if (!str_starts(d->d_name, ".new-") && !str_starts(d->d_name, ".gone-"))
			continue;
		fd = openat(dirfd(dir), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)!fsx_remove_tree(dirfd(dir), d->d_name, NULL);
	}
	if (dir)
		(void)closedir(dir);
}

int kernel_cache_temp(const char *folder, char **ret, struct err *e)
{
	_cleanup_close_ int all = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *made = xasprintf("%s/.new-XXXXXX", folder);
	_cleanup_close_ int fd = -EBADF;

	/* nobody takes a folder for a dead one's between its making and its lock */
	if (all < 0 || flock(all, LOCK_EX) < 0)
		return err_errno(e, errno, "could not lock \"%s\"", folder);
	remove_stale(folder);
	if (!mkdtemp(made))
		return err_errno(e, errno, "could not make a folder in \"%s\"", folder);
	fd = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) < 0 || fchmod(fd, 0755) < 0)
		return err_errno(e, errno, "could not open \"%s\"", made);
	*ret = steal_ptr(&made);
	return steal_fd(&fd);
}

static uint64_t disk_use(int parent, const char *name, int depth)
{
	struct stat st;
	uint64_t sum;
	DIR *dir;
	int fd;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	sum = (uint64_t)st.st_blocks * 512;
	if (!S_ISDIR(st.st_mode) || depth > DEPTH_MAX)
		return sum;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		(void)close(fd);
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			sum += disk_use(dirfd(dir), d->d_name, depth + 1);
	if (dir)
		(void)closedir(dir);
	return sum;
}

static void read_names(const char *path, struct strv *ret)
{
	_cleanup_free_ char *file = xasprintf("%s/names", path);
	_cleanup_str_ struct str text = STR_INIT(65536);
	char *rest, *line;

	if (fsx_read(AT_FDCWD, file, &text, NULL) < 0 || !text.len)
		return;
	rest = text.buf;
	while ((line = str_cut(&rest, "\n")))
		if (*line)
			strv_add(ret, line);
}

static struct kernel_entry read_entry(const char *folder, const char *name)
{
	const char *under = strchr(name, '_');
	struct kernel_entry en = {
		.name = xstrdup(name),
		.path = xasprintf("%s/%s", folder, name),
		.package = xstrndup(name, under ? (size_t)(under - name) : strlen(name)),
		.version = xstrdup(under ? under + 1 : ""),
	};

	read_names(en.path, &en.names);
	en.bytes = disk_use(AT_FDCWD, en.path, 0);
	return en;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel_entry *)a)->name,
		      ((const struct kernel_entry *)b)->name);
}

int kernel_cache_list(struct kernel_entries *ret, struct err *e)
{
	_cleanup_free_ char *folder = NULL;
	struct kernel_entries l = { 0 };
	int r = kernel_cache_folder(false, &folder, e);
	DIR *dir;

	if (r < 0)
		return r;
	dir = opendir(folder);
	if (!dir && errno != ENOENT)
		return err_errno(e, errno, "could not list \"%s\"", folder);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		if (d->d_name[0] == '.')
			continue;
		l.v = xrealloc(l.v, l.n + 1, sizeof(*l.v));
		l.v[l.n++] = read_entry(folder, d->d_name);
	}
	if (dir)
		(void)closedir(dir);
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), by_name);
	*ret = l;
	return 0;
}

void kernel_entries_done(struct kernel_entries *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].path);
		free(l->v[i].package);
		free(l->v[i].version);
		strv_done(&l->v[i].names);
	}
	free(l->v);
	*l = (struct kernel_entries){ 0 };
}

static bool has_release(const struct kernel_entry *en, const char *release)
{
	_cleanup_free_ char *file = xasprintf("%s/release", en->path), *text = NULL;

	return fsx_read_line(AT_FDCWD, file, &text, NULL) == 0 && str_eq(text, release);
}

enum { MATCH_NONE, MATCH_WEAK, MATCH_STRONG };

/* A name that fetch was asked for is one entry's alone; package and release may be many's. */
static int match(const struct kernel_entry *en, const char *name)
{
	if (str_eq(en->name, name))
		return MATCH_STRONG;
	for (size_t i = 0; i < en->names.n; i++)
		if (str_eq(en->names.v[i], name))
			return MATCH_STRONG;
	return str_eq(en->package, name) || has_release(en, name) ? MATCH_WEAK : MATCH_NONE;
}

static int not_cached(const char *name, const struct kernel_entry *one,
		      const struct kernel_entry *other, struct err *e)
{
	int r;

	if (other) {
		r = err_set(e, -EINVAL, "kernel \"%s\" may be \"%s\" or \"%s\"", name, one->name,
			    other->name);
		err_hint(e, "name one of them");
		return r;
	}
	r = err_set(e, -ENOENT, "there is no kernel \"%s\": no file of that name, and none in the "
				"cache", name);
	err_hint(e, "\"mmgauge kernels fetch %s\" fetches a Debian package; \"mmgauge kernels\" "
		    "lists the cache", name);
	return r;
}

int kernel_cache_find(const char *name, char **ret_path, struct err *e)
{
	_cleanup_kernel_entries_ struct kernel_entries l = { 0 };
	const struct kernel_entry *weak = NULL;
	int r = kernel_cache_list(&l, e);

	for (size_t i = 0; r == 0 && l.v && i < l.n; i++) {
		int m = match(&l.v[i], name);

		if (m == MATCH_STRONG) {
			*ret_path = xstrdup(l.v[i].path);
			return 0;
		}
		if (m == MATCH_WEAK && weak)
			return not_cached(name, weak, &l.v[i], e);
		if (m == MATCH_WEAK)
			weak = &l.v[i];
	}
	if (r < 0)
		return r;
	if (!weak)
		return not_cached(name, NULL, NULL, e);
	*ret_path = xstrdup(weak->path);
	return 0;
}

int kernel_cache_remove(const char *name, struct err *e)
{
	_cleanup_free_ char *path = NULL, *gone = NULL;
	const char *base;
	int r = kernel_cache_find(name, &path, e);

	if (r < 0)
		return r;
	/* a name with a dot is no entry any more: half a tree is never found */
	base = path ? strrchr(path, '/') : NULL;
	if (!base)
		return err_set(e, -ENOENT, "there is no kernel \"%s\"", name);
	gone = xasprintf("%.*s/.gone-%s", (int)(base - path), path, base + 1);
	r = fsx_remove_tree(AT_FDCWD, gone, e);
	if (r == 0 && rename(path, gone) < 0)
		return err_errno(e, errno, "could not rename \"%s\"", path);
	return r < 0 ? r : fsx_remove_tree(AT_FDCWD, gone, e);
}

static int write_names(const struct kernel_entry *en, const char *without, const char *with,
		       struct err *e)
{
	_cleanup_free_ char *file = xasprintf("%s/names", en->path);
	_cleanup_str_ struct str text = STR_INIT(65536);

	for (size_t i = 0; i < en->names.n; i++)
		if (!str_eq(en->names.v[i], without) && !str_eq(en->names.v[i], with))
			str_addf(&text, "%s\n", en->names.v[i]);
	if (with)
		str_addf(&text, "%s\n", with);
	return fsx_replace(AT_FDCWD, file, str_text(&text), e);
}

int kernel_cache_name(const char *entry, const char *asked, struct err *e)
{
	_cleanup_kernel_entries_ struct kernel_entries l = { 0 };
	int r = kernel_cache_list(&l, e);

	for (size_t i = 0; r == 0 && i < l.n; i++) {
		bool has = false;

		for (size_t k = 0; k < l.v[i].names.n; k++)
			has = has || str_eq(l.v[i].names.v[k], asked);
		if (str_eq(l.v[i].name, entry))
			r = has ? 0 : write_names(&l.v[i], NULL, asked, e);
		else if (has)
			r = write_names(&l.v[i], asked, NULL, e);
	}
	return r;
}
