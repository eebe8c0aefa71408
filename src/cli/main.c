// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge: finds the command and runs it. Each command is a file cmd_NAME.c with its own table. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "build_id.h"
#include "cli/cli.h"
#include "import/import.h"
#include "judge/judge.h"
#include "report/report.h"
#include "store/store.h"
#include "workload/workload.h"

const struct cmd *const cli_commands[] = {
	&cmd_run, &cmd_compare, &cmd_report, &cmd_explain, &cmd_gate, &cmd_show, &cmd_list,
	&cmd_export, &cmd_import, &cmd_kernels, &cmd_boot, &cmd_selfcheck, &cmd_clean, NULL,
};

static const struct cmd *find_command(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

static void overview(struct str *out)
{
	str_add(out, "usage: mmgauge COMMAND [options] ...\n\n"
		     "Measures what a change to Linux memory management costs: runs workloads,\n"
		     "places them in memory cgroups, repeats them in balanced order, says how\n"
		     "sure it is.\n\ncommands:\n");
	for (size_t i = 0; cli_commands[i]; i++)
		str_addf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
	str_add(out, "\n\"mmgauge COMMAND --help\" says more. Try:\n"
		     "  mmgauge run page_fault1 --variant base:depth=0 --variant deep:depth=4\n");
}

int cli_print(const struct str *text, struct err *e)
{
	if (!str_ok(text))
		return err_set(e, -EFBIG, "could not print: the text is longer than %zu bytes",
			       text->max);
	if (fputs(str_text(text), stdout) != EOF && fflush(stdout) != EOF)
		return 0;
	if (errno == EPIPE)
		return 0; /* who reads has seen enough */
	return err_errno(e, errno ? errno : EIO, "could not write to standard output");
}

int cli_store_arg(int argc, char **argv, const char **ret, struct err *e)
{
	if (argc > 1)
		return err_set(e, -EINVAL, "unexpected argument \"%s\"", argv[1]);
	*ret = argc ? argv[0] : DEFAULT_STORE;
	return 0;
}

/* A text of mmgauge is as good as a store: read through one in memory. */
static int open_any(const char *path, struct store **ret, struct err *e)
{
	const struct import_file file = { "", path };
	const struct import_options o = { .format = "text" };
	int r;

	if (!import_is_text(path))
		return store_open(path, STORE_READ, ret, e);
	r = store_open_memory(ret, e);
	return r < 0 ? r : import_files(&file, 1, &o, *ret, e);
}

int cli_load_input(const char *path, int64_t id, unsigned flags, struct report_input *in,
		   struct err *e)
{
	struct store *s = NULL;
	int r = open_any(path, &s, e);

	if (r == 0)
		r = report_load(s, id, flags, in, e);
	store_close(s);
	return r;
}

int cli_load(const char *path, int64_t id, double margin, unsigned flags,
	     struct report_input *in, struct judge_table *t, struct err *e)
{
	int r = cli_load_input(path, id, flags, in, e);

	return r < 0 ? r : judge_experiment(&in->x, &in->data, margin, t, e);
}

static int join(char *const *paths, size_t n, unsigned flags, struct report_input *ret,
		struct err *e)
{
	struct report_input *parts = xcalloc(n, sizeof(*parts));
	struct strv labels = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *slash = strrchr(paths[i], '/');

		strv_add(&labels, slash ? slash + 1 : paths[i]);
		r = cli_load_input(paths[i], 0, flags, &parts[i], e);
	}
	if (r == 0)
		r = report_join(parts, (const char *const *)labels.v, n, ret, e);
	for (size_t i = 0; i < n; i++)
		report_input_done(&parts[i]);
	free(parts);
	strv_done(&labels);
	return r;
}

int cli_load_all(char *const *paths, size_t n, int64_t id, double margin, unsigned flags,
		 struct report_input *in, struct judge_table *t, struct err *e)
{
	int r;

	if (n <= 1)
		return cli_load(n ? paths[0] : DEFAULT_STORE, id, margin, flags, in, t,
				e);
	if (id)
		return err_set(e, -EINVAL, "--experiment is for a single store; of several the "
			       "last experiment of each is taken");
	r = join(paths, n, flags, in, e);
	return r < 0 ? r : judge_experiment(&in->x, &in->data, margin, t, e);
}

/* For man/mmgauge.1: the parts that come from the tables. */
static int print_man(struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);

	str_add(&out, ".SH COMMANDS\n");
	for (size_t i = 0; cli_commands[i]; i++)
		opt_man(cli_commands[i], &out);
	str_add(&out, ".SH WORKLOADS\n");
	for (size_t i = 0; workload_table[i]; i++) {
		const struct workload *w = workload_table[i];

		str_addf(&out, ".SS %s\n%s. One operation is one %s. Timed: %s. Exercises: %s.\n",
			 w->name, w->summary, w->op, w->timed, w->exercises);
		for (const struct param_spec *p = w->params; p && p->name; p++)
			str_addf(&out, ".TP\n.B %s\n%s (default %s)\n", p->name, p->help,
				 p->def[0] ? p->def : "none");
	}
	return cli_print(&out, e);
}

static int run_command(const struct cmd *c, int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	int first, dashes, r;
	bool help = false;

	r = opt_parse(c, argc, argv, &first, &dashes, &help, e);
	if (r == 0 && help) {
		opt_help(c, &out);
		return cli_print(&out, e);
	}
	/* "--" stays in what the command gets: run wants to know where the program begins */
	return r < 0 ? r : c->main(argc - first, argv + first, e);
}

/* The name itself when it is one. */
static const char *nearest_command(const char *name)
{
	const char *names[ARRAY_LEN(cli_commands)];
	size_t n = 0;

	for (; cli_commands[n]; n++)
		names[n] = cli_commands[n]->name;
	return str_nearest(name, names, n);
}

static int unknown_command(const char *name, struct err *e)
{
	const char *near = nearest_command(name);
	int r = err_set(e, -EINVAL, "there is no command \"%s\"", name);

	if (near)
		err_hint(e, "did you mean \"%s\"?", near);
	else
		err_hint(e, "\"mmgauge --help\" lists them");
	return r;
}

static int dispatch(int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 16);
	const char *name = argc > 1 ? argv[1] : "";
	const struct cmd *c = find_command(name);

	if (c)
		return run_command(c, argc - 1, argv + 1, e);
	if (!*name || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    strcmp(name, "help") == 0) {
		overview(&out);
		return *name ? cli_print(&out, e) : err_set(e, -EINVAL, "no command given");
	}
	if (strcmp(name, "--version") == 0) {
		str_addf(&out, "mmgauge %s, build %s, %s\n", BUILD_VERSION, BUILD_ID, BUILD_FLAGS);
		return cli_print(&out, e);
	}
	if (strcmp(name, "--man") == 0)
		return print_man(e);
	return unknown_command(name, e);
}

/* A slip in the name of a command fails as the command that was meant. */
static int exit_status(const char *name, int r)
{
	const char *near = nearest_command(name);
	const struct cmd *c = find_command(near ? near : name);
	int usage = c && c->usage_status ? c->usage_status : EXIT_USAGE;
	int failed = c && c->failed_status ? c->failed_status : EXIT_FAILED;

	return r == -EINVAL || r == -ERANGE ? usage : failed;
}

int main(int argc, char **argv)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct err e = { 0 };
	int r;

	/* a closed pipe or a file-size limit is an error of the write, told like any other */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	r = dispatch(argc, argv, &e);
	if (r >= 0)
		return r;
	log_err(&e);
	return exit_status(argc > 1 ? argv[1] : "", r);
}
