// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* what err.h makes of them for the analyzer */
#undef err_set
#undef err_wrap
#undef err_errno

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	assert(code < 0);
	if (!e)
		return code;
	e->code = code;
	e->hint[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return code;
}

/*
 * Puts "HEAD: TAIL" into the message. What does not fit is cut out of the middle: the outermost
 * context says where, the end says why, and both must survive a long path or value.
 */
static void join(struct err *e, const char *head, const char *tail)
{
	static const char gap[] = " ... ";
	char all[2 * sizeof(e->msg) + 2];
	size_t room = sizeof(e->msg) - sizeof(gap);
	size_t len = (size_t)snprintf(all, sizeof(all), "%s: %s", head, tail);

	if (len < sizeof(e->msg)) {
		memcpy(e->msg, all, len + 1);
		return;
	}
	(void)snprintf(e->msg, sizeof(e->msg), "%.*s%s%s", (int)(room - room / 2), all, gap,
		       all + len - room / 2);
}

int err_errno(struct err *e, int errnum, const char *fmt, ...)
{
	/* cppcheck-suppress ctunullpointer ; sizeof reads nothing */
	char what[sizeof(e->msg)], reason[80];
	va_list ap;

	assert(errnum > 0);
	if (!e)
		return -errnum;
	e->code = -errnum;
	e->hint[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	join(e, what, strerror_r(errnum, reason, sizeof(reason)));
	return -errnum;
}

int err_wrap(struct err *e, int code, const char *fmt, ...)
{
	/* cppcheck-suppress ctunullpointer ; sizeof reads nothing */
	char context[sizeof(e->msg)], inner[sizeof(e->msg)];
	va_list ap;

	assert(code < 0);
	if (!e)
		return code;
	e->code = code;
	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	(void)vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	join(e, context, inner);
	return code;
}

void err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(e->hint, sizeof(e->hint), fmt, ap);
	va_end(ap);
}
