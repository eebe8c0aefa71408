/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the styles of tables share. Private to report/. */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "report/input.h"

report_style_fn report_mmtests;

bool style_same_metric(const struct store_metric *a, const struct store_metric *b);

/* Is it a row of a table: a primary metric of which the base has good samples? */
bool style_counts(const struct judge_row *r);

/*
 * The title of a case without its workload, words joined: "tasks-2-size-4K" with '-'; the
 * workload when nothing is left. malloc'd.
 */
char *style_op(const struct store_case *c, char joint);

/* Adds @s as printable ASCII. */
void style_add_ascii(struct strv *l, const char *s);

/* The end of every style: says so when no row was put, fails (-EFBIG) when @out was too small. */
int style_end(size_t n_rows, struct str *out, struct err *e);

#endif
