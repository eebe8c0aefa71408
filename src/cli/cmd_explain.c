// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge explain: the kernel functions behind a difference of instruction counts. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"
#include "judge/profile.h"
#include "plan/plan.h"
#include "report/report.h"
#include "run/run.h"
#include "store/store.h"

static uint64_t arg_experiment;
static unsigned arg_top = 20;

static const struct opt opts[] = {
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "top", 'n', OPT_UNSIGNED, &arg_top, "N", "functions a table (20)" },
	{ 0 },
};

/* What the base of a case counted, and the text of all tables so far. */
struct tables {
	const struct plan *plan;
	struct profile base;
	uint64_t base_ops;
	struct str out;
};

static int compare(struct tables *t, const struct run_profile *p, const struct profile *changed,
		   struct err *e)
{
	const struct explain_side a = { t->plan->variants[0].name, &t->base, t->base_ops };
	const struct explain_side b = { t->plan->variants[p->variant_i].name, changed, p->ops };
	struct explain x;
	int r = explain_profiles(&a, &b, &x, e);

	if (r < 0)
		return r;
	str_addf(&t->out, "%s%s, %s against %s\n", t->out.len ? "\n" : "",
		 t->plan->cases[p->case_i].title, b.name, a.name);
	r = report_explain(&x, arg_top, &t->out, e);
	explain_done(&x);
	return r;
}

/* The variants of a case come one after the other, the base first. */
static int on_profile(const struct run_profile *p, void *arg, struct err *e)
{
	struct tables *t = arg;
	struct profile here = { 0 };
	int r = profile_parse(p->text, strlen(p->text), 0, &here, e);

	if (r < 0)
		return r;
	if (p->variant_i == 0) {
		profile_done(&t->base);
		t->base = here;
		t->base_ops = p->ops;
		return 0;
	}
	r = compare(t, p, &here, e);
	profile_done(&here);
	return r;
}

/* The plan as it ran: what options had set is in the experiment. */
static int plan_of(const struct store_experiment *x, struct plan *ret, struct err *e)
{
	int r;

	if (!str_eq(x->order, STORE_ORDER_COUNTED)) {
		r = err_set(e, -EINVAL, "experiment %" PRId64 " measured time: only counts can be "
			    "explained", x->id);
		err_hint(e, "mmgauge run --count instructions --kernels A,B, then explain");
		return r;
	}
	if (x->n_variants < 2)
		return err_set(e, -EINVAL, "there is one variant: nothing differs");
	r = plan_parse("the stored plan", x->plan_text, 1, ret, e);
	if (r < 0)
		return r;
	r = plan_set(ret, "count", "instructions", e);
	ret->time_ns = x->time_ns;
	ret->warmup_ns = x->warmup_ns;
	return r;
}

static int explain_main(int argc, char **argv, struct err *e)
{
	struct tables t = { .out = STR_INIT(REPORT_MAX) };
	struct store_experiment x = { 0 };
	struct store *s = NULL;
	struct plan p = { 0 };
	const char *path;
	int r = cli_store_arg(argc, argv, &path, e);

	if (r == 0)
		r = store_open(path, STORE_READ, &s, e);
	if (r == 0)
		r = store_read_experiment(s, (int64_t)arg_experiment, &x, e);
	store_close(s);
	if (r == 0)
		r = plan_of(&x, &p, e);
	t.plan = &p;
	if (r == 0)
		r = run_profiles(&p, x.seed, -1, on_profile, &t, e);
	if (r == 0)
		r = cli_print(&t.out, e);
	profile_done(&t.base);
	plan_done(&p);
	store_experiment_done(&x);
	str_done(&t.out);
	return r;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "which kernel functions a difference of instruction counts is in",
	.synopsis = "[STORE]",
	.about = "Runs every case of a counted experiment once more under every variant, counting\n"
		 "by function, and compares with the first variant. The parts add up to the\n"
		 "whole.\n",
	.examples = "  mmgauge run page_fault1 --count instructions \\\n"
		    "      --kernels linux-image-cloud-amd64,linux-image-6.12-cloud-amd64\n"
		    "  mmgauge explain\n",
	.opts = opts,
	.main = explain_main,
};
