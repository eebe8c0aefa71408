/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands share. Only cli/ prints: results to stdout, all else to stderr. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define DEFAULT_STORE "mmgauge.db"

extern const struct cmd cmd_run, cmd_compare, cmd_show, cmd_list, cmd_export, cmd_import,
	cmd_clean, cmd_kernels, cmd_boot, cmd_gate, cmd_selfcheck, cmd_report, cmd_explain;

/* All commands, NULL-terminated, in the order in which help shows them. */
extern const struct cmd *const cli_commands[];

/* Writes text to stdout; -errno when it can't be written (a full disk, a closed pipe). */
__must_check int cli_print(const struct str *text, struct err *e);

/* The command line as it was typed, quoted so that it can be typed again. */
void cli_command_line(struct str *out);

/* A descriptor that is readable once the user wants to end (SIGINT, SIGTERM, SIGHUP), or -errno. */
__must_check int cli_stop_signals(struct err *e);

/*
 * A store of our own in a new folder below $TMPDIR, which cli_temp_drop takes away again unless
 * @keep; zeroed: nothing.
 */
struct cli_temp {
	char *dir, *path;
	bool keep;
};
__must_check int cli_temp_make(struct cli_temp *ret, struct err *e);
void cli_temp_drop(struct cli_temp *t);
#define _cleanup_cli_temp_ __attribute__((cleanup(cli_temp_drop)))

struct report_input;
struct judge_table;
/*
 * Opens @path, loads experiment @id (0: the last) by report_load_flags, and judges it. Ended with
 * report_input_done and judge_table_done, also after a failure when zeroed.
 */
__must_check int cli_load(const char *path, int64_t id, double margin, unsigned flags,
			  struct report_input *in, struct judge_table *t, struct err *e);
/* Without judging. */
__must_check int cli_load_input(const char *path, int64_t id, unsigned flags,
				struct report_input *in, struct err *e);
/*
 * The same of several stores, joined into one table when there are more than one; without any,
 * of the default one. @id is for a single store; of several it is the last of each.
 */
__must_check int cli_load_all(char *const *paths, size_t n, int64_t id, double margin,
			      unsigned flags, struct report_input *in, struct judge_table *t,
			      struct err *e);
/* At most one word, the store; the default one when there is none. */
__must_check int cli_store_arg(int argc, char **argv, const char **ret, struct err *e);

#endif
