// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmgauge selfcheck: how far verdicts of this tool on this machine can be trusted. One experiment
 * with two variants that are the same but for delay, which has more steps under the second: the
 * chosen workload is measured against itself, delay against more work. With delay chosen there is
 * a third variant, so that both are asked of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "cli/cli.h"
#include "plan/plan.h"
#include "report/report.h"
#include "report/selfcheck.h"
#include "run/run.h"

#define DEFAULT_WORKLOAD "page_fault1"
#define DELAY "delay"
#define DELAY_STEPS 1000
#define TRIALS_MAX 10000
#define ROUNDS_MAX 1000
#define DELTA_MIN 0.001
#define DELTA_MAX 1.0

static const char *arg_output, *arg_time = "100ms", *arg_warmup = "20ms", *arg_seed;
static unsigned arg_trials = 20, arg_rounds = 8;
static double arg_delta = 0.05, arg_margin = 0.02;
static uint64_t arg_budget_ns = 120 * NSEC_PER_SEC;
static bool arg_quiet;

static const struct opt opts[] = {
	{ "trials", 0, OPT_UNSIGNED, &arg_trials, "N", "of each kind (20)" },
	{ "rounds", 'r', OPT_UNSIGNED, &arg_rounds, "N", "of a trial (8)" },
	{ "time", 't', OPT_TEXT, &arg_time, "TIME", "measured part of a run (100ms)" },
	{ "warmup", 'w', OPT_TEXT, &arg_warmup, "TIME", "before it (20ms)" },
	{ "delta", 0, OPT_FRACTION, &arg_delta, "PERCENT", "how much more work is injected (5%)" },
	{ "margin", 'm', OPT_FRACTION, &arg_margin, "PERCENT", "of the verdicts (2%)" },
	{ "budget", 0, OPT_DURATION, &arg_budget_ns, "TIME", "begin no round beyond this (2m)" },
	{ "seed", 0, OPT_TEXT, &arg_seed, "N", "of the order; drawn when not given" },
	{ "output", 'o', OPT_TEXT, &arg_output, "FILE", "keep the samples in this store" },
	{ "quiet", 'q', OPT_FLAG, &arg_quiet, NULL, "no progress, only warnings" },
	{ 0 },
};

static int check_numbers(struct err *e)
{
	if (arg_trials < 1 || arg_trials > TRIALS_MAX)
		return err_set(e, -ERANGE, "--trials is not from 1 to %d", TRIALS_MAX);
	if (arg_rounds < JUDGE_MIN_ROUNDS || arg_rounds > ROUNDS_MAX)
		return err_set(e, -ERANGE, "--rounds is not from %d to %d: with fewer there is no "
			       "verdict", JUDGE_MIN_ROUNDS, ROUNDS_MAX);
	if (!(arg_delta >= DELTA_MIN && arg_delta <= DELTA_MAX))
		return err_set(e, -ERANGE, "--delta is not from %g%% to %g%%", 100 * DELTA_MIN,
			       100 * DELTA_MAX);
	if (!(arg_margin > 0 && arg_margin <= 0.5))
		return err_set(e, -ERANGE, "--margin is not above 0 and at most 50%%");
	return 0;
}

/* Words before "--", and the program behind it. */
struct chosen {
	size_t n_words;
	char *const *words;
	char *const *argv;
};

static struct chosen choose(int argc, char **argv)
{
	struct chosen c = { .words = argv };

	while (c.n_words < (size_t)argc && !str_eq(argv[c.n_words], "--"))
		c.n_words++;
	if (c.n_words < (size_t)argc)
		c.argv = argv + c.n_words + 1;
	return c;
}

static int parse(const struct chosen *c, const struct strv *workloads,
		 const struct strv *variants, struct plan *ret, struct err *e)
{
	struct plan_args a = {
		.workloads = workloads->v, .n_workloads = workloads->n,
		.variants = variants->v, .n_variants = variants->n,
		.argv = c->argv,
	};

	return plan_from_args(&a, (unsigned)get_nprocs(), ret, e);
}

/* The one case that was chosen, parsed alone. */
static int parse_chosen(const struct chosen *c, struct strv *workloads, struct plan *ret,
			struct err *e)
{
	_cleanup_strv_ struct strv none = { 0 };
	int r;

