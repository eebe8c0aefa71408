// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/ttest.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "stats/dist.h"
#include "stats/summary.h"

static struct ttest conclude(double estimate, double se, double df, double level)
{
	struct ttest t = { .estimate = estimate, .se = se, .df = df, .p = 1 };
	double half = HUGE_VAL;

	if (df < 1) {
		t.lo = -HUGE_VAL;
		t.hi = HUGE_VAL;
		return t;
	}
	if (se > 0) {
		half = se * dist_t_quantile(0.5 + level / 2, df);
		t.p = dist_t_two_sided(estimate / se, df);
	} else {
		half = 0;
		t.p = estimate < 0 || estimate > 0 ? 0 : 1;
	}
	t.lo = estimate - half;
	t.hi = estimate + half;
	return t;
}

struct ttest ttest_one(const double *x, size_t n, double level)
{
	double se = n ? summary_stddev(x, n) / sqrt((double)n) : 0;

	return conclude(summary_mean(x, n), se, n ? (double)(n - 1) : 0, level);
}

struct ttest ttest_paired(const double *x, const double *y, size_t n, double level)
{
	_cleanup_free_ double *d = xcalloc(n ? n : 1, sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = x[i] - y[i];
	return ttest_one(d, n, level);
}

static struct ttest welch(double estimate, struct ttest_side x, struct ttest_side y, double level)
{
	double m = (double)x.n, n = (double)y.n, vx, vy, v;

	if (x.n < 2 || y.n < 2)
		return conclude(estimate, 0, 0, level);
	vx = x.stddev * x.stddev / m;
	vy = y.stddev * y.stddev / n;
	v = vx + vy;
	if (!(v > 0))
		return conclude(estimate, 0, m + n - 2, level);
	/* Shares of the variance, not its square: that would underflow for tiny spreads. */
	vx /= v;
	vy /= v;
	return conclude(estimate, sqrt(v), 1 / (vx * vx / (m - 1) + vy * vy / (n - 1)), level);
}

struct ttest ttest_welch_summary(struct ttest_side x, struct ttest_side y, double level)
{
	return welch(x.mean - y.mean, x, y, level);
}

struct ttest ttest_welch(const double *x, size_t m, const double *y, size_t n, double level)
{
	struct ttest_side a = { summary_mean(x, m), summary_stddev(x, m), m };
	struct ttest_side b = { summary_mean(y, n), summary_stddev(y, n), n };

	return ttest_welch_summary(a, b, level);
}

struct ttest ttest_welch_log_summary(struct ttest_side x, struct ttest_side y, double level)
{
	x.stddev /= x.mean;
	y.stddev /= y.mean;
	return welch(log(x.mean) - log(y.mean), x, y, level);
}
