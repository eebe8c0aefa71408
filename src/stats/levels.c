// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/levels.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "stats/summary.h"

struct levels levels_of(const double *x, size_t boots, size_t runs)
{
	_cleanup_free_ double *mean = xcalloc(boots, sizeof(*mean));
	struct levels l = { 0 };
	double s;

	for (size_t b = 0; b < boots; b++) {
		s = summary_stddev(x + b * runs, runs);
		l.run += s * s / (double)boots;
		mean[b] = summary_mean(x + b * runs, runs);
	}
	s = summary_stddev(mean, boots);
	l.boot = fmax(0, s * s - l.run / (double)runs);
	if (l.run + l.boot > 0)
		l.boot_share = l.boot / (l.run + l.boot);
	return l;
}

double levels_best_runs(const struct levels *l, double boot_cost)
{
	if (!(l->boot > 0))
		return HUGE_VAL;
	return fmax(1, ceil(sqrt(boot_cost * l->run / l->boot)));
}
