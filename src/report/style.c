// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/style.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "report/text.h"

static const struct {
	const char *name;
	report_style_fn *put;
} styles[] = {
	{ "mmtests", report_mmtests },
};

report_style_fn *report_style(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(styles); i++)
		if (str_eq(styles[i].name, name))
			return styles[i].put;
	return NULL;
}

bool style_same_metric(const struct store_metric *a, const struct store_metric *b)
{
	return str_eq(a->name, b->name) && str_eq(a->unit, b->unit) &&
	       a->higher_is_better == b->higher_is_better;
}

bool style_counts(const struct judge_row *r)
{
	return r->m->primary && r->side[0].n > 0;
}

char *style_op(const struct store_case *c, char joint)
{
	const char *rest = c->title;
	size_t len = strlen(c->workload);
	char *op;

	if (str_starts(rest, c->workload) && (!rest[len] || rest[len] == ' '))
		rest += len + strspn(rest + len, " ");
	op = xstrdup(*rest ? rest : c->workload);
	for (char *p = op; *p; p++)
		if (strchr(joint == '_' ? " =-.,:/" : " =", *p))
			*p = joint;
	return op;
}

void style_add_ascii(struct strv *l, const char *s)
{
	_cleanup_str_ struct str clean = STR_INIT(REPORT_MAX);

	text_ascii(&clean, s);
	strv_add(l, str_text(&clean));
}

int style_end(size_t n_rows, struct str *out, struct err *e)
{
	if (!n_rows)
		text_wrap(out, "", 2, "No run has finished yet: there is nothing to compare.");
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
