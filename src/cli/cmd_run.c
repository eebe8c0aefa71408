// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge run: from a plan file, or from the short form on the command line. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/log.h"
#include "cli/cli.h"
#include "judge/judge.h"
#include "kernel/kernel.h"
#include "plan/plan.h"
#include "report/report.h"
#include "run/run.h"

static struct strv arg_variants, arg_params, arg_kernels;
static const char *arg_guest;
static const char *arg_output = DEFAULT_STORE, *arg_parent;
static unsigned arg_rounds = UINT_MAX; /* not given */
static const char *arg_time, *arg_warmup, *arg_margin, *arg_seed, *arg_count;
static uint64_t arg_budget_ns;
static bool arg_resume, arg_skip, arg_dry_run, arg_quiet, arg_verbose, arg_full;

static const struct opt opts[] = {
	{ "variant", 0, OPT_LIST, &arg_variants, "NAME:KEY=VALUE,..",
	  "a column: placement, settings; the first is the base" },
	{ "kernels", 'k', OPT_LIST, &arg_kernels, "KERNEL,..",
	  "a variant for each: boots them in turn (\"mmgauge kernels\")" },
	{ "guest", 'g', OPT_TEXT, &arg_guest, "KEY=VALUE,..",
	  "for these: smp=1, mem=1G, append=.., cgroup=v2|v1, accel=auto|kvm|tcg" },
	{ "param", 'p', OPT_LIST, &arg_params, "KEY=VALUE,..", "for all workloads and variants" },
	{ "rounds", 'r', OPT_UNSIGNED, &arg_rounds, "N", "each variant runs each case N times" },
	{ "time", 't', OPT_TEXT, &arg_time, "TIME", "measured part of a run (3s)" },
	{ "warmup", 'w', OPT_TEXT, &arg_warmup, "TIME", "before it (500ms)" },
	{ "budget", 0, OPT_DURATION, &arg_budget_ns, "TIME", "begin no round beyond this" },
	{ "count", 0, OPT_TEXT, &arg_count, "instructions",
	  "of kernels, without noise, instead of measuring time" },
	{ "margin", 'm', OPT_TEXT, &arg_margin, "PERCENT",
	  "smallest change that matters (2%)" },
	{ "seed", 0, OPT_TEXT, &arg_seed, "N", "of the order; drawn when not given" },
	{ "cgroup-parent", 0, OPT_TEXT, &arg_parent, "PATH",
	  "make groups below this one (the group we are in)" },
	{ "output", 'o', OPT_TEXT, &arg_output, "FILE", "the store (" DEFAULT_STORE ")" },
	{ "resume", 0, OPT_FLAG, &arg_resume, NULL, "go on with the last experiment of the store" },
	{ "skip-unplaceable", 0, OPT_FLAG, &arg_skip, NULL,
	  "drop variants that can't be placed, say so" },
	{ "dry-run", 'n', OPT_FLAG, &arg_dry_run, NULL, "show cases, order, time; run nothing" },
	{ "full", 0, OPT_FLAG, &arg_full, NULL, "print the complete comparison at the end" },
	{ "quiet", 'q', OPT_FLAG, &arg_quiet, NULL, "no progress, only warnings" },
	{ "verbose", 'v', OPT_FLAG, &arg_verbose, NULL, "say more" },
	{ 0 },
};

static bool is_plan_file(const char *word)
{
	size_t len = strlen(word);

	return strchr(word, '/') || (len > 5 && strcmp(word + len - 5, ".yaml") == 0) ||
	       (len > 4 && strcmp(word + len - 4, ".yml") == 0);
}

/* A variant that names a parent itself keeps it. */
static void override_parent(struct plan *p)
{
	for (size_t i = 0; i < p->n_variants; i++)
		if (!kvs_get(&p->variants[i].place, "cgroup-parent"))
			kvs_set(&p->variants[i].place, "cgroup-parent", arg_parent);
}

/*
 * Rounds and budget only say when to stop, so that a run can be resumed with more of them; what
 * changes the meaning of a sample goes into the plan's text and hash.
 */
static int override_plan(struct plan *p, struct err *e)
{
	const struct {
		const char *key, *value;
	} set[] = {
		{ "time", arg_time },
		{ "warmup", arg_warmup },
		{ "count", arg_count },
		{ "margin", arg_margin },
		{ "seed", arg_seed },
	};

	if (arg_parent)
		override_parent(p);
	if (arg_rounds != UINT_MAX) {
		p->rounds = arg_rounds;
		p->rounds_given = true;
	}
	if (arg_budget_ns)
		p->budget_ns = arg_budget_ns;
	for (size_t i = 0; i < ARRAY_LEN(set); i++) {
		int r = set[i].value ? plan_set(p, set[i].key, set[i].value, e) : 0;

		if (r < 0)
			return err_wrap(e, r, "option \"--%s\"", set[i].key);
	}
	return 0;
}

