/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to import/: what a parser gets and what it says. */
#ifndef IMPORT_INTERNAL_H
#define IMPORT_INTERNAL_H

#include <stdio.h>

#include "base/str.h"
#include "import/import.h"

/* A row of the table to be: all texts are copied. */
struct import_key {
	const char *workload;
	const char *params; /* key=value text, "" */
	const char *title;  /* what tables print; NULL: workload and parameters */
	const char *metric, *unit, *op;
	bool higher;
	bool primary; /* the value that a verdict is about */
};

/* Where values go. A parser names the key of every one; equal keys are one row. */
struct import_sink {
	/* A value of the run that is being read. */
	int (*value)(void *arg, const struct import_key *k, double value, struct err *e);
	/* The run has no value for this row, and why: an outcome. */
	int (*failed)(void *arg, const struct import_key *k, const char *why, struct err *e);
	void *arg;
};

#define IMPORT_LINE_MAX 65536

struct import_in {
	const char *path; /* for messages */
	FILE *f;
	unsigned line; /* number of the last one read, from 1 */
	const struct import_options *o;
	/* where something else than the content says; or NULL */
	const char *workload, *params, *title;
	char buf[IMPORT_LINE_MAX];
};

/* The next line without its end, valid until the next call: 1; 0 at the end of the file. */
__must_check int import_line(struct import_in *in, char **ret, struct err *e);
/* "PATH:LINE: message", -EINVAL. */
int import_fail(const struct import_in *in, struct err *e, const char *fmt, ...) __printf(3, 4);
/* A whole word as a finite number that is not negative; else false. */
bool import_number(const char *word, double *ret);

struct importer {
	const char *name, *summary;
	bool (*sniff)(const char *head); /* the first lines of a file */
	int (*parse)(struct import_in *in, const struct import_sink *to, struct err *e);
};

extern const struct importer import_columns, import_sysbench, import_wis_stdout, import_wis_csv,
	import_netperf;

/* The format that @head looks like; NULL when none. */
const struct importer *import_sniff(const char *head);
const struct importer *import_find(const char *name);

/*
 * mmtests.c: calls @fn for every raw log below a results folder, with the row that its name says
 * (the parser of the log fills in the rest) and the time log beside it.
 */
struct mmtests_log {
	const char *path;
	const struct importer *importer;
	const char *workload, *params, *title;
};
__must_check int mmtests_each(const char *dir,
			      int (*fn)(const struct mmtests_log *l, void *arg, struct err *e),
			      void *arg, struct err *e);

#define TEXT_VERSION 1

/* text_read.c; text.c writes what it reads. */
__must_check int import_read_text(const char *path, struct store *s, struct err *e);

#endif
