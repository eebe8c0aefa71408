// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"

static enum log_level log_level = LOG_INFO;
static const char *log_name = "mmgauge";
static bool status_shown;

void log_set_level(enum log_level level)
{
	log_level = level;
}

void log_set_name(const char *name)
{
	log_name = name;
}

void log_status(const char *text)
{
	if (log_level < LOG_INFO || !isatty(STDERR_FILENO))
		return;
	if (!text && !status_shown)
		return;
	(void)fprintf(stderr, "\r\033[K%s", text ? text : "");
	(void)fflush(stderr);
	status_shown = text != NULL;
}

__attribute__((format(printf, 3, 0)))
static void log_line(enum log_level level, const char *tag, const char *fmt, va_list ap)
{
	if (level > log_level)
		return;
	log_status(NULL);
	(void)fprintf(stderr, "%s: %s", log_name, tag);
	(void)vfprintf(stderr, fmt, ap);
	(void)fputc('\n', stderr);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_WARN, "warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_INFO, "", fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_DEBUG, "debug: ", fmt, ap);
	va_end(ap);
}

void log_err(const struct err *e)
{
	log_status(NULL);
	(void)fprintf(stderr, "%s: %s\n", log_name, e->msg);
	if (e->hint[0])
		(void)fprintf(stderr, "  hint: %s\n", e->hint);
}
