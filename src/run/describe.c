// SPDX-License-Identifier: GPL-2.0-or-later
/* --dry-run: what a plan would do, without doing it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "judge/judge.h"
#include "plan/order.h"
#include "run/run.h"

/* Agent start, groups, set-up and removal of one run; measured on two machines, about. */
#define OVERHEAD_NS (100 * NSEC_PER_MSEC)
/* A fixed amount of work takes its own time; this is what its default sizes come to. */
#define BATCH_NS (700 * NSEC_PER_MSEC)

/* Of a Debian kernel, emulated. */
#define BOOT_NS (5 * NSEC_PER_SEC)

uint64_t run_expected_ns(const struct plan *p, const struct plan_case *c)
{
	if (c->workload->kind == WORKLOAD_RATE)
		return p->time_ns + p->warmup_ns + OVERHEAD_NS;
	return BATCH_NS + OVERHEAD_NS;
}

static uint64_t total_ns(const struct plan *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_cases; i++)
		sum += run_expected_ns(p, &p->cases[i]);
	sum *= p->n_variants * p->rounds;
	if (plan_boots(p))
		sum += (uint64_t)p->n_variants * (p->rounds + 1) * BOOT_NS;
	return p->budget_ns && p->budget_ns < sum ? p->budget_ns : sum;
}

static void describe_variants(const struct plan *p, struct str *out)
{
	str_addf(out, "variants (%zu, the first is the base):\n", p->n_variants);
	for (size_t i = 0; i < p->n_variants; i++) {
		_cleanup_str_ struct str spec = STR_INIT(1 << 16);

		plan_variant_spec(&p->variants[i], &spec);
		str_addf(out, "  %-16s %s%s%s\n", p->variants[i].name,
			 spec.len ? str_text(&spec) : "(as it is)",
			 str_eq(p->variants[i].target, "local") ? "" : " on ",
			 str_eq(p->variants[i].target, "local") ? "" : p->variants[i].target);
	}
}

static void describe_cases(const struct plan *p, struct str *out)
{
	str_addf(out, "cases (%zu):\n", p->n_cases);
	for (size_t i = 0; i < p->n_cases; i++)
		str_addf(out, "  %s%s\n", p->cases[i].title,
			 p->cases[i].primary ? "" : "   (exploratory)");
}

#define ORDER_SHOWN 12

static void describe_order(const struct plan *p, struct str *out)
{
	size_t n = p->n_variants * p->n_cases;
	_cleanup_free_ struct plan_step *steps = xcalloc(n, sizeof(*steps));
	uint64_t seed = p->seed ? p->seed : 1;

	str_addf(out, "order: balanced, random from seed %" PRIu64 "%s; round 1:\n", seed,
		 p->seed ? "" : " (an example: each run draws its own)");
	if (plan_boots(p))
		plan_order_boots(p->n_variants, p->n_cases, seed, 1, steps);
	else
		plan_order_round(p->n_variants, p->n_cases, seed, 1, steps);
	for (size_t i = 0; i < n && i < ORDER_SHOWN; i++)
		str_addf(out, "  %s @ %s\n", p->cases[steps[i].case_i].title,
			 p->variants[steps[i].variant_i].name);
	if (n > ORDER_SHOWN)
		str_addf(out, "  ... and %zu more\n", n - ORDER_SHOWN);
}

static void describe_power(const struct plan *p, struct str *out)
{
	uint64_t comparisons = 0, can = judge_can_decide(p->rounds);

	for (size_t i = 0; i < p->n_cases; i++)
		comparisons += p->cases[i].primary ? p->n_variants - 1 : 0;
	str_addf(out, "decisions: %" PRIu64 " comparisons in the family; ", comparisons);
	if (p->n_variants < 2)
		str_add(out, "one variant compares nothing\n");
	else if (p->rounds < JUDGE_MIN_ROUNDS)
		str_addf(out, "%u rounds can decide nothing, %u are the least\n", p->rounds,
			 judge_rounds_for(comparisons));
	else if (comparisons <= can)
		str_addf(out, "%u rounds can decide them all\n", p->rounds);
	else
		str_addf(out,
			 "%u rounds can decide %" PRIu64
			 " at most: use %u rounds or name fewer primary rows\n",
			 p->rounds, can, judge_rounds_for(comparisons));
}

int run_describe(const struct plan *p, struct str *out, struct err *e)
{
	uint64_t ns = total_ns(p);
	char t[24], w[24];

	(void)e;
	str_addf(out, "plan %s: %zu cases x %zu variants x %u rounds = %zu runs\n", p->name,
		 p->n_cases, p->n_variants, p->rounds,
		 p->n_cases * p->n_variants * (size_t)p->rounds);
	describe_variants(p, out);
	describe_cases(p, out);
	describe_order(p, out);
	str_addf(out, "time: %s measured after %s of warm-up, about %" PRIu64 ":%02" PRIu64
		      " in all\n",
		 num_fmt_duration(t, sizeof(t), p->time_ns),
		 num_fmt_duration(w, sizeof(w), p->warmup_ns), ns / (60 * NSEC_PER_SEC),
		 ns / NSEC_PER_SEC % 60);
	describe_power(p, out);
	return 0;
}
