// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "report/report.h"

#define MAX_COLS 24
#define NARROWEST 8 /* a column that may wrap is not made narrower while others could give */

int text_decimals(double margin)
{
	if (margin >= 0.005)
		return 1;
	return margin >= 0.0005 ? 2 : 3;
}

static char *pct(char *buf, double fraction, int decimals, bool sign)
{
	double v = fraction * 100;
	char number[TEXT_NUM - 2];

	if (!isfinite(v)) {
		(void)snprintf(buf, TEXT_NUM, "-");
		return buf;
	}
	if (fabs(v) < 0.5 * pow(10, -decimals))
		v = 0; /* never "-0.0": a change that rounds to nothing has no direction */
	if (fabs(v) < 9999.5)
		(void)snprintf(number, sizeof(number), "%.*f",
			       fabs(v) >= (sign ? 99.95 : 9.95) ? 0 : decimals, v);
	else if (fabs(v) < 1e15)
		num_fmt_si(number, sizeof(number), v, 3);
	else
		(void)snprintf(number, sizeof(number), "%.2e", v);
	(void)snprintf(buf, TEXT_NUM, "%s%s%%", sign && v > 0 ? "+" : "", number);
	return buf;
}

char *text_pct_at(char *buf, double fraction, int decimals)
{
	return pct(buf, fraction, decimals, false);
}

char *text_pct_signed(char *buf, double fraction, int decimals)
{
	return pct(buf, fraction, decimals, true);
}

char *text_pct(char *buf, double fraction)
{
	double v = fabs(fraction * 100);
	int decimals = 0;

	/* two digits, but no zeros at the end */
	while (decimals < 4 && v > 0.00005 && fabs(v - round(v)) > 0.05 * v) {
		v *= 10;
		decimals++;
	}
	return pct(buf, fraction, decimals, false);
}

char *text_value(char *buf, double v)
{
	static const char *const suffix[] = { "p", "n", "u", "m", "", "k", "M", "G", "T", "P" };
	const size_t one = 4;
	size_t unit = one;
	double x = v;

	while (fabs(x) >= 999.95 && unit < ARRAY_LEN(suffix) - 1) {
		x /= 1000;
		unit++;
	}
	while (v != 0 && fabs(x) < (unit == one ? 0.09995 : 0.99995) && unit > 0) {
		x *= 1000;
		unit--;
	}
	if (!isfinite(v))
		(void)snprintf(buf, TEXT_NUM, "-");
	else if (fabs(x) >= 999.95 || (v != 0 && fabs(x) < 0.01))
		(void)snprintf(buf, TEXT_NUM, "%.3e", v);
	else if (unit == one && v == round(v))
		(void)snprintf(buf, TEXT_NUM, "%.0f", v);
	else
		(void)snprintf(buf, TEXT_NUM, "%.*f%s",
			       fabs(x) < 0.99995 ? 4 : fabs(x) < 9.9995 ? 3 :
			       fabs(x) < 99.995 ? 2 : 1, x, suffix[unit]);
	return buf;
}

char *text_exact(char *buf, double v)
{
	double back;

	if (!isfinite(v)) {
		(void)snprintf(buf, TEXT_NUM, "-");
		return buf;
	}
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(buf, TEXT_NUM, "%.*g", digits, v);
		if (num_double(buf, &back, NULL) == 0 && back >= v && back <= v)
			break;
	}
	return buf;
}

char *text_day(char *buf, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / (int64_t)NSEC_PER_SEC);
	struct tm tm;

	if (!gmtime_r(&s, &tm) || strftime(buf, TEXT_NUM, "%Y-%m-%d %H:%M", &tm) == 0)
		(void)snprintf(buf, TEXT_NUM, "-");
	return buf;
}

void text_ascii(struct str *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c & 0xc0) == 0x80)
			continue; /* the rest of a UTF-8 character that has its "?" */
		str_addc(out, iscntrl(c) ? ' ' : c < 0x80 ? *s : '?');
	}
}

/*
 * How much of @s goes on a line of @width: up to the last blank, else up to where names, specs
 * and paths have a joint, else hard.
 */
static size_t line_len(const char *s, size_t width)
{
	size_t len = strlen(s), cut;

	if (len <= width)
		return len;
	for (cut = width; cut > 0; cut--)
		if (s[cut] == ' ')
			return cut;
	for (cut = width; cut > width / 2; cut--)
		if (strchr(",/-_=", s[cut - 1]))
			return cut;
	return width;
}

