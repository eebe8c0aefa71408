// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sorted.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sorted_sort(double *x, size_t n)
{
	bool done = true;

	for (size_t i = 1; i < n && done; i++)
		done = x[i - 1] <= x[i];
	if (!done)
		qsort(x, n, sizeof(*x), ascending);
}

double *sorted_copy(const double *x, size_t n)
{
	double *out = xcalloc(n ? n : 1, sizeof(*out));

	if (n)
		memcpy(out, x, n * sizeof(*out));
	sorted_sort(out, n);
	return out;
}

double sorted_median(const double *x, size_t n)
{
	if (!n)
		return (double)NAN;
	return n % 2 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
}
