/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures as SVG inside a page: scales, ticks, axes, marks. Lines and text are currentColor or
 * named by class, so that the page's colours, dark or light, are the picture's; each mark has a
 * <title>. Coordinates are those of the viewBox, rounded to a tenth. Nothing that isn't finite
 * ever reaches the text. Private to report/.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

struct str;

#define SVG_TICKS 12	/* most that svg_ticks gives */
#define SVG_LABEL 32	/* bytes of a label of a tick */
#define SVG_SHAPES 6	/* marks that can be told apart without colour */

/*
 * Text from anywhere as text or attribute (always in double quotes) of HTML and SVG: the five
 * special characters as references; what is no UTF-8, control characters and those that turn the
 * direction of text as U+FFFD. Tab and newline stay.
 */
void svg_escape(struct str *out, const char *text);

/* From values to coordinates. */
struct svg_scale {
	double lo, hi;	   /* values, lo < hi */
	double from, to;   /* their coordinates */
	bool log;	   /* lo > 0 */
};
/*
 * Spans the finite ones of @v with a little room at both ends; of none 0 to 1, of equal ones a
 * bit around them. @log is ignored when a value is not positive.
 */
void svg_fit(struct svg_scale *s, const double *v, size_t n, bool log);
double svg_at(const struct svg_scale *s, double v); /* beyond the ends: at the end */

/* At most @max (2 to SVG_TICKS) round values within the scale, rising; returns how many. */
size_t svg_ticks(const struct svg_scale *s, size_t max, double *ret);
/* With as many decimals as tell values @step apart, and k, m, g of @largest. Returns @buf. */
char *svg_label(char *buf, double v, double step, double largest);
/* The same for a change, in percent. */
char *svg_label_pct(char *buf, double v, double step);

/* @label says what the picture shows, for who can't see it. */
void svg_open(struct str *out, double width, double height, const char *label);
void svg_close(struct str *out);
void svg_line(struct str *out, double x1, double y1, double x2, double y2, const char *cls);
/* @title "": none. */
void svg_rect(struct str *out, double x1, double y1, double x2, double y2, const char *cls,
	      const char *title);
/* @anchor: "start", "middle" or "end"; @y is the baseline. */
void svg_text(struct str *out, double x, double y, const char *anchor, const char *text);
/*
 * The mark of a variant: shape and colour (class "v0" to "v5") by its number; @bad: hollow and
 * crossed out. @href, "" for none, is a place within the page.
 */
void svg_mark(struct str *out, double x, double y, size_t variant, bool bad, const char *href,
	      const char *title);

/* Lines across at the ticks, with labels in the margin: left of s_x->from, and below @s_y->from. */
void svg_axis_y(struct str *out, const struct svg_scale *y, double x1, double x2, bool percent);
/* @whole: values are counts, ticks whole numbers. */
void svg_axis_x(struct str *out, const struct svg_scale *x, double y1, double y2, size_t max,
		bool whole);

#endif
