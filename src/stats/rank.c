// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "stats/dist.h"
#include "stats/select.h"
#include "stats/sorted.h"

static bool same(double a, double b)
{
	return a <= b && a >= b;
}

/* A magnitude with a tag: its sign, or the sample that it came from. */
struct mark {
	double v;
	bool tag;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct mark *)a)->v, y = ((const struct mark *)b)->v;

	return (x > y) - (x < y);
}

/*
 * Marks of sorted samples are sorted but for where one sample ends and the next begins, or the
 * signs change: two rising runs are merged, which takes one walk; all else is sorted.
 */
static void sort_marks(struct mark *v, size_t n)
{
	_cleanup_free_ struct mark *copy = NULL;
	size_t cut = 1, at = 0, i = 0, j;

	while (cut < n && v[cut - 1].v <= v[cut].v)
		cut++;
	for (j = cut + 1; j < n && v[j - 1].v <= v[j].v; j++)
		;
	if (cut >= n)
		return;
	if (j < n) {
		qsort(v, n, sizeof(*v), by_value);
		return;
	}
	copy = xcalloc(n, sizeof(*copy));
	memcpy(copy, v, n * sizeof(*v));
	for (j = cut; at < n; at++)
		v[at] = j >= n || (i < cut && copy[i].v <= copy[j].v) ? copy[i++] : copy[j++];
}

/* Midranks times two, so that they are integers. */
struct ranks {
	uint32_t *twice;  /* of each mark, in order */
	double tie_cubes; /* sum of t^3 - t over ties of t values */
	bool ties;
};

static void ranks_done(struct ranks *r)
{
	free(r->twice);
}

static struct ranks rank_marks(struct mark *v, size_t n)
{
	struct ranks r = { .twice = xcalloc(n ? n : 1, sizeof(*r.twice)) };

	sort_marks(v, n);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && same(v[end].v, v[i].v); end++)
			;
		t = (double)(end - i);
		r.tie_cubes += t * t * t - t;
		r.ties |= end - i > 1;
		for (size_t j = i; j < end; j++)
			r.twice[j] = (uint32_t)(i + 1 + end);
	}
	return r;
}

static double two_sided(double lower_tail)
{
	return lower_tail >= 0.5 ? 1 : 2 * lower_tail;
}

/* @off: statistic minus its mean. */
static double normal_two_sided(double off, double variance)
{
	double z = fabs(off) > 0.5 ? (fabs(off) - 0.5) / sqrt(variance) : 0;

	return variance > 0 ? two_sided(dist_norm_cdf(-z)) : 1;
}

/*
 * P(2 W+ <= w) when each of the @n doubled ranks counts or not with probability 1/2: the number
 * of subsets by their sum. w is at most half of the total, which bounds the table.
 */
static double subset_cdf(const uint32_t *twice, size_t n, size_t w)
{
	double ways[DIST_EXACT_MAX * (DIST_EXACT_MAX + 1) / 2 + 1] = { 1 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t s = w; s >= twice[i]; s--)
			ways[s] += ways[s - twice[i]];
	for (size_t s = 0; s <= w; s++)
		sum += ways[s];
	return ldexp(sum, -(int)n);
}

static double signed_p(const struct mark *v, const struct ranks *r, size_t n)
{
	double total = (double)n * (double)(n + 1); /* of doubled ranks, ties or not */
	double plus = 0, lower;

	for (size_t i = 0; i < n; i++)
		plus += v[i].tag ? r->twice[i] : 0;
	if (n > DIST_EXACT_MAX)
		return normal_two_sided((plus - total / 2) / 2,
					total * (double)(2 * n + 1) / 24 - r->tie_cubes / 48);
	lower = fmin(plus, total - plus);
	if (r->ties)
		return two_sided(subset_cdf(r->twice, n, (size_t)lower));
	return two_sided(dist_signrank_cdf(lower / 2, n));
}

double rank_signed_p(const double *x, size_t n)
{
	_cleanup_free_ struct mark *v = xcalloc(n ? n : 1, sizeof(*v));
	_cleanup_(ranks_done) struct ranks r = { 0 };
	size_t used = 0;

	/* from the last on: negative values of a sorted sample then rise by magnitude */
	for (size_t i = n; i-- > 0;)
		if (x[i] < 0)
			v[used++] = (struct mark){ .v = -x[i] };
	for (size_t i = 0; i < n; i++)
		if (x[i] > 0)
			v[used++] = (struct mark){ .v = x[i], .tag = true };
	if (!used)
		return 1;
	r = rank_marks(v, used);
	return signed_p(v, &r, used);
}

static double walsh_average(const double *sorted, size_t n, uint64_t k)
{
	return select_walsh_sum(sorted, n, k).at / 2;
}

/* Of an odd number of sums the one in the middle, else the mean of the two. */
static double middle(struct select_two s, bool odd)
{
	return odd ? s.at : s.at / 2 + s.next / 2;
}

