// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/full.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/str.h"
#include "report/facts.h"
#include "report/text.h"

static void section(struct str *out, const char *title)
{
	str_addf(out, "\n%s\n", title);
}

static void put_difference(const struct report_input *in, const char *key, struct str *out)
{
	_cleanup_str_ struct str line = STR_INIT(1 << 20);

	for (size_t v = 0; v < in->x.n_variants; v++) {
		const char *val = input_env(in, v, key);

		str_addf(&line, "%s%s=%s", v ? "; " : "", in->x.variants[v].name,
			 val ? val : "(not recorded)");
	}
	text_wrapf(out, "  ", 6, "%s: %s", key, str_text(&line));
}

static void put_differences(const struct report_input *in, struct str *out)
{
	size_t n = 0;

	section(out, "Differences between the variants' environments that no variant asked for");
	for (size_t v = 0; in->env && v < in->x.n_variants; v++) {
		for (size_t i = 0; i < in->env[v].n; i++) {
			const char *key = facts_new_key(in, v, i);

			if (!key || !facts_differ(in, key) || facts_planned(in, key))
				continue;
			put_difference(in, key, out);
			n++;
		}
	}
	if (n == 0)
		text_wrap(out, "  ", 2, in->x.n_variants < 2 ? "one variant only" : "none");
}

static void put_boots(const struct report_input *in, struct str *out)
{
	section(out, "Kernels and machines");
	for (size_t i = 0; i < in->n_boots; i++) {
		const struct store_boot *b = &in->boots[i];

		text_wrapf(out, "  ", 6, "%s on %s (boot %s)", b->kernel ? b->kernel : "unknown",
			   b->machine ? b->machine : "unknown", b->boot_id);
	}
}

/* How many of a variant's runs ended in which way, and in how many boots. */
static void put_levels(const struct report_input *in, struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "Lrrrrr", .indent = 2 };
	static const char *const names[] = { "variant", "boots", "runs", "ok", "untrustworthy",
					     "failed" };

	section(out, "Runs by level");
	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		text_cell(&tab, "%s", names[i]);
	for (size_t v = 0; v < in->x.n_variants; v++) {
		size_t runs = 0, ok = 0, failed = 0, boots = 0;

		for (size_t i = 0; i < in->runs.n; i++) {
			const struct store_run *r = &in->runs.v[i];
			bool first = r->variant == in->x.variants[v].id;

			if (!first)
				continue;
			for (size_t k = 0; k < i && first; k++)
				first = in->runs.v[k].variant != r->variant ||
					in->runs.v[k].boot != r->boot;
			runs++;
			boots += first;
			ok += input_run_good(r);
			failed += str_eq(r->status, "failed");
		}
		text_row(&tab);
		text_cell(&tab, "%s", in->x.variants[v].name);
		text_cell(&tab, "%zu", boots);
		text_cell(&tab, "%zu", runs);
		text_cell(&tab, "%zu", ok);
		text_cell(&tab, "%zu", runs - ok - failed);
		text_cell(&tab, "%zu", failed);
	}
	text_table_put(&tab, out);
}

/* The order as it was run: the variants' letters, a word per change of round. */
static void put_order(const struct report_input *in, struct str *out)
{
	_cleanup_str_ struct str line = STR_INIT(16u << 20);
	unsigned round = 0;

	section(out, "Order as run, by round");
	for (size_t i = 0; i < in->runs.n; i++) {
		const struct store_run *r = &in->runs.v[i];
		size_t v = input_variant(in, r->variant);
		char letter[TEXT_NUM];

		if (r->round != round)
			str_addf(&line, "%s%u:", i ? " " : "", r->round);
		round = r->round;
		if (v < 26)
			str_addc(&line, (char)('A' + v));
		else
			str_add(&line, header_letter(v, letter));
	}
	text_wrap(out, "  ", 2, line.len ? str_text(&line) : "nothing was run");
}

static void p_cell(struct text_table *tab, bool there, double p)
{
	if (!there || !isfinite(p))
		text_cell(tab, "-");
	else
		text_cell(tab, "%.2g", p);
}

