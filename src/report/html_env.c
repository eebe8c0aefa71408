// SPDX-License-Identifier: GPL-2.0-or-later
/* Where it was measured: first what differs, then kernels, placement, all facts; how to repeat. */
#include "report/html.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/num.h"
#include "report/facts.h"
#include "report/full.h"
#include "report/text.h"

/* A fact that the variants differ in, and whether some variant asked for it. */
static void difference(const struct html *h, const char *key)
{
	str_add(h->out, "<tr>");
	html_tag(h, "th", " scope=\"row\"", "%s", key);
	html_tag(h, "td", "", "%s", facts_planned(h->in, key) ? "yes" : "no");
	for (size_t v = 0; v < h->in->x.n_variants; v++) {
		const char *val = input_env(h->in, v, key);

		html_tag(h, "td", "", "%s", val ? val : "(not recorded)");
	}
	str_add(h->out, "</tr>\n");
}

static void difference_head(const struct html *h)
{
	size_t n = h->in->x.n_variants;
	const char **names = xcalloc(n + 2, sizeof(*names));

	names[0] = "fact";
	names[1] = "asked for";
	for (size_t v = 0; v < n; v++)
		names[v + 2] = h->in->x.variants[v].name;
	html_table(h, "Facts that are not the same for all variants", names, n + 2);
	str_add(h->out, "<tbody>\n");
	free(names);
}

/* @planned false: first those that nobody asked for. */
static size_t differences(const struct html *h, bool planned, size_t shown)
{
	for (size_t v = 0; h->in->env && v < h->in->x.n_variants; v++) {
		for (size_t i = 0; i < h->in->env[v].n; i++) {
			const char *key = facts_new_key(h->in, v, i);

			if (!key || str_eq(key, "uptime") || !facts_differ(h->in, key) ||
			    facts_planned(h->in, key) != planned)
				continue;
			if (shown++ == 0)
				difference_head(h);
			difference(h, key);
		}
	}
	return shown;
}

static void put_differences(const struct html *h)
{
	size_t n;

	html_tag(h, "h3", "", "Differences between the variants");
	n = differences(h, true, differences(h, false, 0));
	if (n) {
		str_add(h->out, "</tbody>\n");
		html_table_end(h);
	} else {
		html_tag(h, "p", "", "%s", h->in->x.n_variants < 2 ? "One variant only." :
			 "None in the environment.");
	}
}

static void put_variants(const struct html *h)
{
	static const char *const names[] = { "mark", "variant", "target", "asked for" };

	html_table(h, "Variants; the first is the base", names, ARRAY_LEN(names));
	str_add(h->out, "<tbody>\n");
	for (size_t v = 0; v < h->in->x.n_variants; v++) {
		const struct store_variant *var = &h->in->x.variants[v];

		str_add(h->out, "<tr><td>");
		html_key(h, v);
		str_add(h->out, "</td>");
		html_tag(h, "th", " scope=\"row\"", "%s", var->name);
		html_tag(h, "td", "", "%s", var->target);
		html_tag(h, "td", "", "%s", var->spec && *var->spec ? var->spec : "as it is");
		str_add(h->out, "</tr>\n");
	}
	str_add(h->out, "</tbody>\n");
	html_table_end(h);
}

static void put_boots(const struct html *h)
{
	static const char *const names[] = { "kernel", "machine", "boot" };

	html_table(h, "Kernels and machines", names, ARRAY_LEN(names));
	str_add(h->out, "<tbody>\n");
	for (size_t i = 0; i < h->in->n_boots; i++) {
		const struct store_boot *b = &h->in->boots[i];

		str_add(h->out, "<tr>");
		html_tag(h, "td", "", "%s", b->kernel ? b->kernel : "unknown");
		html_tag(h, "td", "", "%s", b->machine ? b->machine : "unknown");
		html_tag(h, "td", "", "%s", b->boot_id ? b->boot_id : "unknown");
		str_add(h->out, "</tr>\n");
	}
	str_add(h->out, "</tbody>\n");
	html_table_end(h);
}

static void put_placement(const struct html *h)
{
	_cleanup_str_ struct str tree = STR_INIT(REPORT_MAX);

	html_tag(h, "h3", "", "Placement as read back from the kernel");
	tree_put(h->in, &tree);
	html_pre(h, str_text(&tree));
}

static void put_facts(const struct html *h)
{
	static const char *const names[] = { "fact", "value" };

	str_add(h->out, "<details><summary>All facts that are the same for all variants"
		"</summary>\n");
	html_table(h, "Environment", names, ARRAY_LEN(names));
	str_add(h->out, "<tbody>\n");
	for (size_t v = 0; h->in->env && v < h->in->x.n_variants; v++) {
		for (size_t i = 0; i < h->in->env[v].n; i++) {
			const char *key = facts_new_key(h->in, v, i);

			if (!key || facts_differ(h->in, key))
				continue;
			str_add(h->out, "<tr>");
			html_tag(h, "th", " scope=\"row\"", "%s", key);
			html_tag(h, "td", "", "%s", h->in->env[v].v[i].val);
			str_add(h->out, "</tr>\n");
		}
	}
	str_add(h->out, "</tbody>\n");
	html_table_end(h);
	str_add(h->out, "</details>\n");
}

void html_environment(const struct html *h)
{
	str_add(h->out, "<section id=\"environment\">\n<h2>Environment</h2>\n");
	put_differences(h);
	put_variants(h);
	put_boots(h);
	put_placement(h);
	put_facts(h);
	str_add(h->out, "<p><a href=\"#summary\">Back to the verdicts</a></p>\n</section>\n");
}

static void item(const struct html *h, const char *name, const char *text)
{
	html_tag(h, "dt", "", "%s", name);
	html_tag(h, "dd", "", "%s", text && *text ? text : "unknown");
}

void html_repeat(const struct html *h)
{
	const struct store_experiment *x = &h->in->x;
	char a[TEXT_NUM], b[TEXT_NUM];

	str_add(h->out, "<section id=\"repeat\">\n<h2>To run it again</h2>\n");
	html_pre(h, x->command ? x->command : "");
	str_add(h->out, "<dl>\n");
	html_tag(h, "dt", "", "how");
	html_tag(h, "dd", "", "%u rounds planned, %s measured after %s of warm-up; status %s",
		 x->rounds_planned, num_fmt_duration(a, sizeof(a), x->time_ns),
		 num_fmt_duration(b, sizeof(b), x->warmup_ns), x->status ? x->status : "unknown");
	html_tag(h, "dt", "", "order and seed");
	html_tag(h, "dd", "", "%s, %" PRIu64, x->order ? x->order : "unknown", x->seed);
	item(h, "tool", x->tool);
	item(h, "hash of the plan", x->plan_hash);
	item(h, "hash of the raw data", h->in->hash);
	str_add(h->out, "</dl>\n");
	html_tag(h, "h3", "", "The plan");
	html_pre(h, x->plan_text ? x->plan_text : "");
	str_add(h->out, "<p><a href=\"#summary\">Back to the verdicts</a></p>\n</section>\n");
}
