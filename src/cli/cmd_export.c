// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge export: data and scripts for papers. */
#include <errno.h>

#include "base/err.h"
#include "base/log.h"
#include "cli/cli.h"
#include "judge/judge.h"
#include "report/report.h"

static uint64_t arg_experiment;
static const char *arg_gnuplot;

static const struct opt opts[] = {
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "gnuplot", 0, OPT_TEXT, &arg_gnuplot, "DIR", "data files and scripts that draw them" },
	{ 0 },
};

static int export_main(int argc, char **argv, struct err *e)
{
	struct report_input in = { 0 };
	struct judge_table t = { 0 };
	const char *path;
	size_t graphs = 0;
	int r = cli_store_arg(argc, argv, &path, e);

	if (r == 0 && !arg_gnuplot)
		r = err_set(e, -EINVAL, "say what to export: --gnuplot DIR");
	if (r == 0)
		r = cli_load(path, (int64_t)arg_experiment, -1, REPORT_HASH, &in, &t, e);
	if (r == 0)
		r = report_gnuplot(arg_gnuplot, &in, &graphs, e);
	if (r == 0)
		log_info("%zu graphs: draw them with \"cd %s && gnuplot all.gp\"", graphs,
			 arg_gnuplot);
	judge_table_done(&t);
	report_input_done(&in);
	return r;
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write the data of an experiment in other forms",
	.synopsis = "--gnuplot DIR [STORE]",
	.about = "",
	.examples = "  mmgauge export --gnuplot graphs mmgauge.db\n",
	.opts = opts,
	.main = export_main,
};
