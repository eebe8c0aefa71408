// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups and their limits, as store_place has them from one run of each variant. */
#include "report/full.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "report/text.h"

static bool same_fact(const struct store_place *a, const struct store_place *b)
{
	return a->level == b->level && str_eq(a->key, b->key) && str_eq(a->want, b->want) &&
	       str_eq(a->got, b->got);
}

/* The facts of one run say the same as those of another, whatever the paths are. */
static bool same_places(const struct store_run *a, const struct store_run *b)
{
	if (a->n_places != b->n_places)
		return false;
	for (size_t i = 0; i < a->n_places; i++)
		if (!same_fact(&a->places[i], &b->places[i]))
			return false;
	return true;
}

/* Group @g has the settings of group 0, level by level. */
static bool like_first(const struct store_run *r, unsigned g)
{
	for (size_t i = 0; i < r->n_places; i++) {
		bool found = false;

		if (r->places[i].group != g)
			continue;
		for (size_t k = 0; k < r->n_places && !found; k++)
			found = r->places[k].group == 0 &&
				same_fact(&r->places[i], &r->places[k]);
		if (!found)
			return false;
	}
	return true;
}

static int by_path(const void *a, const void *b)
{
	const struct store_place *x = *(const struct store_place *const *)a;
	const struct store_place *y = *(const struct store_place *const *)b;
	int c = strcmp(x->path, y->path);

	return c ? c : strcmp(x->key, y->key);
}

/* What of @path is new below @above, the path that was drawn before it on a higher level. */
static const char *below(const char *path, const char *above)
{
	size_t len = strlen(above);

	if (len > 1 && str_starts(path, above) && path[len] == '/')
		return path + len + 1;
	return path;
}

static void put_fact(struct str *out, size_t indent, const struct store_place *f)
{
	char lead[REPORT_WIDTH];

	(void)snprintf(lead, sizeof(lead), "%*s", (int)indent, "");
	if (f->want && *f->want)
		text_wrapf(out, lead, indent + 2, "%s: asked %s, is %s", f->key, f->want, f->got);
	else if (*f->key && *f->got)
		text_wrapf(out, lead, indent + 2, "%s: %s", f->key, f->got);
}

static void put_node(struct str *out, size_t depth, const struct store_place *f, const char *name)
{
	char lead[REPORT_WIDTH];

	(void)snprintf(lead, sizeof(lead), "  %*s%s", (int)(depth ? 3 * (depth - 1) : 0), "",
		       depth ? "+- " : "");
	text_wrapf(out, lead, strlen(lead), "%s   level %u", name, f->level);
}

#define DRAWN_DEEPEST 12 /* deeper levels are drawn at this indent: paths need room, too */

static void put_groups(const struct store_place **facts, size_t n, struct str *out)
{
	const char *at[DRAWN_DEEPEST + 1] = { 0 };
	unsigned top = ~0u;

	for (size_t i = 0; i < n; i++)
		top = facts[i]->level < top ? facts[i]->level : top;
	for (size_t i = 0; i < n; i++) {
		size_t depth = facts[i]->level - top;

		depth = depth < DRAWN_DEEPEST ? depth : DRAWN_DEEPEST;
		if (i == 0 || !str_eq(facts[i]->path, facts[i - 1]->path))
			put_node(out, depth, facts[i],
				 depth && at[depth - 1] ? below(facts[i]->path, at[depth - 1]) :
							  facts[i]->path);
		at[depth] = facts[i]->path;
		put_fact(out, 5 + 3 * depth, facts[i]);
	}
}

/* The same path, level and key may come from each group below it: once is enough. */
static size_t drop_repeats(const struct store_place **facts, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && str_eq(facts[i]->path, facts[kept - 1]->path) &&
		    same_fact(facts[i], facts[kept - 1]))
			continue;
		facts[kept++] = facts[i];
	}
	return kept;
}

static void put_run(const struct store_run *r, struct str *out)
{
	_cleanup_free_ const struct store_place **facts = xcalloc(r->n_places, sizeof(*facts));
	unsigned groups = 0, alike = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n_places; i++)
		groups = r->places[i].group >= groups ? r->places[i].group + 1 : groups;
	for (unsigned g = 0; g < groups; g++) {
		if (g > 0 && like_first(r, g)) {
			alike++;
			continue;
		}
		for (size_t i = 0; i < r->n_places; i++)
			if (r->places[i].group == g && *r->places[i].path)
				facts[n++] = &r->places[i];
	}
	qsort(facts, n, sizeof(*facts), by_path);
	put_groups(facts, drop_repeats(facts, n), out);
	if (alike)
		text_wrapf(out, "  ", 4, "and %u more group%s beside it with the same settings",
			   alike, alike == 1 ? "" : "s");
	for (size_t i = 0; i < r->n_places; i++)
		if (!*r->places[i].path && r->places[i].group == 0)
			put_fact(out, 2, &r->places[i]);
}

#define CLASSES_MAX 4 /* different placements of a variant that are drawn */

/* Runs of a variant that read back the same, by the first of them. */
struct class {
	const struct store_run *first;
	size_t n;
};

static size_t find_classes(const struct report_input *in, size_t v, struct class *ret,
			   size_t *ret_more)
{
	size_t n = 0;

	for (size_t i = 0; i < in->runs.n; i++) {
		const struct store_run *r = &in->runs.v[i];
		size_t k = 0;

		if (r->variant != in->x.variants[v].id || r->n_places == 0)
			continue;
		while (k < n && !same_places(ret[k].first, r))
			k++;
		if (k == CLASSES_MAX) {
			(*ret_more)++;
			continue;
		}
		if (k == n)
			ret[n++] = (struct class){ .first = r };
		ret[k].n++;
	}
	return n;
}

static void put_variant(const struct report_input *in, size_t v, struct str *out)
{
	struct class classes[CLASSES_MAX];
	size_t more = 0, n = find_classes(in, v, classes, &more);

	for (size_t i = 0; i < n; i++) {
		text_wrapf(out, "  ", 4, "%s, in %zu run%s, first run %u:", in->x.variants[v].name,
			   classes[i].n, classes[i].n == 1 ? "" : "s", classes[i].first->seq);
		put_run(classes[i].first, out);
	}
	if (n == 0)
		text_wrapf(out, "  ", 4, "%s: nothing was recorded", in->x.variants[v].name);
	if (more)
		text_wrapf(out, "  ", 4, "%zu more runs of it read back something else: see show "
			   "--placement", more);
}

void tree_put(const struct report_input *in, struct str *out)
{
	for (size_t v = 0; v < in->x.n_variants; v++)
		put_variant(in, v, out);
}
