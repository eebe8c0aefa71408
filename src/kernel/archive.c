// SPDX-License-Identifier: GPL-2.0-or-later
/* What more than one file here wants of libarchive, and whole files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <sha2.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define BLOCK 65536

int kernel_archive_fail(struct archive *a, struct err *e, const char *what, const char *path)
{
	const char *why = archive_error_string(a);
	int code = archive_errno(a);

	/* libarchive has codes of its own (negative) for what isn't an errno */
	return err_set(e, code > 0 ? -code : -EIO, "could not %s \"%s\": %s", what, path,
		       why ? why : "unknown error");
}

static void free_reader(struct archive **a)
{
	(void)archive_read_free(*a);
}

int kernel_decompress(const void *data, size_t len, const char *name, struct str *out,
		      struct err *e)
{
	_cleanup_(free_reader) struct archive *a = archive_read_new();
	char buf[4096];
	struct archive_entry *entry;
	la_ssize_t n;

	str_clear(out);
	(void)archive_read_support_filter_all(a);
	(void)archive_read_support_format_raw(a);
	if (archive_read_open_memory(a, data, len) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return kernel_archive_fail(a, e, "unpack", name);
	while ((n = archive_read_data(a, buf, sizeof(buf))) > 0 && str_ok(out))
		str_addn(out, buf, (size_t)n);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "could not unpack \"%s\": larger than %zu bytes", name,
			       out->max);
	/* A kernel's payload is followed by its size, which is no part of the stream. */
	if (n < 0 && !out->len)
		return kernel_archive_fail(a, e, "unpack", name);
	return 0;
}

int kernel_read_file(const char *path, struct str *out, struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n = 0;

	if (fd < 0)
		return err_errno(e, errno, "could not open \"%s\"", path);
	str_clear(out);
	while (str_ok(out) && (n = read(fd, buf, sizeof(buf))) > 0)
		str_addn(out, buf, (size_t)n);
	if (n < 0)
		return err_errno(e, errno, "could not read \"%s\"", path);
	return str_ok(out) ? 0 : err_set(e, -EFBIG, "\"%s\" is larger than %zu bytes", path,
					 out->max);
}

int kernel_hash_file(const char *path, char *ret, struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ unsigned char *buf = xcalloc(1, BLOCK);
	SHA2_CTX ctx;
	ssize_t n;

	if (fd < 0)
		return err_errno(e, errno, "could not open \"%s\"", path);
	SHA256Init(&ctx);
	while ((n = read(fd, buf, BLOCK)) > 0)
		SHA256Update(&ctx, buf, (size_t)n);
	if (n < 0)
		return err_errno(e, errno, "could not read \"%s\"", path);
	(void)SHA256End(&ctx, ret);
	return 0;
}

void kernel_hash_text(const char *text, char *ret)
{
	(void)SHA256Data((const unsigned char *)text, strlen(text), ret);
}
