// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/match.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>

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

/* The last match within one line; the group's text, or NULL. */
static char *find_in_line(const regex_t *re, const char *line)
{
	regmatch_t m[2];
	char *last = NULL;
	int flags = 0;

	while (regexec(re, line, ARRAY_LEN(m), m, flags) == 0) {
		if (m[1].rm_so >= 0) {
			free(last);
			last = xstrndup(line + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so));
		}
		line += m[0].rm_eo;
		if (m[0].rm_eo == m[0].rm_so && !*line++)
			break; /* an empty match at the end */
		flags = REG_NOTBOL;
	}
	return last;
}

/* Line by line: regexec measures its text on each call, which is quadratic over a long one. */
static char *find_last(const regex_t *re, const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *last = NULL, *line;

	while ((line = str_cut(&rest, "\n"))) {
		char *found = find_in_line(re, line);

		if (!found)
			continue;
		free(last);
		last = found;
	}
	return last;
}

int match_number(const char *pattern, const char *text, double *ret_v, struct err *e)
{
	_cleanup_free_ char *number = NULL;
	regex_t re;
	int r = compile(pattern, &re, e);

	if (r < 0)
		return r;
	number = find_last(&re, text);
	regfree(&re);
	if (!number)
		return err_set(e, -ENODATA, "nothing matches \"%s\"", pattern);
	r = num_double(number, ret_v, e);
	return r < 0 ? err_wrap(e, r, "match of \"%s\"", pattern) : 0;
}
