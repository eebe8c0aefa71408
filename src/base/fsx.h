/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below a directory descriptor. Everything that reads or writes the kernel's pseudo files
 * goes through here, so that a tree of fixtures can stand in for a machine. Paths are relative
 * to @dirfd ("proc/meminfo"), AT_FDCWD is allowed, descriptors are always close-on-exec.
 */
#ifndef BASE_FSX_H
#define BASE_FSX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;
struct str;

#define FSX_TEXT_MAX (4u << 20) /* no text file we read is larger */

/* Returns a descriptor or -errno. @flags as for open(2) without O_CREAT. */
__must_check int fsx_open(int dirfd, const char *path, int flags, struct err *e);

/* Reads the whole file into @out (cleared first), at most out->max bytes, else -EFBIG. */
__must_check int fsx_read(int dirfd, const char *path, struct str *out, struct err *e);

/* As fsx_read, into a malloc'd string without trailing newline. */
__must_check int fsx_read_line(int dirfd, const char *path, char **ret_text, struct err *e);
__must_check int fsx_read_u64(int dirfd, const char *path, uint64_t *ret_v, struct err *e);

/* Exactly one write(2), as the kernel's pseudo files want it; a short write is -EIO. */
__must_check int fsx_write(int dirfd, const char *path, const char *text, struct err *e);

/* Creates or replaces @path with @text: temporary file, fsync, rename. */
__must_check int fsx_replace(int dirfd, const char *path, const char *text, struct err *e);

/* mkdir -p below @dirfd. */
__must_check int fsx_mkdirs(int dirfd, const char *path, unsigned mode, struct err *e);

/* Removes @path and all below it; crosses no mount point (-EXDEV). ENOENT is fine. */
__must_check int fsx_remove_tree(int dirfd, const char *path, struct err *e);

/*
 * Value of @key in flat-keyed text ("KEY VALUE\n" or "KEY: VALUE kB\n", whole-word match);
 * returns false when it isn't there. The first number after the key counts.
 */
bool fsx_key_u64(const char *text, const char *key, uint64_t *ret_v);

bool fsx_exists(int dirfd, const char *path);

#endif
