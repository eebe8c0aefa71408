// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The short form: arguments become the document that a file would have given, and from there on
 * both are the same. The document is written down as the plan's text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/draft.h"

struct builder {
	struct doc doc;
	struct doc_node *place, *variants, *cases;
	struct doc_node *exec; /* settings of the first exec case, or NULL */
};

static int fail_arg(struct err *e, int code, const char *arg)
{
	return err_wrap(e, code, "argument \"%s\"", arg);
}

static void add_text(struct builder *b, struct doc_node *map, const struct kv *kv,
		     const char *origin)
{
	doc_add_pair(&b->doc, map, kv->key, doc_new(&b->doc, DOC_TEXT, kv->val, origin));
}

/* Reads "NAME:key=value,…": the name, malloc'd, or NULL; the settings as a mapping. */
static char *read_arg(struct builder *b, const char *arg, struct doc_node **ret_map, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	const char *colon = strchr(arg, ':');
	int r = colon ? kvs_parse(colon + 1, &kvs, e) : 0;

	if (r < 0) {
		fail_arg(e, r, arg);
		return NULL;
	}
	*ret_map = doc_new(&b->doc, DOC_MAP, NULL, arg);
	for (size_t i = 0; i < kvs.n; i++)
		add_text(b, *ret_map, &kvs.v[i], arg);
	return xstrndup(arg, colon ? (size_t)(colon - arg) : strlen(arg));
}

static int add_workload(struct builder *b, const char *arg, struct err *e)
{
	struct doc_node *map = NULL, *item;
	_cleanup_free_ char *name = read_arg(b, arg, &map, e);

	if (!name)
		return -EINVAL;
	item = doc_new(&b->doc, DOC_MAP, NULL, arg);
	doc_add_pair(&b->doc, item, name, map);
	doc_add(b->cases, item);
	if (strcmp(name, "exec") == 0 && !b->exec)
		b->exec = map;
	return 0;
}

static int add_variant(struct builder *b, const char *arg, struct err *e)
{
	struct doc_node *map = NULL;
	_cleanup_free_ char *name = read_arg(b, arg, &map, e);

	if (!name)
		return -EINVAL;
	if (doc_get(b->variants, name)) {
		err_set(e, -EINVAL, "a variant \"%s\" was given before", name);
		return fail_arg(e, -EINVAL, arg);
	}
	doc_add_pair(&b->doc, b->variants, name, map);
	return 0;
}

static int add_setting(struct builder *b, const char *arg, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(arg, &kvs, e);

	for (size_t i = 0; r == 0 && i < kvs.n; i++) {
		if (doc_get(b->doc.root, kvs.v[i].key) || !plan_is_setting(kvs.v[i].key))
			r = err_set(e, -EINVAL, "\"%s\" is %s", kvs.v[i].key,
				    plan_is_setting(kvs.v[i].key) ? "given twice"
								  : "no setting of a plan");
		else
			add_text(b, b->doc.root, &kvs.v[i], arg);
	}
	return r < 0 ? fail_arg(e, r, arg) : 0;
}

/* Gives a common parameter to every case that can take it and has none; false: nobody can. */
static bool spread_param(struct builder *b, const struct kv *kv, const char *arg)
{
	bool taken = false;

	for (size_t i = 0; i < b->cases->n; i++) {
		const struct doc_node *item = b->cases->v[i];
		const struct workload *w = workload_find(item->v[0]->text);

		if (!w) {
			taken = true; /* the unknown workload is the mistake to be told */
			continue;
		}
		if (!draft_find_param(w, kv->key) && !draft_is_vector(w, kv->key))
			continue;
		taken = true;
		if (!doc_get(item->v[1], kv->key))
			add_text(b, item->v[1], kv, arg);
	}
	return taken;
}

