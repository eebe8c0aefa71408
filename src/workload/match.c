// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/match.h"

#include <errno.h>
#include <regex.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

static int compile(const char *pattern, regex_t *ret, struct err *e)
{
	char why[120];
	int r = regcomp(ret, pattern, REG_EXTENDED | REG_NEWLINE);

	if (r != 0) {
		(void)regerror(r, ret, why, sizeof(why));
		return err_set(e, -EINVAL, "pattern \"%s\" is no regular expression: %s", pattern,
			       why);
	}
	if (ret->re_nsub > 0)
		return 0;
	regfree(ret);
	err_set(e, -EINVAL, "pattern \"%s\" has no group around the value", pattern);
	err_hint(e, "put it in parentheses: \"tps: ([0-9.]+)\"");
	return -EINVAL;
}

int match_check(const char *pattern, struct err *e)
{
	regex_t re;
	int r = compile(pattern, &re, e);

	if (r == 0)
		regfree(&re);
	return r;
}

static bool find_last(const regex_t *re, const char *text, const char **ret_from, size_t *ret_len)
{
	regmatch_t m[2];
	bool found = false;
	int flags = 0;

	while (regexec(re, text, ARRAY_LEN(m), m, flags) == 0) {
		if (m[1].rm_so >= 0) {
			*ret_from = text + m[1].rm_so;
			*ret_len = (size_t)(m[1].rm_eo - m[1].rm_so);
			found = true;
		}
		text += m[0].rm_eo;
		if (m[0].rm_eo == m[0].rm_so && !*text++)
			break; /* an empty match at the end */
		flags = text[-1] == '\n' ? 0 : REG_NOTBOL;
	}
	return found;
}

int match_number(const char *pattern, const char *text, double *ret_v, struct err *e)
{
	_cleanup_free_ char *number = NULL;
	const char *from;
	size_t len;
	regex_t re;
	bool found;
	int r = compile(pattern, &re, e);

	if (r < 0)
		return r;
	found = find_last(&re, text, &from, &len);
	regfree(&re);
	if (!found)
		return err_set(e, -ENODATA, "nothing matches \"%s\"", pattern);
	number = xstrndup(from, len);
	r = num_double(number, ret_v, e);
	return r < 0 ? err_wrap(e, r, "match of \"%s\"", pattern) : 0;
}
