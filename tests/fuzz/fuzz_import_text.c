// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A text of mmgauge from any lines, each given its right checksum so that the fuzzer gets past it.
 * What is taken must write itself again to a text that is taken as well, and is the same.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "import/import.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_MAX (8u << 20)

static void sign_lines(const uint8_t *data, size_t size, struct str *out)
{
	_cleanup_free_ char *copy = xcalloc(size + 1, 1);
	char *rest = copy, *line;
	uint64_t records = 0;

	memcpy(copy, data, size);
	str_add(out, "mmgauge-text version=1");
	wire_end(out);
	while ((line = str_cut(&rest, "\n"))) {
		if (!*line)
			continue;
		str_add(out, line);
		wire_end(out);
		records++;
	}
	wire_begin(out, "end");
	wire_add_u64(out, "records", records);
	wire_end(out);
}

static int collect(void *arg, const struct str *piece, struct err *e __unused)
{
	str_addn(arg, str_text(piece), piece->len);
	return 0;
}

/* Reads a text into a store of its own and writes that one again. */
static int pass_through(const struct str *text, struct str *out, struct err *e)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	_cleanup_free_ char *path = xasprintf("/proc/self/fd/%d", fd);
	const struct import_file file = { "", path };
	const struct import_options o = { .format = "text" };
	static struct store *s;
	static unsigned used;
	int r;

	/* making a store takes longer than reading a text: one serves for many */
	if (used++ % 500 == 0) {
		store_close(s);
		assert(store_open_memory(&s, e) == 0);
	}
	assert(fd >= 0 && write(fd, str_text(text), text->len) == (ssize_t)text->len);
	r = import_files(&file, 1, &o, s, e);
	if (r == 0)
		assert(import_write_text(s, 0, collect, out, e) == 0);
	(void)close(fd);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_str_ struct str text = STR_INIT(TEXT_MAX), once = STR_INIT(TEXT_MAX);
	_cleanup_str_ struct str twice = STR_INIT(TEXT_MAX);
	struct err e = { 0 };

	sign_lines(data, size, &text);
	if (!str_ok(&text))
		return 0;
	if (pass_through(&text, &once, &e) < 0) {
		assert(e.msg[0]);
		return 0;
	}
	assert(pass_through(&once, &twice, &e) == 0);
	assert(once.len == twice.len && memcmp(once.buf, twice.buf, once.len) == 0);
	return 0;
}
