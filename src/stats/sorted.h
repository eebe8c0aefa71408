/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorted copies of samples, shared by the files of stats/. Values must not be NaN. */
#ifndef STATS_SORTED_H
#define STATS_SORTED_H

#include <stddef.h>

void sorted_sort(double *x, size_t n); /* upwards; no work when it already is */
double *sorted_copy(const double *x, size_t n); /* malloc'd, never NULL */
double sorted_median(const double *x, size_t n); /* of a sorted sample */

#endif
