// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/num.h"

/* CRC-32 as of IEEE 802.3, bit by bit: records are few and short. */
static uint32_t crc32_text(const char *p, size_t len)
{
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < len; i++) {
		crc ^= (unsigned char)p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}

/* Characters that may stand for themselves in a value. */
static bool is_plain(char c)
{
	return c > ' ' && c < 0x7f && c != '%' && c != '~';
}

/* Where the record being built begins: a buffer may hold several. */
static size_t line_start(const struct str *out)
{
	size_t i = out->len;

	while (i && out->buf[i - 1] != '\n')
		i--;
	return i;
}

void wire_begin(struct str *out, const char *kind)
{
	str_add(out, kind);
}

void wire_add(struct str *out, const char *key, const char *val)
{
	str_addf(out, " %s=", key);
	for (; *val; val++) {
		if (is_plain(*val))
			str_addc(out, *val);
		else
			str_addf(out, "%%%02x", (unsigned char)*val);
	}
}

void wire_add_u64(struct str *out, const char *key, uint64_t val)
{
	str_addf(out, " %s=%" PRIu64, key, val);
}

void wire_add_f64(struct str *out, const char *key, double val)
{
	str_addf(out, " %s=%.17g", key, val);
}

void wire_end(struct str *out)
{
	size_t from = line_start(out);

	str_addf(out, " ~%08" PRIx32 "\n", crc32_text(out->buf + from, out->len - from));
}

int wire_send(int fd, struct str *out, struct err *e)
{
	const char *p = str_text(out);
	size_t left = out->len;

	if (!str_ok(out))
		return err_set(e, -E2BIG, "could not send a record: longer than %zu bytes",
			       out->max);
	while (left) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "could not send a record");
		p += n;
		left -= (size_t)n;
	}
	str_clear(out);
	return 0;
}

static int damaged(struct err *e, const char *line, const char *why)
{
	return err_set(e, -EPROTO, "damaged record (%s): \"%.80s\"", why, line);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Undoes the percent-encoding in place; false when it is broken. "%00" is. */
static bool decode(char *val)
{
	char *out = val;

	for (; *val; val++, out++) {
		int hi, lo;

		*out = *val;
		if (*val != '%')
			continue;
		hi = hex_digit(val[1]);
		lo = hi < 0 ? -1 : hex_digit(val[2]);
		if (lo < 0 || hi + lo == 0)
			return false;
		*out = (char)(hi * 16 + lo);
		val += 2;
	}
	*out = '\0';
	return true;
}

/* Cuts " ~xxxxxxxx" off the line; false when it is absent or wrong. */
static bool cut_checksum(char *line)
{
	size_t len = strlen(line);
	char want[16];

	if (len < 11 || line[len - 10] != ' ' || line[len - 9] != '~')
		return false;
	(void)snprintf(want, sizeof(want), "%08" PRIx32, crc32_text(line, len - 10));
	if (strcmp(line + len - 8, want) != 0)
		return false;
	line[len - 10] = '\0';
	return true;
}

int wire_parse(char *line, struct wire_rec *ret, struct err *e)
{
	struct wire_rec rec = { 0 };
	char *rest = line, *field;

	if (!cut_checksum(line))
		return damaged(e, line, "checksum");
	rec.kind = str_cut(&rest, " ");
	if (!*rec.kind)
		return damaged(e, line, "no kind");
	while ((field = str_cut(&rest, " "))) {
		char *eq = strchr(field, '=');

		if (!eq || eq == field)
			return damaged(e, field, "no key");
		if (rec.n == WIRE_FIELDS_MAX)
			return damaged(e, rec.kind, "too many fields");
		*eq = '\0';
		if (!decode(eq + 1))
			return damaged(e, field, "encoding");
		rec.f[rec.n++] = (struct wire_field){ .key = field, .val = eq + 1 };
	}
	*ret = rec;
	return 0;
}

const char *wire_get(const struct wire_rec *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->f[i].key, key) == 0)
			return r->f[i].val;
	return NULL;
}

int wire_need(const struct wire_rec *r, const char *key, const char **ret, struct err *e)
{
	const char *val = wire_get(r, key);

	if (!val)
		return err_set(e, -EPROTO, "record \"%s\" has no field \"%s\"", r->kind, key);
	*ret = val;
	return 0;
}

int wire_need_u64(const struct wire_rec *r, const char *key, uint64_t *ret, struct err *e)
{
	const char *val;
	int rc = wire_need(r, key, &val, e);

	if (rc < 0)
		return rc;
	if (num_u64(val, ret, e) < 0)
		return err_wrap(e, -EPROTO, "record \"%s\", field \"%s\"", r->kind, key);
	return 0;
}

int wire_need_f64(const struct wire_rec *r, const char *key, double *ret, struct err *e)
{
	const char *val;
	int rc = wire_need(r, key, &val, e);

	if (rc < 0)
		return rc;
	if (num_double(val, ret, e) < 0)
		return err_wrap(e, -EPROTO, "record \"%s\", field \"%s\"", r->kind, key);
	return 0;
}
