// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"

#define SIZE_STEP 4096u /* spaced sizes are whole pages on every machine with 4K pages */

static char *trim(char *s)
{
	size_t len;

	s += strspn(s, " \t\n");
	len = strlen(s);
	while (len && strchr(" \t\n", s[len - 1]))
		s[--len] = '\0';
	return s;
}

/* One factor, or "FACTOR*FACTOR…"; @text is cut up. */
static int eval_product(char *text, bool sizes, unsigned n_cpus, uint64_t *ret, struct err *e)
{
	uint64_t v = 1;
	char *factor;

	while ((factor = str_cut(&text, "*"))) {
		uint64_t f = n_cpus;
		int r = 0;

		factor = trim(factor);
		if (strcmp(factor, "cpus") != 0)
			r = sizes ? num_size(factor, &f, e) : num_u64(factor, &f, e);
		if (r < 0)
			return r;
		if (__builtin_mul_overflow(v, f, &v))
			return err_set(e, -ERANGE, "a product is too large for 64 bits");
	}
	*ret = v;
	return 0;
}

static void add_number(struct strv *l, bool size, uint64_t v)
{
	char buf[32];

	if (size)
		num_fmt_size(buf, sizeof(buf), v);
	else
		(void)snprintf(buf, sizeof(buf), "%" PRIu64, v);
	strv_add(l, buf);
}

/* Value @i of @n on a log scale from @a to @b, which are the first and the last exactly. */
static uint64_t log_spaced(uint64_t a, uint64_t b, uint64_t i, uint64_t n, bool size)
{
	double x = (double)a * pow((double)b / (double)a, (double)i / (double)(n - 1));
	uint64_t v;

	if (i == 0 || i == n - 1)
		return i ? b : a;
	v = size ? (uint64_t)(x / SIZE_STEP + 0.5) * SIZE_STEP : (uint64_t)(x + 0.5);
	return v < a ? a : v > b ? b : v;
}

static int add_spaced(struct strv *l, uint64_t a, uint64_t b, uint64_t n, bool size, struct err *e)
{
	uint64_t last = 0;

	if (n < 2 || n > SWEEP_MAX)
		return err_set(e, -ERANGE, "a range has 2 to %d values, not %" PRIu64, SWEEP_MAX,
			       n);
	if (a == 0)
		return err_set(e, -EINVAL, "a range on a log scale can't begin at 0");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v = log_spaced(a, b, i, n, size);

		if (i == 0 || v != last) /* neighbours may round to the same number */
			add_number(l, size, v);
		last = v;
	}
	return 0;
}

static int add_every(struct strv *l, uint64_t a, uint64_t b, bool size, struct err *e)
{
	if (size && a != b) {
		err_set(e, -EINVAL, "a range of sizes needs the number of values");
		err_hint(e, "write it as in \"4K..2M/16\": 16 sizes");
		return -EINVAL;
	}
	if (b - a >= SWEEP_MAX)
		return err_set(e, -ERANGE, "a range has at most %d values", SWEEP_MAX);
	for (uint64_t v = a;; v++) {
		add_number(l, size, v);
		if (v == b)
			return 0;
	}
}

/* "A..B" or "A..B/N", cut in place at @dots. */
static int add_range(struct strv *l, char *text, char *dots, bool size, unsigned n_cpus,
		     struct err *e)
{
	char *count = strchr(dots, '/');
	uint64_t a = 0, b = 0, n = 0;
	int r;

	*dots = '\0';
	if (count) {
		*count++ = '\0';
		r = num_u64(trim(count), &n, e);
		if (r < 0)
			return r;
	}
	r = eval_product(text, size, n_cpus, &a, e);
	if (r == 0)
		r = eval_product(dots + 2, size, n_cpus, &b, e);
	if (r < 0)
		return r;
	if (b < a)
		return err_set(e, -ERANGE, "the range ends below its beginning");
	return count ? add_spaced(l, a, b, n, size, e) : add_every(l, a, b, size, e);
}

static bool has_cpus(const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *factor;

	while ((factor = str_cut(&rest, "*")))
		if (strcmp(trim(factor), "cpus") == 0)
			return true;
	return false;
}

static int add_item(struct strv *l, const struct param_spec *spec, char *item, unsigned n_cpus,
		    struct err *e)
{
	bool size = spec->type == PARAM_SIZE;
	bool number = size || spec->type == PARAM_U64;
	char *dots = strstr(item, "..");
	uint64_t v;
	int r;

	if (!*item)
		return err_set(e, -EINVAL, "an empty value between commas");
	if (number && dots)
		return add_range(l, item, dots, size, n_cpus, e);
	if (!number || (!strchr(item, '*') && !has_cpus(item))) {
		strv_add(l, item);
		return 0;
	}
	r = eval_product(item, size, n_cpus, &v, e);
	if (r == 0)
		add_number(l, size, v);
	return r;
}

static int expand_items(const struct param_spec *spec, const char *text, unsigned n_cpus,
			struct strv *l, struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *item;

	while ((item = str_cut(&rest, ","))) {
		int r = add_item(l, spec, trim(item), n_cpus, e);

		if (r < 0)
			return err_wrap(e, r, "\"%s\": \"%s\"", spec->name, text);
		if (l->n > SWEEP_MAX)
			return err_set(e, -E2BIG, "\"%s\" has more than %d values", spec->name,
				       SWEEP_MAX);
	}
	return 0;
}

int sweep_expand(const struct param_spec *spec, const char *text, unsigned n_cpus,
		 struct strv *ret, struct err *e)
{
	_cleanup_strv_ struct strv l = { 0 };
	int r;

	if (spec->type == PARAM_TEXT) {
		strv_add(ret, text);
		return 0;
	}
	r = expand_items(spec, text, n_cpus, &l, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l.n; i++)
		strv_add(ret, l.v[i]);
	return 0;
}

char *sweep_product(const char *text, unsigned n_cpus)
{
	_cleanup_free_ char *copy = xstrdup(text);
	uint64_t v;

	if (!has_cpus(text) || eval_product(copy, true, n_cpus, &v, NULL) < 0)
		return NULL;
	return xasprintf("%" PRIu64, v);
}
