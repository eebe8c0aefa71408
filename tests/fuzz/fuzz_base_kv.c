// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings lists from any bytes: what is accepted is read back the same from its printed form. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/kv.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A key may hold escaped commas, which the format (meant for plain keys) does not escape. */
static bool plain_keys(const struct kvs *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (strpbrk(l->v[i].key, ",\\"))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	_cleanup_kvs_ struct kvs l = { 0 }, back = { 0 };
	struct err e;

	if (kvs_parse(text, &l, &e) < 0) {
		assert(l.n == 0);
		return 0;
	}
	if (!plain_keys(&l))
		return 0;
	kvs_format(&l, &out);
	assert(str_ok(&out));
	assert(kvs_parse(str_text(&out), &back, &e) == 0);
	assert(l.n == back.n);
	for (size_t i = 0; i < l.n; i++) {
		assert(strcmp(l.v[i].key, back.v[i].key) == 0);
		assert(strcmp(l.v[i].val, back.v[i].val) == 0);
	}
	return 0;
}
