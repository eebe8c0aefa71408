// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fsx.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

int fsx_open(int dirfd, const char *path, int flags, struct err *e)
{
	int fd = openat(dirfd, path, flags | O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, errno, "could not open \"%s\"", path);
	return fd;
}

int fsx_read(int dirfd, const char *path, struct str *out, struct err *e)
{
	_cleanup_close_ int fd = fsx_open(dirfd, path, O_RDONLY, e);
	char chunk[4096];
	ssize_t n;

	if (fd < 0)
		return fd;
	str_clear(out);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "could not read \"%s\"", path);
		str_addn(out, chunk, (size_t)n);
		if (!str_ok(out))
			return err_set(e, -EFBIG, "file \"%s\" is larger than %zu bytes", path,
				       out->max);
	}
	return 0;
}

int fsx_read_line(int dirfd, const char *path, char **ret_text, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);
	int r = fsx_read(dirfd, path, &text, e);

	if (r < 0)
		return r;
	while (text.len && text.buf[text.len - 1] == '\n')
		text.buf[--text.len] = '\0';
	*ret_text = xstrdup(str_text(&text));
	return 0;
}

int fsx_read_u64(int dirfd, const char *path, uint64_t *ret_v, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	int r = fsx_read_line(dirfd, path, &text, e);

	if (r < 0)
		return r;
	r = num_u64(text, ret_v, e);
	if (r < 0)
		return err_wrap(e, r, "file \"%s\"", path);
	return 0;
}

int fsx_write(int dirfd, const char *path, const char *text, struct err *e)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return err_errno(e, errno, "could not write \"%s\" to \"%s\"", text, path);
	n = write(fd, text, strlen(text));
	if (n < 0)
		return err_errno(e, errno, "could not write \"%s\" to \"%s\"", text, path);
	if ((size_t)n != strlen(text))
		return err_set(e, -EIO, "could not write \"%s\" to \"%s\": only %zd bytes taken",
			       text, path, n);
	return 0;
}

static int write_all(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int fsx_replace(int dirfd, const char *path, const char *text, struct err *e)
{
	_cleanup_free_ char *tmp = xasprintf("%s.new-%d", path, (int)getpid());
	_cleanup_close_ int fd = -EBADF;
	int r;

	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, errno, "could not create \"%s\"", tmp);
	r = write_all(fd, text);
	if (r == 0 && renameat(dirfd, tmp, dirfd, path) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(dirfd, tmp, 0);
		return err_errno(e, -r, "could not write \"%s\"", path);
	}
	return 0;
}

static bool is_directory(int dirfd, const char *path)
{
	struct stat st;

	return fstatat(dirfd, path, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

int fsx_mkdirs(int dirfd, const char *path, unsigned mode, struct err *e)
{
	_cleanup_free_ char *part = xstrdup(path);

	for (char *p = part + (*part == '/');; p++) {
		char sep = *p;

		if (sep && sep != '/')
			continue;
		*p = '\0';
		if (*part && mkdirat(dirfd, part, (mode_t)mode) < 0 && errno != EEXIST)
			return err_errno(e, errno, "could not make directory \"%s\"", part);
		*p = sep;
		if (!sep)
			break;
	}
	if (*path && !is_directory(dirfd, path))
		return err_errno(e, ENOTDIR, "could not make directory \"%s\"", path);
	return 0;
}

static int remove_below(int parentfd, const char *name, int depth, struct err *e);

static int remove_entries(DIR *dir, int depth, struct err *e)
{
	struct dirent *d;

	while ((d = readdir(dir))) {
		int r;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		r = remove_below(dirfd(dir), d->d_name, depth + 1, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Opens a directory to be emptied. Below the top no mount point is crossed, not even a bind
 * mount of the same file system, which st_dev would not tell apart.
 */
static int open_to_empty(int parentfd, const char *name, bool top, struct err *e)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = top ? 0 : RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, parentfd, name, &how, sizeof(how));

	if (fd < 0 && errno == EXDEV)
		return err_set(e, -EXDEV, "could not remove \"%s\": something is mounted on it",
			       name);
	if (fd < 0)
		return err_errno(e, errno, "could not remove \"%s\"", name);
	return fd;
}

#define REMOVE_DEPTH_MAX 64 /* our scratch trees are a few levels deep */

static int remove_below(int parentfd, const char *name, int depth, struct err *e)
{
	DIR *dir;
	int fd, r;

	if (unlinkat(parentfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_errno(e, errno, "could not remove \"%s\"", name);
	if (depth > REMOVE_DEPTH_MAX)
		return err_set(e, -ELOOP, "could not remove \"%s\": too deep", name);
	fd = open_to_empty(parentfd, name, depth == 0, e);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = err_errno(e, errno, "could not list \"%s\"", name);
		(void)close(fd);
		return r;
	}
	r = remove_entries(dir, depth, e);
	(void)closedir(dir);
	if (r == 0 && unlinkat(parentfd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		r = err_errno(e, errno, "could not remove directory \"%s\"", name);
	return r;
}

int fsx_remove_tree(int dirfd, const char *path, struct err *e)
{
	return remove_below(dirfd, path, 0, e);
}

bool fsx_key_u64(const char *text, const char *key, uint64_t *ret_v)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *p;
		char digits[24];
		size_t n;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		p = line + len;
		p += *p == ':';
		if (*p != ' ' && *p != '\t' && *p != '=')
			continue;
		p += strspn(p, " \t=");
		n = strspn(p, "0123456789");
		if (n == 0 || n >= sizeof(digits))
			continue;
		memcpy(digits, p, n);
		digits[n] = '\0';
		return num_u64(digits, ret_v, NULL) == 0;
	}
	return false;
}

bool fsx_exists(int dirfd, const char *path)
{
	return faccessat(dirfd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}