static int unknown_common(struct builder *b, const char *key, const char *arg, struct err *e)
{
	const char *near = place_nearest(key), *words[256];
	size_t n = 0;

	if (near)
		words[n++] = near;
	for (size_t i = 0; i < b->cases->n; i++) {
		const struct workload *w = workload_find(b->cases->v[i]->v[0]->text);

		for (const struct param_spec *s = w->params; s && s->name && n < 256; s++)
			words[n++] = s->name;
	}
	near = str_nearest(key, words, n);
	err_set(e, -EINVAL,
		"\"%s\" is neither a placement key nor a parameter of any workload here%s%s%s", key,
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return fail_arg(e, -EINVAL, arg);
}

static int add_common(struct builder *b, const char *arg, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(arg, &kvs, e);

	if (r < 0)
		return fail_arg(e, r, arg);
	for (size_t i = 0; i < kvs.n; i++) {
		const struct kv *kv = &kvs.v[i];

		if (!place_is_key(kv->key)) {
			if (!spread_param(b, kv, arg))
				return unknown_common(b, kv->key, arg, e);
			continue;
		}
		if (doc_get(b->place, kv->key)) {
			r = err_set(e, -EINVAL, "\"%s\" was given before", kv->key);
			return fail_arg(e, r, arg);
		}
		add_text(b, b->place, kv, arg);
	}
	return 0;
}

static int add_argv(struct builder *b, char *const *argv, size_t n_workloads, struct err *e)
{
	struct doc_node *list;
	int r = 0;

	if (n_workloads == 0)
		r = add_workload(b, "exec", e);
	if (r < 0)
		return r;
	if (!b->exec) {
		err_set(e, -EINVAL, "the program \"%s\" after \"--\" needs the workload exec",
			argv[0]);
		err_hint(e, "name \"exec\" among the workloads, or none");
		return -EINVAL;
	}
	if (doc_get(b->exec, "argv"))
		return err_set(e, -EINVAL, "\"argv\" is given twice: with exec and after \"--\"");
	list = doc_new(&b->doc, DOC_LIST, NULL, argv[0]);
	for (; *argv; argv++)
		doc_add(list, doc_new(&b->doc, DOC_TEXT, *argv, *argv));
	doc_add_pair(&b->doc, b->exec, "argv", list);
	return 0;
}

#define NAME_MAX_LEN 64

/* "page_fault1" or "page_fault1+createdelete"; without a file there is nothing better. */
static void add_name(struct builder *b)
{
	_cleanup_str_ struct str name = STR_INIT(NAME_MAX_LEN);

	for (size_t i = 0; i < b->cases->n; i++)
		str_addf(&name, i ? "+%s" : "%s", b->cases->v[i]->v[0]->text);
	if (doc_get(b->doc.root, "name"))
		return;
	if (!str_ok(&name)) {
		str_clear(&name);
		str_addf(&name, "%zu workloads", b->cases->n);
	}
	doc_add_pair(&b->doc, b->doc.root, "name",
		     doc_new(&b->doc, DOC_TEXT, str_text(&name), NULL));
}

static void add_section(struct builder *b, const char *key, struct doc_node *section)
{
	if (section->n)
		doc_add_pair(&b->doc, b->doc.root, key, section);
}

static int build(struct builder *b, const struct plan_args *a, struct err *e)
{
	int r = 0;

	b->doc.root = doc_new(&b->doc, DOC_MAP, NULL, NULL);
	b->place = doc_new(&b->doc, DOC_MAP, NULL, NULL);
	b->variants = doc_new(&b->doc, DOC_MAP, NULL, NULL);
	b->cases = doc_new(&b->doc, DOC_LIST, NULL, NULL);
	for (size_t i = 0; r == 0 && i < a->n_workloads; i++)
		r = add_workload(b, a->workloads[i], e);
	if (r == 0 && a->argv && a->argv[0])
		r = add_argv(b, a->argv, a->n_workloads, e);
	if (r == 0 && b->cases->n == 0) {
		r = err_set(e, -EINVAL, "no workload is named: nothing to run");
		err_hint(e, "\"mmgauge list\" shows the workloads");
	}
	for (size_t i = 0; r == 0 && i < a->n_variants; i++)
		r = add_variant(b, a->variants[i], e);
	for (size_t i = 0; r == 0 && i < a->n_common; i++)
		r = add_common(b, a->common[i], e);
	for (size_t i = 0; r == 0 && i < a->n_settings; i++)
		r = add_setting(b, a->settings[i], e);
	if (r < 0)
		return r;
	add_name(b);
	add_section(b, "place", b->place);
	add_section(b, "variants", b->variants);
	add_section(b, "cases", b->cases);
	return 0;
}

static void builder_done(struct builder *b)
{
	doc_done(&b->doc);
}

int plan_from_args(const struct plan_args *a, unsigned n_cpus, struct plan *ret, struct err *e)
{
	_cleanup_(builder_done) struct builder b = { 0 };
	_cleanup_str_ struct str text = STR_INIT(DOC_TEXT_MAX);
	struct plan p;
	int r = build(&b, a, e);

	if (r == 0)
		r = doc_write_yaml(&b.doc, &text, e);
	if (r == 0)
		r = plan_from_doc(&b.doc, n_cpus, &p, e);
	if (r < 0)
		return r;
	p.text = xstrdup(str_text(&text));
	*ret = p;
	return 0;
}
