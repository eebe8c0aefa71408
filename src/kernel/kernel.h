/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels to boot: where the image, its configuration and its modules are. A kernel is named by
 *
 *	a bzImage		/boot/vmlinuz-6.1.0; config-RELEASE beside it and the folder
 *				lib/modules/RELEASE below the same root or / are used when there
 *	a Debian package file	linux-image-….deb; unpacked into the cache, without root
 *	a package name		one that "mmgauge kernels fetch" was told, or the package it led to
 *	a kernel build tree	a folder with arch/x86/boot/bzImage
 *	a release		"6.12.117+deb12-cloud-amd64", of a kernel in the cache
 *
 * Only x86-64, the machine that target/vm emulates. libarchive and libmd stay in here.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

struct err;

struct kernel {
	char *spec;	/* as it was named */
	char *image;	/* path of the bzImage */
	char *release;	/* uname -r, from the image's header */
	char *banner;	/* release, who built it, uname -v: all that the header says */
	char *package;	/* "linux-image-…", "" when it is none */
	char *package_version; /* "6.1.192-3", "" */
	char *config;	/* text of its .config, NULL when that is nowhere */
	char *modules;	/* lib/modules/RELEASE or the build tree, NULL when there is none */
};

/*
 * Ended with kernel_done. -ENOENT with what can be done when the name leads nowhere, -ENOEXEC
 * when the file is no kernel or one for another machine.
 */
__must_check int kernel_open(const char *spec, struct kernel *ret, struct err *e);
void kernel_done(struct kernel *k);
#define _cleanup_kernel_ __attribute__((cleanup(kernel_done)))

/*
 * Value of CONFIG_@option: "y", "m", a number, text without quotes; "n" when it is not set; NULL
 * when the configuration isn't known. malloc'd.
 */
char *kernel_option(const struct kernel *k, const char *option);
/* Does the configuration speak of it? An option of newer kernels, or without sense here, isn't. */
bool kernel_knows(const struct kernel *k, const char *option);
/*
 * -ENOTSUP naming the first of @options ("MEMCG"; "n" and "m" don't do) that the kernel was
 * built without. Fine when the configuration isn't known: the boot will tell.
 */
__must_check int kernel_require(const struct kernel *k, const char *const *options, size_t n,
				struct err *e);
/* Version 1 of the memory controller: part of MEMCG before 6.11, MEMCG_V1 since. */
__must_check int kernel_require_cgroup_v1(const struct kernel *k, struct err *e);

/*
 * What the image says when its payload is unpacked (a tenth of a second): build id in hex, and
 * the configuration of a kernel with IKCONFIG. Each is NULL when it isn't there. -ENOTSUP for a
 * compression that libarchive doesn't know.
 */
__must_check int kernel_image_look(const char *image, char **ret_build_id, char **ret_config,
				   struct err *e);
/* Header of a bzImage alone: -ENOEXEC when it is none. The banner is malloc'd. */
__must_check int kernel_image_banner(const char *image, char **ret_banner, struct err *e);

/* Hex SHA-256 of a file; @ret has room for 65 bytes. */
__must_check int kernel_hash_file(const char *path, char *ret, struct err *e);
void kernel_hash_text(const char *text, char *ret);

/*
 * The cache: $XDG_CACHE_HOME/mmgauge or ~/.cache/mmgauge. kernels/PACKAGE_VERSION holds boot/ and
 * lib/modules/ of a package, and a file "names" with the names it was asked for by. An entry is
 * made elsewhere and renamed, so it is whole or absent.
 */
char *kernel_cache_dir(void); /* malloc'd; NULL when there is neither variable */

/*
 * A fresh folder in @folder, whose path is *@ret. Returns a descriptor of it that holds its lock:
 * folders of owners that were killed are removed on the way.
 */
__must_check int kernel_cache_temp(const char *folder, char **ret, struct err *e);

/* One entry of the cache. */
struct kernel_entry {
	char *name;	 /* PACKAGE_VERSION */
	char *path;	 /* absolute */
	char *package, *version;
	struct strv names; /* that fetch was asked for */
	uint64_t bytes;	 /* on disk */
};
struct kernel_entries {
	struct kernel_entry *v;
	size_t n;
};
/* Sorted by name. No cache is an empty list. */
__must_check int kernel_cache_list(struct kernel_entries *ret, struct err *e);
void kernel_entries_done(struct kernel_entries *l);
#define _cleanup_kernel_entries_ __attribute__((cleanup(kernel_entries_done)))
/* Removes an entry, named like a kernel for kernel_open. */
__must_check int kernel_cache_remove(const char *name, struct err *e);

/*
 * Unpacks a package file into the cache unless it is there; *@ret_name is its entry, malloc'd.
 * @asked (or NULL) is recorded as a name of it.
 */
__must_check int kernel_unpack(const char *deb, const char *asked, char **ret_name,
			       struct err *e);
/*
 * Fetches package @name ("NAME" or "NAME=VERSION"; a metapackage leads to the newest kernel) by
 * apt and unpacks it. Nothing is downloaded when the entry is there. Not as root: apt doesn't
 * need it for this.
 */
__must_check int kernel_fetch(const char *name, char **ret_name, struct err *e);

/*
 * A module and what it needs, in the order in which they must be loaded: paths below k->modules.
 * Built in: none. -ENOENT when the kernel has no such module. Dependencies are read from the
 * modules themselves, since a package carries no modules.dep.
 */
__must_check int kernel_module(const struct kernel *k, const char *name, struct strv *paths,
			       struct err *e);
/* The module unpacked (.ko, .ko.xz, .ko.zst, .ko.gz). */
__must_check int kernel_module_read(const struct kernel *k, const char *path, struct str *out,
				    struct err *e);

#endif
