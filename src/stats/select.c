// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/select.h"

#include <assert.h>
#include <math.h>
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
	double lo, hi;		 /* the candidates lie between: NaN while unknown */
	struct rng rng;
};

enum { SAMPLE = 512, SPREAD = 23 }; /* two standard errors of the middle of a sample */

/* As few candidates are sorted, not narrowed down. */
static uint64_t enough(const struct search *s)
{
	return ((uint64_t)s->m + s->n) / 4 + 256;
}

/* Walks along the line where the sums of the matrix pass a pivot. */
struct walk {
	size_t i, j; /* row; columns of it that may be on the near side */
	double pivot;
};

/*
 * A step along the line: to the next row when the sum is < pivot (or <=, if @equal), else a column
 * back. Without a branch, as nobody can guess which it is.
 */
static inline void step(const struct search *s, struct walk *w, bool equal, size_t *cut)
{
	double sum = s->x[w->i] + s->y[w->j - 1];
	size_t back = equal ? sum > w->pivot : sum >= w->pivot;

	cut[w->i] = w->j;
	w->j -= back;
	w->i += !back;
}

static inline bool walking(const struct search *s, const struct walk *w)
{
	return w->i < s->m && w->j > 0;
}

/* Where each row is cut, within its candidates; returns how many are before the cuts. */
static uint64_t clip(const struct search *s, const struct walk *end, size_t *cut)
{
	uint64_t below = 0;

	for (size_t i = end->i; i < s->m; i++)
		cut[i] = 0;
	for (size_t i = 0; i < s->m; i++) {
		size_t c = cut[i] < s->from[i] ? s->from[i] : cut[i];

		cut[i] = c > s->to[i] ? s->to[i] : c;
		below += cut[i] - s->from[i];
	}
	return below;
}

/* Candidates < @lo and <= @hi, and where they end in each row. Two walks at once: they overlap. */
static void cut_rows(const struct search *s, double lo, double hi, uint64_t *ret_below,
		     uint64_t *ret_upto)
{
	struct walk a = { 0, s->n, lo }, b = { 0, s->n, hi };

	while (walking(s, &a) && walking(s, &b)) {
		step(s, &a, false, s->cut_lo);
		step(s, &b, true, s->cut_hi);
	}
	while (walking(s, &a))
		step(s, &a, false, s->cut_lo);
	while (walking(s, &b))
		step(s, &b, true, s->cut_hi);
	*ret_below = clip(s, &a, s->cut_lo);
	*ret_upto = clip(s, &b, s->cut_hi);
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

/*
 * Drops the candidates outside of [lo, hi], or on the wrong side of it. True: inside is left.
 * The bounds of what is left are kept, as far as they are known.
 */
static bool narrow(struct search *s, double lo, double hi)
{
	uint64_t below, upto;

	cut_rows(s, lo, hi, &below, &upto);

	if (s->k < below) {
		keep(s->to, s->cut_lo, s->m);
		s->total = below;
		s->hi = lo;
	} else if (s->k >= upto) {
		keep(s->from, s->cut_hi, s->m);
		s->total -= upto;
		s->k -= upto;
		s->lo = hi;
	} else {
		keep(s->from, s->cut_lo, s->m);
		keep(s->to, s->cut_hi, s->m);
		s->total = upto - below;
		s->k -= below;
		s->lo = lo;
		s->hi = hi;
		return true;
	}
	return false;
}

/* The least sum behind the candidates: the next in order when all candidates are before it. */
static double next_row_sum(const struct search *s)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < s->m; i++)
		if (s->to[i] < s->n)
			least = fmin(least, s->x[i] + s->y[s->to[i]]);
	return least;
}

static struct select_two pick_rest(const struct search *s)
{
	_cleanup_free_ double *rest = xcalloc((size_t)s->total, sizeof(*rest));
	size_t n = 0, k = (size_t)s->k;

	for (size_t i = 0; i < s->m; i++)
		for (size_t j = s->from[i]; j < s->to[i]; j++)
			rest[n++] = s->x[i] + s->y[j];
	assert(n == s->total && k < n);
	sorted_sort(rest, n);
	return (struct select_two){ rest[k], k + 1 < n ? rest[k + 1] : next_row_sum(s) };
}

/*
 * Pivots by sampling the candidates. Many equal sums (@stuck): one pivot is the answer, which is
 * stored, or it and its equals are dropped.
 */
static bool by_sample(struct search *s, bool stuck, struct select_two *ret)
{
	double sample[SAMPLE];
	size_t at, lo, hi;

	draw(s, sample);
	at = (size_t)((double)s->k / (double)s->total * SAMPLE);
	if (at >= SAMPLE)
		at = SAMPLE - 1;
	lo = stuck ? at : at > SPREAD ? at - SPREAD : 0;
	hi = stuck ? at : at + SPREAD < SAMPLE ? at + SPREAD : SAMPLE - 1;
	if (!narrow(s, sample[lo], sample[hi]) || sample[lo] < sample[hi])
		return false;
	*ret = (struct select_two){ sample[lo],
				    s->k + 1 < s->total ? sample[lo] : next_row_sum(s) };
	return true;
}

/*
 * Pivots by interpolation, once both bounds are known: between them sums of a long sample lie
 * evenly, and the more so the closer they are. @width: of the pivots, as a part of the bounds.
 */
static void by_guess(struct search *s, double *width)
{
	double span = s->hi - s->lo;
	double at = s->lo + span * ((double)s->k + 0.5) / (double)s->total;

	if (narrow(s, at - span * *width, at + span * *width))
		*width = fmax(*width / 16, 1.0 / 4096);
	else
		*width = fmin(*width * 8, 0.25);
}

static struct select_two run(struct search *s)
{
	struct select_two found;
	double width = 1.0 / 256;
	bool stuck = false;

	rng_init(&s->rng, 1); /* any seed: it changes the way, not the answer */
	while (s->total > enough(s)) {
		uint64_t was = s->total;

		if (!stuck && s->hi > s->lo)
			by_guess(s, &width);
		else if (by_sample(s, stuck, &found))
			return found;
		stuck = s->total > was - was / 4;
	}
	return pick_rest(s);
}

static struct select_two search(const double *x, size_t m, const double *y, size_t n, bool walsh,
				uint64_t k)
{
	_cleanup_free_ size_t *rows = xcalloc(4 * m, sizeof(*rows));
	_cleanup_free_ uint64_t *before = xcalloc(m, sizeof(*before));
	struct search s = { .x = x, .y = y, .m = m, .n = n, .k = k, .before = before,
			    .lo = (double)NAN, .hi = (double)NAN };

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

struct select_two select_sum(const double *x, size_t m, const double *y, size_t n, uint64_t k)
{
	return search(x, m, y, n, false, k);
}

struct select_two select_walsh_sum(const double *x, size_t n, uint64_t k)
{
	return search(x, n, x, n, true, k);
}
