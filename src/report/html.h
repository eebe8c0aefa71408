/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTML report, between its files. Sections have ids: "row-R" and "raw-R" for row R of the
 * table, "run-ID" for a run, "note-N" for a footnote from 1. Private to report/.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"
#include "report/header.h"
#include "report/input.h"
#include "report/notes.h"

#define HTML_ID 40		/* bytes of an id */
#define HTML_RUNS_MAX 5000	/* more are not listed: the file must stay readable */
#define HTML_MARKS_MAX 400	/* in a picture, of a variant: evenly thinned out beyond */

struct html {
	const struct judge_table *t;
	const struct report_input *in;
	struct notes notes;
	struct titles titles;
	int decimals;	/* of percentages */
	struct str *out;
};

extern const char html_css[];

/* Escaped text; NULL is "". */
void html_text(const struct html *h, const char *text);
void html_textf(const struct html *h, const char *fmt, ...) __printf(2, 3); /* escaped as a whole */
/* <TAG ATTRS>escaped text</TAG>; @attrs "" or " class=\"x\"". */
void html_tag(const struct html *h, const char *tag, const char *attrs, const char *fmt, ...)
	__printf(4, 5);
/* <table>, caption (escaped) and heading in a box that scrolls; ended by html_table_end. */
void html_table(const struct html *h, const char *caption, const char *const *names, size_t n);
void html_table_end(const struct html *h);
/* What text reports say, in <pre>. */
void html_pre(const struct html *h, const char *text);
/* "[1][3]" with links, for a case under a variant (NO_VARIANT: any). */
void html_refs(const struct html *h, int64_t case_id, size_t variant);

/* A row that is drawn: primary, with anything in it. */
bool html_drawn(const struct html *h, size_t row);
/* Title of the row's case in full. */
const char *html_title(const struct html *h, size_t row);
/* "%+.1f..": interval as text, "-" when there is none. Returns @buf. */
char *html_interval(const struct html *h, const struct judge_effect *f, char buf[64]);

void html_summary(const struct html *h);
void html_others(const struct html *h, size_t row); /* other metrics of the row's case */
void html_environment(const struct html *h);
void html_rows(const struct html *h);
void html_sweeps(const struct html *h);
void html_repeat(const struct html *h);
void html_raw(const struct html *h);

/* A value of a row's metric with the run that left it. */
struct html_dot {
	const struct store_ref *run;
	double value; /* finite; of many samples of a run the mean, unless a run is all there is */
	unsigned idx;
	bool bad;
};
struct html_dots {
	struct html_dot *v; size_t n; /* by seq */
	double *good; size_t n_good;  /* their values, sorted */
};
void html_dots_init(struct html_dots *d, const struct html *h, size_t row, size_t variant);
void html_dots_done(struct html_dots *d);

/* Pictures of a row; @d has an entry per variant. */
void html_strip(const struct html *h, size_t row, const struct html_dots *d);
void html_order(const struct html *h, size_t row, const struct html_dots *d);
void html_ratios(const struct html *h, size_t row, size_t variant);
/* The mark of a variant and its name, within a line of text. */
void html_key(const struct html *h, size_t variant);

#endif
