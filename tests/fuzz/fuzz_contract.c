// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contracts of any bytes: refused with a message, or rows that can be matched and an inline plan
 * whose text reads back.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "judge/claim.h"
#include "plan/contract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CPUS 3

static void check(const struct contract *c)
{
	_cleanup_plan_ struct plan back = { 0 };
	struct err e = { 0 };

	assert(c->name && c->n_rows > 0 && c->n_rows <= CONTRACT_ROWS_MAX);
	assert(!c->has_plan || !c->plan_path);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct contract_row *r = &c->rows[i];

		assert(r->row && r->margin > 0 && r->margin <= 10 && r->line && r->column);
		(void)judge_row_matches(r->row, "page_fault1", "mode=thread,size=64M",
					"page_fault1 mode=thread depth=4");
	}
	if (!c->has_plan)
		return;
	if (plan_parse("text", c->plan.text, CPUS, &back, &e) < 0)
		abort();
	assert(back.n_cases == c->plan.n_cases && back.n_variants == c->plan.n_variants);
}

/* Sweeps of many values are tested elsewhere: under the sanitizers they take seconds. */
static int has_long_number(const uint8_t *data, size_t n)
{
	size_t digits = 0;

	for (size_t i = 0; i < n && digits < 4; i++)
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
	return digits >= 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, n);
	_cleanup_contract_ struct contract c = { 0 };
	struct err e = { 0 };

	if (has_long_number(data, n))
		return 0;
	if (contract_parse("a/fuzz.yaml", text, CPUS, &c, &e) == 0)
		check(&c);
	else
		assert(e.msg[0] && !c.rows && !c.plan.cases);
	return 0;
}
