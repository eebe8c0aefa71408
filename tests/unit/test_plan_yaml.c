// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/doc.h"

/* "" when @text is read, else the message. */
static const char *message(const char *text)
{
	static struct err e;
	_cleanup_doc_ struct doc d = { 0 };

	e = (struct err){ 0 };
	return doc_read_yaml("p.yaml", text, &d, &e) < 0 ? e.msg : "";
}

static void tree_and_marks(void)
{
	_cleanup_doc_ struct doc d = { 0 };
	struct err e = { 0 };
	const struct doc_node *b, *c;

	CHECK_OK(doc_read_yaml("p.yaml", "a: 1\nb:\n  - x\n  - {y: [2, 3]}\nc:\n", &d, &e));
	CHECK_EQ(d.root->kind, DOC_MAP);
	CHECK_STR(doc_get(d.root, "a")->text, "1");
	b = doc_get(d.root, "b");
	CHECK_EQ(b->kind, DOC_LIST);
	CHECK_EQ(b->n, 2);
	CHECK_STR(b->v[0]->text, "x");
	CHECK_EQ(b->v[0]->line, 3);
	CHECK_EQ(b->v[0]->column, 5);
	CHECK_STR(doc_get(b->v[1], "y")->v[1]->text, "3");
	CHECK_EQ(doc_get(b->v[1], "y")->line, 4);
	CHECK_EQ(doc_get(b->v[1], "y")->column, 9);
	c = doc_get(d.root, "c");
	CHECK(c->blank);
	CHECK(!doc_get(d.root, "d"));
}

/* Words that YAML would make something else of. */
static void words_stay_words(void)
{
	_cleanup_doc_ struct doc d = { 0 };
	struct err e = { 0 };

	CHECK_OK(doc_read_yaml("p", "[null, ~, yes, 0x10, 2%, 1..3*cpus, '']", &d, &e));
	CHECK_STR(d.root->v[0]->text, "null");
	CHECK_STR(d.root->v[1]->text, "~");
	CHECK_STR(d.root->v[2]->text, "yes");
	CHECK_STR(d.root->v[3]->text, "0x10");
	CHECK_STR(d.root->v[4]->text, "2%");
	CHECK_STR(d.root->v[5]->text, "1..3*cpus");
	CHECK_STR(d.root->v[6]->text, "");
	CHECK(!d.root->v[6]->blank);
}

static void refused_with_place(void)
{
	CHECK_STR(message(""), "p.yaml:1:1: the plan is empty");
	CHECK_STR(message("# nothing\n"), "p.yaml:1:1: the plan is empty");
	CHECK_STR(message("a: 1\na: 2\n"), "p.yaml:2:1: \"a\" is given twice");
	CHECK_STR(message("a: &x 1\n"), "p.yaml:1:4: anchors (&NAME) are not used in plans");
	CHECK_STR(message("a: *x\n"), "p.yaml:1:4: aliases (*NAME) are not used in plans");
	CHECK_STR(message("a: !!int 1\n"), "p.yaml:1:4: tags (!NAME) are not used in plans");
	CHECK_STR(message("a: 1\n---\nb: 2\n"), "p.yaml:2:1: a plan is one document");
	CHECK_STR(message("? [a]\n: 1\n"), "p.yaml:1:3: a key must be a word");
	CHECK_STR(message("a: \"x\\0y\"\n"), "p.yaml:1:4: a text must not hold a zero byte");
	CHECK_HAS(message("a:\n\tb: 1\n"), "p.yaml:2:1: not valid YAML: ");
	CHECK_HAS(message("a: [1, 2\nb: 3\n"), "p.yaml:2:");
	CHECK_HAS(message("a: \xff\n"), "not valid YAML: ");
	CHECK_STR(message("[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"), "");
	CHECK_STR(message("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"),
		  "p.yaml:1:17: lists and mappings are nested too deep");
}

static void refused_when_large(void)
{
	_cleanup_str_ struct str s = STR_INIT(DOC_TEXT_MAX + 100);

	for (unsigned i = 0; i < DOC_NODES_MAX; i++)
		str_add(&s, "- x\n");
	CHECK_STR(message(str_text(&s)), "p.yaml:10000:3: too many entries for a plan");
	while (s.len <= DOC_TEXT_MAX)
		str_add(&s, "# long comment\n");
	CHECK_STR(message(str_text(&s)), "p.yaml:1:1: a plan has at most 262144 bytes");
}

