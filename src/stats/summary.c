// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include <math.h>

#include "base/cleanup.h"
#include "stats/sorted.h"

/* Neumaier's sum: the rounding error of every addition is kept in a second word. */
struct sum {
	double hi, lost;
};

static void sum_add(struct sum *s, double x)
{
	double t = s->hi + x;

	s->lost += fabs(s->hi) >= fabs(x) ? (s->hi - t) + x : (x - t) + s->hi;
	s->hi = t;
}

static double sum_value(const struct sum *s)
{
	return s->hi + s->lost;
}

double summary_mean(const double *x, size_t n)
{
	struct sum s = { 0 };

	for (size_t i = 0; i < n; i++)
		sum_add(&s, x[i]);
	return n ? sum_value(&s) / (double)n : (double)NAN;
}

static double harmonic_mean(const double *x, size_t n)
{
	struct sum s = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (x[i] <= 0)
			return (double)NAN;
		sum_add(&s, 1 / x[i]);
	}
	return n ? (double)n / sum_value(&s) : (double)NAN;
}

bool summary_constant(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] < x[0] || x[i] > x[0])
			return false;
	return n > 0;
}

double summary_stddev(const double *x, size_t n)
{
	double mean = summary_mean(x, n);
	struct sum s = { 0 };

	/* A mean that was rounded would give constants a spread. */
	if (n < 2 || summary_constant(x, n))
		return 0;
	for (size_t i = 0; i < n; i++)
		sum_add(&s, (x[i] - mean) * (x[i] - mean));
	return sqrt(sum_value(&s) / (double)(n - 1));
}

double summary_quantile(const double *x, size_t n, double q)
{
	double at, frac;
	size_t i;

	if (!n || !(q >= 0 && q <= 1))
		return (double)NAN;
	at = q * (double)(n - 1);
	i = (size_t)at;
	frac = at - (double)i;
	return i + 1 < n ? x[i] + frac * (x[i + 1] - x[i]) : x[n - 1];
}

double summary_best_mean(const double *x, size_t n, unsigned percent, bool higher_is_better)
{
	_cleanup_free_ double *v = sorted_copy(x, n);
	size_t k = n * percent / 100;

	if (!n || percent > 100)
		return (double)NAN;
	if (!k)
		k = 1;
	return higher_is_better ? harmonic_mean(v + (n - k), k) : summary_mean(v, k);
}

/*
 * Distances of a sorted sample from its median rise to both sides of it: the middle of them is
 * found by walking outwards.
 */
static double mad_of(const double *sorted, size_t n, double median)
{
	size_t left = 0, right, half = n / 2 + 1;
	double before = 0, here = 0;

	while (left < n && sorted[left] <= median)
		left++;
	right = left;
	for (size_t seen = 0; seen < half && (left > 0 || right < n); seen++) {
		double l = left > 0 ? median - sorted[left - 1] : HUGE_VAL;
		double r = right < n ? sorted[right] - median : HUGE_VAL;

		before = here;
		here = l <= r ? l : r;
		if (l <= r)
			left--;
		else
			right++;
	}
	if (!n)
		return (double)NAN;
	return n % 2 ? here : before / 2 + here / 2;
}

struct summary summary_of(const double *x, size_t n)
{
	struct summary s = { .n = n, .mean = summary_mean(x, n), .hmean = harmonic_mean(x, n) };
	_cleanup_free_ double *v = sorted_copy(x, n);

	s.stddev = n ? summary_stddev(x, n) : (double)NAN;
	s.coeff_var = s.stddev > 0 ? (s.mean > 0 || s.mean < 0 ? s.stddev / s.mean : (double)NAN)
				   : s.stddev;
	s.min = n ? v[0] : (double)NAN;
	s.max = n ? v[n - 1] : (double)NAN;
	s.median = sorted_median(v, n);
	s.mad = mad_of(v, n, s.median);
	return s;
}
