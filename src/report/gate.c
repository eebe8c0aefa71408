// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/input.h"
#include "report/text.h"

#define REASON_MAX (1u << 16)

void gate_claim_text(const struct judge_claim *c, struct str *out)
{
	static const char *const words[] = { [CLAIM_NO_LOSS] = "no loss beyond",
					     [CLAIM_NO_CHANGE] = "no change beyond",
					     [CLAIM_GAIN] = "gain of at least" };
	char a[TEXT_NUM];

	str_addf(out, "%s %s", words[c->kind], text_pct(a, c->margin));
}

static const char *variant_name(const struct gate_report *g, size_t v)
{
	return v < g->in->x.n_variants ? g->in->x.variants[v].name : "?";
}

/* The marks of a side's runs: each code with how often, and the words of the first. */
static void put_marks(const struct gate_report *g, const struct judge_checked *k, size_t v,
		      const char *kind, struct str *out)
{
	_cleanup_strv_ struct strv codes = { 0 };
	_cleanup_free_ size_t *counts = NULL;
	_cleanup_free_ const char **texts = NULL;

	for (size_t i = 0; i < g->in->runs.n; i++) {
		const struct store_run *r = &g->in->runs.v[i];

		if (r->case_id != k->c->id || r->variant != g->in->x.variants[v].id)
			continue;
		for (size_t j = 0; j < r->n_notes; j++) {
			const struct store_note *n = &r->notes[j];
			size_t at = 0;

			if (!str_eq(n->kind, kind))
				continue;
			while (at < codes.n && !str_eq(codes.v[at], n->code))
				at++;
			if (at == codes.n) {
				strv_add(&codes, n->code);
				counts = xrealloc(counts, codes.n, sizeof(*counts));
				texts = xrealloc(texts, codes.n, sizeof(*texts));
				counts[at] = 0;
				texts[at] = n->text;
			}
			counts[at]++;
		}
	}
	for (size_t i = 0; i < codes.n; i++)
		str_addf(out, "%s%zu x %s (\"%s\")", i ? ", " : ": ", counts[i], codes.v[i],
			 texts[i]);
}

static void put_untrustworthy(const struct gate_report *g, const struct judge_checked *k,
			      struct str *out)
{
	const size_t variant[] = { g->c->base, k->variant };
	const char *sep = "";

	for (size_t i = 0; i < 2; i++) {
		const struct judge_side *s = &k->side[i];

		if (!s->n_bad)
			continue;
		str_addf(out, "%s%zu of %zu samples of %s are marked untrustworthy", sep, s->n_bad,
			 s->n + s->n_bad, variant_name(g, variant[i]));
		put_marks(g, k, variant[i], "untrustworthy", out);
		sep = "; ";
	}
	str_add(out, ". A quieter machine would decide it");
}

static void put_no_samples(const struct gate_report *g, const struct judge_checked *k,
			   struct str *out)
{
	const size_t variant[] = { g->c->base, k->variant };
	const char *sep = "";

	for (size_t i = 0; i < 2; i++) {
		const struct judge_side *s = &k->side[i];

		if (s->n)
			continue;
		if (s->n_failed)
			str_addf(out, "%sall %zu runs of %s failed", sep, s->n_failed,
				 variant_name(g, variant[i]));
		else
			str_addf(out, "%sthere are no samples of %s", sep,
				 variant_name(g, variant[i]));
		put_marks(g, k, variant[i], "error", out);
		sep = "; ";
	}
	if (!*sep)
		str_add(out, "the two sides have no round in common");
}

static void put_nearest(const struct gate_report *g, const struct judge_checked *k,
			struct str *out)
{
	const struct store_experiment *x = &g->in->x;
	_cleanup_free_ const char **words = xcalloc(x->n_cases + 1, sizeof(*words));
	const char *near;

	str_addf(out, "no row is like \"%s\"", k->claim->row);
	for (size_t i = 0; i < x->n_cases; i++)
		words[i] = x->cases[i].title;
	near = str_nearest(k->claim->row, words, x->n_cases);
	for (size_t i = 0; !near && i < x->n_cases; i++)
		words[i] = x->cases[i].workload;
	if (!near)
		near = str_nearest(k->claim->row, words, x->n_cases);
	if (near)
		str_addf(out, "; did you mean \"%s\"?", near);
}

static void put_more(const struct judge_checked *k, struct str *out)
{
	if (k->more_rounds)
		str_addf(out, "; about %u more %s%s would decide it", k->more_rounds,
			 k->effect.by_boot ? "boot" : "round", k->more_rounds == 1 ? "" : "s");
	else
		str_add(out, "; the estimate is too near the bound for any number of rounds");
}