#define ROUNDS_MAX 1000000
#define TITLE_MAX 36

static int check_numbers(struct err *e)
{
	if (arg_rounds == 0 || (arg_rounds != UINT_MAX && arg_rounds > ROUNDS_MAX))
		return err_set(e, -ERANGE, "--rounds is not from 1 to %d", ROUNDS_MAX);
	return 0;
}

/* Its release, as far as that may name a variant: "6.1.0-57-cloud" of 6.1.0-57-cloud-amd64. */
static char *kernel_title(const struct kernel *k)
{
	const char *arch = strstr(k->release, "-amd64");
	size_t len = arch && !arch[6] ? (size_t)(arch - k->release) : strlen(k->release);
	char *name = xstrndup(k->release, len < TITLE_MAX ? len : TITLE_MAX);

	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+",
			    *p))
			*p = '-';
	return name;
}

static bool is_variant(const char *title)
{
	size_t len = strlen(title);

	for (size_t i = 0; i < arg_variants.n; i++)
		if (strncmp(arg_variants.v[i], title, len) == 0 && arg_variants.v[i][len] == ':')
			return true;
	return false;
}

/* A variant for each kernel; the same one twice is another boot of it, which is a fair A/A. */
static int add_kernel(const char *kernel, struct err *e)
{
	_cleanup_free_ char *title = NULL, *first = NULL;
	_cleanup_str_ struct str text = STR_INIT(1 << 16);
	_cleanup_kvs_ struct kvs kvs = { 0 };
	_cleanup_kernel_ struct kernel k = { 0 };
	int r = kernel_open(kernel, &k, e);

	if (r < 0)
		return r;
	first = kernel_title(&k);
	title = xstrdup(first);
	for (unsigned i = 2; is_variant(title); i++) {
		free(title);
		title = xasprintf("%s.%u", first, i);
	}
	kvs_set(&kvs, "target", "vm");
	kvs_set(&kvs, "kernel", kernel);
	str_addf(&text, "%s:", title);
	kvs_format(&kvs, &text);
	if (arg_guest)
		str_addf(&text, ",%s", arg_guest);
	strv_add(&arg_variants, str_text(&text));
	return 0;
}

