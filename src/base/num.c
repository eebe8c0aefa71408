// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/num.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

/* Reads decimal digits at *@p into *@ret_v, moving *@p; false when none or over 64 bits. */
static bool take_digits(const char **p, uint64_t *ret_v)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p); (*p)++) {
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**p - '0'), &v))
			return false;
	}
	*ret_v = v;
	return true;
}

int num_u64(const char *s, uint64_t *ret_v, struct err *e)
{
	const char *p = s;
	uint64_t v;

	if (!take_digits(&p, &v) || *p)
		return err_set(e, -EINVAL, "\"%s\" is not a whole number from 0 to 2^64-1", s);
	*ret_v = v;
	return 0;
}

int num_i64(const char *s, int64_t *ret_v, struct err *e)
{
	const char *p = s + (*s == '-');
	uint64_t v;

	if (!take_digits(&p, &v) || *p || v > (uint64_t)INT64_MAX + (*s == '-'))
		return err_set(e, -EINVAL, "\"%s\" is not a whole number from -2^63 to 2^63-1",
			       s);
	*ret_v = (int64_t)(*s == '-' ? -v : v);
	return 0;
}

/* Not what strtod takes but a decimal number doesn't have: hex, inf, nan, blanks. */
static bool is_plain_decimal(const char *s)
{
	return *s && strspn(s, "0123456789+-.eE") == strlen(s);
}

int num_double(const char *s, double *ret_v, struct err *e)
{
	char *end;
	double v;

	if (!is_plain_decimal(s))
		return err_set(e, -EINVAL, "\"%s\" is not a decimal number", s);
	v = strtod(s, &end); /* no setlocale() in either program: the point is a point */
	if (*end || !isfinite(v))
		return err_set(e, -EINVAL, "\"%s\" is not a decimal number", s);
	*ret_v = v;
	return 0;
}

static const char size_units[] = "KMGT";

int num_size(const char *s, uint64_t *ret_bytes, struct err *e)
{
	const char *p = s, *unit;
	unsigned shift = 0;
	uint64_t v;

	if (!take_digits(&p, &v))
		goto bad;
	unit = *p ? strchr(size_units, toupper((unsigned char)*p)) : NULL;
	if (unit) {
		shift = 10u * (unsigned)(unit - size_units + 1);
		p++;
		if (*p == 'i')
			p++;
	}
	if (*p == 'B')
		p++;
	if (*p)
		goto bad;
	if (shift && v > UINT64_MAX >> shift)
		return err_set(e, -ERANGE, "size \"%s\" is too large", s);
	*ret_bytes = v << shift;
	return 0;
bad:
	return err_set(e, -EINVAL, "\"%s\" is not a size (say 4096, 64K, 1M or 2G)", s);
}

static const struct {
	const char *name;
	uint64_t ns;
} time_units[] = {
	{ "ns", 1 },
	{ "us", NSEC_PER_USEC },
	{ "ms", NSEC_PER_MSEC },
	{ "s", NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
};

int num_duration(const char *s, uint64_t *ret_ns, struct err *e)
{
	size_t digits = strspn(s, "0123456789.");
	char number[32];
	double v;

	if (digits == 0 || digits >= sizeof(number))
		goto bad;
	memcpy(number, s, digits);
	number[digits] = '\0';
	if (num_double(number, &v, NULL) < 0)
		goto bad;
	for (size_t i = 0; i < ARRAY_LEN(time_units); i++) {
		if (strcmp(s + digits, time_units[i].name) != 0)
			continue;
		v *= (double)time_units[i].ns;
		if (v >= 0x1p63)
			return err_set(e, -ERANGE, "time \"%s\" is too long", s);
		*ret_ns = (uint64_t)llround(v);
		return 0;
	}
bad:
	return err_set(e, -EINVAL, "\"%s\" is not a time (say 3s, 500ms or 10m)", s);
}

int num_fraction(const char *s, double *ret_v, struct err *e)
{
	size_t len = strlen(s);
	char number[32];
	double v;

	if (len == 0 || len >= sizeof(number))
		goto bad;
	memcpy(number, s, len + 1);
	if (number[len - 1] == '%')
		number[len - 1] = '\0';
	if (num_double(number, &v, NULL) < 0)
		goto bad;
	*ret_v = s[len - 1] == '%' ? v / 100 : v;
	return 0;
bad:
	return err_set(e, -EINVAL, "\"%s\" is not a fraction (say 2%% or 0.02)", s);
}

int num_bool(const char *s, bool *ret_v, struct err *e)
{
	static const char *const no[] = { "no", "off", "false", "0" };
	static const char *const yes[] = { "yes", "on", "true", "1" };

	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		if (strcmp(s, no[i]) != 0 && strcmp(s, yes[i]) != 0)
			continue;
		*ret_v = strcmp(s, yes[i]) == 0;
		return 0;
	}
	return err_set(e, -EINVAL, "\"%s\" is neither yes nor no", s);
}