static void same_tree(const struct doc_node *a, const struct doc_node *b)
{
	CHECK_EQ(a->kind, b->kind);
	CHECK_EQ(a->n, b->n);
	if (a->kind == DOC_TEXT)
		CHECK_STR(a->text, b->text);
	for (size_t i = 0; i < a->n && !tap.this_failed; i++)
		same_tree(a->v[i], b->v[i]);
}

static void written_and_read_back(void)
{
	static const char *const words[] = {
		"", " x ", "null", "- a", "a: b", "*x", "&x", "!x", "%", "#", "'", "\"", "a,b", "[",
		"{}", "a\nb\n", "\t", "\x01", "\xc3\xa4", "@", "`", "?", ":", "-", "a #b", "---",
	};
	_cleanup_doc_ struct doc d = { 0 }, back = { 0 };
	_cleanup_str_ struct str out = STR_INIT(8192);
	struct err e = { 0 };
	struct doc_node *list = doc_new(&d, DOC_LIST, NULL, NULL);

	d.root = doc_new(&d, DOC_MAP, NULL, NULL);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct doc_node *m = doc_new(&d, DOC_MAP, NULL, NULL);

		doc_add(list, doc_new(&d, DOC_TEXT, words[i], NULL));
		doc_add_pair(&d, m, "k", doc_new(&d, DOC_TEXT, words[i], NULL));
		doc_add(list, m);
	}
	doc_add_pair(&d, d.root, "list", list);
	doc_add_pair(&d, d.root, "none", doc_new(&d, DOC_MAP, NULL, NULL));
	CHECK_OK(doc_write_yaml(&d, &out, &e));
	CHECK_OK(doc_read_yaml("p", str_text(&out), &back, &e));
	same_tree(d.root, back.root);
}

static void not_utf8_is_refused(void)
{
	/* a stray byte, above U+10FFFF twice, a surrogate: could not be read back */
	static const char *const bad[] = { "\xff", "\xf6\x88\x9b\xa1", "\xf4\x90\x80\x80",
					   "a\xed\xa0\x80" };
	static const char good[] = "\xf4\x8f\xbf\xbd \xed\x9f\xbf \xee\x80\x80";
	_cleanup_doc_ struct doc d = { 0 }, back = { 0 };
	_cleanup_str_ struct str out = STR_INIT(8192);
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		_cleanup_doc_ struct doc b = { 0 };

		b.root = doc_new(&b, DOC_TEXT, bad[i], "exec:x=?");
		CHECK_EQ(doc_write_yaml(&b, &out, &e), -EILSEQ);
		CHECK_HAS(e.msg, "not UTF-8");
	}
	d.root = doc_new(&d, DOC_MAP, NULL, NULL);
	doc_add_pair(&d, d.root, "a", doc_new(&d, DOC_TEXT, good, NULL));
	CHECK_OK(doc_write_yaml(&d, &out, &e));
	CHECK_OK(doc_read_yaml("p", str_text(&out), &back, &e));
	CHECK_STR(back.root->v[1]->text, good);
}

static void unknown_words(void)
{
	static const char *const words[] = { "tasks", "size", "mode" };
	_cleanup_doc_ struct doc d = { 0 };
	struct err e = { 0 };

	CHECK_OK(doc_read_yaml("p", "[taks, zebra]", &d, &e));
	CHECK_EQ(doc_unknown(&d, d.root->v[0], &e, "parameter", words, 3), -EINVAL);
	CHECK_STR(e.msg, "p:1:2: unknown parameter \"taks\"; did you mean \"tasks\"?");
	CHECK_EQ(doc_unknown(&d, d.root->v[1], &e, "parameter", words, 3), -EINVAL);
	CHECK_STR(e.msg, "p:1:8: unknown parameter \"zebra\"");
	CHECK_STR(e.hint, "known are: tasks, size, mode");
}

int main(void)
{
	TAP_RUN(tree_and_marks);
	TAP_RUN(words_stay_words);
	TAP_RUN(refused_with_place);
	TAP_RUN(refused_when_large);
	TAP_RUN(written_and_read_back);
	TAP_RUN(not_utf8_is_refused);
	TAP_RUN(unknown_words);
	return tap_done();
}
