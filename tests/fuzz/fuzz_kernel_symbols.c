// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols from any bytes: what is accepted is sorted, doesn't overlap, is found again, and the
 * plugin's form of it reads back the same when types are put in.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "kernel/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_kernel_symbols_ struct kernel_symbols s = { 0 }, back = { 0 };
	_cleanup_str_ struct str out = STR_INIT(4 << 20);
	struct err e;

	if (kernel_symbols_parse((const char *)data, size, &s, &e) < 0) {
		assert(!s.v && !s.names);
		return 0;
	}
	assert(s.n > 0);
	for (size_t i = 0; i < s.n; i++) {
		const struct kernel_symbol *p = &s.v[i];

		assert(p->size > 0 && p->addr >> 63 && *p->name);
		assert(p->addr + p->size - 1 >= p->addr);
		assert(i + 1 == s.n || p->addr + p->size - 1 < p[1].addr);
		assert(kernel_symbols_find(&s, p->addr) == p);
		assert(kernel_symbols_find(&s, p->addr + p->size - 1) == p);
		str_addf(&out, "%llx t %s\n", (unsigned long long)p->addr, p->name);
	}
	assert(kernel_symbols_parse(str_text(&out), out.len, &back, &e) == 0);
	assert(back.n == s.n);
	for (size_t i = 0; i < s.n; i++)
		assert(back.v[i].addr == s.v[i].addr && strcmp(back.v[i].name, s.v[i].name) == 0);
	return 0;
}
