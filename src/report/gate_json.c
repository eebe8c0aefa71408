// SPDX-License-Identifier: GPL-2.0-or-later
/* A contract's outcome as JSON; schema in docs/gate.md. A number that doesn't exist is null. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/gate.h"
#include "report/text.h"

#define REASON_MAX (1u << 16)

/* Stored text may be of any bytes: what is no UTF-8 becomes ASCII. */
static json_t *text(const char *s)
{
	_cleanup_str_ struct str clean = STR_INIT(REASON_MAX);
	json_t *j = s ? json_string(s) : json_null();

	if (j)
		return j;
	text_ascii(&clean, s);
	return json_string(str_text(&clean));
}

static json_t *real(bool there, double v)
{
	return there && isfinite(v) ? json_real(v) : json_null();
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *side(const struct judge_side *s)
{
	return json_pack("{so so so so}", "n", count(s->n), "n_untrustworthy", count(s->n_bad),
			 "n_failed", count(s->n_failed), "median", real(s->n > 0, s->median));
}

static json_t *claim(const struct judge_claim *c)
{
	static const char *const kinds[] = { [CLAIM_NO_LOSS] = "no_loss_beyond",
					     [CLAIM_NO_CHANGE] = "no_change_beyond",
					     [CLAIM_GAIN] = "gain_of_at_least" };

	return json_pack("{so ss so}", "row", text(c->row), "kind", kinds[c->kind], "margin",
			 real(true, c->margin));
}

static json_t *numbers(const struct judge_checked *k)
{
	const struct judge_effect *f = &k->effect;
	bool any = k->m && f->n, interval = any && judge_has_interval(f);

	return json_pack("{so so so so so so so so so sb sb sb}",
			 "n", count(k->m ? f->n : 0), "change", real(any, f->change),
			 "lo90", real(interval, f->lo90), "hi90", real(interval, f->hi90),
			 "lo95", real(interval, f->lo), "hi95", real(interval, f->hi),
			 "mde", real(interval, f->mde), "p_bound", real(any, k->p),
			 "p_bound_holm", real(any, k->p_adjusted), "exact", f->exact, "by_boot",
			 f->by_boot, "unpaired", f->unpaired);
}

static json_t *comparison(const struct gate_report *g, const struct judge_checked *k)
{
	_cleanup_str_ struct str why = STR_INIT(REASON_MAX);
	bool compared = k->c && k->why != WHY_NO_VARIANT;
	const char *variant = compared ? g->in->x.variants[k->variant].name : k->claim->variant;

	gate_reason_text(g, k, &why);
	return json_pack("{so so so so so so so so ss so so}", "claim", claim(k->claim),
			 "case", text(k->c ? k->c->title : NULL), "variant", text(variant),
			 "metric", text(k->m ? k->m->name : k->claim->metric),
			 "higher_is_better",
			 k->m ? json_boolean(k->m->higher_is_better) : json_null(),
			 "base_side", side(&k->side[0]), "variant_side", side(&k->side[1]),
			 "numbers", numbers(k), "ruling", ruling_name(k->ruling),
			 "reason", text(str_text(&why)), "more_rounds", count(k->more_rounds));
}

static json_t *document(const struct gate_report *g)
{
	const struct store_experiment *x = &g->in->x;
	json_t *rows = json_array();

	for (size_t i = 0; i < g->c->n; i++)
		if (json_array_append_new(rows, comparison(g, &g->c->v[i])) < 0) {
			json_decref(rows);
			return NULL;
		}
	return json_pack("{ss si so so so so so ss so so}", "schema", "mmgauge-gate", "version",
			 REPORT_GATE_JSON_VERSION, "contract", text(g->name), "store",
			 text(g->store), "experiment", json_integer(x->id), "name", text(x->name),
			 "base", text(x->variants[g->c->base].name), "ruling",
			 ruling_name(g->c->ruling), "family", count(g->c->family), "rows", rows);
}

int report_gate_json(const struct gate_report *g, struct str *out, struct err *e)
{
	json_t *root = document(g);
	_cleanup_free_ char *dump =
		root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;

	json_decref(root);
	if (!dump)
		return err_set(e, -ENOMEM, "could not make the JSON report: memory is out");
	str_add(out, dump);
	str_addc(out, '\n');
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
