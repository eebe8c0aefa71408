// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge compare: the table of verdicts of an experiment. */
#include <errno.h>
#include <fcntl.h>

#include "base/err.h"
#include "base/fsx.h"
#include "cli/cli.h"
#include "judge/judge.h"
#include "report/posted.h"
#include "report/report.h"

static uint64_t arg_experiment;
static double arg_margin = -1;
static bool arg_full, arg_json, arg_csv;
static const char *arg_style = "native";
static const char *arg_summary;
static uint64_t arg_n;
static bool arg_lower;

static const struct opt opts[] = {
	{ "experiment", 'x', OPT_U64, &arg_experiment, "N", "which one (the last)" },
	{ "margin", 'm', OPT_FRACTION, &arg_margin, "PERCENT",
	  "smallest change that matters (the plan's)" },
	{ "style", 's', OPT_TEXT, &arg_style, "STYLE", REPORT_STYLES },
	{ "full", 0, OPT_FLAG, &arg_full, NULL, "everything needed to tear it apart" },
	{ "json", 0, OPT_FLAG, &arg_json, NULL, "JSON, with a schema version" },
	{ "csv", 0, OPT_FLAG, &arg_csv, NULL, "one line per row and variant" },
	{ "from-summary", 0, OPT_TEXT, &arg_summary, "FILE",
	  "judge posted means and standard deviations (-: stdin)" },
	{ "n", 'n', OPT_U64, &arg_n, "RUNS", "runs behind each of them, when FILE doesn't say" },
	{ "lower", 0, OPT_FLAG, &arg_lower, NULL, "of FILE: lower is better" },
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
	if (arg_summary && (!native || arg_json || arg_csv || arg_full || arg_experiment))
		return err_set(e, -EINVAL, "--from-summary has a report of its own: without "
			       "--style, --full, --json, --csv, --experiment");
	if (!arg_summary && (arg_n || arg_lower))
		return err_set(e, -EINVAL, "--n and --lower are for --from-summary; a store knows");
	return 0;
}

/* The margin that plans have when they don't say. */
#define POSTED_MARGIN 0.02

static int compare_posted(struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX), out = STR_INIT(REPORT_MAX);
	_cleanup_posted_ struct posted t = { 0 };
	bool from_stdin = str_eq(arg_summary, "-");
	const char *name = from_stdin ? "stdin" : arg_summary;
	int r = fsx_read(AT_FDCWD, from_stdin ? "/dev/stdin" : arg_summary, &text, e);

	if (r == 0)
		r = posted_parse(str_text(&text), name, arg_n, &t, e);
	if (r < 0)
		return r;
	judge_posted(&t, arg_margin < 0 ? POSTED_MARGIN : arg_margin, !arg_lower);
	r = report_posted(&t, name, !arg_lower, &out, e);
	return r < 0 ? r : cli_print(&out, e);
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

	if (r == 0 && arg_summary && argc)
		r = err_set(e, -EINVAL, "--from-summary takes no store");
	if (r == 0 && arg_summary)
		return compare_posted(e);
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
		 "after reboots, meet in one table. The first variant of the first is the base.\n"
		 "\n"
		 "--from-summary judges what people post: lines LABEL VARIANT MEAN STDDEV N, or\n"
		 "a table LABEL | MEAN | MEDIAN | STDDEV as it came by mail, with --n.\n",
	.examples = "  mmgauge compare\n"
		    "  mmgauge compare --full mmgauge.db\n"
		    "  mmgauge compare before.db after.db\n"
		    "  mmgauge compare --style mmtests\n"
		    "  mmgauge compare --from-summary posted.txt --n 10\n"
		    "  mmgauge compare --json | jq .\n",
	.opts = opts,
	.main = compare_main,
};
