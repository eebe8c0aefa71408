// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/rng.h"

#include "base/compiler.h"
#include "tap.h"

/* First outputs of xoshiro256** from the state 1, 2, 3, 4, as other implementations test them. */
static void known_answers(void)
{
	struct rng r = { { 1, 2, 3, 4 } };

	CHECK(rng_next(&r) == 11520);
	CHECK(rng_next(&r) == 0);
	CHECK(rng_next(&r) == 1509978240);
	CHECK(rng_next(&r) == 1215971899390074240);
}

/* splitmix64 from seed 0: published test vector. */
static void seeding_known_answers(void)
{
	struct rng r;

	rng_init(&r, 0);
	CHECK(r.s[0] == 0xe220a8397b1dcdafull);
	CHECK(r.s[1] == 0x6e789e6aa1b965f4ull);
	CHECK(r.s[2] == 0x06c45d188009454full);
	CHECK(r.s[3] == 0xf88bb8a8724c81ecull);
}

static void same_seed_same_order(void)
{
	struct rng a, b, c;
	bool differs = false;

	rng_init(&a, 42);
	rng_init(&b, 42);
	rng_init(&c, 43);
	for (int i = 0; i < 100; i++) {
		uint64_t x = rng_next(&a);

		CHECK(x == rng_next(&b));
		differs |= x != rng_next(&c);
	}
	CHECK(differs);
}

static void below_stays_below(void)
{
	static const uint64_t limits[] = { 1, 2, 3, 7, 1000, (1ull << 63) + 1, UINT64_MAX };
	struct rng r;

	rng_init(&r, 1);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		for (int n = 0; n < 1000; n++)
			CHECK(rng_below(&r, limits[i]) < limits[i]);
}

/* Chi-squared over 6 cells, seed fixed: 20.5 is the 99.9 % point of 5 degrees of freedom. */
static void below_is_uniform(void)
{
	double cells[6] = { 0 }, chi2 = 0;
	struct rng r;

	rng_init(&r, 5);
	for (int n = 0; n < 60000; n++)
		cells[rng_below(&r, 6)]++;
	for (int i = 0; i < 6; i++)
		chi2 += (cells[i] - 10000) * (cells[i] - 10000) / 10000;
	CHECK(chi2 < 20.5);
}

/*
 * The limit is 3/4 of 2^64: a plain modulo would hit the lowest third twice as often as the
 * others. 4 standard deviations of 10,000 draws are below 200.
 */
static void no_modulo_bias(void)
{
	uint64_t limit = 3ull << 62;
	int low = 0;
	struct rng r;

	rng_init(&r, 9);
	for (int n = 0; n < 10000; n++)
		low += rng_below(&r, limit) < limit / 3;
	CHECK(abs(low - 3333) < 200);
}

static void unit_interval(void)
{
	double sum = 0;
	struct rng r;

	rng_init(&r, 3);
	for (int n = 0; n < 10000; n++) {
		double u = rng_unit(&r);

		CHECK(u >= 0 && u < 1);
		sum += u;
	}
	CHECK_NEAR(sum / 10000, 0.5, 0.03);
}

static void shuffles_a_permutation(void)
{
	size_t v[50], seen[50] = { 0 };
	size_t moved = 0;
	struct rng r;

	rng_init(&r, 11);
	for (size_t i = 0; i < 50; i++)
		v[i] = i;
	rng_shuffle(&r, v, 50);
	for (size_t i = 0; i < 50; i++) {
		CHECK(v[i] < 50);
		seen[v[i]]++;
		moved += v[i] != i;
	}
	for (size_t i = 0; i < 50; i++)
		CHECK_EQ(seen[i], 1);
	CHECK(moved > 25);
	rng_shuffle(&r, v, 0);
	rng_shuffle(&r, v, 1);
}

/* All 6 orders of 3 things, each as often: 20.5 as above. */
static void every_order_as_likely(void)
{
	double cells[27] = { 0 }, chi2 = 0;
	int used = 0;
	struct rng r;

	rng_init(&r, 13);
	for (int n = 0; n < 60000; n++) {
		size_t v[3] = { 0, 1, 2 };

		rng_shuffle(&r, v, 3);
		cells[v[0] * 9 + v[1] * 3 + v[2]]++;
	}
	for (int i = 0; i < 27; i++) {
		if (cells[i] == 0)
			continue;
		used++;
		chi2 += (cells[i] - 10000) * (cells[i] - 10000) / 10000;
	}
	CHECK_EQ(used, 6);
	CHECK(chi2 < 20.5);
}

static void fresh_seeds_fit_the_store(void)
{
	uint64_t first = rng_fresh_seed();
	bool differs = false;

	for (int i = 0; i < 20; i++) {
		uint64_t seed = rng_fresh_seed();

		CHECK(seed <= INT64_MAX);
		differs |= seed != first;
	}
	CHECK(differs);
}

int main(void)
{
	TAP_RUN(known_answers);
	TAP_RUN(seeding_known_answers);
	TAP_RUN(same_seed_same_order);
	TAP_RUN(below_stays_below);
	TAP_RUN(below_is_uniform);
	TAP_RUN(no_modulo_bias);
	TAP_RUN(unit_interval);
	TAP_RUN(shuffles_a_permutation);
	TAP_RUN(every_order_as_likely);
	TAP_RUN(fresh_seeds_fit_the_store);
	return tap_done();
}
