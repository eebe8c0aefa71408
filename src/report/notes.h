/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Footnotes: what changes the reading of a table. Numbered ones are referred to from the rows
 * they concern, general ones concern the table. Private to report/.
 */
#ifndef REPORT_NOTES_H
#define REPORT_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "report/input.h"

struct note_ref {
	size_t note; /* index into numbered */
	int64_t case_id;
	size_t variant;
};

struct notes {
	struct strv numbered;
	struct strv general;
	struct note_ref *refs;
	size_t n_refs, cap_refs;
};
#define _cleanup_notes_ __attribute__((cleanup(notes_done)))

void notes_collect(const struct judge_table *t, const struct report_input *in, struct notes *ret);
/*
 * "[1][3]" for a case under a variant (NO_VARIANT: under any), "" when nothing concerns it.
 * Returns what was added to @out, as text.
 */
void notes_refs(const struct notes *l, int64_t case_id, size_t variant, struct str *out);
void notes_put(const struct notes *l, struct str *out);
void notes_done(struct notes *l);

#endif
