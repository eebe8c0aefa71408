// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/argv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

static bool is_plain(char c)
{
	return c && ((isalnum((unsigned char)c) && (unsigned char)c < 0x80) ||
		     strchr("_./:=+@-", c));
}

static void encode_one(const char *arg, struct str *out)
{
	if (!*arg)
		str_addc(out, '%');
	for (const char *p = arg; *p; p++) {
		bool second_point = *p == '.' && p > arg && p[-1] == '.';

		if (is_plain(*p) && !second_point)
			str_addc(out, *p);
		else
			str_addf(out, "%%%02X", (unsigned char)*p);
	}
}

void argv_encode(const char *const *argv, size_t n, struct str *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			str_addc(out, ' ');
		encode_one(argv[i], out);
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Decodes @field into @out; false when a "%" is not followed by a byte other than 0. */
static bool decode_one(const char *field, struct str *out)
{
	if (strcmp(field, "%") == 0)
		return true;
	for (; *field; field++) {
		int high, low;

		if (*field != '%') {
			str_addc(out, *field);
			continue;
		}
		high = hex_digit(field[1]);
		low = high < 0 ? -1 : hex_digit(field[2]);
		if (low < 0 || (high == 0 && low == 0))
			return false;
		str_addc(out, (char)(high * 16 + low));
		field += 2;
	}
	return true;
}

int argv_decode(const char *text, struct strv *ret, struct err *e)
{
	_cleanup_str_ struct str arg = STR_INIT(1 << 20);
	_cleanup_strv_ struct strv args = { 0 };
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = *copy ? copy : NULL, *field;

	while ((field = str_cut(&rest, " "))) {
		if (!*field)
			return err_set(e, -EINVAL, "\"%s\" has two blanks in a row", text);
		str_clear(&arg);
		if (!decode_one(field, &arg))
			return err_set(e, -EINVAL, "\"%s\" is not encoded right: \"%s\"", text,
				       field);
		if (!str_ok(&arg))
			return err_set(e, -E2BIG, "an argument is longer than %zu bytes", arg.max);
		strv_add(&args, str_text(&arg));
	}
	for (size_t i = 0; i < args.n; i++)
		strv_add(ret, args.v[i]);
	strv_add(ret, "");
	free(ret->v[--ret->n]);
	ret->v[ret->n] = NULL;
	return 0;
}
