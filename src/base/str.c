// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool str_reserve(struct str *s, size_t more)
{
	size_t need = s->len + more + 1;
	size_t cap = s->cap ? s->cap : 64;
	char *buf;

	if (s->failed || more > s->max || s->len > s->max - more) {
		s->failed = true;
		return false;
	}
	if (need <= s->cap)
		return true;
	while (cap < need)
		cap *= 2;
	buf = realloc(s->buf, cap);
	if (!buf) {
		s->failed = true;
		return false;
	}
	s->buf = buf;
	s->cap = cap;
	return true;
}

void str_addn(struct str *s, const char *text, size_t len)
{
	if (!str_reserve(s, len))
		return;
	memcpy(s->buf + s->len, text, len);
	s->len += len;
	s->buf[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0 || !str_reserve(s, (size_t)len)) {
		s->failed = true;
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(s->buf + s->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t)len;
}

void str_clear(struct str *s)
{
	s->len = 0;
	s->failed = false;
	if (s->buf)
		s->buf[0] = '\0';
}

void str_done(struct str *s)
{
	free(s->buf);
	s->buf = NULL;
	s->len = 0;
	s->cap = 0;
}

const char *str_text(const struct str *s)
{
	return s->buf ? s->buf : "";
}

static void *or_abort(void *p)
{
	if (!p) {
		(void)fputs("mmgauge: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return or_abort(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return or_abort(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return s ? or_abort(strdup(s)) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	return or_abort(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	char *out = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&out, fmt, ap);
	va_end(ap);
	return or_abort(len < 0 ? NULL : out);
}

bool str_eq(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

char *str_cut(char **rest, const char *seps)
{
	char *field = *rest;
	char *end;

	if (!field)
		return NULL;
	end = strpbrk(field, seps);
	if (end)
		*end++ = '\0';
	*rest = end;
	return field;
}

void strv_add(struct strv *l, const char *s)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 8;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = xstrdup(s);
}

void strv_done(struct strv *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct strv){ 0 };
}

#define NEAREST_MAX 64 /* longer words are no slips of the pen */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edit distance of two words of at most NEAREST_MAX letters; two neighbours swapped count one
 * (optimal string alignment), because that is the commonest slip of all.
 */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][NEAREST_MAX + 1];
	size_t *row = rows[0], *above = rows[1], *above2 = rows[2];
	size_t la = strlen(a), lb = strlen(b);

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *oldest = above2;

		above2 = above;
		above = row;
		row = oldest;
		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], above2[j - 2] + 1);
		}
	}
	return row[lb];
}

const char *str_nearest(const char *word, const char *const *words, size_t n)
{
	size_t limit = strlen(word) / 3 > 1 ? strlen(word) / 3 : 1;
	const char *best = NULL;

	if (strlen(word) > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t d;

		if (strlen(words[i]) > NEAREST_MAX)
			continue;
		d = edit_distance(word, words[i]);
		if (d > limit || (best && d == limit))
			continue;
		limit = d;
		best = words[i];
	}
	return best;
}
