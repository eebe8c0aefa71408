// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules: where one is, and what it needs. depmod runs when a package is installed, so an
 * unpacked one has no modules.dep; each module names what it depends on in its .modinfo.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define DEPTH_MAX 32
#define MODULE_MAX (64u << 20)
#define LOAD_MAX 64

/* Do the names agree? '-' and '_' are the same in names of modules. @len of @file count. */
static bool same_name(const char *file, size_t len, const char *name)
{
	if (strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((file[i] == '-' ? '_' : file[i]) != (name[i] == '-' ? '_' : name[i]))
			return false;
	return true;
}

/* "dir/zram.ko.xz" is module zram. */
static bool is_module(const char *path, const char *name)
{
	const char *file = strrchr(path, '/'), *ko;

	file = file ? file + 1 : path;
	ko = strstr(file, ".ko");
	if (!ko || (ko[3] && ko[3] != '.'))
		return false;
	return same_name(file, (size_t)(ko - file), name);
}

/* Walks the folder; the path below it, malloc'd, or NULL. */
static char *find_file(int parent, const char *path, const char *name, int depth)
{
	int fd = openat(parent, *path ? path : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char *found = NULL;

	if (!dir && fd >= 0)
		(void)close(fd);
	for (struct dirent *d; dir && !found && (d = readdir(dir));) {
		_cleanup_free_ char *below = NULL;

		if (d->d_name[0] == '.')
			continue;
		below = xasprintf("%s%s%s", path, *path ? "/" : "", d->d_name);
		if (d->d_type == DT_REG && is_module(d->d_name, name))
			found = steal_ptr(&below);
		else if (d->d_type == DT_DIR && depth < DEPTH_MAX)
			found = find_file(parent, below, name, depth + 1);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

static bool is_builtin(const struct kernel *k, const char *name)
{
	_cleanup_free_ char *file = xasprintf("%s/modules.builtin", k->modules);
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);
	char *rest, *line;

	if (fsx_read(AT_FDCWD, file, &text, NULL) < 0 || !text.len)
		return false;
	rest = text.buf;
	while ((line = str_cut(&rest, "\n")))
		if (is_module(line, name))
			return true;
	return false;
}

int kernel_module_read(const struct kernel *k, const char *path, struct str *out, struct err *e)
{
	_cleanup_free_ char *full = xasprintf("%s/%s", k->modules, path);
	_cleanup_str_ struct str file = STR_INIT(MODULE_MAX);
	int r = kernel_read_file(full, &file, e);

	return r < 0 ? r : kernel_decompress(file.buf, file.len, full, out, e);
}

/* Value of "depends=" in .modinfo, whose strings end with NUL; "" when there is none. */
static const char *depends_of(const struct str *module)
{
	static const char mark[] = "\0depends=";
	const char *p = memmem(str_text(module), module->len, mark, sizeof(mark) - 1);

	return p ? p + sizeof(mark) - 1 : "";
}

static int add_module(const struct kernel *k, const char *name, struct strv *paths, int depth,
		      struct err *e);

static int add_needed(const struct kernel *k, const char *path, struct strv *paths, int depth,
		      struct err *e)
{
	_cleanup_str_ struct str module = STR_INIT(MODULE_MAX);
	_cleanup_free_ char *depends = NULL;
	char *rest, *name;
	int r = kernel_module_read(k, path, &module, e);

	if (r < 0)
		return r;
	depends = xstrdup(depends_of(&module));
	rest = depends;
	while (r == 0 && (name = str_cut(&rest, ",")))
		if (*name)
			r = add_module(k, name, paths, depth + 1, e);
	return r;
}

static int add_module(const struct kernel *k, const char *name, struct strv *paths, int depth,
		      struct err *e)
{
	_cleanup_close_ int dir = open(k->modules, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *path = NULL;
	int r;

	for (size_t i = 0; i < paths->n; i++)
		if (is_module(paths->v[i], name))
			return 0;
	if (is_builtin(k, name))
		return 0;
	if (depth > LOAD_MAX)
		return err_set(e, -ELOOP, "modules of kernel \"%s\" need each other", k->release);
	path = dir < 0 ? NULL : find_file(dir, "", name, 0);
	if (!path)
		return err_set(e, -ENOENT, "kernel \"%s\" has no module \"%s\" in \"%s\"",
			       k->release, name, k->modules);
	r = add_needed(k, path, paths, depth, e);
	if (r == 0)
		strv_add(paths, path);
	return r;
}

/*
 * What a module asks for by name while it runs: no symbol of it is needed, so depmod would not
 * know it either. It is taken where there is one.
 */
static const struct {
	const char *module, *wants;
} soft[] = {
	{ "zram", "lzo-rle" }, /* its default compressor */
};

int kernel_module(const struct kernel *k, const char *name, struct strv *paths, struct err *e)
{
	_cleanup_free_ char *upper = xstrdup(name), *built_in = NULL;

	if (!k->modules) {
		/* the configuration names options, not modules; many have the same name */
		for (char *p = upper; *p; p++)
			*p = (char)(*p == '-' ? '_' : toupper((unsigned char)*p));
		built_in = kernel_option(k, upper);
		if (str_eq(built_in, "y"))
			return 0;
		return err_set(e, -ENOENT, "kernel \"%s\" needs its module \"%s\", and there is no "
					   "folder of its modules", k->release, name);
	}
	for (size_t i = 0; i < ARRAY_LEN(soft); i++)
		if (str_eq(name, soft[i].module))
			(void)!add_module(k, soft[i].wants, paths, 0, NULL);
	return add_module(k, name, paths, 0, e);
}
