/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop whose turns don't depend on each other, over the CPUs that this process may use. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/*
 * Calls @fn once for every number below @n, from at most PARALLEL_MAX threads at a time, and
 * returns when all are done. Where no thread can be made the caller does it alone.
 */
#define PARALLEL_MAX 16
void parallel_for(size_t n, void (*fn)(size_t i, void *arg), void *arg);

#endif
