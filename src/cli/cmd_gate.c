// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmgauge gate: does a contract hold? The exit status is for git bisect run, which takes 1 to
 * 124, 126 and 127 as "this commit is bad": a mistake or a failure must never look like that.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "cli/cli.h"
#include "judge/claim.h"
#include "plan/contract.h"
#include "report/gate.h"
#include "report/report.h"
#include "run/run.h"

enum {
	GATE_HELD = 0,
	GATE_BROKEN = 1,
	GATE_CANT_TELL = 125,
	GATE_USAGE = 128,
	GATE_FAILED = 129,
	GATE_INTERRUPTED = 130, /* as a shell says of SIGINT */
};

static const char *arg_output;
static unsigned arg_rounds = UINT_MAX;
static const char *arg_time;
static uint64_t arg_budget_ns, arg_experiment;
static bool arg_keep, arg_json, arg_quiet;

static const struct opt opts[] = {
	{ "output", 'o', OPT_TEXT, &arg_output, "FILE",
	  "store what is run here (a store that is dropped)" },
	{ "keep", 0, OPT_FLAG, &arg_keep, NULL, "keep that store and say where it is" },
	{ "rounds", 'r', OPT_UNSIGNED, &arg_rounds, "N", "instead of the plan's" },
	{ "time", 't', OPT_TEXT, &arg_time, "TIME",
	  "measured part of a run, not the plan's" },
	{ "budget", 0, OPT_DURATION, &arg_budget_ns, "TIME", "begin no round beyond this" },
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one of STORE (the last)" },
	{ "json", 0, OPT_FLAG, &arg_json, NULL, "JSON, with a schema version" },
	{ "quiet", 'q', OPT_FLAG, &arg_quiet, NULL, "no progress, only warnings" },
	{ 0 },
};

static enum claim_kind kind_of(enum contract_claim c)
{
	switch (c) {
	case CONTRACT_NO_CHANGE:
		return CLAIM_NO_CHANGE;
	case CONTRACT_GAIN:
		return CLAIM_GAIN;
	case CONTRACT_NO_LOSS:
		break;
	}
	return CLAIM_NO_LOSS;
}

static struct judge_claim *claims_of(const struct contract *c)
{
	struct judge_claim *v = xcalloc(c->n_rows, sizeof(*v));

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct contract_row *r = &c->rows[i];

		v[i] = (struct judge_claim){ .row = r->row, .variant = r->variant,
					     .metric = r->metric, .kind = kind_of(r->claim),
					     .margin = r->margin };
	}
	return v;
}

static bool has_variant(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_variants; i++)
		if (str_eq(p->variants[i].name, name))
			return true;
	return false;
}

static bool has_case(const struct plan *p, const char *pattern)
{
	for (size_t i = 0; i < p->n_cases; i++) {
		const struct plan_case *c = &p->cases[i];
		_cleanup_free_ char *params = run_case_params(p, c);

		if (judge_row_matches(pattern, c->workload->name, params, c->title))
			return true;
	}
	return false;
}

static int bad_row(const struct contract *c, const struct contract_row *r, const char *what,
		   struct err *e)
{
	return err_set(e, -EINVAL, "%s:%u:%u: the plan has no %s", c->file, r->line, r->column,
		       what);
}

/* What a plan will never measure is said before it runs, not after. */
static int check_plan(const struct contract *c, struct err *e)
{
	if (c->base && !has_variant(&c->plan, c->base))
		return err_set(e, -EINVAL, "%s: the plan has no variant \"%s\" to be the base",
			       c->file, c->base);
	if (c->plan.n_variants < 2)
		return err_set(e, -EINVAL, "%s: the plan has one variant: nothing to compare",
			       c->file);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct contract_row *r = &c->rows[i];
		_cleanup_free_ char *what = NULL;

		if (r->variant && !has_variant(&c->plan, r->variant))
			what = xasprintf("variant \"%s\"", r->variant);
		else if (!has_case(&c->plan, r->row))
			what = xasprintf("case like \"%s\"", r->row);
		if (what)
			return bad_row(c, r, what, e);
	}
	return 0;
}

static int status_of(const struct judge_contract *jc)
{
	return jc->ruling == RULING_HELD   ? GATE_HELD :
	       jc->ruling == RULING_BROKEN ? GATE_BROKEN :
					     GATE_CANT_TELL;
}

/* A side that should just have been measured and of which no run worked. */
static bool nothing_worked(const struct judge_contract *jc)
{
	for (size_t i = 0; i < jc->n; i++)
		for (size_t k = 0; k < 2; k++) {
			const struct judge_side *s = &jc->v[i].side[k];

			if (s->n_failed && !s->n && !s->n_bad)
				return true;
		}
	return false;
}

static int print_ruling(const struct gate_report *g, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	int r = arg_json ? report_gate_json(g, &out, e) : report_gate(g, &out, e);

	return r < 0 ? r : cli_print(&out, e);
}