	if (c->n_words > 1)
		return err_set(e, -EINVAL, "one workload at a time can be checked");
	if (c->n_words)
		strv_add(workloads, c->words[0]);
	else
		strv_add(workloads, c->argv ? "exec" : DEFAULT_WORKLOAD);
	r = parse(c, workloads, &none, ret, e);
	if (r == 0 && ret->n_cases != 1)
		return err_set(e, -EINVAL, "\"%s\" is %zu cases: one at a time can be checked",
			       c->n_words ? c->words[0] : "", ret->n_cases);
	return r;
}

static bool is_delay(const struct plan_case *c)
{
	return str_eq(c->workload->name, DELAY);
}

/* Steps of delay with the injected work. */
static int more_steps(const struct plan_case *c, uint64_t *ret, struct err *e)
{
	const char *given = is_delay(c) ? kvs_get(&c->params, "steps") : NULL;
	uint64_t steps = DELAY_STEPS;
	int r = given ? num_u64(given, &steps, e) : 0;

	if (r < 0)
		return r;
	*ret = (uint64_t)llround((double)steps * (1 + arg_delta));
	if (*ret == steps)
		return err_set(e, -ERANGE, "%" PRIu64 " steps of delay can't be made %g%% more",
			       steps, 100 * arg_delta);
	return 0;
}

static int finish_plan(struct plan *p, struct err *e)
{
	const struct {
		const char *key, *value;
	} set[] = { { "time", arg_time }, { "warmup", arg_warmup }, { "seed", arg_seed } };

	p->rounds = arg_trials * arg_rounds;
	p->budget_ns = arg_budget_ns;
	p->margin = arg_margin;
	for (size_t i = 0; i < ARRAY_LEN(set); i++) {
		int r = set[i].value ? plan_set(p, set[i].key, set[i].value, e) : 0;

		if (r < 0)
			return err_wrap(e, r, "option \"--%s\"", set[i].key);
	}
	return plan_set(p, "name", "selfcheck", e);
}

/* Variants a and b are the same but for delay's steps; with delay chosen "more" has those. */
static int make_plan(const struct chosen *c, struct plan *ret, struct err *e)
{
	_cleanup_strv_ struct strv workloads = { 0 }, variants = { 0 };
	_cleanup_plan_ struct plan alone = { 0 };
	_cleanup_free_ char *more = NULL, *delay = NULL;
	const char *tasks;
	uint64_t steps = 0;
	int r = parse_chosen(c, &workloads, &alone, e);

	if (r == 0)
		r = more_steps(&alone.cases[0], &steps, e);
	if (r < 0)
		return r;
	strv_add(&variants, "a");
	if (is_delay(&alone.cases[0])) {
		strv_add(&variants, "b");
		more = xasprintf("more:steps=%" PRIu64, steps);
	} else {
		tasks = kvs_get(&alone.cases[0].params, "tasks");
		delay = xasprintf(DELAY ":tasks=%s", tasks ? tasks : "1");
		strv_add(&workloads, delay);
		more = xasprintf("b:steps=%" PRIu64, steps);
	}
	strv_add(&variants, more);
	r = parse(c, &workloads, &variants, ret, e);
	return r < 0 ? r : finish_plan(ret, e);
}

static const struct store_metric *primary_of(const struct store_experiment *x,
					     const struct store_case *c)
{
	for (size_t i = 0; i < x->n_metrics; i++)
		if (x->metrics[i].case_id == c->id && x->metrics[i].primary)
			return &x->metrics[i];
	return NULL;
}

/*
 * Two runs of a case: their windows, and what all runs of the experiment took between two windows
 * on average (warm-up, groups, start of the agent).
 */
static double round_seconds(const struct store_data *d, const struct store_case *c)
{
	uint64_t first = UINT64_MAX, last = 0, windows = 0, own = 0;
	size_t n = 0;

	for (size_t i = 0; i < d->n_runs; i++) {
		const struct store_ref *r = &d->runs[i];

		if (r->end_ns <= r->start_ns)
			continue; /* failed before it began */
		first = r->start_ns < first ? r->start_ns : first;
		last = r->end_ns > last ? r->end_ns : last;
		windows += r->end_ns - r->start_ns;
		own += r->case_id == c->id ? r->end_ns - r->start_ns : 0;
		n += r->case_id == c->id;
	}
	if (n == 0 || d->n_runs < 2 || last - first < windows)
		return 0;
	return 2e-9 * ((double)own / (double)n +
		       (double)(last - first - windows) / (double)(d->n_runs - 1));
}

