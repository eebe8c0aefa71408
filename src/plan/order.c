// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Balanced random order. Williams (1949), "Experimental designs balanced for the estimation of
 * residual effects of treatments": the rows of the cyclic square that starts with
 * 0, 1, k-1, 2, k-2, … hold every ordered pair of neighbours once when k is even; when k is odd
 * the mirrored rows complete the pairs.
 */
#include "plan/order.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/str.h"

/*
 * An independent stream for each (a, b). The seed is mixed by full steps of the generator:
 * seeds that differ by a multiple of splitmix64's constant would give overlapping streams.
 */
static void rng_init_for(struct rng *r, uint64_t seed, uint64_t a, uint64_t b)
{
	rng_init(r, seed);
	rng_init(r, rng_next(r) ^ a);
	rng_init(r, rng_next(r) ^ b);
}

static void fill_shuffled(struct rng *r, size_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = i;
	rng_shuffle(r, v, n);
}

/* Entry @pos of row @row of the k x k square. */
static size_t williams(size_t k, size_t row, size_t pos)
{
	size_t first = pos % 2 ? (pos + 1) / 2 : (k - pos / 2) % k;

	return (first + row) % k;
}

/*
 * Variants of one case in one round. A block is k rounds, one per row of the square; rows and
 * names are shuffled per block and case. For odd k, blocks come in pairs with the same names, of
 * which the second has the rows mirrored.
 */
static void order_variants(size_t k, uint64_t seed, unsigned round0, size_t case_i, size_t *names,
			   size_t *rows, size_t *ret)
{
	uint64_t block = round0 / k;
	uint64_t pair = k % 2 ? block / 2 : block;
	bool mirror = k % 2 && block % 2;
	struct rng r;

	rng_init_for(&r, seed, 2 * pair, case_i);
	fill_shuffled(&r, names, k);
	rng_init_for(&r, seed, 2 * block + 1, case_i);
	fill_shuffled(&r, rows, k);
	for (size_t i = 0; i < k; i++)
		ret[i] = names[williams(k, rows[round0 % k], mirror ? k - 1 - i : i)];
}

void plan_order_round(size_t n_variants, size_t n_cases, uint64_t seed, unsigned round,
		      struct plan_step *ret)
{
	_cleanup_free_ size_t *cases = xcalloc(n_cases, sizeof(*cases));
	_cleanup_free_ size_t *work = xcalloc(3 * n_variants, sizeof(*work));
	size_t *variants = work + 2 * n_variants;
	struct rng r;

	assert(n_variants > 0 && n_cases > 0 && round > 0);
	rng_init_for(&r, seed, UINT64_MAX, round);
	fill_shuffled(&r, cases, n_cases);
	for (size_t c = 0; c < n_cases; c++) {
		order_variants(n_variants, seed, round - 1, cases[c], work, work + n_variants,
			       variants);
		for (size_t v = 0; v < n_variants; v++)
			*ret++ = (struct plan_step){ round, cases[c], variants[v] };
	}
}

void plan_order_boots(size_t n_variants, size_t n_cases, uint64_t seed, unsigned round,
		      struct plan_step *ret)
{
	_cleanup_free_ size_t *cases = xcalloc(n_cases, sizeof(*cases));
	_cleanup_free_ size_t *work = xcalloc(3 * n_variants, sizeof(*work));
	size_t *variants = work + 2 * n_variants;
	struct rng r;

	assert(n_variants > 0 && n_cases > 0 && round > 0);
	rng_init_for(&r, seed, UINT64_MAX, round);
	fill_shuffled(&r, cases, n_cases);
	order_variants(n_variants, seed, round - 1, 0, work, work + n_variants, variants);
	for (size_t v = 0; v < n_variants; v++)
		for (size_t c = 0; c < n_cases; c++)
			*ret++ = (struct plan_step){ round, cases[c], variants[v] };
}

int plan_order(size_t n_variants, size_t n_cases, unsigned rounds, uint64_t seed,
	       struct plan_step **ret, size_t *ret_n, struct err *e)
{
	struct plan_step *steps;
	size_t per_round, n;

	if (__builtin_mul_overflow(n_variants, n_cases, &per_round) ||
	    __builtin_mul_overflow(per_round, (size_t)rounds, &n) || n > PLAN_STEPS_MAX)
		return err_set(e, -E2BIG,
			       "%zu variants of %zu cases in %u rounds are more than %u runs",
			       n_variants, n_cases, rounds, PLAN_STEPS_MAX);
	steps = xcalloc(n, sizeof(*steps));
	for (unsigned i = 0; i < rounds; i++)
		plan_order_round(n_variants, n_cases, seed, i + 1, steps + i * per_round);
	*ret = steps;
	*ret_n = n;
	return 0;
}
