/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors with context. A function that can fail returns 0 or a negative errno and takes a
 * `struct err *` last. The message is made where the fault is seen (err_set, err_errno), every
 * caller adds only what the callee did not know (err_wrap), and cli/ or the agent's main prints
 * it once. The struct holds no pointers, so it can live in memory shared with a child.
 *
 * Wording: lower case, no full stop, "could not VERB OBJECT: reason", names in double quotes.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/compiler.h"

struct err {
	int code;	/* negative errno, 0 while nothing was set */
	char msg[480];	/* outermost context first */
	char hint[240]; /* what the user can do, or "" */
};

/* Sets the message; returns @code (negative errno). @e may be NULL: then only the code counts. */
int err_set(struct err *e, int code, const char *fmt, ...) __printf(3, 4);

/* As err_set with ": STRERROR" appended; returns -@errnum. Call it first after the failed call. */
int err_errno(struct err *e, int errnum, const char *fmt, ...) __printf(3, 4);

/*
 * Prepends "CONTEXT: " to the message that is there; the error's code becomes @code, which is
 * returned. Too long a message loses its middle, never its end.
 */
int err_wrap(struct err *e, int code, const char *fmt, ...) __printf(3, 4);

/* Sets what the user can do about it. */
void err_hint(struct err *e, const char *fmt, ...) __printf(2, 3);

#ifdef __clang_analyzer__
/* The analyzer reads one file at a time: tell it that a code handed in is the code returned. */
#define err_set(e, code, ...) ((void)err_set(e, code, __VA_ARGS__), (code))
#define err_wrap(e, code, ...) ((void)err_wrap(e, code, __VA_ARGS__), (code))
#define err_errno(e, errnum, ...) \
	((void)err_errno(e, errnum, __VA_ARGS__), (errnum) > 0 ? -(errnum) : -1)
#endif

#endif