static void put_cant_tell(const struct gate_report *g, const struct judge_checked *k,
			  struct str *out)
{
	switch (k->why) {
	case WHY_DECIDED:
		break;
	case WHY_NO_ROW:
		put_nearest(g, k, out);
		break;
	case WHY_NO_VARIANT:
		if (k->claim->variant)
			str_addf(out, "there is no variant \"%s\" beside the base",
				 k->claim->variant);
		else
			str_add(out, "there is nothing beside the base to compare");
		break;
	case WHY_NO_METRIC:
		str_addf(out, "the row has no metric \"%s\"", k->claim->metric);
		break;
	case WHY_NO_SAMPLES:
		put_no_samples(g, k, out);
		break;
	case WHY_UNTRUSTWORTHY:
		put_untrustworthy(g, k, out);
		break;
	case WHY_SINGLE_BOOT:
		str_add(out, "kernels were compared from a single boot each: the spread between "
			     "boots is unknown. Several boots of each would decide it");
		break;
	case WHY_NO_RATIO:
		str_add(out, "some values are zero or below, so that there is no ratio");
		break;
	case WHY_FEW:
		str_addf(out, "%zu %s%s are too few for an interval", k->effect.n,
			 k->effect.by_boot ? "boot" : "round", k->effect.n == 1 ? "" : "s");
		put_more(k, out);
		break;
	case WHY_SPREAD:
		str_add(out, "the interval reaches over the bound");
		put_more(k, out);
		break;
	case WHY_IMPOSSIBLE:
		str_add(out, "a value can't fall by 100 % or more");
		break;
	}
}

void gate_reason_text(const struct gate_report *g, const struct judge_checked *k, struct str *out)
{
	if (k->ruling == RULING_CANT_TELL)
		put_cant_tell(g, k, out);
	else if (k->ruling == RULING_BROKEN && k->effect.exact)
		str_add(out, "constant on both sides: decided by arithmetic");
	else if (k->ruling == RULING_BROKEN)
		str_addf(out, "beyond the bound with p %.2g (Holm over %zu)", k->p_adjusted,
			 g->c->family);
}

static void put_heading(const struct gate_report *g, struct str *out)
{
	const struct store_experiment *x = &g->in->x;
	char day[TEXT_NUM];

	text_wrapf(out, "", 2, "contract %s: %s", g->name, ruling_name(g->c->ruling));
	text_wrapf(out, "", 2, "experiment %s%s%s, %s UTC; %u rounds planned, order %s, base %s",
		   x->name, g->store ? " in " : "", g->store ? g->store : "",
		   text_day(day, x->wall_start_ns), x->rounds_planned, x->order,
		   variant_name(g, g->c->base));
	str_addc(out, '\n');
}

static void put_numbers(struct text_table *tab, const struct judge_checked *k)
{
	const struct judge_effect *f = &k->effect;
	int decimals = text_decimals(k->claim->margin);
	char a[TEXT_NUM];

	text_cell(tab, "%s", k->m && f->n ? text_pct_signed(a, f->change, decimals) : "-");
	if (k->m && f->n && judge_has_interval(f))
		text_interval(tab, f->lo90, f->hi90, decimals);
	else
		text_cell(tab, "-");
	text_cell(tab, "%zu", k->m ? f->n : 0);
}

static void put_row(struct text_table *tab, const struct gate_report *g,
		    const struct judge_checked *k, size_t note)
{
	_cleanup_str_ struct str claim = STR_INIT(200);
	bool compared = k->c && k->variant != g->c->base && k->why != WHY_NO_VARIANT;

	gate_claim_text(k->claim, &claim);
	if (k->claim->metric)
		str_addf(&claim, " (%s)", k->claim->metric);
	text_row(tab);
	text_cell(tab, "%s", k->c ? k->c->title : k->claim->row);
	text_cell(tab, "%s", compared ? variant_name(g, k->variant) :
			     k->claim->variant ? k->claim->variant : "-");
	text_cell(tab, "%s", str_text(&claim));
	put_numbers(tab, k);
	if (note)
		text_cell(tab, "%s [%zu]", ruling_name(k->ruling), note);
	else
		text_cell(tab, "%s", ruling_name(k->ruling));
	text_tail(tab, "");
}

static void put_counts(const struct gate_report *g, struct str *out)
{
	size_t n[3] = { 0 };

	for (size_t i = 0; i < g->c->n; i++)
		n[g->c->v[i].ruling]++;
	text_wrapf(out, "", 2, "%zu held, %zu broken, %zu can't tell. Change of the variant "
		   "against the base; better or worse by the direction of the metric. The ends of "
		   "the 90%% interval are one-sided 95%% bounds.",
		   n[RULING_HELD], n[RULING_BROKEN], n[RULING_CANT_TELL]);
}

int report_gate(const struct gate_report *g, struct str *out, struct err *e)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "LlLrrrl" };
	static const char *const heading[] = { "row", "variant", "claim", "change", "90% CI", "n",
					       "ruling" };
	_cleanup_strv_ struct strv notes = { 0 };

	put_heading(g, out);
	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(heading); i++)
		text_cell(&tab, "%s", heading[i]);
	for (size_t i = 0; i < g->c->n; i++) {
		_cleanup_str_ struct str why = STR_INIT(REASON_MAX);

		gate_reason_text(g, &g->c->v[i], &why);
		if (why.len)
			strv_add(&notes, str_text(&why));
		put_row(&tab, g, &g->c->v[i], why.len ? notes.n : 0);
	}
	text_table_put(&tab, out);
	str_addc(out, '\n');
	for (size_t i = 0; i < notes.n; i++)
		text_wrapf(out, "", 4, "[%zu] %s%s", i + 1, notes.v[i],
			   notes.v[i][strlen(notes.v[i]) - 1] == '?' ? "" : ".");
	put_counts(g, out);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
