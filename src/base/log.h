/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to stderr. stdout belongs to results; errors go through struct err. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/compiler.h"

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct err;

void log_set_level(enum log_level level); /* default LOG_INFO */
void log_set_name(const char *name);	  /* prefix of each line; the string must live on */
void log_warn(const char *fmt, ...) __printf(1, 2);
void log_info(const char *fmt, ...) __printf(1, 2);
void log_debug(const char *fmt, ...) __printf(1, 2);

/* Prints "NAME: MESSAGE" and, when there is one, the hint on a line of its own. */
void log_err(const struct err *e);

/*
 * A line that replaces itself on a terminal (progress). Other messages clear it first. @text
 * NULL removes it. Does nothing when stderr is no terminal or the level is below LOG_INFO.
 */
void log_status(const char *text);

#endif
