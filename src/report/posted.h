/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of summaries as people post them: reading, and the report of their verdicts. */
#ifndef REPORT_POSTED_H
#define REPORT_POSTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "judge/posted.h"

struct err;
struct str;

#define POSTED_MAX_LABELS 10000
#define POSTED_MAX_N 1000000000u /* of one side */

/*
 * Reads @text. Two forms, also mixed; empty lines and those that begin with '#' are skipped, and
 * every line may carry the "> " of a mail that is quoted:
 *
 * LABEL VARIANT MEAN STDDEV N: fields apart by blanks or tabs, or by commas (fields may then be in
 * "quotes"). A line of names may come first; N may be left out when @n is given.
 *
 * LABEL | MEAN | MEDIAN | STDDEV, the posted table: a line with the label alone, then one for each
 * variant "(A) base | ..." (the letter is dropped), and changes in percent, which are not read.
 * @n is that of all rows.
 *
 * The first variant of a label is its base. @n 0: not given. Errors begin "NAME:LINE: ". *@ret
 * is ended with posted_done; its effects are filled in by judge_posted.
 */
__must_check int posted_parse(const char *text, const char *name, uint64_t n, struct posted *ret,
			      struct err *e);

/* Mail text as report_native, of what judge_posted decided. */
__must_check int report_posted(const struct posted *t, const char *name, bool higher_is_better,
			       struct str *out, struct err *e);

#endif