static void put_tests(const struct judge_table *t, const struct report_input *in,
		      const struct titles *titles, struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "LLrrrrrr", .indent = 2 };
	static const char *const names[] = { "case", "variant", "change", "90%", "t 95%", "n", "p",
					     "p Holm" };
	int decimals = text_decimals(t->margin);
	char a[TEXT_NUM];

	if (in->x.n_variants < 2)
		return;
	section(out, str_eq(in->x.order, STORE_ORDER_BALANCED) ?
		"Tests (signed rank on log-ratios; t of the mean log-ratio beside it)" :
		"Tests (rank sum on logs; Welch's t of the mean logs beside it)");
	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		text_cell(&tab, "%s", names[i]);
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct judge_row *row = &t->rows[r];

		for (size_t v = 1; row->m->primary && v < in->x.n_variants; v++) {
			const struct judge_effect *f = &row->effect[v];

			text_row(&tab);
			text_cell(&tab, "%s", titles_of(titles, row->c));
			text_cell(&tab, "%s", in->x.variants[v].name);
			text_cell(&tab, "%s", f->n ? text_pct_signed(a, f->change, decimals) : "-");
			if (judge_has_interval(f))
				text_interval(&tab, f->lo90, f->hi90, decimals);
			else
				text_cell(&tab, "-");
			if (f->n > 1)
				text_interval(&tab, f->t_lo, f->t_hi, decimals);
			else
				text_cell(&tab, "-");
			text_cell(&tab, "%zu", f->n);
			p_cell(&tab, f->n > 0, f->p);
			p_cell(&tab, f->n > 0, f->p_adjusted);
		}
	}
	text_table_put(&tab, out);
	text_wrapf(out, "  ", 2, "%zu comparison%s in the Holm family.", t->family,
		   t->family == 1 ? "" : "s");
}

static void put_others(const struct judge_table *t, const struct report_input *in,
		       const struct titles *titles, struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "LLLrrrr", .indent = 2 };
	static const char *const names[] = { "case", "metric", "variant", "median", "CV", "change",
					     "95% CI" };
	char a[TEXT_NUM], b[TEXT_NUM], c[TEXT_NUM];
	int decimals = text_decimals(t->margin);
	size_t n = 0;

	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		text_cell(&tab, "%s", names[i]);
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct judge_row *row = &t->rows[r];

		for (size_t v = 0; !row->m->primary && v < in->x.n_variants; v++, n++) {
			const struct judge_effect *f = &row->effect[v];
			const struct judge_side *s = &row->side[v];

			text_row(&tab);
			text_cell(&tab, "%s", v ? "" : titles_of(titles, row->c));
			if (v == 0)
				text_cell(&tab, "%s [%s]", row->m->name, row->m->unit);
			else
				text_cell(&tab, "%s", "");
			text_cell(&tab, "%s", in->x.variants[v].name);
			text_cell(&tab, "%s", s->n ? text_value(a, s->median) : "-");
			text_cell(&tab, "%s", s->n > 1 ? text_pct_at(b, s->cv, decimals) : "-");
			text_cell(&tab, "%s",
				  v && f->n ? text_pct_signed(c, f->change, decimals) : "-");
			if (v && judge_has_interval(f))
				text_interval(&tab, f->lo, f->hi, decimals);
			else
				text_cell(&tab, "-");
		}
	}
	if (n == 0)
		return;
	section(out, "Other metrics (no verdict)");
	text_table_put(&tab, out);
}

static void put_env(const struct report_input *in, struct str *out)
{
	size_t n = 0;

	section(out, "Environment (the same for all variants unless named above)");
	for (size_t v = 0; in->env && v < in->x.n_variants; v++) {
		for (size_t i = 0; i < in->env[v].n; i++) {
			const char *key = facts_new_key(in, v, i);

			if (!key)
				continue;
			if (facts_differ(in, key))
				put_difference(in, key, out);
			else
				text_wrapf(out, "  ", 6, "%s: %s", key, in->env[v].v[i].val);
			n++;
		}
	}
	if (n == 0)
		text_wrap(out, "  ", 2, "nothing was recorded");
}

