// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "import/collect.h"

#define HEAD_BYTES 4096
#define TEXT_MARK "mmgauge-text "

/* From what is sure to what many things look like. */
static const struct importer *const importers[] = {
	&import_wis_csv, &import_wis_stdout, &import_sysbench, &import_netperf, &import_columns,
};

static const char *const more[][2] = {
	{ "mmtests", "a results folder of mmtests: sysbench, will-it-scale, netperf" },
	{ "text", "what \"mmgauge export --text\" wrote" },
};

const char *import_format_name(size_t i)
{
	if (i < ARRAY_LEN(importers))
		return importers[i]->name;
	i -= ARRAY_LEN(importers);
	return i < ARRAY_LEN(more) ? more[i][0] : NULL;
}

const char *import_format_summary(size_t i)
{
	return i < ARRAY_LEN(importers) ? importers[i]->summary : more[i - ARRAY_LEN(importers)][1];
}

const struct importer *import_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(importers); i++)
		if (str_eq(importers[i]->name, name))
			return importers[i];
	return NULL;
}

const struct importer *import_sniff(const char *head)
{
	for (size_t i = 0; i < ARRAY_LEN(importers); i++)
		if (importers[i]->sniff(head))
			return importers[i];
	return NULL;
}

static int read_head(const char *path, FILE *f, char *head, struct err *e)
{
	size_t n = fread(head, 1, HEAD_BYTES - 1, f);

	head[n] = '\0';
	if (ferror(f))
		return err_errno(e, errno ? errno : EIO, "could not read \"%s\"", path);
	rewind(f);
	return 0;
}

bool import_is_text(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char head[HEAD_BYTES];

	return f && read_head(path, f, head, NULL) == 0 && str_starts(head, TEXT_MARK);
}

static int unknown_format(const char *name, struct err *e)
{
	_cleanup_str_ struct str all = STR_INIT(4096);
	int r = err_set(e, -EINVAL, "there is no format \"%s\"", name);

	for (size_t i = 0; import_format_name(i); i++)
		str_addf(&all, "%s%s", i ? ", " : "", import_format_name(i));
	err_hint(e, "known are %s", str_text(&all));
	return r;
}

static int choose(const char *path, const struct import_options *o, FILE *f,
		  const struct importer **ret, struct err *e)
{
	char head[HEAD_BYTES];
	int r;

	if (o->format) {
		*ret = import_find(o->format);
		return *ret ? 0 : unknown_format(o->format, e);
	}
	r = read_head(path, f, head, e);
	if (r < 0)
		return r;
	*ret = import_sniff(head);
	if (*ret)
		return 0;
	r = err_set(e, -EINVAL, "\"%s\" is %s", path, head[0] ? "of no format that is known" :
							     "empty");
	err_hint(e, "\"mmgauge import --help\" lists them; --format says which");
	return r;
}

struct job {
	struct collect *c;
	const struct import_options *o;
	const char *variant;
};

/* @l NULL: what it is of is told from options or content. */
static int read_file(const struct job *j, const char *path, const struct mmtests_log *l,
		     struct err *e)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ struct import_in *in = xcalloc(1, sizeof(*in));
	const struct importer *imp = l ? l->importer : NULL;
	struct import_sink to;
	struct stat st;
	int r = 0;

	if (!f || fstat(fileno(f), &st) < 0)
		return err_errno(e, errno, "could not open \"%s\"", path);
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return err_set(e, -EINVAL, "\"%s\" is no file", path);
	if ((int64_t)st.st_mtime * (int64_t)NSEC_PER_SEC > j->c->newest_ns)
		j->c->newest_ns = (int64_t)st.st_mtime * (int64_t)NSEC_PER_SEC;
	if (!imp)
		r = choose(path, j->o, f, &imp, e);
	if (r < 0)
		return r;
	to = collect_run(j->c, j->variant);
	in->path = path;
	in->f = f;
	in->o = j->o;
	if (l) {
		in->workload = l->workload;
		in->params = l->params;
		in->title = l->title;
	}
	return imp->parse(in, &to, e);
}

static int on_log(const struct mmtests_log *l, void *arg, struct err *e)
{
	return read_file(arg, l->path, l, e);
}

static int read_any(struct job *j, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(e, errno, "could not open \"%s\"", path);
	if (!S_ISDIR(st.st_mode))
		return read_file(j, path, NULL, e);
	if (j->o->format && !str_eq(j->o->format, "mmtests"))
		return err_set(e, -EINVAL, "\"%s\" is a folder: only those of mmtests are known",
			       path);
	return mmtests_each(path, on_log, j, e);
}

static int read_logs(const struct import_file *files, size_t n, const struct import_options *o,
		     struct store *s, struct err *e)
{
	_cleanup_(collect_done) struct collect c = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct job j = { &c, o, files[i].variant };

		r = read_any(&j, files[i].path, e);
	}
	if (r == 0 && !c.n_values)
		r = err_set(e, -ENODATA, "there is no value in \"%s\"%s", files[0].path,
			    n > 1 ? " and the others" : "");
	return r < 0 ? r : collect_store(&c, o, "import", s, e);
}

int import_files(const struct import_file *files, size_t n, const struct import_options *o,
		 struct store *s, struct err *e)
{
	bool text = o->format ? str_eq(o->format, "text") : n && import_is_text(files[0].path);
	int r;

	if (!n)
		return err_set(e, -EINVAL, "nothing to import");
	if (text && n > 1)
		return err_set(e, -EINVAL, "a text of mmgauge is imported alone");
	r = store_begin_batch(s, e);
	if (r < 0)
		return r;
	r = text ? import_read_text(files[0].path, s, e) : read_logs(files, n, o, s, e);
	if (r == 0)
		return store_end_batch(s, e);
	store_cancel_batch(s);
	return r;
}
