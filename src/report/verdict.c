// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/verdict.h"

#include "base/str.h"
#include "report/text.h"

static void no_change(const struct judge_table *t, const struct judge_row *r,
		      const struct judge_effect *f, struct str *detail)
{
	char a[TEXT_NUM];

	str_addf(detail, "beyond +-%s", text_pct(a, judge_margin(t, r)));
	if (f->real_small)
		str_addf(detail, " (a real %s)",
			 text_pct_signed(a, f->change, text_decimals(t->margin)));
}

/* On either side nothing but failed runs. */
static bool all_failed(const struct judge_row *r, size_t variant)
{
	const struct judge_side *b = &r->side[0], *v = &r->side[variant];

	return (b->n_failed && !b->n && !b->n_bad) || (v->n_failed && !v->n && !v->n_bad);
}

void verdict_text(const struct judge_table *t, const struct judge_row *r, size_t variant,
		  struct str *out, struct str *detail)
{
	const struct judge_effect *f = &r->effect[variant];

	if (!r->m->primary)
		return;
	if (!r->c->primary_row && f->verdict != VERDICT_UNTRUSTWORTHY) {
		str_add(out, "exploratory");
		return;
	}
	if (f->verdict == VERDICT_NONE) {
		str_add(out, "no pairs");
		return;
	}
	if (f->verdict == VERDICT_UNTRUSTWORTHY && all_failed(r, variant)) {
		str_add(out, "failed");
		return;
	}
	str_add(out, verdict_name(f->verdict));
	if (f->verdict == VERDICT_NO_CHANGE)
		no_change(t, r, f, detail);
	else if (f->verdict == VERDICT_INCONCLUSIVE && f->more_rounds)
		str_addf(detail, "(%u more %s%s%s)", f->more_rounds,
			 f->unpaired ? "value" : "round", f->more_rounds == 1 ? "" : "s",
			 f->unpaired ? " a side" : "");
}
