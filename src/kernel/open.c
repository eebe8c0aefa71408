// SPDX-License-Identifier: GPL-2.0-or-later
/* From a name to a kernel. */
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

void kernel_done(struct kernel *k)
{
	free(k->spec);
	free(k->image);
	free(k->release);
	free(k->banner);
	free(k->package);
	free(k->package_version);
	free(k->config);
	free(k->modules);
	*k = (struct kernel){ 0 };
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* Takes over @path when there is such a file and nothing was found before. */
static void try_config(struct kernel *k, char *path)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);

	if (!k->config && fsx_read(AT_FDCWD, path, &text, NULL) == 0)
		k->config = xstrdup(str_text(&text));
	free(path);
}

static void try_modules(struct kernel *k, char *path)
{
	if (!k->modules && is_folder(path))
		k->modules = steal_ptr(&path);
	free(path);
}

/* The image, and what it says of itself. */
static int set_image(struct kernel *k, const char *image, struct err *e)
{
	int r = kernel_image_banner(image, &k->banner, e);

	if (r < 0)
		return r;
	k->image = realpath(image, NULL);
	if (!k->image)
		return err_errno(e, errno, "could not find kernel \"%s\"", image);
	k->release = xstrndup(k->banner, strcspn(k->banner, " "));
	return 0;
}

/* /boot/vmlinuz-R has config-R beside it; modules are below the same root or the running one. */
static int open_image(struct kernel *k, const char *image, struct err *e)
{
	_cleanup_free_ char *folder = NULL, *root = NULL;
	int r = set_image(k, image, e);

	if (r < 0)
		return r;
	folder = xstrndup(k->image, (size_t)(strrchr(k->image, '/') - k->image));
	root = xasprintf("%s/..", folder);
	try_config(k, xasprintf("%s/config-%s", folder, k->release));
	try_config(k, xasprintf("%s/config", folder));
	try_modules(k, xasprintf("%s/lib/modules/%s", root, k->release));
	try_modules(k, xasprintf("%s/usr/lib/modules/%s", root, k->release));
	try_modules(k, xasprintf("/lib/modules/%s", k->release));
	return 0;
}

static int open_tree(struct kernel *k, const char *tree, struct err *e)
{
	_cleanup_free_ char *image = xasprintf("%s/arch/x86/boot/bzImage", tree);
	int r;

	if (!is_file(image)) {
		r = err_set(e, -ENOENT, "\"%s\" is no kernel build tree: it has no "
					"arch/x86/boot/bzImage", tree);
		err_hint(e, "build it first: make bzImage modules");
		return r;
	}
	r = set_image(k, image, e);
	if (r < 0)
		return r;
	try_config(k, xasprintf("%s/.config", tree));
	k->modules = realpath(tree, NULL);
	return 0;
}

/* An entry of the cache: boot/vmlinuz-RELEASE, lib/modules/RELEASE. */
static int open_entry(struct kernel *k, const char *path, struct err *e)
{
	_cleanup_free_ char *release_file = xasprintf("%s/release", path), *release = NULL;
	_cleanup_free_ char *image = NULL;
	const char *name = strrchr(path, '/') + 1, *under = strchr(name, '_');
	int r = fsx_read_line(AT_FDCWD, release_file, &release, e);

	if (r < 0)
		return err_wrap(e, r, "the cached kernel \"%s\" is damaged", name);
	image = xasprintf("%s/boot/vmlinuz-%s", path, release);
	r = open_image(k, image, e);
	if (r < 0)
		return r;
	free(k->package);
	free(k->package_version);
	k->package = xstrndup(name, under ? (size_t)(under - name) : strlen(name));
	k->package_version = xstrdup(under ? under + 1 : "");
	return 0;
}

static int open_deb(struct kernel *k, const char *deb, struct err *e)
{
	_cleanup_free_ char *name = NULL, *folder = NULL, *path = NULL;
	int r = kernel_unpack(deb, NULL, &name, e);

	if (r == 0)
		r = kernel_cache_folder(false, &folder, e);
	if (r < 0)
		return r;
	path = xasprintf("%s/%s", folder, name);
	return open_entry(k, path, e);
}

static int open_cached(struct kernel *k, const char *name, struct err *e)
{
	_cleanup_free_ char *path = NULL;
	int r = kernel_cache_find(name, &path, e);

	return r < 0 ? r : open_entry(k, path, e);
}

int kernel_open(const char *spec, struct kernel *ret, struct err *e)
{
	struct kernel k = {
		.spec = xstrdup(spec),
		.package = xstrdup(""),
		.package_version = xstrdup(""),
	};
	int r;

	if (is_folder(spec))
		r = open_tree(&k, spec, e);
	else if (is_file(spec) && ends_with(spec, ".deb"))
		r = open_deb(&k, spec, e);
	else if (is_file(spec))
		r = open_image(&k, spec, e);
	else if (strchr(spec, '/'))
		r = err_set(e, -ENOENT, "there is no kernel \"%s\"", spec);
	else
		r = open_cached(&k, spec, e);
	if (r < 0) {
		kernel_done(&k);
		return r;
	}
	*ret = k;
	return 0;
}
