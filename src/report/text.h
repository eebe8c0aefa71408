/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain text that never leaves its width: numbers, wrapped paragraphs, tables whose cells wrap.
 * Whatever is handed in comes out as printable ASCII: a control character becomes a blank,
 * another character "?". Private to report/.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

#define TEXT_NUM 32 /* enough for every number formatted here */

/* All return @buf, which has TEXT_NUM bytes; "-" when @v is not finite. */
char *text_pct(char *buf, double fraction); /* as short as it can be: "2%", "0.8%", "0.034%" */
/*
 * With @decimals: "1.2%", signed "-3.4%", "+0.7%", "0.0%". Without from 100 % on, spreads (those
 * without sign) from 10 % on: "13%", "140%".
 */
char *text_pct_at(char *buf, double fraction, int decimals);
char *text_pct_signed(char *buf, double fraction, int decimals);
/* Decimals of percentages in a table with that margin: a tenth of it can be told. */
int text_decimals(double margin);
char *text_value(char *buf, double v);		   /* four digits: "431.2k", "26.25m" */
char *text_exact(char *buf, double v);		   /* shortest text that reads back the same */

char *text_day(char *buf, int64_t wall_ns); /* "2026-12-01 13:05", UTC */

void text_ascii(struct str *out, const char *s);

/* @lead and then @text, broken at blanks, further lines indented by @indent (< the width). */
void text_wrap(struct str *out, const char *lead, size_t indent, const char *text);
void text_wrapf(struct str *out, const char *lead, size_t indent, const char *fmt, ...)
	__printf(4, 5);

/*
 * A table. @cols has a letter per column: 'l' or 'r' for the alignment, in upper case when the
 * column may be narrowed first (its cells then wrap). Every row, also the heading, is made of
 * text_row() and as many text_cell() as there are columns. text_tail() adds what follows the
 * last cell but may use the whole next line, at its right. text_span() is a line of its own.
 */
struct text_row;
struct text_table {
	const char *cols;
	size_t indent;
	struct text_row *rows;
	size_t n_rows, cap;
};
#define _cleanup_text_table_ __attribute__((cleanup(text_table_done)))

void text_row(struct text_table *t);
void text_cell(struct text_table *t, const char *fmt, ...) __printf(2, 3);
/* A cell "-4.1..-3.0%"; "-" when an end is not finite. */
void text_interval(struct text_table *t, double lo, double hi, int decimals);
void text_tail(struct text_table *t, const char *text); /* "" adds nothing */
void text_span(struct text_table *t, const char *text);
void text_table_put(const struct text_table *t, struct str *out);
void text_table_done(struct text_table *t);

#endif
