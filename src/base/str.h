/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growable string with a mandatory maximum, and allocation that can't fail quietly.
 *
 * A struct str that hits its maximum or runs out of memory becomes `failed` and stays so; its
 * text is then what fitted. Check str_ok() once at the end instead of every append.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct str {
	char *buf; /* NUL-terminated once something was added; use str_text() */
	size_t len;
	size_t cap;
	size_t max; /* largest len */
	bool failed;
};

#define STR_INIT(max_bytes) ((struct str){ .max = (max_bytes) })

void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *text, size_t len);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __printf(2, 3);
void str_clear(struct str *s); /* empty again, memory kept, failure forgotten */
void str_done(struct str *s);
const char *str_text(const struct str *s); /* never NULL */
static inline bool str_ok(const struct str *s)
{
	return !s->failed;
}
#define _cleanup_str_ __attribute__((cleanup(str_done)))

/* Abort with a message when memory is out; for sizes that the user didn't choose. */
void *xcalloc(size_t n, size_t size) __nonnull_result;
void *xrealloc(void *p, size_t n, size_t size) __nonnull_result;
char *xstrdup(const char *s); /* NULL gives NULL */
char *xstrndup(const char *s, size_t n) __nonnull_result;
char *xasprintf(const char *fmt, ...) __printf(1, 2) __nonnull_result;

bool str_eq(const char *a, const char *b); /* NULL equals NULL only */
bool str_starts(const char *s, const char *prefix);

/*
 * Cuts the next field off *@rest at any character of @seps, in place. Returns the field (maybe
 * empty) or NULL at the end.
 */
char *str_cut(char **rest, const char *seps);

/* A growable list of owned strings. */
struct strv {
	char **v;
	size_t n;
	size_t cap;
};
void strv_add(struct strv *l, const char *s); /* copies */
void strv_done(struct strv *l);
#define _cleanup_strv_ __attribute__((cleanup(strv_done)))

/*
 * The word of @words[0..@n) nearest to @word by edit distance (two swapped letters are one edit),
 * or NULL when none is near enough to be a slip: at most a third of its letters, or one, differ.
 */
const char *str_nearest(const char *word, const char *const *words, size_t n);

#endif