char *num_fmt_size(char *buf, size_t len, uint64_t bytes)
{
	int unit = -1;

	while (bytes && bytes % 1024 == 0 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	if (unit < 0)
		(void)snprintf(buf, len, "%" PRIu64, bytes);
	else
		(void)snprintf(buf, len, "%" PRIu64 "%c", bytes, size_units[unit]);
	return buf;
}

char *num_fmt_duration(char *buf, size_t len, uint64_t ns)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	uint64_t div = 1;
	size_t unit = 0;

	/* the largest unit that needs at most one decimal */
	while (unit < 3 && ns && ns % (div * 100) == 0 && ns / (div * 1000) > 0) {
		div *= 1000;
		unit++;
	}
	if (ns % div)
		(void)snprintf(buf, len, "%" PRIu64 ".%" PRIu64 "%s", ns / div,
			       ns % div * 10 / div, names[unit]);
	else
		(void)snprintf(buf, len, "%" PRIu64 "%s", ns / div, names[unit]);
	return buf;
}

/* Digits before the point of @v when printed to @digits significant ones; <= 0 below 0.1. */
static int whole_digits(double v, int digits)
{
	int whole = v == 0 ? 1 : (int)floor(log10(fabs(v))) + 1;

	/* 9.996 to three digits is 10.0 */
	return fabs(v) >= pow(10, whole) - 0.5 * pow(10, whole - digits) ? whole + 1 : whole;
}

char *num_fmt_si(char *buf, size_t len, double v, int digits)
{
	static const char *const suffix[] = { "", "k", "M", "G", "T", "P" };
	size_t unit = 0;
	int decimals;

	if (!isfinite(v) || (v != 0 && fabs(v) < 0.01)) {
		(void)snprintf(buf, len, "%.*g", digits, v);
		return buf;
	}
	while (fabs(v) >= 999.5 && unit < ARRAY_LEN(suffix) - 1) {
		v /= 1000;
		unit++;
	}
	decimals = digits - whole_digits(v, digits);
	if (decimals < 0 || (unit == 0 && v == floor(v)))
		decimals = 0;
	(void)snprintf(buf, len, "%.*f%s", decimals, v, suffix[unit]);
	return buf;
}

void num_set_add(struct num_set *set, size_t i)
{
	assert(i < NUM_SET_MAX);
	set->bits[i / 64] |= 1ull << (i % 64);
}

bool num_set_has(const struct num_set *set, size_t i)
{
	return i < NUM_SET_MAX && (set->bits[i / 64] >> (i % 64)) & 1;
}

size_t num_set_count(const struct num_set *set)
{
	size_t n = 0;

	for (size_t w = 0; w < ARRAY_LEN(set->bits); w++)
		n += (size_t)__builtin_popcountll(set->bits[w]);
	return n;
}

size_t num_set_nth(const struct num_set *set, size_t n)
{
	for (size_t i = 0; i < NUM_SET_MAX; i++)
		if (num_set_has(set, i) && n-- == 0)
			return i;
	return NUM_SET_MAX;
}

bool num_set_within(const struct num_set *inner, const struct num_set *outer)
{
	for (size_t w = 0; w < ARRAY_LEN(inner->bits); w++)
		if (inner->bits[w] & ~outer->bits[w])
			return false;
	return true;
}

int num_set_parse(const char *s, struct num_set *ret, struct err *e)
{
	struct num_set set = { 0 };
	const char *p = s;
	uint64_t from, to;

	while (*p) {
		if (!take_digits(&p, &from))
			goto bad;
		to = from;
		if (*p == '-' && (p++, !take_digits(&p, &to)))
			goto bad;
		if (to < from || (*p && *p != ','))
			goto bad;
		if (to >= NUM_SET_MAX)
			return err_set(e, -ERANGE, "list \"%s\" goes beyond %d", s,
				       NUM_SET_MAX - 1);
		for (; from <= to; from++)
			num_set_add(&set, from);
		if (*p == ',' && !*++p)
			goto bad;
	}
	*ret = set;
	return 0;
bad:
	return err_set(e, -EINVAL, "\"%s\" is not a list of numbers like 0-3,8", s);
}

char *num_set_format(const struct num_set *set)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 16);

	for (size_t i = 0; i < NUM_SET_MAX; i++) {
		size_t last = i;

		if (!num_set_has(set, i))
			continue;
		while (num_set_has(set, last + 1))
			last++;
		str_addf(&out, out.len ? ",%zu" : "%zu", i);
		if (last > i)
			str_addf(&out, "-%zu", last);
		i = last;
	}
	return xstrdup(str_text(&out));
}
