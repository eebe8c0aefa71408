// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/contract.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "plan/draft.h"

#define MARGIN_MAX 0.5
#define GAIN_MAX 10.0
#define PLAN_TEXT_MAX (1u << 20)

static const char *const top_keys[] = { "contract", "plan", "run", "base", "margin", "rows" };
static const char *const row_keys[] = { "row", "variant", "metric", "no_loss_beyond",
					"no_change_beyond", "gain_of_at_least" };
static const struct {
	const char *key;
	enum contract_claim claim;
	double max;
} claims[] = {
	{ "no_loss_beyond", CONTRACT_NO_LOSS, MARGIN_MAX },
	{ "no_change_beyond", CONTRACT_NO_CHANGE, MARGIN_MAX },
	{ "gain_of_at_least", CONTRACT_GAIN, GAIN_MAX },
};

static void row_done(struct contract_row *r)
{
	free(r->row);
	free(r->variant);
	free(r->metric);
}

void contract_done(struct contract *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		row_done(&c->rows[i]);
	free(c->rows);
	free(c->file);
	free(c->name);
	free(c->base);
	free(c->plan_path);
	plan_done(&c->plan);
	*c = (struct contract){ 0 };
}

static bool known(const char *key, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(key, words[i]) == 0)
			return true;
	return false;
}

static int check_keys(const struct doc *doc, const struct doc_node *map, const char *what,
		      const char *const *words, size_t n, struct err *e)
{
	for (size_t i = 0; i < map->n; i += 2)
		if (!known(map->v[i]->text, words, n))
			return doc_unknown(doc, map->v[i], e, what, words, n);
	return 0;
}

/* The one text of @key, copied; *@ret is left alone when the key isn't there. */
static int read_text(const struct doc *doc, const struct doc_node *map, const char *key,
		     char **ret, struct err *e)
{
	const struct doc_node *v = doc_get(map, key);

	if (!v)
		return 0;
	if (v->kind != DOC_TEXT || v->blank || !*v->text)
		return doc_fail(doc, v, e, -EINVAL, "\"%s\" needs one value", key);
	*ret = xstrdup(v->text);
	return 0;
}

static int read_margin(const struct doc *doc, const struct doc_node *v, const char *key,
		       double max, double *ret, struct err *e)
{
	double m;
	int r;

	if (v->kind != DOC_TEXT || v->blank)
		return doc_fail(doc, v, e, -EINVAL, "\"%s\" needs one value like 2%%", key);
	r = num_fraction(v->text, &m, e);
	if (r < 0)
		return doc_wrap(doc, v, e, err_wrap(e, r, "\"%s\"", key));
	if (!(m > 0 && m <= max))
		return doc_fail(doc, v, e, -ERANGE,
				"\"%s\" of \"%s\" is not above 0 and at most %g%%", v->text,
				key, max * 100);
	*ret = m;
	return 0;
}

/* "WORKLOAD [KEY=VALUE]...": what is no such pattern can never match. */
static int check_pattern(const struct doc *doc, const struct doc_node *v, struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(v->text);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = str_cut(&rest, " \t"))) {
		const char *eq = strchr(word, '=');

		if (!*word)
			continue;
		if (n == 0 && eq)
			return doc_fail(doc, v, e, -EINVAL,
					"a row begins with a workload, not with \"%s\"", word);
		if (n > 0 && (!eq || eq == word))
			return doc_fail(doc, v, e, -EINVAL, "\"%s\" is no KEY=VALUE", word);
		n++;
	}
	return n ? 0 : doc_fail(doc, v, e, -EINVAL, "the row is empty");
}

static int read_claim(const struct doc *doc, const struct doc_node *map, struct contract_row *row,
		      struct err *e)
{
	const char *have = NULL;

