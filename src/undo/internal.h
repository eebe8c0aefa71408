/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to undo/: entries, and how each kind is taken back (kinds.c). */
#ifndef UNDO_INTERNAL_H
#define UNDO_INTERNAL_H

#include <stddef.h>
#include <sys/types.h>

struct err;
struct str;

#define UNDO_ARGS_MAX 2

struct entry_kind {
	const char *name;
	size_t n_args;
	const char *did; /* "removed group", for reports */
	int (*take_back)(char *const *arg, struct err *e); /* idempotent */
};

/* One thing to take back; a line of the journal is the record "NAME a0=… a1=…" of wire/. */
struct entry {
	const struct entry_kind *kind;
	char *arg[UNDO_ARGS_MAX];
	off_t offset; /* of its line in the journal */
};

const struct entry_kind *undo_kind(const char *name); /* NULL when unknown */

#endif