/* Where in a shell word a character leaves us. */
struct shell {
	char quote;   /* 0, '\'' or '"' */
	bool escaped; /* the next character is quoted by a backslash */
};

static void shell_step(struct shell *s, char c)
{
	if (s->escaped)
		s->escaped = false;
	else if (c == '\\' && s->quote != '\'')
		s->escaped = true;
	else if (c == s->quote)
		s->quote = 0;
	else if (!s->quote && (c == '\'' || c == '"'))
		s->quote = c;
}

/* Characters of @p for a line of @width, moving @s over them: to a blank if there is one. */
static size_t command_len(const char *p, size_t width, struct shell *s)
{
	struct shell now = *s, at_hard = *s, at_blank = *s;
	size_t hard = 0, blank = 0;

	for (size_t i = 0; i < width && p[i]; i++) {
		shell_step(&now, p[i]);
		if (now.escaped)
			continue;
		hard = i + 1;
		at_hard = now;
		if (p[i] != ' ' || now.quote)
			continue;
		blank = hard;
		at_blank = now;
	}
	if (p[hard] == '\0' || blank < width / 2) {
		*s = at_hard;
		return hard;
	}
	*s = at_blank;
	return blank;
}

void full_command(const char *command, struct str *out)
{
	_cleanup_str_ struct str clean = STR_INIT(REPORT_MAX);
	struct shell s = { 0 };
	const char *p;

	text_ascii(&clean, command);
	for (p = str_text(&clean); *p;) {
		/* room for a closing quote, an opening one and the backslash */
		size_t n = command_len(p, REPORT_WIDTH - 3, &s);

		n = n ? n : strlen(p); /* ends in a backslash */
		str_addn(out, p, n);
		p += n;
		if (*p)
			str_add(out, s.quote == '\'' ? "'\\\n'" : "\\\n");
	}
	str_addc(out, '\n');
}

static void put_identity(const struct report_input *in, struct str *out)
{
	const struct store_experiment *x = &in->x;
	char a[TEXT_NUM], b[TEXT_NUM];

	section(out, "Experiment");
	text_wrapf(out, "  ", 6, "%" PRId64 " \"%s\", status %s; %u rounds planned, %s measured "
		   "after %s of warm-up; order %s, seed %" PRIu64, x->id, x->name ? x->name : "",
		   x->status, x->rounds_planned, num_fmt_duration(a, sizeof(a), x->time_ns),
		   num_fmt_duration(b, sizeof(b), x->warmup_ns), x->order ? x->order : "unknown",
		   x->seed);
	for (size_t v = 0; v < x->n_variants; v++)
		text_wrapf(out, "  ", 6, "%s on %s: %s", x->variants[v].name, x->variants[v].target,
			   x->variants[v].spec && *x->variants[v].spec ? x->variants[v].spec :
									 "as it is");
	for (size_t i = 0; i < x->n_cases; i++)
		text_wrapf(out, "  ", 6, "%s revision %u: %s", x->cases[i].workload,
			   x->cases[i].revision, x->cases[i].params);
	text_wrapf(out, "  ", 6, "tool %s", x->tool ? x->tool : "unknown");
	text_wrapf(out, "  ", 6, "plan %s", x->plan_hash ? x->plan_hash : "unknown");
	text_wrapf(out, "  ", 6, "raw data %s", in->hash);
	section(out, "To run it again");
	full_command(x->command ? x->command : "", out);
}

void full_put(const struct judge_table *t, const struct report_input *in,
	      const struct titles *titles, struct str *out)
{
	put_differences(in, out);
	put_boots(in, out);
	section(out, "Placement as read back from the kernel");
	tree_put(in, out);
	put_levels(in, out);
	put_order(in, out);
	put_tests(t, in, titles, out);
	put_others(t, in, titles, out);
	counters_put(in, out);
	put_env(in, out);
	put_identity(in, out);
}
