// SPDX-License-Identifier: GPL-2.0-or-later
/* Placements and facts from any bytes: taken or refused with a message, checked, freed. */
#include <assert.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/kv.h"
#include "base/str.h"
#include "place/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_spec(const struct kvs *kvs)
{
	static char none[] = "";
	struct place_facts f = { .version = CG_V2, .controllers = none, .start_path = none };
	struct place_spec s;
	struct err e = { 0 };

	if (place_parse(kvs, &s, &e) < 0) {
		assert(e.code < 0 && e.msg[0]);
		return;
	}
	assert(s.groups >= 1);
	f.root = true;
	f.may_make_groups = true;
	(void)!place_check(&f, &s, "tmpfs", 1 << 20, false, &e);
	f.version = CG_V1;
	(void)!place_check(&f, &s, "tmpfs", 1 << 20, true, &e);
	place_spec_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct place_facts f = { 0 };

	if (kvs_parse(text, &kvs, NULL) < 0)
		return 0;
	try_spec(&kvs);
	if (place_facts_parse(&kvs, &f, NULL) == 0)
		place_facts_done(&f);
	return 0;
}
