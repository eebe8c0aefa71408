// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/multiple.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;

	return (x > y) - (x < y);
}

static struct ranked *rank_all(const double *p, size_t n)
{
	struct ranked *v = xcalloc(n ? n : 1, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct ranked){ p[i], i };
	qsort(v, n, sizeof(*v), by_p);
	return v;
}

void multiple_holm(const double *p, size_t n, double *ret)
{
	_cleanup_free_ struct ranked *v = rank_all(p, n);
	double least = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, v[i].p * (double)(n - i)));
		ret[v[i].at] = least;
	}
}

void multiple_bh(const double *p, size_t n, double *ret)
{
	_cleanup_free_ struct ranked *v = rank_all(p, n);
	double most = 1;

	for (size_t i = n; i-- > 0;) {
		most = fmin(most, v[i].p * (double)n / (double)(i + 1));
		ret[v[i].at] = most;
	}
}
