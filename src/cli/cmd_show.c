// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge show: raw samples. */
#include <stdlib.h>

#include "base/err.h"
#include "cli/cli.h"
#include "report/report.h"

static uint64_t arg_experiment;
static bool arg_counters, arg_placement, arg_experiments;

static const struct opt opts[] = {
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "experiments", 0, OPT_FLAG, &arg_experiments, NULL, "list the experiments instead" },
	{ "counters", 0, OPT_FLAG, &arg_counters, NULL, "with all counters of each run" },
	{ "placement", 0, OPT_FLAG, &arg_placement, NULL, "with the placement as read back" },
	{ 0 },
};

static int show_runs(struct store *s, struct str *out, struct err *e)
{
	unsigned flags = (arg_counters ? SHOW_COUNTERS : 0u) |
			 (arg_placement ? SHOW_PLACEMENT : 0u);
	struct report_input in = { 0 };
	int r = report_load(s, (int64_t)arg_experiment, REPORT_SAMPLES, &in, e);

	if (r == 0)
		r = report_show(&in, flags, out, e);
	report_input_done(&in);
	return r;
}

static int show_experiments(struct store *s, struct str *out, struct err *e)
{
	struct store_experiment *x = NULL;
	size_t n = 0;
	int r = store_list_experiments(s, &x, &n, e);

	if (r == 0)
		r = report_list_experiments(x, n, out, e);
	for (size_t i = 0; i < n; i++)
		store_experiment_done(&x[i]);
	free(x);
	return r;
}

static int show_main(int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct store *s = NULL;
	const char *path;
	int r = cli_store_arg(argc, argv, &path, e);

	if (r == 0)
		r = store_open(path, STORE_READ, &s, e);
	if (r == 0)
		r = arg_experiments ? show_experiments(s, &out, e) : show_runs(s, &out, e);
	store_close(s);
	return r < 0 ? r : cli_print(&out, e);
}

const struct cmd cmd_show = {
	.name = "show",
	.summary = "raw samples, in the order in which they were taken",
	.synopsis = "[STORE]",
	.about = "",
	.examples = "  mmgauge show\n"
		    "  mmgauge show --counters --placement mmgauge.db\n",
	.opts = opts,
	.main = show_main,
};
