// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packages by apt: "apt-cache show" resolves a metapackage to the kernel of the day (whose name
 * holds an ABI number that changes weekly), "apt-get download" checks signatures and hashes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/spawn.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define META_DEPTH 4
#define SHOW_MAX (1u << 20)

/* Names go to a program's command line: nothing that it could take for an option or a pattern. */
static int check_name(const char *name, struct err *e)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "+-.:~=");

	if (*name && !name[len] && *name != '-' && len <= 200)
		return 0;
	return err_set(e, -EINVAL, "\"%s\" is no name of a package", name);
}

static int run_show(const char *name, struct str *out, struct err *e)
{
	char *argv[] = { (char[]){ "apt-cache" }, (char[]){ "--no-all-versions" },
			 (char[]){ "show" }, (char[]){ "--" }, xstrdup(name), NULL };
	struct err why = { 0 };
	int r = spawn_run(argv, out, &why);

	free(argv[4]);
	if (r == 0 && strstr(str_text(out), "Version: "))
		return 0;
	if (r == -ENOENT) {
		*e = why;
		err_hint(e, "kernels can be fetched where apt is; elsewhere name a .deb file");
		return r;
	}
	r = err_set(e, -ENOENT, "apt knows no package \"%s\"", name);
	err_hint(e, "look with \"apt-cache search linux-image\"; an old list is renewed by "
		    "\"apt-get update\" as root");
	return r;
}

/* Value of the first line "KEY: …", malloc'd, "" when there is none. */
static char *show_field(const struct str *show, const char *key)
{
	_cleanup_free_ char *start = xasprintf("\n%s: ", key);
	const char *p = strstr(str_text(show), start);

	if (!p)
		return xstrdup("");
	p += strlen(start);
	return xstrndup(p, strcspn(p, "\n"));
}

/* The kernel that a metapackage depends on, malloc'd, or NULL: it is none. */
static char *next_package(const char *depends)
{
	const char *p = depends;

	for (; p && *p; p = strchr(p, ',')) {
		p += strspn(p, ", ");
		if (str_starts(p, "linux-image-"))
			return xstrndup(p, strcspn(p, " ,(:"));
	}
	return NULL;
}

struct found {
	char *package, *version;
};

static void found_done(struct found *f)
{
	free(f->package);
	free(f->version);
}

static int resolve(const char *name, struct found *ret, struct err *e)
{
	_cleanup_free_ char *now = xstrdup(name);

	for (int i = 0; i < META_DEPTH; i++) {
		_cleanup_str_ struct str show = STR_INIT(SHOW_MAX);
		_cleanup_free_ char *depends = NULL, *next = NULL;
		int r;

		r = run_show(now, &show, e);
		if (r < 0)
			return r;
		depends = show_field(&show, "Depends");
		next = next_package(depends);
		if (!next) {
			*ret = (struct found){ xstrndup(now, strcspn(now, "=")),
					       show_field(&show, "Version") };
			return 0;
		}
		free(now);
		now = steal_ptr(&next);
	}
	return err_set(e, -ELOOP, "package \"%s\" leads to no kernel", name);
}

static int find_deb(const char *dir, char **ret, struct err *e)
{
	DIR *d = opendir(dir);

	for (struct dirent *f; d && !*ret && (f = readdir(d));)
		if (f->d_name[0] != '.')
			*ret = xasprintf("%s/%s", dir, f->d_name);
	if (d)
		(void)closedir(d);
	return *ret ? 0 : err_set(e, -ENOENT, "apt-get download left no file in \"%s\"", dir);
}

/* apt-get downloads to its working directory. */
static int download(const struct found *f, const char *dir, struct err *e)
{
	_cleanup_free_ char *what = xasprintf("%s=%s", f->package, f->version);
	_cleanup_free_ char *to = xstrdup(dir);
	_cleanup_str_ struct str out = STR_INIT(SHOW_MAX);
	char *argv[] = { (char[]){ "env" }, (char[]){ "-C" }, to,
			 (char[]){ "apt-get" }, (char[]){ "-q" },
			 /* root's folder is closed to the user that apt would become */
			 (char[]){ "-o" }, (char[]){ "APT::Sandbox::User=root" },
			 (char[]){ "download" }, what, NULL };
	int r = spawn_run(argv, &out, e);

	if (r < 0) {
		r = err_wrap(e, r, "could not download \"%s\"", what);
		err_hint(e, "is there a network? An old list of packages is renewed by \"apt-get "
			    "update\" as root");
	}
	return r;
}

static int download_and_unpack(const struct found *f, const char *folder, const char *asked,
			       char **ret_name, struct err *e)
{
	_cleanup_free_ char *dir = NULL, *deb = NULL;
	_cleanup_close_ int fd = kernel_cache_temp(folder, &dir, e);
	int r;

	if (fd < 0)
		return fd;
	r = download(f, dir, e);
	if (r == 0)
		r = find_deb(dir, &deb, e);
	if (r == 0)
		r = kernel_unpack(deb, asked, ret_name, e);
	(void)!fsx_remove_tree(AT_FDCWD, dir, NULL);
	return r;
}

int kernel_fetch(const char *name, char **ret_name, struct err *e)
{
	_cleanup_(found_done) struct found f = { 0 };
	_cleanup_free_ char *folder = NULL, *entry = NULL, *path = NULL;
	int r = check_name(name, e);

	if (r == 0)
		r = resolve(name, &f, e);
	if (r == 0)
		r = kernel_cache_folder(true, &folder, e);
	if (r < 0)
		return r;
	entry = xasprintf("%s_%s", f.package, f.version);
	path = xasprintf("%s/%s", folder, entry);
	if (!fsx_exists(AT_FDCWD, path))
		return download_and_unpack(&f, folder, name, ret_name, e);
	r = kernel_cache_name(entry, name, e);
	if (r == 0)
		*ret_name = steal_ptr(&entry);
	return r;
}
