// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers, sizes, times, CPU lists and flat-keyed kernel text from any bytes. What is accepted
 * must come back unchanged from its printed form.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_set(const char *text)
{
	_cleanup_free_ char *out = NULL;
	struct num_set set, back;
	struct err e;

	if (num_set_parse(text, &set, &e) < 0)
		return;
	out = num_set_format(&set);
	assert(num_set_parse(out, &back, &e) == 0);
	assert(memcmp(&set, &back, sizeof(set)) == 0);
}

static void check_size(const char *text)
{
	uint64_t v, back;
	char buf[24];
	struct err e;

	if (num_size(text, &v, &e) < 0)
		return;
	assert(num_size(num_fmt_size(buf, sizeof(buf), v), &back, &e) == 0);
	assert(v == back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	char buf[64];
	struct err e;
	uint64_t u;
	int64_t i;
	double d;
	bool b;

	check_set(text);
	check_size(text);
	if (num_duration(text, &u, &e) == 0)
		assert(u <= INT64_MAX);
	if (num_double(text, &d, &e) == 0)
		for (int digits = 1; digits < 6; digits++)
			(void)num_fmt_si(buf, sizeof(buf), d, digits);
	(void)!num_u64(text, &u, &e);
	(void)!num_i64(text, &i, &e);
	(void)!num_fraction(text, &d, &e);
	(void)!num_bool(text, &b, &e);
	(void)fsx_key_u64(text, "anon", &u);
	return 0;
}