	for (size_t i = 0; i < map->n; i += 2) {
		for (size_t k = 0; k < ARRAY_LEN(claims); k++) {
			int r;

			if (strcmp(map->v[i]->text, claims[k].key) != 0)
				continue;
			if (have) {
				doc_fail(doc, map->v[i], e, -EINVAL, "\"%s\" beside \"%s\"",
					 claims[k].key, have);
				err_hint(e, "a row makes one claim: write the row twice");
				return -EINVAL;
			}
			have = claims[k].key;
			row->claim = claims[k].claim;
			r = read_margin(doc, map->v[i + 1], have, claims[k].max, &row->margin, e);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int read_row(const struct doc *doc, const struct doc_node *map, double margin,
		    struct contract_row *row, struct err *e)
{
	const struct doc_node *pattern;
	int r;

	*row = (struct contract_row){ .claim = CONTRACT_NO_LOSS, .margin = margin };
	if (map->kind != DOC_MAP)
		return doc_fail(doc, map, e, -EINVAL,
				"a row must be a mapping like {row: page_fault1, "
				"no_loss_beyond: 2%%}");
	r = check_keys(doc, map, "key of a row", row_keys, ARRAY_LEN(row_keys), e);
	if (r < 0)
		return r;
	pattern = doc_get(map, "row");
	if (!pattern)
		return doc_fail(doc, map, e, -EINVAL,
				"the row doesn't say which: \"row\" is missing");
	r = read_text(doc, map, "row", &row->row, e);
	if (r == 0)
		r = check_pattern(doc, pattern, e);
	if (r == 0)
		r = read_text(doc, map, "variant", &row->variant, e);
	if (r == 0)
		r = read_text(doc, map, "metric", &row->metric, e);
	row->line = pattern->line;
	row->column = pattern->column;
	return r < 0 ? r : read_claim(doc, map, row, e);
}

static int read_rows(const struct doc *doc, struct contract *c, struct err *e)
{
	const struct doc_node *list = doc_get(doc->root, "rows");
	int r = 0;

	if (!list)
		return doc_fail(doc, doc->root, e, -EINVAL,
				"the contract has no rows: it claims nothing");
	if (list->kind != DOC_LIST || list->n == 0)
		return doc_fail(doc, list, e, -EINVAL,
				"\"rows\" must be a list: begin each with a dash");
	if (list->n > CONTRACT_ROWS_MAX)
		return doc_fail(doc, list, e, -E2BIG, "%zu rows are more than %d", list->n,
				CONTRACT_ROWS_MAX);
	c->rows = xcalloc(list->n, sizeof(*c->rows));
	while (r == 0 && c->n_rows < list->n) {
		size_t i = c->n_rows++;

		r = read_row(doc, list->v[i], c->margin, &c->rows[i], e);
	}
	return r;
}

static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? xstrndup(file, (size_t)(slash - file) + 1) : xstrdup("");
}

/* The plan below "run": a document of its own, whose nodes keep their places in this file. */
static int read_inline(const struct doc *doc, const struct doc_node *node, unsigned n_cpus,
		       struct contract *c, struct err *e)
{
	struct doc sub = { .file = doc->file, .root = doc_get(doc->root, "run") };
	_cleanup_str_ struct str text = STR_INIT(PLAN_TEXT_MAX);
	int r;

	if (node->kind != DOC_MAP)
		return doc_fail(doc, node, e, -EINVAL, "\"run\" must be a plan: a mapping of keys "
				"like \"cases:\"");
	r = plan_from_doc(&sub, n_cpus, &c->plan, e);
	if (r == 0)
		r = doc_write_yaml(&sub, &text, e);
	if (r < 0)
		return r;
	c->has_plan = true;
	c->plan.text = xstrdup(str_text(&text));
	if (!c->plan.name)
		c->plan.name = xstrdup(c->name);
	return 0;
}

static int read_plan(const struct doc *doc, unsigned n_cpus, struct contract *c, struct err *e)
{
	const struct doc_node *path = doc_get(doc->root, "plan");
	const struct doc_node *here = doc_get(doc->root, "run");
	_cleanup_free_ char *given = NULL, *folder = NULL;
	int r;

	if (path && here)
		return doc_fail(doc, here, e, -EINVAL, "\"run\" beside \"plan\": one of them");
	if (here)
		return read_inline(doc, here, n_cpus, c, e);
	r = read_text(doc, doc->root, "plan", &given, e);
	if (r < 0 || !given)
		return r;
	folder = folder_of(c->file);
	c->plan_path = *given == '/' ? xstrdup(given) : xasprintf("%s%s", folder, given);
	return 0;
}

static char *name_of_file(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');

	return xstrndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int read_top(const struct doc *doc, struct contract *c, struct err *e)
{
	const struct doc_node *margin;
	int r;

	if (doc->root->kind != DOC_MAP) {
		doc_fail(doc, doc->root, e, -EINVAL, "a contract is a mapping of keys like "
			 "\"rows:\"");
		err_hint(e, "docs/gate.md shows one");
		return -EINVAL;
	}
	r = check_keys(doc, doc->root, "key of a contract", top_keys, ARRAY_LEN(top_keys), e);
	if (r == 0)
		r = read_text(doc, doc->root, "contract", &c->name, e);
	if (r == 0 && !c->name)
		c->name = name_of_file(c->file);
	if (r == 0)
		r = read_text(doc, doc->root, "base", &c->base, e);
	margin = r == 0 ? doc_get(doc->root, "margin") : NULL;
	return margin ? read_margin(doc, margin, "margin", MARGIN_MAX, &c->margin, e) : r;
}

int contract_parse(const char *file, const char *text, unsigned n_cpus, struct contract *ret,
		   struct err *e)
{
	_cleanup_contract_ struct contract c = { .file = xstrdup(file), .margin = 0.02 };
	_cleanup_doc_ struct doc doc = { 0 };
	int r = doc_read_yaml(file, text, &doc, e);

	if (r == 0)
		r = read_top(&doc, &c, e);
	if (r == 0)
		r = read_rows(&doc, &c, e);
	if (r == 0)
		r = read_plan(&doc, n_cpus, &c, e);
	if (r < 0)
		return r;
	*ret = c;
	c = (struct contract){ 0 };
	return 0;
}

int contract_read(const char *path, unsigned n_cpus, struct contract *ret, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(DOC_TEXT_MAX);
	int r = fsx_read(AT_FDCWD, path, &text, e);

	if (r < 0)
		return r;
	if (strlen(str_text(&text)) != text.len)
		return err_set(e, -EINVAL, "\"%s\" holds zero bytes: it is no contract", path);
	return contract_parse(path, str_text(&text), n_cpus, ret, e);
}

int contract_load_plan(struct contract *c, unsigned n_cpus, struct err *e)
{
	int r;

	if (c->has_plan)
		return 0;
	if (!c->plan_path) {
		err_set(e, -EINVAL, "contract \"%s\" names no plan: nothing to run", c->name);
		err_hint(e, "give a store to judge, or add \"plan: FILE\" to the contract");
		return -EINVAL;
	}
	r = plan_read(c->plan_path, n_cpus, &c->plan, e);
	c->has_plan = r == 0;
	return r < 0 ? err_wrap(e, r, "plan of contract \"%s\"", c->name) : 0;
}
