/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers of the importers share: any bytes as a log. */
#ifndef TESTS_FUZZ_IMPORT_H
#define TESTS_FUZZ_IMPORT_H

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_seen {
	size_t values, failures;
};

/* Whatever is said of a row must be whole, and a value a number. */
static inline void fuzz_check_key(const struct import_key *k)
{
	assert(k->workload && k->params && k->metric && *k->metric && k->unit && k->op);
	assert(strlen(k->workload) < IMPORT_LINE_MAX);
}

static inline int fuzz_value(void *arg, const struct import_key *k, double value,
			     struct err *e __unused)
{
	struct fuzz_seen *seen = arg;

	fuzz_check_key(k);
	assert(isfinite(value));
	seen->values++;
	return 0;
}

static inline int fuzz_failed(void *arg, const struct import_key *k, const char *why,
			      struct err *e __unused)
{
	struct fuzz_seen *seen = arg;

	fuzz_check_key(k);
	assert(why && *why);
	seen->failures++;
	return 0;
}

/* A log that is taken has said something, but for an empty column; one that isn't says where. */
static inline void fuzz_import(const struct importer *imp, const uint8_t *data, size_t size)
{
	const struct import_options o = { 0 };
	static struct import_in in;
	struct fuzz_seen seen = { 0 };
	const struct import_sink to = { fuzz_value, fuzz_failed, &seen };
	_cleanup_free_ char *head = xcalloc(size + 1, 1);
	struct err e = { 0 };
	int r;

	if (size == 0)
		return; /* fmemopen has no empty files */
	memcpy(head, data, size);
	(void)imp->sniff(head);
	in = (struct import_in){ .path = "log", .o = &o };
	in.f = fmemopen((void *)(uintptr_t)data, size, "r");
	assert(in.f);
	r = imp->parse(&in, &to, &e);
	(void)fclose(in.f);
	assert(r <= 0);
	if (r < 0)
		assert(e.code == r && str_starts(e.msg, "log:"));
}

#endif
