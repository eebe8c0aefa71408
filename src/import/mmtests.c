// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results folders of mmtests: raw logs are found by their names in any folder "logs" below (those
 * of iter-0/TEST/logs in a run's folder). Their names say what was run:
 *
 *	sysbench-raw-THREADS-ITERATION
 *	wis-WORKLOAD-MODEL-THREADS.log		model: processes or threads
 *	PROTOCOL-SIZE.ITERATION			netperf: TCP_STREAM-64.1
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/internal.h"

#define DEPTH_MAX 8

struct walk {
	int (*fn)(const struct mmtests_log *l, void *arg, struct err *e);
	void *arg;
	size_t found;
};

static bool all_digits(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

static int call(struct walk *w, const char *path, const struct importer *imp, const char *workload,
		const char *params, const char *what, struct err *e)
{
	_cleanup_free_ char *title = xasprintf("%s %s", workload, what);
	const struct mmtests_log l = { path, imp, workload, params, title };

	w->found++;
	return w->fn(&l, w->arg, e);
}

static int take_sysbench(struct walk *w, const char *path, char *rest, struct err *e)
{
	char *threads = str_cut(&rest, "-");
	_cleanup_free_ char *params = NULL;

	if (!threads || !all_digits(threads) || !rest || !all_digits(rest))
		return 0;
	params = xasprintf("threads=%s", threads);
	return call(w, path, &import_sysbench, "sysbench", params, threads, e);
}

/* The workload may itself have dashes: model and threads are the last two words. */
static int take_wis(struct walk *w, const char *path, char *rest, struct err *e)
{
	char *dot = strrchr(rest, '.'), *threads, *model;
	_cleanup_free_ char *params = NULL, *what = NULL;

	if (!dot || strcmp(dot, ".log") != 0)
		return 0;
	*dot = '\0';
	threads = strrchr(rest, '-');
	if (!threads || !all_digits(threads + 1))
		return 0;
	*threads++ = '\0';
	model = strrchr(rest, '-');
	if (!model)
		return 0;
	*model++ = '\0';
	what = xasprintf("%s %s", model, threads);
	params = xasprintf("mode=%s,tasks=%s", strcmp(model, "processes") == 0 ? "process" :
			   strcmp(model, "threads") == 0 ? "thread" : model, threads);
	return call(w, path, &import_wis_stdout, rest, params, what, e);
}

static int take_netperf(struct walk *w, const char *path, char *name, struct err *e)
{
	char *dot = strrchr(name, '.'), *size = strchr(name, '-');
	_cleanup_free_ char *params = NULL, *what = NULL;

	if (!dot || !size || size > dot || !all_digits(dot + 1))
		return 0;
	*dot = '\0';
	*size++ = '\0';
	if (!all_digits(size) || !(strstr(name, "STREAM") || strstr(name, "_RR")))
		return 0;
	what = xasprintf("%s %s", name, size);
	params = xasprintf("protocol=%s,size=%s", name, size);
	return call(w, path, &import_netperf, "netperf", params, what, e);
}

static int take_file(struct walk *w, const char *path, const char *name, struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(name);

	if (str_starts(name, "sysbench-raw-"))
		return take_sysbench(w, path, copy + strlen("sysbench-raw-"), e);
	if (str_starts(name, "wis-"))
		return take_wis(w, path, copy + strlen("wis-"), e);
	return take_netperf(w, path, copy, e);
}

static int no_dots(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int walk(struct walk *w, const char *dir, bool logs, int depth, struct err *e);

static int walk_entry(struct walk *w, const char *dir, const struct dirent *d, bool logs,
		      int depth, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, d->d_name);

	if (d->d_type == DT_DIR)
		return walk(w, path, logs || strcmp(d->d_name, "logs") == 0, depth + 1, e);
	return d->d_type == DT_REG && logs ? take_file(w, path, d->d_name, e) : 0;
}

/* In the order of names, where iter-2 comes before iter-10. */
static int walk(struct walk *w, const char *dir, bool logs, int depth, struct err *e)
{
	struct dirent **names = NULL;
	int n, r = 0;

	if (depth > DEPTH_MAX)
		return 0;
	n = scandir(dir, &names, no_dots, versionsort);
	if (n < 0)
		return err_errno(e, errno, "could not read folder \"%s\"", dir);
	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = walk_entry(w, dir, names[i], logs, depth, e);
		free(names[i]);
	}
	free(names);
	return r;
}

int mmtests_each(const char *dir, int (*fn)(const struct mmtests_log *l, void *arg, struct err *e),
		 void *arg, struct err *e)
{
	struct walk w = { .fn = fn, .arg = arg };
	const char *last = strrchr(dir, '/');
	int r = walk(&w, dir, strcmp(last ? last + 1 : dir, "logs") == 0, 0, e);

	if (r == 0 && !w.found) {
		r = err_set(e, -ENOENT, "there are no logs of mmtests below \"%s\" that can be "
			    "read", dir);
		err_hint(e, "sysbench-raw-N-N, wis-NAME-MODEL-N.log and PROTOCOL-SIZE.N are known");
	}
	return r;
}
