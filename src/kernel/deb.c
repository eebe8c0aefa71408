// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debian packages: an ar archive with control.tar and data.tar, compressed in one of several
 * ways. Only regular files below boot/ and lib/modules/ are taken; links are not followed or
 * made, so nothing can be written outside the entry.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define BLOCK 65536
#define CONTROL_MAX (1u << 20)

static void free_reader(struct archive **a)
{
	if (*a)
		(void)archive_read_free(*a);
}
#define _cleanup_reader_ _cleanup_(free_reader)

/* The member of a package that is being read, as the source of an archive of its own. */
struct member {
	struct archive *outer;
	char buf[BLOCK];
};

static la_ssize_t read_member(struct archive *a, void *arg, const void **ret)
{
	struct member *m = arg;
	la_ssize_t n = archive_read_data(m->outer, m->buf, sizeof(m->buf));

	if (n < 0)
		archive_set_error(a, EIO, "%s", archive_error_string(m->outer));
	*ret = m->buf;
	return n;
}

/* Opens @deb and finds its member whose name begins with @name ("control.tar", "data.tar"). */
static int open_member(const char *deb, const char *name, struct archive **ret_outer,
		       struct member *m, struct archive **ret_inner, struct err *e)
{
	struct archive *outer = archive_read_new(), *inner = archive_read_new();
	struct archive_entry *entry;
	int r;

	*ret_outer = outer;
	*ret_inner = inner;
	(void)archive_read_support_format_ar(outer);
	if (archive_read_open_filename(outer, deb, BLOCK) != ARCHIVE_OK)
		return kernel_archive_fail(outer, e, "open package", deb);
	while ((r = archive_read_next_header(outer, &entry)) == ARCHIVE_OK)
		if (str_starts(archive_entry_pathname(entry), name))
			break;
	if (r == ARCHIVE_EOF)
		return err_set(e, -ENOEXEC, "\"%s\" is no Debian package: it has no %s", deb, name);
	if (r != ARCHIVE_OK)
		return kernel_archive_fail(outer, e, "read package", deb);
	m->outer = outer;
	(void)archive_read_support_filter_all(inner);
	(void)archive_read_support_format_tar(inner);
	if (archive_read_open(inner, m, NULL, read_member, NULL) != ARCHIVE_OK)
		return kernel_archive_fail(inner, e, "read package", deb);
	return 0;
}

struct control {
	char *package, *version, *arch;
};

static void control_done(struct control *c)
{
	free(c->package);
	free(c->version);
	free(c->arch);
}

/* "Package: NAME" and the like; lines that begin with a blank go on with the one before. */
static char *field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ':') {
			line += len + 1;
			line += strspn(line, " \t");
			return xstrndup(line, strcspn(line, "\n"));
		}
	}
	return NULL;
}

static bool is_safe(const char *word)
{
	return word && *word && word[0] != '.' && !strchr(word, '/') && !strchr(word, '_');
}

static int parse_control(const char *deb, const char *text, struct control *ret, struct err *e)
{
	*ret = (struct control){ field(text, "Package"), field(text, "Version"),
				 field(text, "Architecture") };
	if (!is_safe(ret->package) || !is_safe(ret->version) || !ret->arch)
		return err_set(e, -ENOEXEC, "\"%s\" is no Debian package: it has no name, version "
					    "and architecture", deb);
	if (strcmp(ret->arch, "amd64") != 0)
		return err_set(e, -ENOEXEC, "package \"%s\" is for %s, and only x86-64 (amd64) can "
					    "be booted", ret->package, ret->arch);
	return 0;
}

static int read_control(const char *deb, struct control *ret, struct err *e)
{
	_cleanup_reader_ struct archive *outer = NULL, *inner = NULL;
	_cleanup_free_ struct member *m = xcalloc(1, sizeof(*m));
	_cleanup_str_ struct str text = STR_INIT(CONTROL_MAX);
	struct archive_entry *entry;
	int r = open_member(deb, "control.tar", &outer, m, &inner, e);

	if (r < 0)
		return r;
	while ((r = archive_read_next_header(inner, &entry)) == ARCHIVE_OK) {
		const char *path = archive_entry_pathname(entry);
		char buf[4096];
		la_ssize_t n;

		if (!str_eq(path, "./control") && !str_eq(path, "control"))
			continue;
		while ((n = archive_read_data(inner, buf, sizeof(buf))) > 0)
			str_addn(&text, buf, (size_t)n);
		return parse_control(deb, str_text(&text), ret, e);
	}
	if (r != ARCHIVE_EOF)
		return kernel_archive_fail(inner, e, "read package", deb);
	return err_set(e, -ENOEXEC, "\"%s\" is no Debian package: it has no control file", deb);
}