static void add_blanks(struct str *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		str_addc(out, ' ');
}

/* Blanks at the end of the line that is being written are dropped. */
static void end_line(struct str *out)
{
	while (out->len > 0 && out->buf[out->len - 1] == ' ')
		out->buf[--out->len] = '\0';
	str_addc(out, '\n');
}

void text_wrap(struct str *out, const char *lead, size_t indent, const char *text)
{
	_cleanup_str_ struct str clean = STR_INIT(REPORT_MAX);
	const char *p;
	size_t used = strlen(lead);

	assert(used < REPORT_WIDTH && indent < REPORT_WIDTH);
	text_ascii(&clean, text);
	p = str_text(&clean);
	text_ascii(out, lead);
	do {
		size_t n = line_len(p, REPORT_WIDTH - used);

		str_addn(out, p, n);
		end_line(out);
		p += n;
		p += strspn(p, " ");
		used = indent;
		if (*p)
			add_blanks(out, indent);
	} while (*p);
}

/* What printf would have printed, malloc'd; the caller frees it. */
static __printf(1, 0) char *format(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		return xstrdup("");
	return text;
}

void text_wrapf(struct str *out, const char *lead, size_t indent, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	text_wrap(out, lead, indent, text);
}

struct text_row {
	struct strv cells;
	char *tail; /* NULL: none */
	bool span;
};

static struct text_row *new_row(struct text_table *t)
{
	if (t->n_rows == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 16;
		t->rows = xrealloc(t->rows, t->cap, sizeof(*t->rows));
	}
	t->rows[t->n_rows] = (struct text_row){ 0 };
	return &t->rows[t->n_rows++];
}

void text_row(struct text_table *t)
{
	(void)new_row(t);
}

void text_cell(struct text_table *t, const char *fmt, ...)
{
	_cleanup_str_ struct str clean = STR_INIT(REPORT_MAX);
	_cleanup_free_ char *raw = NULL;
	va_list ap;

	va_start(ap, fmt);
	raw = format(fmt, ap);
	va_end(ap);
	text_ascii(&clean, raw);
	strv_add(&t->rows[t->n_rows - 1].cells, str_text(&clean));
}

void text_interval(struct text_table *t, double lo, double hi, int decimals)
{
	char a[TEXT_NUM], b[TEXT_NUM];

	if (!isfinite(lo) || !isfinite(hi)) {
		text_cell(t, "-");
		return;
	}
	text_pct_signed(a, lo, decimals);
	a[strlen(a) - 1] = '\0'; /* one "%" will do */
	text_cell(t, "%s..%s", a, text_pct_signed(b, hi, decimals));
}

void text_tail(struct text_table *t, const char *text)
{
	_cleanup_str_ struct str clean = STR_INIT(REPORT_MAX);

	text_ascii(&clean, text);
	if (clean.len)
		t->rows[t->n_rows - 1].tail = xstrdup(str_text(&clean));
}

void text_span(struct text_table *t, const char *text)
{
	struct text_row *row = new_row(t);

	row->span = true;
	strv_add(&row->cells, text);
}

static size_t total_width(const size_t *width, size_t n, size_t indent, size_t gap)
{
	size_t total = indent;

	for (size_t c = 0; c < n; c++)
		total += width[c] + (c ? gap : 0);
	return total;
}

/* A column that wraps is cut inside words only when nothing else helps. */
static size_t longest_word(const char *s)
{
	size_t best = 0;

	while (*s) {
		size_t n = strcspn(s, " ");

		best = n > best ? n : best;
		s += n + strspn(s + n, " ");
	}
	return best;
}

struct widths {
	size_t now[MAX_COLS];
	size_t min[MAX_COLS];
};

/* The widest column that is above its floor: @floor, or its longest word. NULL: none. */
static size_t *widest(const struct text_table *t, struct widths *w, size_t n, size_t floor)
{
	size_t *best = NULL;

	for (size_t c = 0; c < n; c++) {
		bool wraps = isupper((unsigned char)t->cols[c]);
		size_t least = floor ? floor : w->min[c];

		if (w->now[c] > least && (wraps || floor == 1) && (!best || w->now[c] > *best))
			best = &w->now[c];
	}
	return best;
}

