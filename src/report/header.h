/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines above a table, and row titles without what the header says already. */
#ifndef REPORT_HEADER_H
#define REPORT_HEADER_H

#include <stddef.h>

#include "base/str.h"
#include "report/input.h"

/* Titles of the cases, in the order of x.cases, less the words that all of them have. */
struct titles {
	const struct store_case *cases;
	struct strv rest;   /* what is left, "(defaults)" when nothing is */
	struct str common;  /* the words that all have */
};
void titles_init(struct titles *t, const struct report_input *in);
/* @c points into x.cases, as the rows of a judge_table of that experiment do. */
const char *titles_of(const struct titles *t, const struct store_case *c);
void titles_done(struct titles *t);

/* "(A)", "(B)", …, "(AA)"; @buf has TEXT_NUM bytes. Returns @buf. */
char *header_letter(size_t variant, char *buf);

/* Three lines (longer ones wrap): what; the variants; machine, rounds, order, margin. */
void header_put(const struct judge_table *t, const struct report_input *in,
		const struct titles *titles, struct str *out);

#endif
