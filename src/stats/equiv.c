// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/equiv.h"

#include <math.h>

#include "stats/dist.h"
#include "stats/summary.h"

double equiv_log_lower(double margin)
{
	return log1p(-margin);
}

double equiv_log_upper(double margin)
{
	return log1p(margin);
}

bool equiv_inside(double lo, double hi, double margin)
{
	return lo > equiv_log_lower(margin) && hi < equiv_log_upper(margin);
}

double equiv_t_p(const double *x, size_t n, double margin)
{
	double mean = summary_mean(x, n), se, room;

	if (n < 2)
		return 1;
	se = summary_stddev(x, n) / sqrt((double)n);
	if (!(se > 0))
		return equiv_inside(mean, mean, margin) ? 0 : 1;
	room = fmin(mean - equiv_log_lower(margin), equiv_log_upper(margin) - mean);
	return dist_t_cdf(-room / se, (double)(n - 1));
}
