/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's functions are: /proc/kallsyms of a guest (booted with nokaslr, read as root)
 * or a System.map made into what the TCG plugin reads.
 */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;
struct str;

struct kernel_symbol {
	uint64_t addr, size; /* size > 0, addr + size - 1 doesn't overflow */
	const char *name;
};

struct kernel_symbols {
	struct kernel_symbol *v; /* by address, not overlapping */
	size_t n;
	char *names; /* all of them */
};

/*
 * Lines "ADDRESS TYPE NAME" with or without "\t[MODULE]", in any order. Kept is text (types t, T,
 * w, W) in the upper half of the addresses. kallsyms has no sizes: a function ends where the next
 * symbol of any type begins, the last one at the end of its page. Of several names of an address
 * one is kept, the same in every kernel that has them: global before local before weak, without
 * leading underscore before with, then the shorter, then by the alphabet.
 *
 * -EINVAL with the line that isn't one; -EPERM when all addresses are hidden (zero); -ENODATA
 * without any function.
 */
__must_check int kernel_symbols_parse(const char *text, size_t len, struct kernel_symbols *ret,
				      struct err *e);
void kernel_symbols_done(struct kernel_symbols *s);
#define _cleanup_kernel_symbols_ __attribute__((cleanup(kernel_symbols_done)))

/* The function that holds @addr, or NULL. */
const struct kernel_symbol *kernel_symbols_find(const struct kernel_symbols *s, uint64_t addr);

/* Lines "ADDRESS SIZE NAME", hex, as plugin/mmgauge-tcg.c reads them. */
void kernel_symbols_format(const struct kernel_symbols *s, struct str *out);

#endif
