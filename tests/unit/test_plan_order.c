// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/order.h"

#define CASES 5

/* Every case once under every variant in each round, the variants of a case side by side. */
static void complete(void)
{
	for (size_t k = 1; k <= 7; k++) {
		_cleanup_free_ struct plan_step *s = NULL;
		struct err e = { 0 };
		size_t n;

		CHECK_OK(plan_order(k, CASES, 6, 42, &s, &n, &e));
		CHECK_EQ(n, k * CASES * 6);
		for (size_t i = 0; i < n; i += k) {
			unsigned seen = 0;

			for (size_t j = 0; j < k; j++) {
				CHECK_EQ(s[i + j].round, i / (k * CASES) + 1);
				CHECK_EQ(s[i + j].case_i, s[i].case_i);
				seen |= 1u << s[i + j].variant_i;
			}
			CHECK_EQ(seen, (1u << k) - 1);
		}
		for (size_t i = 0; i < n; i += k * CASES) {
			unsigned seen = 0;

			for (size_t j = 0; j < CASES; j++)
				seen |= 1u << s[i + j * k].case_i;
			CHECK_EQ(seen, (1u << CASES) - 1);
		}
	}
}

/*
 * Where variants boot, the cases of a boot are together, in the same order under each variant, and
 * each variant is at each place equally often.
 */
static void boots_keep_their_cases_together(void)
{
	struct plan_step s[8 * CASES];

	for (size_t k = 1; k <= 7; k++) {
		unsigned place[8][8] = { { 0 } };

		for (unsigned round = 1; round <= 4 * k; round++) {
			unsigned variants = 0, cases = 0;

			plan_order_boots(k, CASES, 42, round, s);
			for (size_t i = 0; i < k * CASES; i++) {
				CHECK_EQ(s[i].round, round);
				CHECK_EQ(s[i].variant_i, s[i / CASES * CASES].variant_i);
				CHECK_EQ(s[i].case_i, s[i % CASES].case_i);
			}
			for (size_t i = 0; i < CASES; i++)
				cases |= 1u << s[i].case_i;
			for (size_t i = 0; i < k; i++) {
				variants |= 1u << s[i * CASES].variant_i;
				place[s[i * CASES].variant_i][i]++;
			}
			CHECK_EQ(cases, (1u << CASES) - 1);
			CHECK_EQ(variants, (1u << k) - 1);
		}
		for (size_t v = 0; v < k; v++)
			for (size_t i = 0; i < k; i++)
				CHECK_EQ(place[v][i], 4);
	}
}

/* counts[case][variant][position] over rounds from+1 .. from+rounds */
static void count_places(size_t k, unsigned from, unsigned rounds, uint64_t seed,
			 unsigned counts[CASES][8][8])
{
	struct plan_step s[8 * CASES];

	memset(counts, 0, CASES * sizeof(*counts));
	for (unsigned r = from; r < from + rounds; r++) {
		plan_order_round(k, CASES, seed, r + 1, s);
		for (size_t i = 0; i < k * CASES; i++)
			counts[s[i].case_i][s[i].variant_i][i % k]++;
	}
}

static void each_place_equally_often(void)
{
	unsigned counts[CASES][8][8];

	for (size_t k = 2; k <= 8; k++) {
		for (unsigned block = 0; block < 4; block++) {
			count_places(k, block * (unsigned)k, (unsigned)k, 7 + block, counts);
			for (size_t c = 0; c < CASES; c++)
				for (size_t v = 0; v < k; v++)
					for (size_t p = 0; p < k; p++)
						CHECK_EQ(counts[c][v][p], 1);
		}
	}
}

/* Each variant directly after each other one equally often: once in k rounds, or twice in 2k. */
static void carry_over_balanced(void)
{
	for (size_t k = 2; k <= 8; k++) {
		unsigned rounds = (unsigned)(k % 2 ? 2 * k : k), want = k % 2 ? 2 : 1;
		unsigned after[CASES][8][8] = { 0 };
		struct plan_step s[8 * CASES];

		for (unsigned r = 0; r < rounds; r++) {
			plan_order_round(k, CASES, 99, r + 1, s);
			for (size_t i = 0; i < k * CASES; i++)
				if (i % k)
					after[s[i].case_i][s[i - 1].variant_i][s[i].variant_i]++;
		}
		for (size_t c = 0; c < CASES; c++)
			for (size_t a = 0; a < k; a++)
				for (size_t b = 0; b < k; b++)
					CHECK_EQ(after[c][a][b], a == b ? 0 : want);
	}
}

static void follows_from_the_seed(void)
{
	struct plan_step a[3 * 40], b[3 * 40];
	bool same = true;

	plan_order_round(3, 40, 1, 9, a);
	plan_order_round(3, 40, 1, 9, b);
	for (size_t i = 0; i < 120; i++) {
		CHECK_EQ(a[i].case_i, b[i].case_i);
		CHECK_EQ(a[i].variant_i, b[i].variant_i);
	}
	plan_order_round(3, 40, 2, 9, b);
	for (size_t i = 0; i < 120; i++)
		same &= a[i].case_i == b[i].case_i;
	CHECK(!same);
	same = true;
	plan_order_round(3, 40, 1, 10, b);
	for (size_t i = 0; i < 120; i++)
		same &= a[i].case_i == b[i].case_i;
	CHECK(!same);
}

/* With two variants the coin is thrown for each case and block: neither order is the rule. */
static void coin_is_thrown(void)
{
	unsigned base_first = 0;
	struct plan_step s[2 * CASES];

	for (unsigned block = 0; block < 200; block++) {
		plan_order_round(2, CASES, 5, 2 * block + 1, s);
		for (size_t i = 0; i < 2 * CASES; i += 2)
			base_first += s[i].variant_i == 0;
	}
	/* binomial(1000, 1/2): 400..600 is beyond six standard deviations */
	CHECK(base_first > 400 && base_first < 600);
}

/* Each of the six orders of three variants comes up, and none of the cases has a fixed place. */
static void places_vary(void)
{
	unsigned first[CASES] = { 0 };
	struct plan_step s[3 * CASES];

	for (unsigned r = 1; r <= 500; r++) {
		plan_order_round(3, CASES, 11, r, s);
		first[s[0].case_i]++;
	}
	for (size_t c = 0; c < CASES; c++)
		CHECK(first[c] > 50 && first[c] < 150); /* 100 +- 5.6 standard deviations */
}

static void too_many(void)
{
	struct plan_step *s = NULL;
	struct err e = { 0 };
	size_t n = 1;

	CHECK_EQ(plan_order(4, 100000, 10000, 1, &s, &n, &e), -E2BIG);
	CHECK_HAS(e.msg, "4 variants of 100000 cases in 10000 rounds");
	CHECK_EQ(plan_order(SIZE_MAX, 2, 1, 1, &s, &n, &e), -E2BIG);
	CHECK(!s);
	CHECK_EQ(n, 1);
}

int main(void)
{
	TAP_RUN(complete);
	TAP_RUN(boots_keep_their_cases_together);
	TAP_RUN(each_place_equally_often);
	TAP_RUN(carry_over_balanced);
	TAP_RUN(follows_from_the_seed);
	TAP_RUN(coin_is_thrown);
	TAP_RUN(places_vary);
	TAP_RUN(too_many);
	return tap_done();
}