/* What was measured, as trials. */
static int evaluate(const struct report_input *in, struct selfcheck *s, struct err *e)
{
	const struct store_experiment *x = &in->x;
	const struct store_case *own = NULL, *delay = NULL;
	const struct store_metric *m, *dm;
	double shift;

	for (size_t i = 0; i < x->n_cases; i++) {
		if (str_eq(x->cases[i].workload, DELAY))
			delay = &x->cases[i];
		else
			own = &x->cases[i];
	}
	s->own = !own;
	own = own ? own : delay;
	if (!own || !delay)
		return err_set(e, -ENODATA, "the experiment is none of selfcheck");
	m = primary_of(x, own);
	dm = primary_of(x, delay);
	if (!m || !dm)
		return err_set(e, -ENODATA, "no run of %s left a sample", m ? DELAY : own->title);
	shift = m->higher_is_better ? 1 / (1 + s->delta) - 1 : s->delta;
	s->round_s = round_seconds(&in->data, own);
	judge_trials(x, &in->data, own, m, 1, s->rounds, s->margin, 0, &s->same);
	judge_trials(x, &in->data, delay, dm, s->own ? 2 : 1, s->rounds, s->margin, 0,
		     &s->injected);
	judge_trials(x, &in->data, own, m, 1, s->rounds, s->margin, shift, &s->shifted);
	return 0;
}

static int print(const struct plan *p, const char *title, const char *path, int64_t id,
		 bool *ret_broken, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct selfcheck s = { .title = title, .trials = arg_trials, .rounds = arg_rounds,
			       .time_ns = p->time_ns, .margin = arg_margin, .delta = arg_delta };
	struct report_input in = { 0 };
	int r = cli_load_input(path, id, 0, &in, e);

	if (r == 0)
		r = evaluate(&in, &s, e);
	if (r == 0)
		r = report_selfcheck(&s, &out, e);
	if (r == 0)
		r = cli_print(&out, e);
	*ret_broken = r == 0 && selfcheck_broken(&s);
	report_input_done(&in);
	return r;
}

static const char *title_of(const struct plan *p)
{
	for (size_t i = 0; i < p->n_cases; i++)
		if (!is_delay(&p->cases[i]))
			return p->cases[i].title;
	return p->cases[0].title;
}

static int carry_out(const struct plan *p, struct err *e)
{
	_cleanup_cli_temp_ struct cli_temp temp = { 0 };
	_cleanup_str_ struct str command = STR_INIT(1 << 20);
	_cleanup_close_ int stop_fd = -EBADF;
	struct run_opts o = { .store_path = arg_output };
	struct run_outcome out = { 0 };
	bool broken = false;
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
	r = run_plan(p, &o, &out, e);
	if (r < 0)
		return r;
	if (out.interrupted)
		log_info("interrupted: this is of the %u runs that were done", out.done);
	if (out.experiment && out.done)
		r = print(p, title_of(p), o.store_path, out.experiment, &broken, e);
	if (r < 0)
		return r;
	return out.interrupted || out.failed || broken ? EXIT_FAILED : EXIT_FINE;
}

static int selfcheck_main(int argc, char **argv, struct err *e)
{
	struct chosen c = choose(argc, argv);
	_cleanup_plan_ struct plan p = { 0 };
	int r = check_numbers(e);

	log_set_level(arg_quiet ? LOG_WARN : LOG_INFO);
	if (r == 0)
		r = make_plan(&c, &p, e);
	return r < 0 ? r : carry_out(&p, e);
}

const struct cmd cmd_selfcheck = {
	.name = "selfcheck",
	.summary = "how far verdicts can be trusted here, and what changes can be seen",
	.synopsis = "[WORKLOAD[:KEY=VALUE,..] | -- PROGRAM [ARG..]]",
	.about = "Runs many short comparisons in which nothing differs, and as many in which one\n"
		 "side has a known amount of work more, and counts the verdicts. From the spread\n"
		 "it computes the smallest change that so many rounds or minutes see, and how\n"
		 "many rounds a plan needs. Ctrl-C prints what there is. docs/selfcheck.md.\n"
		 "\n"
		 "Exit status 1: interrupted, runs failed, or false verdicts are shown to be more\n"
		 "than 5 in 100.\n",
	.examples = "  mmgauge selfcheck --budget 1m\n"
		    "  mmgauge selfcheck page_fault2:size=64M,tasks=2 --trials 10 -o check.db\n"
		    "  mmgauge selfcheck delay --delta 2% --rounds 12\n",
	.opts = opts,
	.main = selfcheck_main,
};
