// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/kv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

static struct kv *find(const struct kvs *l, const char *key)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].key, key) == 0)
			return &l->v[i];
	return NULL;
}

const char *kvs_get(const struct kvs *l, const char *key)
{
	const struct kv *kv = find(l, key);

	return kv ? kv->val : NULL;
}

void kvs_set(struct kvs *l, const char *key, const char *val)
{
	struct kv *kv = find(l, key);

	if (kv) {
		char *copy = xstrdup(val);

		free(kv->val);
		kv->val = copy;
		return;
	}
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 8;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = (struct kv){ .key = xstrdup(key), .val = xstrdup(val) };
}

void kvs_unset(struct kvs *l, const char *key)
{
	struct kv *kv = find(l, key);

	if (!kv)
		return;
	free(kv->key);
	free(kv->val);
	memmove(kv, kv + 1, (size_t)(&l->v[l->n] - (kv + 1)) * sizeof(*kv));
	l->n--;
}

void kvs_copy(struct kvs *to, const struct kvs *from)
{
	for (size_t i = 0; i < from->n; i++)
		kvs_set(to, from->v[i].key, from->v[i].val);
}

void kvs_done(struct kvs *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].key);
		free(l->v[i].val);
	}
	free(l->v);
	*l = (struct kvs){ 0 };
}

#define KV_TEXT_MAX (1u << 16)

/*
 * Reads one comma-separated field from *@p into @field, unescaped. The first unescaped '=' is
 * where the key ends: its index goes to *@eq, or SIZE_MAX. False when no comma follows.
 */
static bool take_field(const char **p, struct str *field, size_t *eq)
{
	str_clear(field);
	*eq = (size_t)-1;
	for (; **p && **p != ','; (*p)++) {
		if (**p == '\\' && ((*p)[1] == ',' || (*p)[1] == '\\'))
			(*p)++;
		else if (**p == '=' && *eq == (size_t)-1)
			*eq = field->len;
		str_addc(field, **p);
	}
	return *(*p)++ == ',';
}

static int add_field(struct kvs *l, size_t before, const struct str *field, size_t eq,
		     const char *text, struct err *e)
{
	_cleanup_str_ struct str joined = STR_INIT(KV_TEXT_MAX);

	if (eq == (size_t)-1) {
		struct kv *last = l->n > before ? &l->v[l->n - 1] : NULL;

		if (!last)
			return err_set(e, -EINVAL, "\"%s\" has no \"=\" in \"%s\"",
				       str_text(field), text);
		str_addf(&joined, "%s,%s", last->val, str_text(field));
		free(last->val);
		last->val = xstrdup(str_text(&joined));
		return 0;
	}
	if (eq == 0)
		return err_set(e, -EINVAL, "\"%s\" has no key before \"=\"", str_text(field));
	field->buf[eq] = '\0';
	if (kvs_get(l, field->buf))
		return err_set(e, -EINVAL, "\"%s\" is given twice in \"%s\"", field->buf, text);
	kvs_set(l, field->buf, field->buf + eq + 1);
	return 0;
}

int kvs_parse(const char *text, struct kvs *ret, struct err *e)
{
	_cleanup_str_ struct str field = STR_INIT(KV_TEXT_MAX);
	_cleanup_kvs_ struct kvs l = { 0 };
	const char *p = text;

	if (strlen(text) > KV_TEXT_MAX)
		return err_set(e, -E2BIG, "a list of settings is longer than %u bytes",
			       KV_TEXT_MAX);
	kvs_copy(&l, ret);
	for (bool more = *p; more;) {
		size_t eq;
		int r;

		more = take_field(&p, &field, &eq);
		r = add_field(&l, ret->n, &field, eq, text, e);
		if (r < 0)
			return r;
	}
	kvs_done(ret);
	*ret = l;
	l = (struct kvs){ 0 };
	return 0;
}

static void format_escaped(struct str *out, const char *val)
{
	for (; *val; val++) {
		if (*val == ',' || *val == '\\')
			str_addc(out, '\\');
		str_addc(out, *val);
	}
}

void kvs_format(const struct kvs *l, struct str *out)
{
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			str_addc(out, ',');
		str_addf(out, "%s=", l->v[i].key);
		format_escaped(out, l->v[i].val);
	}
}
