// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums are plain, left to right over the samples sorted best first: compensated ones (stats/) may
 * differ in the last bit, and with that in a printed digit.
 */
#include "report/classic.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "stats/dist.h"
#include "stats/sorted.h"

#define STAR_BELOW 0.10 /* two-sided p */
#define MISSING (-1.0)	/* what the tool keeps for "there is none"; a true -1 is taken for it */
#define PERCENT_CELL 11 /* " (%7.2f%)" */

enum stat { STAT_MIN, STAT_MEAN, STAT_STDDEV, STAT_COEFF_VAR, STAT_MAX, STAT_50, STAT_95, STAT_99,
	    N_STATS };

static const char *const labels[2][N_STATS] = {
	{ "Min", "Amean", "Stddev", "CoeffVar", "Max", "BAmean-50", "BAmean-95", "BAmean-99" },
	{ "Min", "Hmean", "Stddev", "CoeffVar", "Max", "BHmean-50", "BHmean-95", "BHmean-99" },
};

/* Of one operation under one kernel; without samples all are NaN. */
struct column {
	double stat[N_STATS];
	size_t n;
};

static bool equal(double a, double b)
{
	return a <= b && a >= b; /* NaN equals nothing */
}

static double arithmetic(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static double mean(const double *v, size_t n, bool harmonic)
{
	double sum = 0;

	if (!harmonic)
		return arithmetic(v, n);
	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0))
			return MISSING;
		sum += 1 / v[i];
	}
	return (double)n / sum;
}

static double best_mean(const double *v, size_t n, size_t percent, bool harmonic)
{
	size_t k = n * percent / 100;

	return mean(v, k ? k : 1, harmonic);
}

static double stddev(const double *v, size_t n)
{
	double m = arithmetic(v, n), sum = 0;

	if (n < 2)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - m) * (v[i] - m);
	return sqrt(sum / (double)(n - 1));
}

static double coeff_var(double sd, double m)
{
	return isnan(sd) || equal(m, 0) ? 0 : sd * 100 / m;
}

static void best_first(double *v, size_t n, bool higher_is_better)
{
	sorted_sort(v, n);
	for (size_t i = 0; higher_is_better && i < n / 2; i++) {
		double other = v[n - 1 - i];

		v[n - 1 - i] = v[i];
		v[i] = other;
	}
}

static void fill(const struct classic_samples *s, bool higher, struct column *c)
{
	c->n = s->n;
	for (size_t i = 0; i < N_STATS; i++)
		c->stat[i] = (double)NAN;
	if (!s->n)
		return;
	best_first(s->v, s->n, higher);
	c->stat[STAT_MIN] = s->v[higher ? s->n - 1 : 0];
	c->stat[STAT_MAX] = s->v[higher ? 0 : s->n - 1];
	c->stat[STAT_MEAN] = mean(s->v, s->n, higher);
	c->stat[STAT_STDDEV] = stddev(s->v, s->n);
	c->stat[STAT_COEFF_VAR] = coeff_var(c->stat[STAT_STDDEV], arithmetic(s->v, s->n));
	c->stat[STAT_50] = best_mean(s->v, s->n, 50, higher);
	c->stat[STAT_95] = best_mean(s->v, s->n, 95, higher);
	c->stat[STAT_99] = best_mean(s->v, s->n, 99, higher);
}

/* Positive is better; what the tool does with zeros is kept. */
static double percent(enum stat stat, double new, double base, bool higher)
{
	if (higher && stat != STAT_STDDEV && stat != STAT_COEFF_VAR) {
		if (equal(new, base) || equal(new, 0))
			return 0;
		return isnan(base) || equal(base, 0) ? 100 : new * 100 / base - 100;
	}
	if (equal(new, base))
		return 0;
	if (equal(new, 0))
		return 100;
	return equal(base, 0) ? -99 : 100 - new * 100 / base;
}

static double square_error(const struct column *c)
{
	double sd = c->stat[STAT_STDDEV];

	return isnan(sd) ? 0 : sd * sd / (double)c->n;
}