double rank_centre(const double *x, size_t n)
{
	_cleanup_free_ double *v = sorted_copy(x, n);
	uint64_t pairs = (uint64_t)n * (n + 1) / 2;

	if (!n)
		return (double)NAN;
	return middle(select_walsh_sum(v, n, (pairs - 1) / 2), pairs % 2) / 2;
}

/*
 * How many order statistics to leave out at each end, plus one: the largest c with
 * P(statistic <= c - 1) <= (1 - level) / 2, from the exact quantile or the normal one with
 * continuity correction. 0: there is no such c.
 */
static uint64_t normal_rank(double mean, double sd, double tail)
{
	double c = floor(mean + sd * dist_norm_quantile(tail) + 0.5);

	return c >= 1 ? (uint64_t)c : 0;
}

static uint64_t signed_rank_cut(size_t n, double tail)
{
	double d = (double)n, q;

	if (n > DIST_EXACT_MAX)
		return normal_rank(d * (d + 1) / 4, sqrt(d * (d + 1) * (2 * d + 1) / 24), tail);
	if (!n || dist_signrank_cdf(0, n) > tail)
		return 0;
	q = dist_signrank_quantile(tail, n);
	/* The quantile may itself have no more than @tail below or at it. */
	return (uint64_t)q + (dist_signrank_cdf(q, n) <= tail);
}

bool rank_signed_interval(const double *x, size_t n, double level, double *ret_lo, double *ret_hi)
{
	_cleanup_free_ double *v = NULL;
	uint64_t pairs = (uint64_t)n * (n + 1) / 2;
	uint64_t c = level > 0 && level < 1 ? signed_rank_cut(n, (1 - level) / 2) : 0;

	if (!c)
		return false;
	v = sorted_copy(x, n);
	*ret_lo = walsh_average(v, n, c - 1);
	*ret_hi = walsh_average(v, n, pairs - c);
	return true;
}

/* Differences are sums with the second sample negated and turned round. */
static double *negated(const double *y, size_t n)
{
	double *v = xcalloc(n ? n : 1, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = -y[n - 1 - i]; /* turned round: sorted stays sorted */
	sorted_sort(v, n);
	return v;
}

double rank_shift(const double *x, size_t m, const double *y, size_t n)
{
	_cleanup_free_ double *a = sorted_copy(x, m);
	_cleanup_free_ double *b = negated(y, n);
	uint64_t pairs = (uint64_t)m * n;

	if (!pairs)
		return (double)NAN;
	return middle(select_sum(a, m, b, n, (pairs - 1) / 2), pairs % 2);
}

double rank_sum_p(const double *x, size_t m, const double *y, size_t n)
{
	const size_t all = m + n;
	const double dm = (double)m, dn = (double)n, dall = (double)all;
	_cleanup_free_ struct mark *v = xcalloc(all ? all : 1, sizeof(*v));
	_cleanup_(ranks_done) struct ranks r = { 0 };
	double u = -dm * (dm + 1) / 2;

	if (!m || !n)
		return 1;
	for (size_t i = 0; i < all; i++)
		v[i] = (struct mark){ .v = i < m ? x[i] : y[i - m], .tag = i < m };
	r = rank_marks(v, all);
	for (size_t i = 0; i < all; i++)
		u += v[i].tag ? r.twice[i] / 2.0 : 0;
	if (m <= DIST_EXACT_MAX && n <= DIST_EXACT_MAX && !r.ties)
		return two_sided(dist_ranksum_cdf(fmin(u, dm * dn - u), m, n));
	return normal_two_sided(u - dm * dn / 2,
				dm * dn / 12 * (dall + 1 - r.tie_cubes / (dall * (dall - 1))));
}

static uint64_t rank_sum_cut(size_t m, size_t n, double tail)
{
	double dm = (double)m, dn = (double)n, q;

	if (!m || !n)
		return 0;
	if (m > DIST_EXACT_MAX || n > DIST_EXACT_MAX)
		return normal_rank(dm * dn / 2, sqrt(dm * dn * (dm + dn + 1) / 12), tail);
	if (dist_ranksum_cdf(0, m, n) > tail)
		return 0;
	q = dist_ranksum_quantile(tail, m, n);
	return (uint64_t)q + (dist_ranksum_cdf(q, m, n) <= tail);
}

bool rank_shift_interval(const double *x, size_t m, const double *y, size_t n, double level,
			 double *ret_lo, double *ret_hi)
{
	_cleanup_free_ double *a = NULL, *b = NULL;
	uint64_t pairs = (uint64_t)m * n;
	uint64_t c = level > 0 && level < 1 ? rank_sum_cut(m, n, (1 - level) / 2) : 0;

	if (!c)
		return false;
	a = sorted_copy(x, m);
	b = negated(y, n);
	*ret_lo = select_sum(a, m, b, n, c - 1).at;
	*ret_hi = select_sum(a, m, b, n, pairs - c).at;
	return true;
}
