// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge clean: takes back what a killed run left behind. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "cli/cli.h"
#include "undo/undo.h"

static const struct opt opts[] = {
	{ 0 },
};

struct tally {
	struct str out;
	unsigned failed;
};

static void report(const char *what, const struct err *e, void *arg)
{
	struct tally *t = arg;

	if (!e) {
		str_addf(&t->out, "%s\n", what);
		return;
	}
	t->failed++;
	log_warn("%s: %s", what, e->msg);
}

static int clean_main(int argc, char **argv, struct err *e)
{
	_cleanup_free_ char *dir = undo_default_dir();
	struct tally t = { .out = STR_INIT(1 << 20) };
	int r;

	if (argc)
		return err_set(e, -EINVAL, "unexpected argument \"%s\"", argv[0]);
	r = undo_clean(dir, report, &t, e);
	if (r == 0 && !t.out.len)
		str_add(&t.out, "nothing was left behind\n");
	if (r >= 0)
		r = cli_print(&t.out, e);
	str_done(&t.out);
	return r < 0 ? r : t.failed ? EXIT_FAILED : EXIT_FINE;
}

const struct cmd cmd_clean = {
	.name = "clean",
	.summary = "take back what a killed run left: groups, mounts, loop devices, swap, settings",
	.synopsis = "",
	.about = "A run that ends, fails or is interrupted takes everything back by itself. After\n"
		 "kill -9 the next run or this command does, from the journals in /run/mmgauge.\n",
	.examples = "  mmgauge clean\n",
	.opts = opts,
	.main = clean_main,
};