/* Welch's error with the pooled degrees of freedom, between the means that are printed. */
static bool starred(const struct column *base, const struct column *c)
{
	double new = c->n ? c->stat[STAT_MEAN] : 0;
	double diff = base->stat[STAT_MEAN] - new, se = 0, t;

	if (base->n && c->n)
		se = sqrt(square_error(base) + square_error(c));
	if (!(se > 0))
		return diff < 0 || diff > 0;
	t = fabs(diff / se);
	return isinf(t) || dist_t_two_sided(t, (double)(base->n + c->n - 2)) < STAR_BELOW;
}

/* Not-a-number and infinity in Perl's spelling. */
static void number(struct str *out, int width, int decimals, double v)
{
	if (isnan(v))
		str_addf(out, "%*s", width, "NaN");
	else if (isinf(v))
		str_addf(out, "%*s", width, v < 0 ? "-Inf" : "Inf");
	else
		str_addf(out, "%*.*f", width, decimals, v);
}

static void cell(const struct classic *t, enum stat stat, const struct column *base,
		 const struct column *c, struct str *out)
{
	double v = c->stat[stat], b = base->stat[stat], pct = 0;
	bool star = c != base && stat == STAT_MEAN && starred(base, c);

	if (isnan(v) || equal(v, MISSING) || equal(b, MISSING))
		v = 0;
	else
		pct = percent(stat, v, b, t->higher_is_better);
	number(out, t->width, t->decimals, v);
	str_add(out, star ? " *" : " (");
	number(out, 7, 2, pct);
	str_add(out, star ? "%*" : "%)");
}

/*
 * Where a run name is split over the two heading lines: at its first dash, or behind "-rcN" when
 * that comes within as many characters as the dash has before it, and three.
 */
static size_t split_at(const char *name)
{
	const char *dash = strchr(name, '-'), *rc;
	size_t at, seen;

	if (!dash)
		return *name ? strlen(name) - 1 : 0;
	at = (size_t)(dash - name);
	seen = strnlen(dash, at + 3);
	rc = strstr(dash, "-rc");
	if (strlen(dash) >= 4 && rc && (size_t)(rc - dash) + 3 < seen &&
	    isdigit((unsigned char)rc[3]))
		at += 4;
	return at;
}

static void heading(const struct classic *t, size_t indent, struct str *out)
{
	int width = t->width + PERCENT_CELL;

	for (int line = 0; line < 2; line++) {
		str_addf(out, "%*s", (int)indent, "");
		for (size_t k = 0; k < t->n_kernels; k++) {
			const char *name = t->kernels[k];
			size_t at = split_at(name);

			if (line == 0)
				str_addf(out, "%*.*s", width, (int)at, name);
			else if (!strchr(name, '-'))
				str_addf(out, "%*s", width, name);
			else
				str_addf(out, "%*s", width, at < strlen(name) ? name + at + 1 : "");
		}
		str_addc(out, '\n');
	}
}

static size_t longest(const char *const *names, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = strlen(names[i]) > most ? strlen(names[i]) : most;
	return most;
}

void classic_put(const struct classic *t, struct str *out)
{
	const char *const *label = labels[t->higher_is_better];
	size_t label_width = longest(label, N_STATS), op_width = longest(t->ops, t->n_ops);
	_cleanup_free_ struct column *columns = xcalloc(t->n_ops * t->n_kernels + 1,
							sizeof(*columns));

	for (size_t i = 0; i < t->n_ops * t->n_kernels; i++)
		fill(&t->samples[i], t->higher_is_better, &columns[i]);
	heading(t, label_width + 1 + op_width, out);
	for (enum stat s = 0; s < N_STATS; s++) {
		for (size_t o = 0; o < t->n_ops; o++) {
			const struct column *row = &columns[o * t->n_kernels];

			str_addf(out, "%-*s %-*s", (int)label_width, label[s], (int)op_width,
				 t->ops[o]);
			for (size_t k = 0; k < t->n_kernels; k++)
				cell(t, s, row, &row[k], out);
			str_addc(out, '\n');
		}
	}
}