static void measure(const struct text_table *t, struct widths *w, size_t n)
{
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct text_row *row = &t->rows[r];

		assert(row->span || row->cells.n == n);
		for (size_t c = 0; !row->span && c < n; c++) {
			size_t len = strlen(row->cells.v[c]);
			size_t word = longest_word(row->cells.v[c]);

			w->now[c] = len > w->now[c] ? len : w->now[c];
			w->min[c] = word > w->min[c] ? word : w->min[c];
		}
	}
}

/* Sets the widths; returns the gap between columns. */
static size_t fit(const struct text_table *t, struct widths *w, size_t n)
{
	size_t gap = 2;

	measure(t, w, n);
	if (total_width(w->now, n, t->indent, gap) > REPORT_WIDTH)
		gap = 1;
	while (total_width(w->now, n, t->indent, gap) > REPORT_WIDTH) {
		size_t *give = widest(t, w, n, 0);

		if (!give)
			give = widest(t, w, n, NARROWEST);
		if (!give)
			give = widest(t, w, n, 1);
		(*give)--;
	}
	return gap;
}

static void put_cell(struct str *out, const char *text, size_t len, size_t width, bool right)
{
	if (right)
		add_blanks(out, width - len);
	str_addn(out, text, len);
	if (!right)
		add_blanks(out, width - len);
}

struct cell {
	const char *rest;
	size_t indent; /* of lines after the first: under a cell that begins with blanks */
};

/* One line of a row: what is left of each cell, as far as it fits. */
static bool put_line(const struct text_table *t, struct cell *cells, const size_t *width,
		     size_t gap, bool first, struct str *out)
{
	bool more = false;

	add_blanks(out, t->indent);
	for (size_t c = 0; t->cols[c]; c++) {
		size_t indent = first || cells[c].indent >= width[c] ? 0 : cells[c].indent;
		size_t len = line_len(cells[c].rest, width[c] - indent);

		add_blanks(out, (c ? gap : 0) + indent);
		put_cell(out, cells[c].rest, len, width[c] - indent,
			 tolower((unsigned char)t->cols[c]) == 'r');
		cells[c].rest += len;
		cells[c].rest += strspn(cells[c].rest, " ");
		more = more || *cells[c].rest;
	}
	return more;
}

/*
 * The tail goes at the right of the line that was begun at @start and is not ended yet, when
 * there is room, else on lines of its own.
 */
static void put_tail(const char *tail, size_t start, struct str *out)
{
	while (out->len > start && out->buf[out->len - 1] == ' ')
		out->buf[--out->len] = '\0';
	if (out->len - start + 1 + strlen(tail) > REPORT_WIDTH) {
		if (out->len > start)
			str_addc(out, '\n');
		start = out->len;
	}
	while (*tail) {
		size_t n = line_len(tail, REPORT_WIDTH);

		add_blanks(out, REPORT_WIDTH - (out->len - start) - n);
		str_addn(out, tail, n);
		str_addc(out, '\n');
		start = out->len;
		tail += n;
		tail += strspn(tail, " ");
	}
}

static void put_row(const struct text_table *t, const struct text_row *row, const size_t *width,
		    size_t gap, struct str *out)
{
	struct cell cells[MAX_COLS] = { 0 };
	bool more, tail = row->tail;

	for (size_t c = 0; t->cols[c]; c++) {
		const char *text = row->cells.v[c];
		size_t blanks = strspn(text, " ");

		cells[c] = (struct cell){ .rest = text, .indent = blanks ? blanks + 4 : 0 };
	}
	more = put_line(t, cells, width, gap, true, out);
	end_line(out);
	while (more || tail) {
		size_t start = out->len;

		if (more)
			more = put_line(t, cells, width, gap, false, out);
		if (tail)
			put_tail(row->tail, start, out);
		else
			end_line(out);
		tail = false;
	}
}

void text_table_put(const struct text_table *t, struct str *out)
{
	size_t n = strlen(t->cols), gap;
	struct widths w = { 0 };

	assert(n <= MAX_COLS);
	gap = fit(t, &w, n);
	for (size_t r = 0; r < t->n_rows; r++) {
		if (t->rows[r].span)
			text_wrap(out, "", t->indent + 2, t->rows[r].cells.v[0]);
		else
			put_row(t, &t->rows[r], w.now, gap, out);
	}
}

void text_table_done(struct text_table *t)
{
	for (size_t r = 0; r < t->n_rows; r++) {
		strv_done(&t->rows[r].cells);
		free(t->rows[r].tail);
	}
	free(t->rows);
	t->rows = NULL;
	t->n_rows = t->cap = 0;
}
