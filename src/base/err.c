// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int err_errno(struct err *e, int errnum, const char *fmt, ...)
{
	char reason[80];
	va_list ap;
	size_t len;

	assert(errnum > 0);
	if (!e)
		return -errnum;
	e->code = -errnum;
	e->hint[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, ": %s",
		       strerror_r(errnum, reason, sizeof(reason)));
	return -errnum;
}

int err_wrap(struct err *e, int code, const char *fmt, ...)
{
	char inner[sizeof(e->msg)];
	va_list ap;
	size_t len;

	assert(code < 0);
	if (!e)
		return code;
	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", inner);
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
