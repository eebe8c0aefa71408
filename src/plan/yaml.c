// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Document trees from and to YAML; the only user of libyaml. Only what plans need is let in: one
 * document of lists, mappings and texts, without anchors (an alias can make a file of one
 * kilobyte expand to gigabytes) and without tags.
 */
#include <yaml.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/doc.h"

struct reader {
	yaml_parser_t parser;
	struct doc *doc;
	struct doc_node *stack[DOC_DEPTH_MAX]; /* lists and mappings not yet ended */
	size_t depth;
	bool had_document;
};

/* A node that stands for a place in the file, for messages only. */
static struct doc_node mark_node(const yaml_mark_t *m)
{
	return (struct doc_node){
		.line = (unsigned)m->line + 1,
		.column = (unsigned)m->column + 1,
	};
}

static int fail_at(const struct reader *r, const yaml_mark_t *m, struct err *e, const char *msg)
{
	struct doc_node n = mark_node(m);

	return doc_fail(r->doc, &n, e, -EINVAL, "%s", msg);
}

static int fail_parser(const struct reader *r, struct err *e)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem ? p->problem : "out of memory";
	struct doc_node n = mark_node(&p->problem_mark);

	doc_fail(r->doc, &n, e, -EINVAL, "not valid YAML: %s%s%s", problem,
		 p->context ? " " : "", p->context ? p->context : "");
	if (strstr(problem, "cannot start any token"))
		err_hint(e, "indent with spaces, not tabs; quote texts that begin with %%, @ or `");
	return -EINVAL;
}

/* Puts @n where it belongs: the root, an item of a list, a key or a value of a mapping. */
static int place_node(struct reader *r, struct doc_node *n, struct err *e)
{
	struct doc_node *parent = r->depth ? r->stack[r->depth - 1] : NULL;

	if (!parent) {
		r->doc->root = n;
		return 0;
	}
	if (parent->kind == DOC_MAP && parent->n % 2 == 0) {
		if (n->kind != DOC_TEXT || n->blank)
			return doc_fail(r->doc, n, e, -EINVAL, "a key must be a word");
		if (doc_get(parent, n->text))
			return doc_fail(r->doc, n, e, -EINVAL, "\"%s\" is given twice", n->text);
	}
	doc_add(parent, n);
	return 0;
}

/* NULL when there are too many. */
static struct doc_node *add_node(struct reader *r, const yaml_event_t *ev, enum doc_kind kind,
				 struct err *e)
{
	struct doc_node *n;

	if (r->doc->n == DOC_NODES_MAX) {
		fail_at(r, &ev->start_mark, e, "too many entries for a plan");
		return NULL;
	}
	n = doc_new(r->doc, kind, NULL, NULL);
	n->line = (unsigned)ev->start_mark.line + 1;
	n->column = (unsigned)ev->start_mark.column + 1;
	return n;
}

static int take_text(struct reader *r, const yaml_event_t *ev, struct err *e)
{
	const char *value = (const char *)ev->data.scalar.value;
	size_t len = ev->data.scalar.length;
	struct doc_node *n;

	if (memchr(value, '\0', len))
		return fail_at(r, &ev->start_mark, e, "a text must not hold a zero byte");
	n = add_node(r, ev, DOC_TEXT, e);
	if (!n)
		return -EINVAL;
	n->text = xstrndup(value, len);
	n->blank = len == 0 && ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return place_node(r, n, e);
}

static int take_start(struct reader *r, const yaml_event_t *ev, enum doc_kind kind, struct err *e)
{
	struct doc_node *n;
	int rc;

	if (r->depth == DOC_DEPTH_MAX)
		return fail_at(r, &ev->start_mark, e, "lists and mappings are nested too deep");
	n = add_node(r, ev, kind, e);
	if (!n)
		return -EINVAL;
	rc = place_node(r, n, e);
	if (rc == 0)
		r->stack[r->depth++] = n;
	return rc;
}

static int refuse_extras(const struct reader *r, const yaml_event_t *ev, struct err *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (ev->type == YAML_SCALAR_EVENT) {
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
	} else if (ev->type == YAML_SEQUENCE_START_EVENT) {
		anchor = ev->data.sequence_start.anchor;
		tag = ev->data.sequence_start.tag;
	} else if (ev->type == YAML_MAPPING_START_EVENT) {
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
	}
	if (anchor)
		return fail_at(r, &ev->start_mark, e, "anchors (&NAME) are not used in plans");
	if (tag)
		return fail_at(r, &ev->start_mark, e, "tags (!NAME) are not used in plans");
	return 0;
}

static int take_event(struct reader *r, const yaml_event_t *ev, struct err *e)
{
	int rc = refuse_extras(r, ev, e);

	if (rc < 0)
		return rc;
	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->had_document)
			return fail_at(r, &ev->start_mark, e, "a plan is one document");
		r->had_document = true;
		return 0;
	case YAML_ALIAS_EVENT:
		fail_at(r, &ev->start_mark, e, "aliases (*NAME) are not used in plans");
		err_hint(e, "write a number first, as in 3*cpus, or put the text in quotes");
		return -EINVAL;
	case YAML_SCALAR_EVENT:
		return take_text(r, ev, e);
	case YAML_SEQUENCE_START_EVENT:
		return take_start(r, ev, DOC_LIST, e);
	case YAML_MAPPING_START_EVENT:
		return take_start(r, ev, DOC_MAP, e);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return 0;
	default:
		return 0;
	}
}

