// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge compare: the table of verdicts of an experiment. */
#include <errno.h>

#include "base/err.h"
#include "cli/cli.h"
#include "judge/judge.h"
#include "report/report.h"

static uint64_t arg_experiment;
static double arg_margin = -1;
static bool arg_full, arg_json, arg_csv;
static const char *arg_style = "native";

static const struct opt opts[] = {
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "margin", 'm', OPT_FRACTION, &arg_margin, "PERCENT",
	  "smallest change that matters (the plan's)" },
	{ "style", 's', OPT_TEXT, &arg_style, "STYLE", REPORT_STYLES },
	{ "full", 0, OPT_FLAG, &arg_full, NULL, "everything needed to tear it apart" },
	{ "json", 0, OPT_FLAG, &arg_json, NULL, "JSON, with a schema version" },
	{ "csv", 0, OPT_FLAG, &arg_csv, NULL, "one line per row and variant" },
	{ 0 },
};

static int check_options(struct err *e)
{
	bool native = str_eq(arg_style, "native");

	if (!native && !report_style(arg_style)) {
		int r = err_set(e, -EINVAL, "there is no style \"%s\"", arg_style);

		err_hint(e, "styles: %s", REPORT_STYLES);
		return r;
	}
	if (!native + arg_json + arg_csv + arg_full > 1)
		return err_set(e, -EINVAL, "--style, --full, --json and --csv exclude each other");
	return 0;
}

static int print(const struct judge_table *t, const struct report_input *in, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	report_style_fn *style = report_style(arg_style);
	int r;

	if (arg_json)
		r = report_json(t, in, &out, e);
	else if (arg_csv)
		r = report_csv(t, in, &out, e);
	else if (style)
		r = style(t, in, &out, e);
	else
		r = report_native(t, in, arg_full, &out, e);
	return r < 0 ? r : cli_print(&out, e);
}

static int compare_main(int argc, char **argv, struct err *e)
{
	struct report_input in = { 0 };
	struct judge_table t = { 0 };
	int r = check_options(e);

	if (r == 0)
		r = cli_load_all(argv, (size_t)argc, (int64_t)arg_experiment, arg_margin,
				 arg_json ? REPORT_ALL : arg_full ? REPORT_HASH : 0, &in, &t, e);
	if (r == 0)
		r = print(&t, &in, e);
	judge_table_done(&t);
	report_input_done(&in);
	return r;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.summary = "what changed between the variants of an experiment, and how sure that is",
	.synopsis = "[STORE...]",
	.about = "Per row: centre and spread of each variant, the change with its 95 % interval,\n"
		 "rounds, the smallest change that could have been seen, the verdict.\n"
		 "\n"
		 "Several stores are joined: variants measured on different days or machines, or\n"
		 "after reboots, meet in one table. The first variant of the first is the base.\n",
	.examples = "  mmgauge compare\n"
		    "  mmgauge compare --full mmgauge.db\n"
		    "  mmgauge compare before.db after.db\n"
		    "  mmgauge compare --style mmtests\n"
		    "  mmgauge compare --json | jq .\n",
	.opts = opts,
	.main = compare_main,
};
