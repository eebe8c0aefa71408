// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge import: logs of other tools, and mmgauge's own texts, into a store. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "build_id.h"
#include "cli/cli.h"
#include "import/import.h"
#include "store/store.h"

static const char *arg_output = DEFAULT_STORE, *arg_format, *arg_variant, *arg_unit;
static bool arg_lower, arg_higher;

static const struct opt opts[] = {
	{ "output", 'o', OPT_TEXT, &arg_output, "STORE", "where to (mmgauge.db)" },
	{ "format", 'f', OPT_TEXT, &arg_format, "FORMAT", "not told from the content, but this" },
	{ "variant", 0, OPT_TEXT, &arg_variant, "NAME", "of files without \"NAME=\"" },
	{ "unit", 0, OPT_TEXT, &arg_unit, "UNIT", "of plain columns" },
	{ "lower", 0, OPT_FLAG, &arg_lower, NULL, "of plain columns: less is better" },
	{ "higher", 0, OPT_FLAG, &arg_higher, NULL, "of plain columns: more is better (default)" },
	{ 0 },
};

/* "NAME=PATH", a path with "=" must have a slash before it; or a path, and what is said of all. */
static int name_file(char *word, struct import_file *ret, struct err *e)
{
	char *eq = strchr(word, '=');
	int r;

	if (eq && eq > word && !memchr(word, '/', (size_t)(eq - word))) {
		*eq = '\0';
		*ret = (struct import_file){ word, eq + 1 };
		return 0;
	}
	*ret = (struct import_file){ arg_variant ? arg_variant : "imported", word };
	if (arg_variant || import_is_text(word))
		return 0;
	r = err_set(e, -EINVAL, "which variant is \"%s\" of?", word);
	err_hint(e, "say NAME=%s, or --variant NAME for all", word);
	return r;
}

static void command_line(int argc, char **argv, struct str *out)
{
	str_add(out, "mmgauge import");
	for (int i = 0; i < argc; i++)
		str_addf(out, " %s", argv[i]);
}

static int import_main(int argc, char **argv, struct err *e)
{
	struct import_file *files = xcalloc((size_t)argc + 1, sizeof(*files));
	_cleanup_str_ struct str command = STR_INIT(1 << 20);
	struct import_options o = {
		.format = arg_format,
		.unit = arg_unit,
		.lower = arg_lower,
		.tool = "mmgauge " BUILD_VERSION ", build " BUILD_ID,
	};
	struct store *s = NULL;
	int r = 0;

	command_line(argc, argv, &command);
	o.command = str_text(&command);
	if (arg_lower && arg_higher)
		r = err_set(e, -EINVAL, "--lower and --higher exclude each other");
	if (r == 0 && !argc)
		r = err_set(e, -EINVAL, "nothing to import: name files or folders");
	for (int i = 0; r == 0 && i < argc; i++)
		r = name_file(argv[i], &files[i], e);
	if (r == 0)
		r = store_open(arg_output, STORE_WRITE, &s, e);
	if (r == 0)
		r = import_files(files, (size_t)argc, &o, s, e);
	store_close(s);
	free(files);
	if (r == 0)
		log_info("imported into \"%s\": compare it with \"mmgauge compare %s\"",
			 arg_output, arg_output);
	return r;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "read what other tools measured, to compare it",
	.synopsis = "[NAME=]FILE|FOLDER...",
	.about = "Every file is a run of the variant NAME; all of one command are one experiment.\n"
		 "Formats, told from the content: columns (lines of a label and a number),\n"
		 "sysbench, netperf, wis-stdout and wis-csv (will-it-scale), folders of mmtests,\n"
		 "and text (what \"mmgauge export --text\" wrote).\n",
	.examples = "  mmgauge import base=before.log patched=after.log -o s.db\n"
		    "  mmgauge import base=work/log/5.9-vanilla lru=work/log/5.9-lru -o s.db\n",
	.opts = opts,
	.main = import_main,
};
