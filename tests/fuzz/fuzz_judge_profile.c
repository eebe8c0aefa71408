// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles from any bytes: what is accepted adds up, is sorted, and explained against itself
 * differs in nothing.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "judge/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_profile_ struct profile p = { 0 };
	_cleanup_explain_ struct explain x = { 0 };
	struct explain_side side = { .name = "a", .p = &p, .ops = 7 };
	struct explain_row total;
	uint64_t insns = 0, locked = 0;
	struct err e;

	if (profile_parse((const char *)data, size, 0, &p, &e) < 0) {
		assert(!p.v && !p.text);
		return 0;
	}
	for (size_t i = 0; i < p.n; i++) {
		assert(i == 0 || strcmp(p.v[i - 1].name, p.v[i].name) < 0);
		insns += p.v[i].insns;
		locked += p.v[i].locked;
	}
	assert(insns == p.insns && locked == p.locked);
	assert(explain_profiles(&side, &side, &x, &e) == 0);
	total = explain_sum(&x, 0);
	assert(total.base == insns && total.changed == insns && total.base_locked == locked);
	for (size_t i = 0; i < x.n; i++)
		assert(x.rows[i].diff == 0 && x.rows[i].diff_locked == 0);
	return 0;
}
