// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/initrd.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define PROGRAM_MAX (64u << 20)

static struct initrd_entry *add(struct initrd *i, const char *path, unsigned mode)
{
	i->v = xrealloc(i->v, i->n + 1, sizeof(*i->v));
	i->v[i->n] = (struct initrd_entry){
		.path = xstrdup(path),
		.mode = mode,
		.data = STR_INIT(PROGRAM_MAX),
	};
	return &i->v[i->n++];
}

/* Cuts off what follows the last loaded byte: section headers, symbols, debug information. */
static void strip_elf(struct str *s)
{
	Elf64_Ehdr eh;
	size_t end = sizeof(eh);

	if (s->len < sizeof(eh))
		return;
	memcpy(&eh, s->buf, sizeof(eh));
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(Elf64_Phdr))
		return;
	for (size_t i = 0; i < eh.e_phnum; i++) {
		size_t at = eh.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr ph;

		if (at > s->len || s->len - at < sizeof(ph))
			return;
		memcpy(&ph, s->buf + at, sizeof(ph));
		if (ph.p_offset + ph.p_filesz > end)
			end = ph.p_offset + ph.p_filesz;
	}
	if (end > s->len)
		return;
	eh.e_shoff = 0;
	eh.e_shnum = 0;
	eh.e_shstrndx = 0;
	memcpy(s->buf, &eh, sizeof(eh));
	s->len = end;
}

int initrd_add_program(struct initrd *i, const char *path, const char *source, struct err *e)
{
	struct initrd_entry *en = add(i, path, S_IFREG | 0755);
	int r = kernel_read_file(source, &en->data, e);

	if (r == 0)
		strip_elf(&en->data);
	return r;
}

void initrd_add_text(struct initrd *i, const char *path, const char *text)
{
	str_add(&add(i, path, S_IFREG | 0644)->data, text);
}

int initrd_add_modules(struct initrd *i, const struct kernel *k, const char *const *names,
		       size_t n, struct err *e)
{
	_cleanup_strv_ struct strv paths = { 0 };
	int r = 0;

	for (size_t m = 0; r == 0 && m < n; m++)
		r = kernel_module(k, names[m], &paths, e);
	for (size_t m = 0; r == 0 && m < paths.n; m++) {
		const char *slash = strrchr(paths.v[m], '/');
		const char *file = slash ? slash + 1 : paths.v[m];
		_cleanup_free_ char *to = xasprintf("modules/%02zu-%.*s.ko", m,
						    (int)strcspn(file, "."), file);

		r = kernel_module_read(k, paths.v[m], &add(i, to, S_IFREG | 0644)->data, e);
	}
	return r;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct initrd_entry *)a)->path,
		      ((const struct initrd_entry *)b)->path);
}

static bool has_entry(const struct initrd *i, const char *path, size_t len)
{
	for (size_t k = 0; k < i->n; k++)
		if (strlen(i->v[k].path) == len && strncmp(i->v[k].path, path, len) == 0)
			return true;
	return false;
}

/* Every folder that a path goes through; the array grows while it is walked. */
static void add_folders(struct initrd *i)
{
	for (size_t k = 0; k < i->n; k++) {
		_cleanup_free_ char *path = xstrdup(i->v[k].path);

		for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			if (!has_entry(i, path, strlen(path)))
				(void)add(i, path, S_IFDIR | 0755);
			*slash = '/';
		}
	}
}

static void free_writer(struct archive **a)
{
	(void)archive_write_free(*a);
}

static void free_entry(struct archive_entry **en)
{
	archive_entry_free(*en);
}

static int write_entry(struct archive *a, const struct initrd_entry *en, size_t number,
		       const char *path, struct err *e)
{
	_cleanup_(free_entry) struct archive_entry *h = archive_entry_new();

	archive_entry_set_pathname(h, en->path);
	archive_entry_set_mode(h, en->mode);
	archive_entry_set_size(h, (la_int64_t)en->data.len);
	archive_entry_set_mtime(h, 0, 0);
	archive_entry_set_uid(h, 0);
	archive_entry_set_gid(h, 0);
	archive_entry_set_nlink(h, S_ISDIR(en->mode) ? 2 : 1);
	archive_entry_set_ino(h, (la_int64_t)number);
	if (archive_write_header(a, h) != ARCHIVE_OK)
		return kernel_archive_fail(a, e, "write", path);
	if (en->data.len && archive_write_data(a, en->data.buf, en->data.len) !=
				    (la_ssize_t)en->data.len)
		return kernel_archive_fail(a, e, "write", path);
	return 0;
}

static int write_all(const struct initrd *i, const char *path, struct err *e)
{
	_cleanup_(free_writer) struct archive *a = archive_write_new();

	if (archive_write_set_format_cpio_newc(a) != ARCHIVE_OK ||
	    archive_write_open_filename(a, path) != ARCHIVE_OK)
		return kernel_archive_fail(a, e, "create", path);
	for (size_t k = 0; k < i->n; k++) {
		int r = write_entry(a, &i->v[k], k + 1, path, e);

		if (r < 0)
			return r;
	}
	if (archive_write_close(a) != ARCHIVE_OK)
		return kernel_archive_fail(a, e, "write", path);
	return 0;
}

int initrd_write(struct initrd *i, const char *path, struct err *e)
{
	_cleanup_free_ char *made = xasprintf("%s.new-%d", path, (int)getpid());
	int r;

	for (size_t k = 0; k < i->n; k++)
		if (!str_ok(&i->v[k].data))
			return err_set(e, -EFBIG, "\"%s\" is too large for an initramfs",
				       i->v[k].path);
	add_folders(i);
	qsort(i->v, i->n, sizeof(*i->v), by_path);
	r = write_all(i, made, e);
	if (r == 0 && rename(made, path) < 0)
		r = err_errno(e, errno, "could not rename \"%s\"", made);
	if (r < 0)
		(void)unlink(made);
	return r;
}

void initrd_done(struct initrd *i)
{
	for (size_t k = 0; k < i->n; k++) {
		free(i->v[k].path);
		str_done(&i->v[k].data);
	}
	free(i->v);
	*i = (struct initrd){ 0 };
}
