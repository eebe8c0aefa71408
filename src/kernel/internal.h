/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to kernel/. */
#ifndef KERNEL_INTERNAL_H
#define KERNEL_INTERNAL_H

#include <stdbool.h>

#include "base/str.h"

struct archive;
struct err;

/* err_set with libarchive's message: "could not WHAT "PATH": REASON". -EIO or its own code. */
int kernel_archive_fail(struct archive *a, struct err *e, const char *what, const char *path);

/*
 * Unpacks one compressed stream of whatever kind libarchive knows, or a plain file, into @out, at
 * most out->max bytes. Data after the end of the stream are ignored.
 */
__must_check int kernel_decompress(const void *data, size_t len, const char *name,
				   struct str *out, struct err *e);
/* A whole binary file, at most out->max bytes. */
__must_check int kernel_read_file(const char *path, struct str *out, struct err *e);

/* The folder kernels/ of the cache, malloc'd; made when @make. */
__must_check int kernel_cache_folder(bool make, char **ret, struct err *e);
/* The entry called @name: its own name, a name it was fetched by, its package or release. */
__must_check int kernel_cache_find(const char *name, char **ret_path, struct err *e);
/* Adds @asked to the names of an entry; other entries lose it: a metapackage moves on. */
__must_check int kernel_cache_name(const char *entry, const char *asked, struct err *e);

#endif
