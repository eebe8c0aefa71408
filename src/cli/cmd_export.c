// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge export: data and scripts for papers. */
#include <errno.h>

#include "base/err.h"
#include "base/log.h"
#include "cli/cli.h"
#include "import/import.h"
#include "judge/judge.h"
#include "report/report.h"

static uint64_t arg_experiment;
static const char *arg_gnuplot;
static bool arg_text;

static const struct opt opts[] = {
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "gnuplot", 0, OPT_TEXT, &arg_gnuplot, "DIR", "data files and scripts that draw them" },
	{ "text", 0, OPT_FLAG, &arg_text, NULL,
	  "all raw data as lines: to mail, to compare with diff, to compare" },
	{ 0 },
};

static int put_piece(void *arg __unused, const struct str *piece, struct err *e)
{
	return cli_print(piece, e);
}

static int export_text(const char *path, struct err *e)
{
	struct store *s = NULL;
	int r = store_open(path, STORE_READ, &s, e);

	if (r == 0)
		r = import_write_text(s, (int64_t)arg_experiment, put_piece, NULL, e);
	store_close(s);
	return r;
}

static int export_main(int argc, char **argv, struct err *e)
{
	struct report_input in = { 0 };
	struct judge_table t = { 0 };
	const char *path;
	size_t graphs = 0;
	int r = cli_store_arg(argc, argv, &path, e);

	if (r == 0 && !arg_gnuplot == !arg_text)
		r = err_set(e, -EINVAL, "say what to export: --gnuplot DIR or --text");
	if (r == 0 && arg_text)
		return export_text(path, e);
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
	.synopsis = "--gnuplot DIR|--text [STORE]",
	.about = "",
	.examples = "  mmgauge export --gnuplot graphs mmgauge.db\n"
		    "  mmgauge export --text mmgauge.db > raw.txt; mmgauge compare raw.txt\n",
	.opts = opts,
	.main = export_main,
};
