// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV as RFC 4180 has it: CRLF, quotes doubled. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "report/text.h"

static void field(struct str *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		str_add(out, s);
		return;
	}
	str_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			str_addc(out, '"');
		str_addc(out, *s);
	}
	str_addc(out, '"');
}

static void text(struct str *out, const char *s)
{
	str_addc(out, ',');
	field(out, s ? s : "");
}

static void number(struct str *out, bool there, double v)
{
	char buf[TEXT_NUM];

	str_addf(out, ",%s", there && isfinite(v) ? text_exact(buf, v) : "");
}

static void side(struct str *out, const struct judge_side *s)
{
	str_addf(out, ",%zu,%zu,%zu", s->n, s->n_bad, s->n_failed);
	number(out, s->n > 0, s->median);
	number(out, s->n > 0, s->mean);
	number(out, s->n > 1, s->stddev);
	number(out, s->n > 1, s->cv);
	number(out, s->n > 0, s->min);
	number(out, s->n > 0, s->max);
}

static void effect(struct str *out, const struct judge_effect *f)
{
	bool interval = judge_has_interval(f);

	str_addf(out, ",%zu", f->n);
	number(out, f->n > 0, f->change);
	number(out, interval, f->lo);
	number(out, interval, f->hi);
	number(out, interval, f->lo90);
	number(out, interval, f->hi90);
	number(out, f->n > 1, f->t_lo);
	number(out, f->n > 1, f->t_hi);
	number(out, f->n > 0, f->p);
	number(out, f->n > 0, f->p_adjusted);
	number(out, f->n > 1, f->mde);
	str_addf(out, ",%u,%s", f->more_rounds, verdict_name(f->verdict));
}

static void line(const struct judge_table *t, const struct judge_row *r, size_t v, struct str *out)
{
	str_addf(out, "%lld", (long long)t->x->id);
	text(out, r->c->workload);
	text(out, r->c->title);
	text(out, r->c->params);
	text(out, r->m->name);
	text(out, r->m->unit);
	text(out, r->m->higher_is_better ? "higher" : "lower");
	text(out, r->m->primary ? "yes" : "no");
	text(out, r->c->primary_row ? "yes" : "no");
	text(out, t->x->variants[v].name);
	text(out, t->x->variants[v].spec);
	side(out, &r->side[v]);
	if (v)
		effect(out, &r->effect[v]);
	else
		str_add(out, ",,,,,,,,,,,,,"); /* the base has no change */
	str_addf(out, ",%s\r\n", r->disagree ? "yes" : "no");
}

int report_csv(const struct judge_table *t, const struct report_input *in, struct str *out,
	       struct err *e)
{
	str_add(out, "experiment,workload,case,params,metric,unit,better,primary_metric,"
		"primary_row,variant,spec,n,n_untrustworthy,n_failed,median,mean,stddev,cv,min,"
		"max,pairs,change,lo95,hi95,lo90,hi90,t_lo95,t_hi95,p,p_holm,mde,more_rounds,"
		"verdict,disagree\r\n");
	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t v = 0; v < in->x.n_variants; v++)
			line(t, &t->rows[r], v, out);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
