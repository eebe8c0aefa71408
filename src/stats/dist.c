// SPDX-License-Identifier: GPL-2.0-or-later
#define MATHLIB_STANDALONE /* Rmath.h: without R itself */
#include "stats/dist.h"

#include <Rmath.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>

/* libRmath keeps the tables of the rank distributions in memory of its own. */
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

static bool probability(double p)
{
	return p > 0 && p < 1;
}

static bool exact_size(size_t n)
{
	return n >= 1 && n <= DIST_EXACT_MAX;
}

static bool t_df(double df)
{
	return isfinite(df) && df >= 1;
}

double dist_norm_cdf(double z)
{
	return isnan(z) ? (double)NAN : pnorm(z, 0, 1, 1, 0);
}

double dist_norm_quantile(double p)
{
	return probability(p) ? qnorm(p, 0, 1, 1, 0) : (double)NAN;
}

double dist_t_cdf(double t, double df)
{
	return isnan(t) || !t_df(df) ? (double)NAN : pt(t, df, 1, 0);
}

double dist_t_two_sided(double t, double df)
{
	return isnan(t) || !t_df(df) ? (double)NAN : 2 * pt(-fabs(t), df, 1, 0);
}

double dist_t_quantile(double p, double df)
{
	return probability(p) && t_df(df) ? qt(p, df, 1, 0) : (double)NAN;
}

double dist_signrank_cdf(double w, size_t n)
{
	double p;

	if (isnan(w) || !exact_size(n))
		return (double)NAN;
	(void)pthread_mutex_lock(&tables);
	p = psignrank(w, (double)n, 1, 0);
	signrank_free();
	(void)pthread_mutex_unlock(&tables);
	return p;
}

double dist_signrank_quantile(double p, size_t n)
{
	double w;

	if (!probability(p) || !exact_size(n))
		return (double)NAN;
	(void)pthread_mutex_lock(&tables);
	w = qsignrank(p, (double)n, 1, 0);
	signrank_free();
	(void)pthread_mutex_unlock(&tables);
	return w;
}

double dist_ranksum_cdf(double u, size_t m, size_t n)
{
	double p;

	if (isnan(u) || !exact_size(m) || !exact_size(n))
		return (double)NAN;
	(void)pthread_mutex_lock(&tables);
	p = pwilcox(u, (double)m, (double)n, 1, 0);
	wilcox_free();
	(void)pthread_mutex_unlock(&tables);
	return p;
}

double dist_ranksum_quantile(double p, size_t m, size_t n)
{
	double u;

	if (!probability(p) || !exact_size(m) || !exact_size(n))
		return (double)NAN;
	(void)pthread_mutex_lock(&tables);
	u = qwilcox(p, (double)m, (double)n, 1, 0);
	wilcox_free();
	(void)pthread_mutex_unlock(&tables);
	return u;
}
