// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/select.h"

#include <assert.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/rng.h"
#include "base/str.h"
#include "stats/sorted.h"

/*
 * The candidates of row i are the columns [from[i], to[i]). Rounding is monotone, so rows and
 * columns of computed sums are sorted as well and comparing computed sums is consistent.
 */
struct search {
	const double *x, *y;
	size_t m, n;
	size_t *from, *to;
	size_t *cut_lo, *cut_hi; /* where the two pivots would cut each row */
	uint64_t *before;	 /* candidates in the rows before, while sampling */
	uint64_t total, k;
	struct rng rng;
};

enum { SAMPLE = 192, SPREAD = 14 }; /* about two standard errors of the middle of a sample */

/* Columns of each row whose sum is < @pivot, or <= @pivot if @equal, within the candidates. */
static uint64_t cut_rows(const struct search *s, double pivot, bool equal, size_t *cut)
{
	size_t j = s->n;
	uint64_t below = 0;

	for (size_t i = 0; i < s->m; i++) {
		while (j > 0 && (s->x[i] + s->y[j - 1] > pivot ||
				 (!equal && s->x[i] + s->y[j - 1] >= pivot)))
			j--;
		cut[i] = j < s->from[i] ? s->from[i] : j > s->to[i] ? s->to[i] : j;
		below += cut[i] - s->from[i];
	}
	return below;
}

static double candidate(const struct search *s, uint64_t at)
{
	size_t lo = 0, hi = s->m;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->before[mid] <= at)
			lo = mid;
		else
			hi = mid;
	}
	return s->x[lo] + s->y[s->from[lo] + (size_t)(at - s->before[lo])];
}

static void draw(struct search *s, double sample[static SAMPLE])
{
	uint64_t seen = 0;

	for (size_t i = 0; i < s->m; i++) {
		s->before[i] = seen;
		seen += s->to[i] - s->from[i];
	}
	for (size_t i = 0; i < SAMPLE; i++)
		sample[i] = candidate(s, rng_below(&s->rng, s->total));
	sorted_sort(sample, SAMPLE);
}

static void keep(size_t *bound, const size_t *cut, size_t m)
{
	for (size_t i = 0; i < m; i++)
		bound[i] = cut[i];
}

/* Drops the candidates outside of [lo, hi], or on the wrong side of it. True: inside is left. */
static bool narrow(struct search *s, double lo, double hi)
{
	uint64_t below = cut_rows(s, lo, false, s->cut_lo);
	uint64_t upto = cut_rows(s, hi, true, s->cut_hi);

	if (s->k < below) {
		keep(s->to, s->cut_lo, s->m);
		s->total = below;
	} else if (s->k >= upto) {
		keep(s->from, s->cut_hi, s->m);
		s->total -= upto;
		s->k -= upto;
	} else {
		keep(s->from, s->cut_lo, s->m);
		keep(s->to, s->cut_hi, s->m);
		s->total = upto - below;
		s->k -= below;
		return true;
	}
	return false;
}

static double pick_rest(const struct search *s)
{
	_cleanup_free_ double *rest = xcalloc((size_t)s->total, sizeof(*rest));
	size_t n = 0;

	for (size_t i = 0; i < s->m; i++)
		for (size_t j = s->from[i]; j < s->to[i]; j++)
			rest[n++] = s->x[i] + s->y[j];
	assert(n == s->total && s->k < n);
	sorted_sort(rest, n);
	return rest[s->k];
}

static double run(struct search *s)
{
	double sample[SAMPLE];
	const uint64_t enough = 2 * ((uint64_t)s->m + s->n) + 256;
	bool stuck = false;

	rng_init(&s->rng, 1); /* any seed: it changes the way, not the answer */
	while (s->total > enough) {
		uint64_t was = s->total;
		size_t at, lo, hi;

		draw(s, sample);
		at = (size_t)((double)s->k / (double)s->total * SAMPLE);
		if (at >= SAMPLE)
			at = SAMPLE - 1;
		/* Many equal sums: one pivot is the answer, or it and its equals are dropped. */
		lo = stuck ? at : at > SPREAD ? at - SPREAD : 0;
		hi = stuck ? at : at + SPREAD < SAMPLE ? at + SPREAD : SAMPLE - 1;
		if (narrow(s, sample[lo], sample[hi]) && sample[lo] >= sample[hi])
			return sample[lo];
		stuck = s->total > was - was / 4;
	}
	return pick_rest(s);
}

static double search(const double *x, size_t m, const double *y, size_t n, bool walsh, uint64_t k)
{
	_cleanup_free_ size_t *rows = xcalloc(4 * m, sizeof(*rows));
	_cleanup_free_ uint64_t *before = xcalloc(m, sizeof(*before));
	struct search s = { .x = x, .y = y, .m = m, .n = n, .k = k, .before = before };

	s.from = rows;
	s.to = rows + m;
	s.cut_lo = rows + 2 * m;
	s.cut_hi = rows + 3 * m;
	for (size_t i = 0; i < m; i++) {
		s.from[i] = walsh ? i : 0;
		s.to[i] = n;
		s.total += s.to[i] - s.from[i];
	}
	assert(k < s.total);
	return run(&s);
}

double select_sum(const double *x, size_t m, const double *y, size_t n, uint64_t k)
{
	return search(x, m, y, n, false, k);
}

double select_walsh_sum(const double *x, size_t n, uint64_t k)
{
	return search(x, n, x, n, true, k);
}
