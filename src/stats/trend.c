// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/trend.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "stats/dist.h"
#include "stats/sorted.h"
#include "stats/summary.h"

enum { TREND_MIN = 4 };

static double two_sided(double z)
{
	return fmin(1, 2 * dist_norm_cdf(-fabs(z)));
}

/* The variance of S under the null. */
static double variance(const double *x, size_t n)
{
	_cleanup_free_ double *v = sorted_copy(x, n);
	double m = (double)n, sum = m * (m - 1) * (2 * m + 5);

	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && v[end] <= v[i]; end++)
			;
		t = (double)(end - i);
		sum -= t * (t - 1) * (2 * t + 5);
	}
	return sum / 18;
}

static double median_slope(const double *x, size_t n)
{
	_cleanup_free_ double *v = xcalloc(n * (n - 1) / 2, sizeof(*v));
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			v[k++] = (x[j] - x[i]) / (double)(j - i);
	sorted_sort(v, k);
	return sorted_median(v, k);
}

static void autocorrelation(const double *x, size_t n, struct trend *t)
{
	_cleanup_free_ double *d = xcalloc(n, sizeof(*d));
	double mean, products = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		d[i] = x[i] - t->slope * (double)i;
	mean = summary_mean(d, n);
	for (size_t i = 0; i < n; i++) {
		squares += (d[i] - mean) * (d[i] - mean);
		if (i)
			products += (d[i] - mean) * (d[i - 1] - mean);
	}
	if (!(squares > 0))
		return;
	t->r1 = products / squares;
	t->r1_p = two_sided((t->r1 + 1 / (double)n) * sqrt((double)n));
}

struct trend trend_of(const double *x, size_t n)
{
	struct trend t = { .p = 1, .r1_p = 1 };
	double var;

	if (n < 2)
		return t;
	t.slope = median_slope(x, n);
	if (n < TREND_MIN)
		return t;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			t.s += (x[j] > x[i]) - (x[j] < x[i]);
	var = variance(x, n);
	if (var > 0 && fabs(t.s) > 0)
		t.p = two_sided((fabs(t.s) - 1) / sqrt(var));
	autocorrelation(x, n, &t);
	return t;
}
