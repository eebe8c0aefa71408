/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between the host tool and an agent: one record a line,
 *
 *	KIND key=value key=value … ~xxxxxxxx\n
 *
 * with percent-encoded values and a CRC-32 of all that stands before " ~". A line that was cut
 * or mixed with console output fails its checksum and is an error, never a value. wire carries
 * strings; what they mean is the business of place/, workload/ and target/.
 *
 *	agent: hello proto build version …facts…	once, at the start
 *	host:  env					agent: fact key val … done
 *	host:  job id workload params place …		agent: ready, or error and done
 *	host:  go at_ns (0: now)			agent: place, sample, counter, note …
 *							       done id status start_ns end_ns
 *	host:  quit, or end of file			agent: takes everything back and ends
 *
 * An `error` record (code, text, hint) comes before the `done` of a job that failed.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

struct err;

#define WIRE_PROTO 1
#define WIRE_FIELDS_MAX 32
#define WIRE_LINE_MAX (256u << 10)

/* Building a record: begin, add, end (which appends checksum and newline). */
void wire_begin(struct str *out, const char *kind);
void wire_add(struct str *out, const char *key, const char *val);
void wire_add_u64(struct str *out, const char *key, uint64_t val);
void wire_add_f64(struct str *out, const char *key, double val); /* reads back exactly */
void wire_end(struct str *out);
/* Writes all of @out to @fd and clears it. -EPIPE when the other side is gone. */
__must_check int wire_send(int fd, struct str *out, struct err *e);

struct wire_field {
	const char *key;
	const char *val;
};

struct wire_rec {
	const char *kind;
	struct wire_field f[WIRE_FIELDS_MAX];
	size_t n;
};

/*
 * Parses one line (without newline) in place; the record points into it. -EPROTO with a message
 * when it isn't whole.
 */
__must_check int wire_parse(char *line, struct wire_rec *ret, struct err *e);

const char *wire_get(const struct wire_rec *r, const char *key); /* NULL when absent */
/* A field that must be there; -EPROTO when it is absent or not of that type. */
__must_check int wire_need(const struct wire_rec *r, const char *key, const char **ret,
			   struct err *e);
__must_check int wire_need_u64(const struct wire_rec *r, const char *key, uint64_t *ret,
			       struct err *e);
__must_check int wire_need_f64(const struct wire_rec *r, const char *key, double *ret,
			       struct err *e);

/* Reads records from a descriptor. */
struct wire_reader {
	int fd;	     /* borrowed */
	char *buf;
	size_t len;  /* bytes in buf */
	size_t used; /* bytes of the record handed out last */
};
#define WIRE_READER(descriptor) ((struct wire_reader){ .fd = (descriptor) })

/*
 * Next record: 1 and *@ret (valid until the next call); 0 at a clean end of file; -EPROTO for a
 * damaged line or an end in the middle of one; -ETIMEDOUT at @deadline_ns (CLOCK_MONOTONIC, 0:
 * none); -EINTR when @abort_fd (or -1) becomes readable first.
 */
__must_check int wire_next(struct wire_reader *r, uint64_t deadline_ns, int abort_fd,
			   struct wire_rec *ret, struct err *e);
void wire_reader_done(struct wire_reader *r);

#endif
