/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A number picked from a program's output by a POSIX extended regular expression with one group. */
#ifndef WORKLOAD_MATCH_H
#define WORKLOAD_MATCH_H

#include "base/compiler.h"

struct err;

/* Is it a regular expression, and has it a group? */
__must_check int match_check(const char *pattern, struct err *e);

/*
 * The number in the first group of the last match in @text, so that a final summary wins over
 * reports on the way. Each line is matched by itself. No match, or a group that is no decimal
 * number, is an error.
 */
__must_check int match_number(const char *pattern, const char *text, double *ret_v,
			      struct err *e);

#endif
