/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --full adds to a report: all that a reviewer needs to tear it apart. */
#ifndef REPORT_FULL_H
#define REPORT_FULL_H

#include "report/header.h"
#include "report/input.h"

struct str;

void full_put(const struct judge_table *t, const struct report_input *in,
	      const struct titles *titles, struct str *out);

/* The groups of each variant as they were read back, drawn as trees; in tree.c. */
void tree_put(const struct report_input *in, struct str *out);

/* Counters, median by variant: those of machine and tool, then case by case; in counters.c. */
void counters_put(const struct report_input *in, struct str *out);

/* @command in lines that a shell joins again. */
void full_command(const char *command, struct str *out);

#endif
