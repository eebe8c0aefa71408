// SPDX-License-Identifier: GPL-2.0-or-later
/* Which rows a contract speaks of. */
#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/kv.h"
#include "base/num.h"
#include "base/str.h"
#include "judge/claim.h"

static bool same_number(const char *a, const char *b)
{
	uint64_t x, y;
	bool p, q;

	if (num_size(a, &x, NULL) == 0 && num_size(b, &y, NULL) == 0)
		return x == y;
	if (num_duration(a, &x, NULL) == 0 && num_duration(b, &y, NULL) == 0)
		return x == y;
	return num_bool(a, &p, NULL) == 0 && num_bool(b, &q, NULL) == 0 && p == q;
}

static bool same_value(const char *pattern, const char *have)
{
	return fnmatch(pattern, have, 0) == 0 || same_number(pattern, have);
}

static bool is_word_of(const char *word, const char *title)
{
	size_t len = strlen(word);

	for (const char *at = title; (at = strstr(at, word)); at++)
		if ((at == title || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
			return true;
	return false;
}

static bool word_matches(char *word, const struct kvs *params, const char *title)
{
	char *eq = strchr(word, '=');
	const char *have;
	bool same;

	if (is_word_of(word, title))
		return true;
	if (!eq)
		return false;
	*eq = '\0';
	have = kvs_get(params, word);
	same = have && same_value(eq + 1, have);
	*eq = '=';
	return same;
}

bool judge_row_matches(const char *pattern, const char *workload, const char *params,
		       const char *title)
{
	_cleanup_free_ char *copy = xstrdup(pattern);
	_cleanup_kvs_ struct kvs kvs = { 0 };
	char *rest = copy, *word;
	bool first = true;

	if (kvs_parse(params ? params : "", &kvs, NULL) < 0)
		kvs_done(&kvs); /* a store of others: only its titles can be matched */
	while ((word = str_cut(&rest, " \t"))) {
		if (!*word)
			continue;
		if (first && strcmp(word, "all") != 0 && fnmatch(word, workload, 0) != 0)
			return false;
		if (!first && !word_matches(word, &kvs, title ? title : ""))
			return false;
		first = false;
	}
	return !first;
}
