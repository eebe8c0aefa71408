/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Argument vectors as the text of one parameter: arguments separated by one blank, bytes other
 * than letters, digits and "_./:=+@-" as %XX; of two points in a row the second, too ("A..B" is
 * a range in plans). An empty argument is a lone "%". No shell reads this, ever.
 */
#ifndef WORKLOAD_ARGV_H
#define WORKLOAD_ARGV_H

#include <stddef.h>

#include "base/compiler.h"

struct err;
struct str;
struct strv;

/* Appends the text of @argv[0..@n) to @out. */
void argv_encode(const char *const *argv, size_t n, struct str *out);

/*
 * Appends to *@ret, which must be initialised and is unchanged on failure. "" is no argument. A
 * NULL that isn't counted follows the last one, as execv(3) wants it.
 */
__must_check int argv_decode(const char *text, struct strv *ret, struct err *e);

#endif
