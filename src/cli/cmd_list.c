// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge list: workloads with their parameters and metrics. */
#include <errno.h>

#include "base/err.h"
#include "cli/cli.h"
#include "workload/workload.h"

static const struct opt opts[] = {
	{ 0 },
};

static const char *kind_name(enum workload_kind k)
{
	switch (k) {
	case WORKLOAD_RATE:
		return "rate: loops until told to stop, operations are counted";
	case WORKLOAD_BATCH:
		return "batch: a fixed amount of work is timed";
	case WORKLOAD_DRIVER:
		return "driver: a real program is run";
	}
	return "";
}

static void describe_params(const struct workload *w, struct str *out)
{
	for (const struct param_spec *p = w->params; p && p->name; p++) {
		str_addf(out, "  %-16s %s (default %s", p->name, p->help,
			 p->def[0] ? p->def : "none");
		for (size_t i = 0; p->type == PARAM_CHOICE && p->choices[i]; i++)
			str_addf(out, "%s%s", i ? ", " : "; ", p->choices[i]);
		str_add(out, ")\n");
	}
}

static void describe(const struct workload *w, struct str *out)
{
	str_addf(out, "%s: %s\n", w->name, w->summary);
	str_addf(out, "kind       %s\n", kind_name(w->kind));
	str_addf(out, "operation  one %s\n", w->op);
	str_addf(out, "timed      %s\n", w->timed);
	str_addf(out, "exercises  %s\n", w->exercises);
	str_addf(out, "revision   %u\n", w->revision);
	if (w->default_fs)
		str_addf(out, "files on   fs=%s unless told otherwise\n", w->default_fs);
	str_add(out, "parameters:\n");
	describe_params(w, out);
	if (w->metrics)
		str_add(out, "metrics of its own:\n");
	for (const struct metric_spec *m = w->metrics; m && m->name; m++)
		str_addf(out, "  %-16s %s (%s, %s is better)\n", m->name, m->help, m->unit,
			 m->direction == METRIC_HIGHER ? "higher" : "lower");
}

static int list_main(int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);

	for (int i = 0; i < argc; i++) {
		const struct workload *w = workload_find(argv[i]);
		const char *near = workload_nearest(argv[i]);

		if (!w) {
			int r = err_set(e, -EINVAL, "there is no workload \"%s\"", argv[i]);

			if (near)
				err_hint(e, "did you mean \"%s\"?", near);
			return r;
		}
		describe(w, &out);
	}
	for (size_t i = 0; argc == 0 && workload_table[i]; i++)
		str_addf(&out, "%-16s %s\n", workload_table[i]->name, workload_table[i]->summary);
	return cli_print(&out, e);
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "the workloads; with names, their parameters and metrics",
	.synopsis = "[WORKLOAD..]",
	.about = "",
	.examples = "  mmgauge list\n"
		    "  mmgauge list page_fault1\n",
	.opts = opts,
	.main = list_main,
};
