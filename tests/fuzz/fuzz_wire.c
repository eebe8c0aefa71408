// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records from any bytes: through a pipe as a host would read them. Whatever is accepted must be
 * written again to the same line, so no damaged line can become a value.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same record by hand: decoded fields encoded again. */
static void write_again(const struct wire_rec *r, struct str *out)
{
	wire_begin(out, r->kind);
	for (size_t i = 0; i < r->n; i++)
		wire_add(out, r->f[i].key, r->f[i].val);
	wire_end(out);
}

static void check_record(const struct wire_rec *r)
{
	_cleanup_str_ struct str once = STR_INIT(WIRE_LINE_MAX * 4);
	_cleanup_str_ struct str twice = STR_INIT(WIRE_LINE_MAX * 4);
	_cleanup_free_ char *line = NULL;
	struct wire_rec back;

	assert(r->n <= WIRE_FIELDS_MAX && *r->kind);
	write_again(r, &once);
	assert(str_ok(&once));
	line = xstrndup(once.buf, once.len - 1);
	assert(wire_parse(line, &back, NULL) == 0);
	assert(back.n == r->n);
	write_again(&back, &twice);
	assert(strcmp(str_text(&once), str_text(&twice)) == 0);
}

/* Gives every line its right checksum, so that the fuzzer gets past it. */
static void read_signed(const uint8_t *data, size_t size)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct wire_rec r;

	if (memchr(data, '\n', size) || memchr(data, 0, size) || size == 0)
		return;
	str_addn(&out, (const char *)data, size);
	wire_end(&out);
	out.buf[--out.len] = '\0';
	if (wire_parse(out.buf, &r, NULL) == 0)
		check_record(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_reader rd;
	struct wire_rec r;
	struct err e;
	int p[2], rc;

	read_signed(data, size);
	if (size > 32768 || pipe2(p, O_CLOEXEC) < 0)
		return 0; /* more than a pipe takes at once */
	assert(write(p[1], data, size) == (ssize_t)size);
	close(p[1]);
	rd = WIRE_READER(p[0]);
	while ((rc = wire_next(&rd, 0, -1, &r, &e)) != 0) {
		if (rc == 1)
			check_record(&r);
		else if (strstr(e.msg, "cut off"))
			break;
	}
	wire_reader_done(&rd);
	close(p[0]);
	return 0;
}