static int read_all(struct reader *r, struct err *e)
{
	bool done = false;
	int rc = 0;

	while (!done && rc == 0) {
		yaml_event_t ev;

		if (!yaml_parser_parse(&r->parser, &ev))
			return fail_parser(r, e);
		done = ev.type == YAML_STREAM_END_EVENT;
		rc = take_event(r, &ev, e);
		yaml_event_delete(&ev);
	}
	if (rc == 0 && !r->doc->root)
		rc = doc_fail(r->doc, NULL, e, -EINVAL, "the plan is empty");
	return rc;
}

int doc_read_yaml(const char *file, const char *text, struct doc *ret, struct err *e)
{
	_cleanup_doc_ struct doc d = { .file = xstrdup(file) };
	struct reader r = { .doc = &d };
	size_t len = strlen(text);
	int rc;

	if (len > DOC_TEXT_MAX)
		return doc_fail(&d, NULL, e, -EFBIG, "a plan has at most %u bytes", DOC_TEXT_MAX);
	if (!yaml_parser_initialize(&r.parser))
		return err_set(e, -ENOMEM, "could not read \"%s\": out of memory", file);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	/* UTF-16 is found out by its mark, and would have zero bytes anyway */
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	rc = read_all(&r, e);
	yaml_parser_delete(&r.parser);
	if (rc < 0)
		return rc;
	*ret = d;
	d = (struct doc){ 0 };
	return 0;
}

static bool only_texts(const struct doc_node *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->v[i]->kind == DOC_MAP || (n->v[i]->kind == DOC_LIST && n->kind == DOC_LIST))
			return false;
	return true;
}

/* libyaml's constants are in two enums of equal meaning; the events take ownership when emitted. */
static bool start_event(yaml_event_t *ev, const struct doc_node *n, bool flow)
{
	if (n->kind == DOC_LIST)
		return yaml_sequence_start_event_initialize(ev, NULL, NULL, 1,
							    flow ? YAML_FLOW_SEQUENCE_STYLE
								 : YAML_BLOCK_SEQUENCE_STYLE);
	return yaml_mapping_start_event_initialize(ev, NULL, NULL, 1,
						   flow ? YAML_FLOW_MAPPING_STYLE
							: YAML_BLOCK_MAPPING_STYLE);
}

static bool text_event(yaml_event_t *ev, const struct doc_node *n)
{
	/* a text of no characters needs quotes to be told from nothing; the emitter adds them */
	const char *text = n->text ? n->text : "";

	return yaml_scalar_event_initialize(ev, NULL, NULL, (const yaml_char_t *)text,
					    (int)strlen(text), 1, 1, YAML_PLAIN_SCALAR_STYLE);
}

/* Recursive: the tree is our own, at most DOC_DEPTH_MAX deep. */
static bool write_node(yaml_emitter_t *em, const struct doc_node *n, bool root)
{
	yaml_event_t ev;

	if (n->kind == DOC_TEXT)
		return text_event(&ev, n) && yaml_emitter_emit(em, &ev);
	if (!start_event(&ev, n, !root && only_texts(n)) || !yaml_emitter_emit(em, &ev))
		return false;
	for (size_t i = 0; i < n->n; i++)
		if (!write_node(em, n->v[i], false))
			return false;
	if (n->kind == DOC_LIST)
		return yaml_sequence_end_event_initialize(&ev) && yaml_emitter_emit(em, &ev);
	return yaml_mapping_end_event_initialize(&ev) && yaml_emitter_emit(em, &ev);
}

static bool write_all(yaml_emitter_t *em, const struct doc_node *root)
{
	yaml_event_t ev;

	return yaml_stream_start_event_initialize(&ev, YAML_UTF8_ENCODING) &&
	       yaml_emitter_emit(em, &ev) &&
	       yaml_document_start_event_initialize(&ev, NULL, NULL, NULL, 1) &&
	       yaml_emitter_emit(em, &ev) && write_node(em, root, true) &&
	       yaml_document_end_event_initialize(&ev, 1) && yaml_emitter_emit(em, &ev) &&
	       yaml_stream_end_event_initialize(&ev) && yaml_emitter_emit(em, &ev);
}

static int write_bytes(void *arg, unsigned char *bytes, size_t n)
{
	str_addn(arg, (const char *)bytes, n);
	return 1;
}

/*
 * Surrogates and numbers above U+10FFFF: libyaml writes them, as escapes, but doesn't read them.
 * Only for text whose bytes are UTF-8 otherwise.
 */
static bool beyond_unicode(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++)
		if (*c > 0xf4 || (*c == 0xf4 && c[1] > 0x8f) || (*c == 0xed && c[1] > 0x9f))
			return true;
	return false;
}

int doc_write_yaml(const struct doc *d, struct str *out, struct err *e)
{
	yaml_emitter_t em;
	bool ok;

	for (size_t i = 0; i < d->n; i++) {
		yaml_event_t ev;

		if (d->all[i]->kind != DOC_TEXT)
			continue;
		if (!text_event(&ev, d->all[i]))
			return doc_fail(d, d->all[i], e, -EILSEQ, "not UTF-8 text");
		yaml_event_delete(&ev);
		if (beyond_unicode(d->all[i]->text))
			return doc_fail(d, d->all[i], e, -EILSEQ, "not UTF-8 text");
	}
	if (!yaml_emitter_initialize(&em))
		return err_set(e, -ENOMEM, "could not write a plan: out of memory");
	yaml_emitter_set_output(&em, write_bytes, out);
	yaml_emitter_set_unicode(&em, 1);
	yaml_emitter_set_width(&em, -1);
	ok = write_all(&em, d->root);
	yaml_emitter_delete(&em);
	if (!ok || !str_ok(out))
		return err_set(e, -E2BIG, "could not write a plan of these arguments");
	return 0;
}
