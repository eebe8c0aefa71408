// SPDX-License-Identifier: GPL-2.0-or-later
/* The document tree and its messages. Reading and writing YAML is in yaml.c. */
#include "plan/doc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct doc_node *doc_new(struct doc *d, enum doc_kind kind, const char *text, const char *origin)
{
	struct doc_node *n = xcalloc(1, sizeof(*n));

	if (d->n == d->cap) {
		d->cap = d->cap ? 2 * d->cap : 64;
		d->all = xrealloc(d->all, d->cap, sizeof(struct doc_node *));
	}
	d->all[d->n++] = n;
	n->kind = kind;
	n->text = xstrdup(text);
	n->origin = xstrdup(origin);
	return n;
}

void doc_add(struct doc_node *parent, struct doc_node *child)
{
	if (parent->n == parent->cap) {
		parent->cap = parent->cap ? 2 * parent->cap : 8;
		parent->v = xrealloc(parent->v, parent->cap, sizeof(struct doc_node *));
	}
	parent->v[parent->n++] = child;
}

void doc_add_pair(struct doc *d, struct doc_node *map, const char *key, struct doc_node *value)
{
	doc_add(map, doc_new(d, DOC_TEXT, key, value->origin));
	doc_add(map, value);
}

void doc_done(struct doc *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->all[i]->text);
		free(d->all[i]->origin);
		free(d->all[i]->v);
		free(d->all[i]);
	}
	free(d->all);
	free(d->file);
	*d = (struct doc){ 0 };
}

struct doc_node *doc_get(const struct doc_node *map, const char *key)
{
	for (size_t i = 0; i + 1 < map->n; i += 2)
		if (strcmp(map->v[i]->text, key) == 0)
			return map->v[i + 1];
	return NULL;
}

void doc_where(const struct doc *d, const struct doc_node *n, struct str *out)
{
	if (n && n->origin)
		str_addf(out, "argument \"%s\"", n->origin);
	else if (d->file)
		str_addf(out, "%s:%u:%u", d->file, n ? n->line : 1, n ? n->column : 1);
	else
		str_add(out, "arguments");
}

#define WHERE_MAX 300

int doc_wrap(const struct doc *d, const struct doc_node *n, struct err *e, int code)
{
	_cleanup_str_ struct str where = STR_INIT(WHERE_MAX);

	doc_where(d, n, &where);
	return err_wrap(e, code, "%s", str_text(&where));
}

int doc_fail(const struct doc *d, const struct doc_node *n, struct err *e, int code,
	     const char *fmt, ...)
{
	char msg[400];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	err_set(e, code, "%s", msg);
	return doc_wrap(d, n, e, code);
}

int doc_unknown(const struct doc *d, const struct doc_node *n, struct err *e, const char *what,
		const char *const *words, size_t n_words)
{
	const char *near = str_nearest(n->text, words, n_words);
	_cleanup_str_ struct str list = STR_INIT(230);

	if (near)
		return doc_fail(d, n, e, -EINVAL, "unknown %s \"%s\"; did you mean \"%s\"?", what,
				n->text, near);
	doc_fail(d, n, e, -EINVAL, "unknown %s \"%s\"", what, n->text);
	for (size_t i = 0; i < n_words; i++)
		str_addf(&list, "%s%s", i ? ", " : "known are: ", words[i]);
	err_hint(e, "%s%s", str_text(&list), str_ok(&list) ? "" : "…");
	return -EINVAL;
}
