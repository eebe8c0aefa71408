// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * will-it-scale: what a test prints (six warm-up seconds, then the measured ones), and the table
 * that runtest.py makes of many. The counts of a second are differences of counters, so one that
 * went backwards is a huge number.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "import/internal.h"

#define BACKWARDS 1e18

struct second {
	double min, max, total;
};

/* "min:A max:B total:C" */
static int read_second(const struct import_in *in, char *line, struct second *ret, struct err *e)
{
	static const char *const names[] = { "min:", "max:", "total:" };
	double *const to[] = { &ret->min, &ret->max, &ret->total };
	char *rest = line;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *word = str_cut(&rest, " ");

		if (!word || !str_starts(word, names[i]) ||
		    !import_number(word + strlen(names[i]), to[i]))
			return import_fail(in, e, "want \"min:N max:N total:N\"");
	}
	if (ret->total >= BACKWARDS || ret->max >= BACKWARDS || ret->min > ret->max)
		return import_fail(in, e, "a counter went backwards");
	return 0;
}

struct stdout_state {
	char *title;
	bool measuring, ended;
	double sum;
	size_t n;
};

static int take_line(struct import_in *in, char *line, struct stdout_state *s,
		     const struct import_sink *to, struct err *e)
{
	struct import_key k = { .params = in->params ? in->params : "", .title = in->title,
				.metric = "ops_per_s", .unit = "op/s", .op = "operation",
				.higher = true, .primary = true };
	struct second sec = { 0 };
	double mean = 0;
	int r = 0;

	k.workload = in->workload ? in->workload : s->title ? s->title : "will-it-scale";
	if (str_starts(line, "testcase:")) {
		free(s->title);
		s->title = xstrdup(line + 9);
	} else if (strcmp(line, "measurement") == 0) {
		s->measuring = true;
	} else if (str_starts(line, "min:")) {
		r = read_second(in, line, &sec, e);
		if (r < 0 || !s->measuring)
			return r;
		s->sum += sec.total;
		s->n++;
		return sec.total > 0 ? to->value(to->arg, &k, sec.total, e) : 0;
	} else if (str_starts(line, "average:")) {
		if (!s->n || !import_number(line + 8, &mean))
			return import_fail(in, e, "an average of nothing");
		if (mean + 1 < s->sum / (double)s->n || mean > s->sum / (double)s->n + 1)
			return import_fail(in, e, "the average is %s, that of the lines above %.0f",
					   line + 8, s->sum / (double)s->n);
		s->ended = true;
		if (!(s->sum > 0))
			return to->failed(to->arg, &k, "not one operation", e);
	}
	return r;
}

static int parse_stdout(struct import_in *in, const struct import_sink *to, struct err *e)
{
	struct stdout_state s = { 0 };
	char *line;
	int r;

	while ((r = import_line(in, &line, e)) > 0) {
		r = take_line(in, line, &s, to, e);
		if (r < 0)
			break;
	}
	if (r == 0 && !s.ended)
		r = import_fail(in, e, "no line \"average:\": the file was cut, or the test was");
	free(s.title);
	return r;
}

static bool sniff_stdout(const char *head)
{
	return str_starts(head, "testcase:");
}

const struct importer import_wis_stdout = {
	.name = "wis-stdout",
	.summary = "what a test of will-it-scale prints: its seconds",
	.sniff = sniff_stdout,
	.parse = parse_stdout,
};

#define HEADING "tasks,processes,processes_idle,threads,threads_idle,linear"
enum { COL_TASKS, COL_PROCESSES, COL_THREADS = 3, COLUMNS = 6 };

static int say(const struct import_in *in, const struct import_sink *to, const char *mode,
	       const char *tasks, const char *word, struct err *e)
{
	_cleanup_free_ char *params = xasprintf("mode=%s,tasks=%s", mode, tasks), *name = NULL;
	const char *slash = strrchr(in->path, '/');
	struct import_key k = { .params = params, .metric = "ops_per_s", .unit = "op/s",
				.op = "operation", .higher = true, .primary = true };
	double v;

	if (strcmp(word, "-1") == 0)
		return 0; /* not run */
	name = xstrdup(slash ? slash + 1 : in->path);
	name[strcspn(name, ".")] = '\0';
	k.workload = in->workload ? in->workload : *name ? name : "will-it-scale";
	if (!import_number(word, &v))
		return import_fail(in, e, "\"%.40s\" is no number of operations", word);
	if (v >= BACKWARDS)
		return import_fail(in, e, "a counter went backwards");
	return v > 0 ? to->value(to->arg, &k, v, e) :
		       to->failed(to->arg, &k, "not one operation", e);
}

static int take_row(const struct import_in *in, char *line, const struct import_sink *to,
		    struct err *e)
{
	char *rest = line, *col[COLUMNS], *word;
	uint64_t tasks;
	size_t n = 0;
	int r;

	while ((word = str_cut(&rest, ","))) {
		if (n == COLUMNS)
			return import_fail(in, e, "more than %d columns", COLUMNS);
		col[n++] = word;
	}
	if (n < COLUMNS || num_u64(col[COL_TASKS], &tasks, NULL) < 0)
		return import_fail(in, e, "want %d columns, the first a number of tasks", COLUMNS);
	if (!tasks)
		return 0;
	r = say(in, to, "process", col[COL_TASKS], col[COL_PROCESSES], e);
	return r < 0 ? r : say(in, to, "thread", col[COL_TASKS], col[COL_THREADS], e);
}

static int parse_csv(struct import_in *in, const struct import_sink *to, struct err *e)
{
	char *line;
	int r = import_line(in, &line, e);

	if (r == 0 || (r > 0 && strcmp(line, HEADING) != 0))
		return import_fail(in, e, "want the heading \"" HEADING "\"");
	while (r > 0 && (r = import_line(in, &line, e)) > 0) {
		r = take_row(in, line, to, e);
		if (r < 0)
			return r;
		r = 1;
	}
	return r;
}

static bool sniff_csv(const char *head)
{
	return str_starts(head, HEADING);
}

const struct importer import_wis_csv = {
	.name = "wis-csv",
	.summary = "the table of will-it-scale's runtest.py: operations per second by tasks",
	.sniff = sniff_csv,
	.parse = parse_csv,
};
