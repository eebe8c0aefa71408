/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ordered lists of key=value, the form in which placements and parameters travel: on the
 * command line, in plans, over the wire and in the store. Values may hold commas and '='.
 */
#ifndef BASE_KV_H
#define BASE_KV_H

#include <stddef.h>

#include "base/compiler.h"

struct err;
struct str;

struct kv {
	char *key;
	char *val;
};

struct kvs {
	struct kv *v;
	size_t n;
	size_t cap;
};
#define _cleanup_kvs_ __attribute__((cleanup(kvs_done)))

/*
 * Splits "a=1,b=2,3,c=x" at commas; a field without '=' continues the value before it (b is
 * "2,3"). "\," is a comma that never splits, "\\" a backslash. A key twice is an error.
 * Appends to *@ret, which must be initialised; on failure it is unchanged.
 */
__must_check int kvs_parse(const char *text, struct kvs *ret, struct err *e);

/* The text that kvs_parse reads back to the same list. */
void kvs_format(const struct kvs *l, struct str *out);

void kvs_set(struct kvs *l, const char *key, const char *val); /* replaces or appends; copies */
const char *kvs_get(const struct kvs *l, const char *key);     /* NULL when absent */
void kvs_unset(struct kvs *l, const char *key);
void kvs_copy(struct kvs *to, const struct kvs *from); /* sets each of @from in @to */
void kvs_done(struct kvs *l);

#endif