/* The path below the entry where a file of the package goes, or NULL: not wanted. */
static const char *wanted(struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry);

	if (!path || archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
		return NULL;
	path += str_starts(path, "./") ? 2 : 0;
	path += str_starts(path, "usr/") ? 4 : 0;
	if (strstr(path, "../") || strstr(path, "//"))
		return NULL;
	return str_starts(path, "boot/") || str_starts(path, "lib/modules/") ? path : NULL;
}

static int write_file(struct archive *a, int dirfd, const char *path, struct err *e)
{
	_cleanup_free_ char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	_cleanup_close_ int fd = -EBADF;
	int r = fsx_mkdirs(dirfd, folder, 0755, e);

	if (r < 0)
		return r;
	fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, errno, "could not create \"%s\"", path);
	if (archive_read_data_into_fd(a, fd) != ARCHIVE_OK)
		return kernel_archive_fail(a, e, "unpack", path);
	return 0;
}

static int check_image(const char *package, const char *release, struct err *e)
{
	int r;

	if (release)
		return 0;
	r = err_set(e, -ENOEXEC, "package \"%s\" holds no kernel (boot/vmlinuz-RELEASE)", package);
	err_hint(e, "a metapackage is fetched by its name: mmgauge kernels fetch NAME");
	return r;
}

static int unpack_data(const char *deb, const char *package, int dirfd, struct err *e)
{
	_cleanup_reader_ struct archive *outer = NULL, *inner = NULL;
	_cleanup_free_ struct member *m = xcalloc(1, sizeof(*m));
	_cleanup_free_ char *release = NULL;
	struct archive_entry *entry;
	int r = open_member(deb, "data.tar", &outer, m, &inner, e);
	int ar;

	if (r < 0)
		return r;
	while ((ar = archive_read_next_header(inner, &entry)) == ARCHIVE_OK) {
		const char *path = wanted(entry);

		if (!path)
			continue;
		if (str_starts(path, "boot/vmlinuz-") && !release)
			release = xstrdup(path + strlen("boot/vmlinuz-"));
		r = write_file(inner, dirfd, path, e);
		if (r < 0)
			return err_wrap(e, r, "could not unpack \"%s\"", deb);
	}
	if (ar != ARCHIVE_EOF)
		return kernel_archive_fail(inner, e, "unpack", deb);
	r = check_image(package, release, e);
	return r < 0 ? r : fsx_replace(dirfd, "release", release, e);
}

static int unpack_to(const char *deb, const struct control *c, const char *folder,
		     const char *entry, struct err *e)
{
	_cleanup_free_ char *final = xasprintf("%s/%s", folder, entry), *made = NULL;
	_cleanup_close_ int fd = kernel_cache_temp(folder, &made, e);
	int r;

	if (fd < 0)
		return fd;
	r = unpack_data(deb, c->package, fd, e);
	/* somebody else may have been faster: theirs is the same */
	if (r == 0 && rename(made, final) < 0 && errno != EEXIST && errno != ENOTEMPTY)
		r = err_errno(e, errno, "could not rename \"%s\"", made);
	(void)!fsx_remove_tree(AT_FDCWD, made, NULL);
	return r;
}

int kernel_unpack(const char *deb, const char *asked, char **ret_name, struct err *e)
{
	_cleanup_(control_done) struct control c = { 0 };
	_cleanup_free_ char *folder = NULL, *entry = NULL, *path = NULL;
	int r = read_control(deb, &c, e);

	if (r == 0)
		r = kernel_cache_folder(true, &folder, e);
	if (r < 0)
		return r;
	entry = xasprintf("%s_%s", c.package, c.version);
	path = xasprintf("%s/%s", folder, entry);
	if (!fsx_exists(AT_FDCWD, path))
		r = unpack_to(deb, &c, folder, entry, e);
	if (r == 0 && asked)
		r = kernel_cache_name(entry, asked, e);
	if (r == 0)
		*ret_name = steal_ptr(&entry);
	return r;
}