static int add_kernels(struct err *e)
{
	if (arg_guest && !arg_kernels.n)
		return err_set(e, -EINVAL, "\"--guest\" is for the kernels of \"--kernels\"");
	if (arg_kernels.n && arg_variants.n)
		return err_set(e, -EINVAL, "\"--kernels\" makes the variants: leave --variant out, "
					   "or write --variant NAME:target=vm,kernel=KERNEL,..");
	for (size_t i = 0; i < arg_kernels.n; i++) {
		char *rest = arg_kernels.v[i], *kernel;

		while ((kernel = str_cut(&rest, ","))) {
			int r = *kernel ? add_kernel(kernel, e) : 0;

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* argv of the command: words, then perhaps "--" and a program. */
static int make_plan(int argc, char **argv, struct plan *p, struct err *e)
{
	unsigned n_cpus = (unsigned)get_nprocs();
	/* what a patch author types: --kernels alone */
	char *usual[] = { (char[]){ "page_fault1" }, (char[]){ "page_fault2" },
			  (char[]){ "page_fault3" } };
	struct plan_args a = {
		.workloads = argv,
		.common = arg_params.v,
		.n_common = arg_params.n,
	};
	int r = check_numbers(e);

	if (r == 0)
		r = add_kernels(e);
	if (r < 0)
		return r;
	a.variants = arg_variants.v;
	a.n_variants = arg_variants.n;
	while (a.n_workloads < (size_t)argc && strcmp(argv[a.n_workloads], "--") != 0)
		a.n_workloads++;
	if (a.n_workloads < (size_t)argc)
		a.argv = argv + a.n_workloads + 1;
	if (a.n_workloads == 1 && is_plan_file(argv[0])) {
		if (a.n_variants || a.n_common || a.argv)
			return err_set(e, -EINVAL, "a plan file names its variants and parameters "
						   "itself: leave --variant, -p and \"--\" out");
		r = plan_read(argv[0], n_cpus, p, e);
	} else if (!a.n_workloads && !a.argv && arg_kernels.n) {
		a.workloads = usual;
		a.n_workloads = ARRAY_LEN(usual);
		r = plan_from_args(&a, n_cpus, p, e);
	} else if (!a.n_workloads && !a.argv) {
		r = err_set(e, -EINVAL, "nothing to run");
		err_hint(e, "name a plan file, workloads (\"mmgauge list\"), or a program after "
			    "--");
		return r;
	} else {
		r = plan_from_args(&a, n_cpus, p, e);
	}
	return r < 0 ? r : override_plan(p, e);
}

static int print_comparison(int64_t experiment, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(REPORT_MAX);
	struct report_input in = { 0 };
	struct judge_table t = { 0 };
	int r = cli_load(arg_output, experiment, -1, 0, &in, &t, e);

	if (r == 0)
		r = report_native(&t, &in, arg_full, &out, e);
	if (r == 0)
		r = cli_print(&out, e);
	judge_table_done(&t);
	report_input_done(&in);
	return r;
}

static int carry_out(const struct plan *p, const char *command, struct err *e)
{
	_cleanup_close_ int stop_fd = cli_stop_signals(e);
	struct run_opts o = {
		.store_path = arg_output,
		.command = command,
		.resume = arg_resume,
		.skip_unplaceable = arg_skip,
		.stop_fd = stop_fd,
	};
	struct run_outcome out = { 0 };
	struct err late = { 0 };
	int r, r2;

	if (stop_fd < 0)
		return stop_fd;
	r = run_plan(p, &o, &out, e);
	if (out.interrupted)
		log_info("interrupted: %u runs are kept in %s; --resume goes on", out.done,
			 arg_output);
	r2 = out.experiment ? print_comparison(out.experiment, &late) : 0;
	if (r == 0 && r2 < 0) {
		*e = late;
		r = r2;
	}
	if (r < 0)
		return r;
	if (out.failed)
		log_warn("%u of %u runs failed: \"mmgauge show %s\" tells why", out.failed,
			 out.done, arg_output);
	return out.failed || out.interrupted ? EXIT_FAILED : EXIT_FINE;
}

static int run_main(int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str command = STR_INIT(1 << 20), text = STR_INIT(64u << 20);
	struct plan p = { 0 };
	int r;

	log_set_level(arg_quiet ? LOG_WARN : arg_verbose ? LOG_DEBUG : LOG_INFO);
	cli_command_line(&command);
	r = make_plan(argc, argv, &p, e);
	if (r == 0 && arg_dry_run) {
		r = run_describe(&p, &text, e);
		if (r == 0)
			r = cli_print(&text, e);
	} else if (r == 0) {
		r = carry_out(&p, str_text(&command), e);
	}
	plan_done(&p);
	strv_done(&arg_variants);
	strv_done(&arg_params);
	strv_done(&arg_kernels);
	return r;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a plan file, workloads, or a program, and compare the variants",
	.synopsis = "PLAN.yaml | WORKLOAD[:KEY=VALUE,..].. | -- PROGRAM [ARG..]",
	.about = "Every round runs each case under every variant, in balanced random order.\n"
		 "Samples are stored as they come; Ctrl-C keeps them. Keys of a variant are\n"
		 "placement (depth, groups, memory.max, cpus, fs, swap, vm.swappiness ..) or\n"
		 "parameters of the workload; \"mmgauge list\" shows these. Values of parameters\n"
		 "may sweep: tasks=1,2,4 or tasks=1..8 or size=64K..1M/5.\n",
	.examples =
		"  mmgauge run plans/quick.yaml\n"
		"  mmgauge run page_fault1 --variant base:depth=0 \\\n"
		"      --variant deep:depth=4,memory.max=256M --rounds 10\n"
		"  mmgauge run page_fault2:tasks=1,2,size=64M --variant flat \\\n"
		"      --variant deep:depth=8\n"
		"  mmgauge run page_fault1 --kernels /boot/vmlinuz-6.1,/boot/vmlinuz-6.12\n"
		"  mmgauge run page_fault1 --count instructions \\\n"
		"      --kernels linux-image-cloud-amd64,linux-image-6.12-cloud-amd64\n"
		"  mmgauge run --kernels linux-image-cloud-amd64,../linux -p depth=4\n"
		"  mmgauge run --variant free --variant tight:depth=1,memory.max=64M \\\n"
		"      -- ./prog arg\n",
	.opts = opts,
	.main = run_main,
};
