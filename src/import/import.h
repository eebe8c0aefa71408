/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people already have, into a store: logs of other tools, and experiments that mmgauge wrote
 * as text. Formats are read line by line; a mistake is told with file and line, and nothing of an
 * import that failed is kept. What a run did not yield (no transactions) is an outcome, a failed
 * run with its reason; what a log can't mean (a counter that went backwards, a file that was cut,
 * a word for a number) is an error. docs/import.md has the formats.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "store/store.h"

struct err;
struct str;

/* One file or folder of a variant; every file is a run of its own. */
struct import_file {
	const char *variant;
	const char *path;
};

struct import_options {
	const char *format; /* NULL: told from the content */
	const char *unit;   /* of plain columns; NULL: none */
	bool lower;	    /* lower values are better, where the format doesn't say */
	const char *command; /* for the record */
	const char *tool;    /* version and build, for the record */
};

/*
 * Reads all files into one new experiment of @s (of STORE_ORDER_IMPORTED; a text is the experiment
 * that it was, and must be the only file). Variants are in the order in which they are first named.
 */
__must_check int import_files(const struct import_file *files, size_t n,
			      const struct import_options *o, struct store *s, struct err *e);

/* "text", "columns", …; NULL after the last. */
const char *import_format_name(size_t i);
const char *import_format_summary(size_t i);
/* Is the file one of mmgauge's own texts? */
bool import_is_text(const char *path);

/*
 * An experiment as lines that can be mailed, compared and read back: records of wire/wire.h, each
 * with its checksum, the number of them in the last. The store that comes of it gives the same
 * text and the same reports. @put is called with pieces of the text.
 */
__must_check int import_write_text(struct store *s, int64_t experiment,
				   int (*put)(void *arg, const struct str *piece, struct err *e),
				   void *arg, struct err *e);

#endif
