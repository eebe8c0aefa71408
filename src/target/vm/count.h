/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting guests: one boot per kernel up to the moment before the first case, kept in the cache
 * (snapshots/), and one start from there for every case. What the machine is made of (kernel,
 * initramfs, QEMU, flags) is hashed into the name: another one is another snapshot.
 */
#ifndef TARGET_VM_COUNT_H
#define TARGET_VM_COUNT_H

#include <stdint.h>

#include "base/compiler.h"

struct err;
struct guest;
struct guest_spec;

struct count {
	char *key;     /* hex */
	char *machine; /* path of the kept machine */
	char *flags;   /* for the record */
};
void count_done(struct count *c); /* fine when zeroed */

/*
 * Finds the snapshot for what @s describes, or makes it (a boot, some seconds): until @deadline_ns.
 * A guest that ends on the way is an error with how.
 */
__must_check int count_prepare(struct count *c, const struct guest_spec *s,
			       const char *qemu_version, uint64_t deadline_ns, struct err *e);
/*
 * The functions of the kernel in the snapshot, as the plugin reads them: asked for once and kept
 * beside it. *@ret is the path, malloc'd.
 */
__must_check int count_symbols(const struct count *c, const struct guest_spec *s,
			       uint64_t deadline_ns, char **ret, struct err *e);
/* Lets the kept machine go on with the records of s->job. @ret is the caller's, as guest_start. */
__must_check int count_start(const struct count *c, const struct guest_spec *s,
			     uint64_t deadline_ns, struct guest *ret, struct err *e);

#endif