/* Judges experiment @id of a store and prints it; @ran: it was run for this. */
static int judge_store(const struct contract *c, const char *path, int64_t id, bool ran,
		       const char *shown, struct err *e)
{
	_cleanup_free_ struct judge_claim *claims = claims_of(c);
	struct report_input in = { 0 };
	struct judge_contract jc = { 0 };
	struct gate_report g = { .name = c->name, .store = shown, .c = &jc, .in = &in };
	int r = cli_load_input(path, id, 0, &in, e);

	if (r == 0)
		r = judge_claims(&in.x, &in.data, c->base, claims, c->n_rows, &jc, e);
	if (r == 0)
		r = print_ruling(&g, e);
	if (r == 0 && ran && nothing_worked(&jc))
		r = err_set(e, -EIO, "all runs of a row failed: nothing can be said about it");
	if (r == 0)
		r = status_of(&jc);
	judge_contract_done(&jc);
	report_input_done(&in);
	return r;
}

#define ROUNDS_MAX 1000000

static int override(struct plan *p, struct err *e)
{
	int r = 0;

	if (arg_rounds == 0 || (arg_rounds != UINT_MAX && arg_rounds > ROUNDS_MAX))
		return err_set(e, -ERANGE, "--rounds is not from 1 to %d", ROUNDS_MAX);
	if (arg_rounds != UINT_MAX)
		p->rounds = arg_rounds;
	if (arg_budget_ns)
		p->budget_ns = arg_budget_ns;
	if (arg_time)
		r = plan_set(p, "time", arg_time, e);
	return r < 0 ? err_wrap(e, r, "option \"--time\"") : 0;
}

static int run_and_judge(struct contract *c, struct err *e)
{
	_cleanup_cli_temp_ struct cli_temp temp = { 0 };
	_cleanup_str_ struct str command = STR_INIT(1 << 20);
	_cleanup_close_ int stop_fd = -EBADF;
	struct run_outcome out = { 0 };
	struct run_opts o = { .store_path = arg_output };
	int r = arg_output ? 0 : cli_temp_make(&temp, e);

	if (r < 0)
		return r;
	stop_fd = cli_stop_signals(e);
	if (stop_fd < 0)
		return stop_fd;
	cli_command_line(&command);
	if (temp.path)
		o.store_path = temp.path;
	o.command = str_text(&command);
	o.stop_fd = stop_fd;
	r = run_plan(&c->plan, &o, &out, e);
	temp.keep = arg_keep && out.experiment;
	if (temp.keep)
		log_info("the store is %s", temp.path);
	if (r < 0)
		return r;
	if (out.interrupted) {
		log_info("interrupted after %u runs: nothing was judged", out.done);
		return GATE_INTERRUPTED;
	}
	return judge_store(c, o.store_path, out.experiment, true,
			   arg_output || arg_keep ? o.store_path : NULL, e);
}

static int check_options(int argc, struct err *e)
{
	if (argc < 1) {
		err_set(e, -EINVAL, "no contract given");
		err_hint(e, "docs/gate.md shows one");
		return -EINVAL;
	}
	if (argc > 2)
		return err_set(e, -EINVAL, "a contract and a store are all that can be named");
	if (argc == 2 && (arg_output || arg_keep || arg_rounds != UINT_MAX || arg_time ||
			  arg_budget_ns))
		return err_set(e, -EINVAL, "a store is judged as it is: leave --output, --keep, "
			       "--rounds, --time and --budget out");
	if (argc == 1 && arg_experiment)
		return err_set(e, -EINVAL, "--experiment is for a store");
	if (arg_keep && arg_output)
		return err_set(e, -EINVAL, "--output keeps the store anyway: leave --keep out");
	return 0;
}

static int gate_main(int argc, char **argv, struct err *e)
{
	_cleanup_contract_ struct contract c = { 0 };
	unsigned n_cpus = (unsigned)get_nprocs();
	int r = check_options(argc, e);

	log_set_level(arg_quiet ? LOG_WARN : LOG_INFO);
	if (r == 0)
		r = contract_read(argv[0], n_cpus, &c, e);
	if (r == 0 && argc == 2)
		return judge_store(&c, argv[1], (int64_t)arg_experiment, false, argv[1], e);
	if (r == 0)
		r = contract_load_plan(&c, n_cpus, e);
	if (r == 0)
		r = override(&c.plan, e);
	if (r == 0)
		r = check_plan(&c, e);
	return r < 0 ? r : run_and_judge(&c, e);
}

const struct cmd cmd_gate = {
	.name = "gate",
	.summary = "does a contract hold? For scripts and git bisect run",
	.synopsis = "CONTRACT.yaml [STORE]",
	.about = "A contract names rows and what must hold of each: no loss beyond a margin, no\n"
		 "change beyond it, or a gain of at least so much; docs/gate.md has the rules.\n"
		 "With STORE its last experiment is judged, else the contract's plan is run.\n"
		 "\n"
		 "Exit status: 0 every claim is shown to hold; 1 one is shown to be broken; 125\n"
		 "can't tell; 128 and above: a mistake in the call or the contract (128), a\n"
		 "failure of the tool or the machine (129), interrupted (130).\n",
	.examples = "  mmgauge gate contract.yaml mmgauge.db\n"
		    "  mmgauge gate contract.yaml --rounds 12 -o gate.db\n"
		    "  mmgauge gate --json contract.yaml mmgauge.db | jq .ruling\n",
	.opts = opts,
	.main = gate_main,
	.usage_status = GATE_USAGE,
	.failed_status = GATE_FAILED,
};
