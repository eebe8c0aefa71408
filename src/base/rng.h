/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seeded generator for orders and access patterns; the seed is part of every result.
 * xoshiro256** seeded by splitmix64 (Blackman and Vigna, 2018); not for secrets.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n);	  /* uniform in [0, n), n > 0, no modulo bias */
double rng_unit(struct rng *r);			  /* uniform in [0, 1) */
void rng_shuffle(struct rng *r, size_t *v, size_t n);
uint64_t rng_fresh_seed(void);			  /* from the kernel, for when none was given */

#endif
