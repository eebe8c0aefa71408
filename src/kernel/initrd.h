/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initramfs of a guest: a newc archive that is the same, byte for byte, for the same content.
 * Entries are sorted by path, belong to root, are of 1970, numbered from 1; nothing is compressed,
 * since a kernel may lack any of the decompressors and unpacking costs boot time.
 */
#ifndef KERNEL_INITRD_H
#define KERNEL_INITRD_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/str.h"

struct err;
struct kernel;

struct initrd_entry {
	char *path;	 /* "lib/modules/loop.ko", without a leading slash */
	unsigned mode;	 /* S_IFREG | 0755 or S_IFDIR | 0755 */
	struct str data; /* of a file */
};
struct initrd {
	struct initrd_entry *v;
	size_t n;
};

/* A program from the host's file system, made small: what isn't loaded (symbols) is cut off. */
__must_check int initrd_add_program(struct initrd *i, const char *path, const char *source,
				    struct err *e);
void initrd_add_text(struct initrd *i, const char *path, const char *text);
/*
 * Modules and what they need, as modules/NN-NAME.ko in the order of loading, unpacked: the guest's
 * init loads what is there by name order.
 */
__must_check int initrd_add_modules(struct initrd *i, const struct kernel *k,
				    const char *const *names, size_t n, struct err *e);
/* Folders above the entries come by themselves. Writes to @path through a temporary file. */
__must_check int initrd_write(struct initrd *i, const char *path, struct err *e);
void initrd_done(struct initrd *i);
#define _cleanup_initrd_ __attribute__((cleanup(initrd_done)))

#endif
