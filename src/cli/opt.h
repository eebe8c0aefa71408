/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands and their options as tables: one table drives parsing, --help and the man page.
 * Values go to `arg_…` statics of the command's file through `to`.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/str.h"

struct err;

enum opt_kind {
	OPT_FLAG,     /* bool *: set to true */
	OPT_TEXT,     /* const char ** */
	OPT_LIST,     /* struct strv *: may be given more than once */
	OPT_UNSIGNED, /* unsigned * */
	OPT_U64,      /* uint64_t * */
	OPT_DURATION, /* uint64_t *, nanoseconds */
	OPT_FRACTION, /* double * */
};

struct opt {
	const char *name; /* long name; NULL ends a table */
	char letter;	  /* or 0 */
	enum opt_kind kind;
	void *to;
	const char *arg;  /* how help names the value */
	const char *help;
};

struct cmd {
	const char *name;
	const char *summary;  /* one line, lower case */
	const char *synopsis; /* after the name: "[STORE]" */
	const char *about;    /* paragraphs, may be "" */
	const char *examples; /* one a line, indented by two; each works as it stands */
	const struct opt *opts;
	/* @argv: what is left after the options. Returns the exit status or negative errno. */
	int (*main)(int argc, char **argv, struct err *e);
	/* Exit statuses for mistakes of the user and for failures; 0: EXIT_USAGE, EXIT_FAILED. */
	int usage_status, failed_status;
};

/*
 * Parses options of @argv[1..]; what is left starts at @argv[*ret_first]. Everything after "--"
 * is left and *@ret_dashes is its index (argc when there is none). -EINVAL for mistakes.
 */
__must_check int opt_parse(const struct cmd *c, int argc, char **argv, int *ret_first,
			   int *ret_dashes, bool *ret_help, struct err *e);
void opt_help(const struct cmd *c, struct str *out);
void opt_man(const struct cmd *c, struct str *out); /* roff, for man/mmgauge.1 */

#endif
