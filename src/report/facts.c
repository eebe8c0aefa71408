// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/str.h"

/* Settings are named by their path in plans, by a shorter name in the environment. */
static const char *const aliases[][2] = {
	{ "thp.", "sys.kernel.mm.transparent_hugepage." },
	{ "ksm.", "sys.kernel.mm.ksm." },
	{ "lru_gen.", "sys.kernel.mm.lru_gen." },
	{ "zswap.", "sys.module.zswap.parameters." },
};

static bool spec_has(const char *spec, const char *key)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };

	if (!spec || kvs_parse(spec, &kvs, NULL) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		_cleanup_free_ char *name = NULL;

		if (!str_starts(key, aliases[i][0]))
			continue;
		name = xasprintf("%s%s", aliases[i][1], key + strlen(aliases[i][0]));
		if (kvs_get(&kvs, name))
			return true;
	}
	return kvs_get(&kvs, key);
}

bool facts_planned(const struct report_input *in, const char *key)
{
	for (size_t v = 0; v < in->x.n_variants; v++)
		if (spec_has(in->x.variants[v].spec, key))
			return true;
	return str_eq(key, "uptime");
}

/* The number that a value of /proc/meminfo or zoneinfo begins with ("123456 kB"). */
static bool leading_number(const char *text, uint64_t *ret)
{
	size_t n = strspn(text, "0123456789");
	_cleanup_free_ char *digits = xstrndup(text, n);

	return num_u64(digits, ret, NULL) == 0;
}

#define MEMORY_ALIKE 65536 /* kB */

/* Free memory and the like is never the same twice: neither a tenth nor 64 MiB is a difference. */
static bool same_fact(const char *key, const char *a, const char *b)
{
	uint64_t x, y, more, less;

	if (str_eq(a, b))
		return true;
	if (!a || !b || (!str_starts(key, "meminfo.") && !str_starts(key, "zoneinfo.")) ||
	    !leading_number(a, &x) || !leading_number(b, &y))
		return false;
	more = x > y ? x : y;
	less = x > y ? y : x;
	return more - less <= MEMORY_ALIKE || more - less <= more / 10;
}

bool facts_differ(const struct report_input *in, const char *key)
{
	for (size_t v = 1; v < in->x.n_variants; v++)
		if (!same_fact(key, input_env(in, v, key), input_env(in, 0, key)))
			return true;
	return false;
}

const char *facts_new_key(const struct report_input *in, size_t v, size_t i)
{
	const char *key = in->env[v].v[i].key;

	for (size_t before = 0; before < v; before++)
		if (input_env(in, before, key))
			return NULL;
	return key;
}
