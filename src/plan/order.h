/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedule of one experiment: in which order variants and cases run. Every round runs each
 * case once under every variant; the cases come in a random order, the variants of one case next
 * to each other. The order of variants is balanced over rounds, for every case by itself:
 *
 *	2 variants	AB then BA, or BA then AB: each is first once in two rounds
 *	k variants	rows of a Latin square: each is at each place once in k rounds. For even k
 *			the square is a Williams design: each follows each other one once in k
 *			rounds; for odd k that takes a second square, so twice in 2k rounds.
 *
 * Where variants boot kernels, all cases of a boot come together: the variants in balanced order,
 * below each the cases in the random order of the round, the same for all variants.
 *
 * Everything follows from the seed and the round alone, so a resumed experiment can ask for any
 * round by itself.
 */
#ifndef PLAN_ORDER_H
#define PLAN_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

struct plan_step {
	unsigned round;	  /* from 1 */
	size_t case_i;	  /* index into plan.cases */
	size_t variant_i; /* index into plan.variants */
};

#define PLAN_STEPS_MAX (1u << 24)

/* The n_variants * n_cases steps of @round (from 1) in order of running. Both are at least 1. */
void plan_order_round(size_t n_variants, size_t n_cases, uint64_t seed, unsigned round,
		      struct plan_step *ret);

/* The same steps for variants that boot, each variant's together. */
void plan_order_boots(size_t n_variants, size_t n_cases, uint64_t seed, unsigned round,
		      struct plan_step *ret);

/* All rounds, malloc'd. -E2BIG when these are more than PLAN_STEPS_MAX steps. */
__must_check int plan_order(size_t n_variants, size_t n_cases, unsigned rounds, uint64_t seed,
			    struct plan_step **ret, size_t *ret_n, struct err *e);

#endif
