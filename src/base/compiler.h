/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiler attributes and the few macros that every module uses. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))
#define __must_check __attribute__((warn_unused_result))
#define __nonnull_result __attribute__((returns_nonnull))
#define __unused __attribute__((unused))

/* Two cache lines: adjacent-line prefetch pulls lines in pairs on x86, so 64 is too near. */
#define CACHELINE_PAIR 128

#endif
