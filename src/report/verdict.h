/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a verdict and the counters that footnotes read. Private to report/. */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include <stddef.h>

#include "judge/judge.h"

struct str;

/*
 * The verdict in one or two words ("regressed", "no change", "inconclusive", "untrustworthy",
 * "failed", "exploratory"; nothing for a metric without verdict) is appended to @out, and what it
 * needs to be read right ("beyond +-2% (a real -0.8%)", "(12 more rounds)") to @detail. "no
 * change" is never printed without its detail.
 */
void verdict_text(const struct judge_table *t, const struct judge_row *r, size_t variant,
		  struct str *out, struct str *detail);

#endif
