/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small document tree: what a plan is read from. It comes from YAML text (yaml.c) or from the
 * arguments of the command line (args.c), and every node knows where it was written, so that
 * messages can say so. Text is never interpreted here: "null", "yes" and "1" are words.
 *
 * All nodes belong to the doc and end with it.
 */
#ifndef PLAN_DOC_H
#define PLAN_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct err;
struct str;

#define DOC_TEXT_MAX (256u << 10)
#define DOC_DEPTH_MAX 16
#define DOC_NODES_MAX 10000

enum doc_kind { DOC_TEXT, DOC_LIST, DOC_MAP };

struct doc_node {
	enum doc_kind kind;
	bool blank;	       /* text of which nothing was written: "key:" */
	unsigned line, column; /* from 1, where it starts in the file; 0: see origin */
	char *origin;	       /* the argument that it comes from, or NULL */
	char *text;
	struct doc_node **v; /* list: items; map: key, value, key, value, … */
	size_t n, cap;
};

struct doc {
	char *file; /* for messages */
	struct doc_node *root;
	struct doc_node **all;
	size_t n, cap;
};

/*
 * Reads one YAML document. Refused with FILE:LINE:COLUMN: broken YAML, anchors, aliases, tags,
 * a key twice, keys that are no words, more than one document, NUL in a text, too deep or large.
 */
__must_check int doc_read_yaml(const char *file, const char *text, struct doc *ret, struct err *e);
/* YAML that doc_read_yaml reads back to the same tree. Fails on text that is not UTF-8. */
__must_check int doc_write_yaml(const struct doc *d, struct str *out, struct err *e);
void doc_done(struct doc *d);
#define _cleanup_doc_ __attribute__((cleanup(doc_done)))

/* For building; @text and @origin may be NULL and are copied. */
struct doc_node *doc_new(struct doc *d, enum doc_kind kind, const char *text, const char *origin);
void doc_add(struct doc_node *parent, struct doc_node *child);
void doc_add_pair(struct doc *d, struct doc_node *map, const char *key, struct doc_node *value);

struct doc_node *doc_get(const struct doc_node *map, const char *key); /* value or NULL */

/* "FILE:LINE:COLUMN" or "argument \"…\"" of @n into @out. */
void doc_where(const struct doc *d, const struct doc_node *n, struct str *out);
/* Sets "WHERE: message"; returns @code. */
int doc_fail(const struct doc *d, const struct doc_node *n, struct err *e, int code,
	     const char *fmt, ...) __printf(5, 6);
/* Puts WHERE before the message that is there; returns @code. */
int doc_wrap(const struct doc *d, const struct doc_node *n, struct err *e, int code);
/*
 * "WHERE: unknown WHAT \"WORD\"; did you mean \"NEAREST\"?" over the words in @words, or with
 * the list of them as hint when none is near. Returns -EINVAL.
 */
int doc_unknown(const struct doc *d, const struct doc_node *n, struct err *e, const char *what,
		const char *const *words, size_t n_words);

#endif
