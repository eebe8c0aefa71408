/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of what a program writes: at least the last TAIL_KEPT bytes, or all if it is less. */
#ifndef WORKLOAD_TAIL_H
#define WORKLOAD_TAIL_H

#include <stddef.h>

struct spawn;
struct str;

#define TAIL_KEPT ((size_t)1 << 20)
#define TAIL_MAX (2 * TAIL_KEPT) /* for STR_INIT */

/*
 * Reads the output pipe of @p into @output until the program has ended; the caller waits for it
 * then. The end of the pipe is not waited for: a descendant that lives on may hold it open. NUL
 * bytes become blanks.
 */
void tail_read(const struct spawn *p, struct str *output);

/* The last line, without the line ends after it, which are cut off. */
const char *tail_last_line(struct str *output);

#endif
