// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "report/text.h"

#define LINE_MAX_BYTES (1u << 20)

static bool has_word(const char *title, const char *word, size_t len)
{
	for (const char *p = title; (p = strstr(p, word)); p += len)
		if ((p == title || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

static bool all_have(const struct report_input *in, const char *word)
{
	for (size_t i = 0; i < in->x.n_cases; i++)
		if (!has_word(in->x.cases[i].title, word, strlen(word)))
			return false;
	return true;
}

static void add_word(struct str *out, const char *word)
{
	if (out->len)
		str_addc(out, ' ');
	str_add(out, word);
}

/* The words of the first title that all others have, too. */
static void find_common(const struct report_input *in, struct str *out)
{
	_cleanup_free_ char *copy = xstrdup(in->x.cases[0].title);
	char *rest = copy, *word;

	while ((word = str_cut(&rest, " ")))
		if (*word && all_have(in, word))
			add_word(out, word);
}

static void without(const char *title, const char *common, struct str *out)
{
	_cleanup_free_ char *copy = xstrdup(title);
	char *rest = copy, *word;

	while ((word = str_cut(&rest, " ")))
		if (*word && !has_word(common, word, strlen(word)))
			add_word(out, word);
}

void titles_init(struct titles *t, const struct report_input *in)
{
	*t = (struct titles){ .cases = in->x.cases, .common = STR_INIT(LINE_MAX_BYTES) };
	if (in->x.n_cases > 1)
		find_common(in, &t->common);
	for (size_t i = 0; i < in->x.n_cases; i++) {
		_cleanup_str_ struct str rest = STR_INIT(LINE_MAX_BYTES);

		without(in->x.cases[i].title, str_text(&t->common), &rest);
		strv_add(&t->rest, rest.len ? str_text(&rest) : "(defaults)");
	}
}

const char *titles_of(const struct titles *t, const struct store_case *c)
{
	return t->rest.v[c - t->cases];
}

void titles_done(struct titles *t)
{
	strv_done(&t->rest);
	str_done(&t->common);
}

char *header_letter(size_t variant, char *buf)
{
	if (variant < 26)
		(void)snprintf(buf, TEXT_NUM, "(%c)", (char)('A' + variant));
	else
		(void)snprintf(buf, TEXT_NUM, "(%c%c)", (char)('A' + variant / 26 % 26 - 1),
			       (char)('A' + variant % 26));
	return buf;
}

/* The workloads by name, each once, then the words that all titles have. */
static void add_workloads(const struct report_input *in, const struct titles *titles,
			  struct str *out)
{
	const char *common = str_text(&titles->common);
	size_t n = 0;

	for (size_t i = 0; i < in->x.n_cases; i++) {
		const char *name = in->x.cases[i].workload;
		bool seen = has_word(common, name, strlen(name));

		for (size_t k = 0; k < i && !seen; k++)
			seen = str_eq(in->x.cases[k].workload, name);
		if (!seen)
			str_addf(out, "%s%s", n++ ? ", " : "", name);
	}
	if (*common)
		str_addf(out, "%s%s", n ? ": " : "", common);
}

/* Tasks of a run: those that have counters, in all groups together; else by the parameter. */
static uint64_t tasks_of(const struct report_input *in, const struct store_run *r)
{
	const struct store_case *c = input_case(in, r->case_id);
	_cleanup_free_ char *text = c ? input_param(c, "tasks") : NULL;
	uint64_t n = 0, v;

	for (size_t i = 0; i < r->n_counters; i++) {
		const char *where = r->counters[i].where;

		if (str_starts(where, "task/") && num_u64(where + 5, &v, NULL) == 0 && v >= n)
			n = v + 1;
	}
	if (n == 0 && text && num_u64(text, &v, NULL) == 0)
		n = v;
	return n;
}

/* "2 tasks", "1 to 6 tasks". */
static void add_tasks(const struct report_input *in, struct str *out)
{
	uint64_t min = UINT64_MAX, max = 0;

	for (size_t i = 0; i < in->runs.n; i++) {
		uint64_t n = tasks_of(in, &in->runs.v[i]);

		min = n && n < min ? n : min;
		max = n > max ? n : max;
	}
	if (max == 0)
		return;
	if (min != max)
		str_addf(out, ", %" PRIu64 " to", min);
	else
		str_add(out, ",");
	str_addf(out, " %" PRIu64 " task%s", max, max == 1 ? "" : "s");
}

static void add_count(const struct report_input *in, const char *key, const char *what,
		      struct str *out)
{
	size_t n = input_count(in, 0, key);

	for (size_t v = 1; v < in->x.n_variants; v++) {
		if (input_count(in, v, key) != n) {
			str_addf(out, ", %s differ", what);
			return;
		}
	}
	if (n)
		str_addf(out, ", %zu %.*s", n, (int)strlen(what) - (n == 1), what);
}

static void put_what(const struct report_input *in, const struct titles *titles, struct str *out)
{
	_cleanup_str_ struct str line = STR_INIT(LINE_MAX_BYTES);

	add_workloads(in, titles, &line);
	add_count(in, ENV_CPUS, "CPUs", &line);
	add_count(in, ENV_NODES, "nodes", &line);
	add_tasks(in, &line);
	text_wrap(out, "", 4, str_text(&line));
}

static void put_variants(const struct report_input *in, struct str *out)
{
	_cleanup_str_ struct str line = STR_INIT(LINE_MAX_BYTES);
	char letter[TEXT_NUM];

	for (size_t v = 0; v < in->x.n_variants; v++) {
		const struct store_variant *var = &in->x.variants[v];

		str_addf(&line, "%s%s %s", v ? "; " : "", header_letter(v, letter), var->name);
		if (!str_eq(var->target, "imported"))
			str_addf(&line, ": %s", var->spec && *var->spec ? var->spec : "as it is");
		if (!str_eq(var->target, "local") && !str_eq(var->target, "imported"))
			str_addf(&line, " on %s", var->target);
	}
	text_wrap(out, "", 4, str_text(&line));
}

static const char *boot_text(const struct report_input *in, size_t i, bool kernels)
{
	return kernels ? in->boots[i].kernel : in->boots[i].machine;
}

static bool variant_ran_in(const struct report_input *in, int64_t variant, int64_t boot)
{
	for (size_t i = 0; i < in->runs.n; i++)
		if (in->runs.v[i].variant == variant && in->runs.v[i].boot == boot)
			return true;
	return false;
}

/* Adds one that is not in @seen yet. */
static void add_boot(const char *text, bool kernels, struct strv *seen, struct str *out)
{
	size_t len = strcspn(text, kernels ? " " : "\n");

	for (size_t i = 0; i < seen->n; i++)
		if (str_eq(seen->v[i], text))
			return;
	if (len == 0)
		return;
	if (seen->n)
		str_add(out, " / ");
	else
		str_add(out, kernels ? "Linux " : out->len ? ", " : "");
	str_addf(out, "%.*s", (int)len, text);
	strv_add(seen, text);
}

/*
 * The kernels (@kernels: the release, first word of what uname says) or machines, each once: in
 * the order of the variants, whichever booted first, then those of no run.
 */
static void add_boots(const struct report_input *in, bool kernels, struct str *out)
{
	_cleanup_strv_ struct strv seen = { 0 };

	for (size_t v = 0; v < in->x.n_variants; v++)
		for (size_t i = 0; i < in->n_boots; i++)
			if (variant_ran_in(in, in->x.variants[v].id, in->boots[i].id))
				add_boot(boot_text(in, i, kernels), kernels, &seen, out);
	for (size_t i = 0; i < in->n_boots; i++)
		add_boot(boot_text(in, i, kernels), kernels, &seen, out);
}

static void put_how(const struct judge_table *t, const struct report_input *in, struct str *out)
{
	_cleanup_str_ struct str line = STR_INIT(LINE_MAX_BYTES);
	char time[TEXT_NUM], margin[TEXT_NUM];

	add_boots(in, true, &line);
	add_boots(in, false, &line);
	if (line.len)
		str_add(&line, "; ");
	if (str_eq(in->x.order, STORE_ORDER_IMPORTED))
		str_add(&line, "imported: order and boots unknown");
	else if (str_eq(in->x.order, STORE_ORDER_COUNTED))
		str_addf(&line, "instructions counted over %s of the guest's clock, %u times",
			 num_fmt_duration(time, sizeof(time), in->x.time_ns),
			 in->x.rounds_planned);
	else
		str_addf(&line, "%u round%s of %s, ", in->x.rounds_planned,
			 in->x.rounds_planned == 1 ? "" : "s",
			 num_fmt_duration(time, sizeof(time), in->x.time_ns));
	if (str_eq(in->x.order, STORE_ORDER_JOINED))
		str_add(&line, "measured apart");
	else if (!str_eq(in->x.order, STORE_ORDER_IMPORTED) &&
		 !str_eq(in->x.order, STORE_ORDER_COUNTED))
		str_addf(&line, "%s order, seed %" PRIu64, in->x.order ? in->x.order : "unknown",
			 in->x.seed);
	str_addf(&line, ", margin %s", text_pct(margin, t->margin));
	text_wrap(out, "", 4, str_text(&line));
}

void header_put(const struct judge_table *t, const struct report_input *in,
		const struct titles *titles, struct str *out)
{
	put_what(in, titles, out);
	put_variants(in, out);
	put_how(t, in, out);
}
