/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of the environments of all variants, compared. Private to report/. */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/input.h"

/* The @i-th key of the environment of variant @v, if no variant before has it; else NULL. */
const char *facts_new_key(const struct report_input *in, size_t v, size_t i);
/* The variants don't all have the same value of @key; memory only when it is far apart. */
bool facts_differ(const struct report_input *in, const char *key);
/* Some variant sets @key, or it is a clock. */
bool facts_planned(const struct report_input *in, const char *key);

#endif
