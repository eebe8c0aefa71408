// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge report: one HTML file of an experiment. */
#include <errno.h>
#include <fcntl.h>

#include "base/err.h"
#include "base/fsx.h"
#include "cli/cli.h"
#include "judge/judge.h"
#include "report/report.h"

static uint64_t arg_experiment;
static double arg_margin = -1;
static const char *arg_output;

static const struct opt opts[] = {
	{ "output", 'o', OPT_TEXT, &arg_output, "FILE.html",
	  "the file; replaced when it is there" },
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "margin", 'm', OPT_FRACTION, &arg_margin, "PERCENT",
	  "smallest change that matters (the plan's)" },
	{ 0 },
};

static int write_report(const struct judge_table *t, const struct report_input *in, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	int r = report_html(t, in, &out, e);

	return r < 0 ? r : fsx_replace(AT_FDCWD, arg_output, str_text(&out), e);
}

static int report_main(int argc, char **argv, struct err *e)
{
	struct report_input in = { 0 };
	struct judge_table t = { 0 };
	int r = 0;

	if (!arg_output || !*arg_output) {
		r = err_set(e, -EINVAL, "say where to write the report");
		err_hint(e, "mmgauge report -o report.html");
	}
	if (r == 0)
		r = cli_load_all(argv, (size_t)argc, (int64_t)arg_experiment, arg_margin,
				 REPORT_HASH, &in, &t, e);
	if (r == 0)
		r = write_report(&t, &in, e);
	judge_table_done(&t);
	report_input_done(&in);
	return r;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "one HTML file with verdicts, pictures and raw records",
	.synopsis = "-o FILE.html [STORE...]",
	.about = "The file needs no network and no script. The same store gives the same bytes.\n"
		 "Several stores are joined as by compare.\n",
	.examples = "  mmgauge report -o report.html\n"
		    "  mmgauge report -o report.html mmgauge.db\n"
		    "  mmgauge report -o report.html -m 1% -x 1 mmgauge.db\n"
		    "  mmgauge report -o report.html before.db after.db\n",
	.opts = opts,
	.main = report_main,
};
