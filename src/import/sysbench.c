// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sysbench prints at its end. With --report-checkpoints it does so several times, each since
 * the one before: the last block is the result. Before it may come a line per interval, whose
 * seconds must rise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "import/internal.h"

struct result {
	bool found;
	double tps, qps, avg_ms, percentile_ms;
	bool has_qps, has_avg, has_percentile;
	char percentile[16]; /* "95th" */
	char threads[24];
	double last_s; /* of the interval before */
	char fatal[200];
};

/* "(1596.12 per sec.)" somewhere in the line. */
static int per_second(const struct import_in *in, const char *line, double *ret, struct err *e)
{
	const char *open = strchr(line, '(');
	_cleanup_free_ char *word = open ? xstrndup(open + 1, strcspn(open + 1, " )")) : NULL;

	if (!word || !import_number(word, ret) || !strstr(open, "per sec"))
		return import_fail(in, e, "no rate in \"%.60s\"", line);
	return 0;
}

/* The number behind the colon. */
static bool after_colon(const char *line, double *ret)
{
	const char *colon = strchr(line, ':');
	_cleanup_free_ char *word = NULL;

	if (!colon)
		return false;
	colon += 1 + strspn(colon + 1, " \t");
	word = xstrndup(colon, strcspn(colon, " \t"));
	return import_number(word, ret);
}

static int interval(const struct import_in *in, const char *line, struct result *r, struct err *e)
{
	_cleanup_free_ char *word = NULL;
	double s;

	line += 1 + strspn(line + 1, " ");
	word = xstrndup(line, strcspn(line, "s ]"));
	if (!import_number(word, &s))
		return 0; /* another kind of bracket */
	if (s <= r->last_s)
		return import_fail(in, e, "time went backwards: second %s after %g", word,
				   r->last_s);
	r->last_s = s;
	return 0;
}

static int take_percentile(const char *line, struct result *r)
{
	size_t len = strcspn(line, " ");

	if (len >= sizeof(r->percentile) || !after_colon(line, &r->percentile_ms))
		return 0;
	memcpy(r->percentile, line, len);
	r->percentile[len] = '\0';
	r->has_percentile = true;
	return 0;
}

static int take(const struct import_in *in, const char *line, struct result *r, struct err *e)
{
	line += strspn(line, " \t");
	if (str_starts(line, "["))
		return interval(in, line, r, e);
	if (str_starts(line, "FATAL:") && !r->fatal[0])
		(void)snprintf(r->fatal, sizeof(r->fatal), "%s", line);
	else if (str_starts(line, "Number of threads:"))
		(void)snprintf(r->threads, sizeof(r->threads), "%.20s",
			       line + 18 + strspn(line + 18, " "));
	else if (str_starts(line, "transactions:")) {
		r->found = true;
		return per_second(in, line, &r->tps, e);
	} else if (str_starts(line, "queries:") && strchr(line, '(')) {
		r->has_qps = true;
		return per_second(in, line, &r->qps, e);
	} else if (str_starts(line, "avg:"))
		r->has_avg = after_colon(line, &r->avg_ms);
	else if (strstr(line, "th percentile:"))
		return take_percentile(line, r);
	return 0;
}

static int say(const struct import_sink *to, struct import_key *k, const char *metric,
	       const char *unit, bool higher, double v, struct err *e)
{
	k->metric = metric;
	k->unit = unit;
	k->higher = higher;
	k->primary = false;
	return to->value(to->arg, k, v, e);
}

static int emit(const struct import_in *in, const struct import_sink *to, const struct result *res,
		struct err *e)
{
	_cleanup_free_ char *params = res->threads[0] ? xasprintf("threads=%s", res->threads) :
							xstrdup("");
	_cleanup_free_ char *percentile = xasprintf("latency_%s_ms", res->percentile);
	struct import_key k = {
		.workload = in->workload ? in->workload : "sysbench",
		.params = in->params ? in->params : params,
		.title = in->title,
		.metric = "transactions_per_s", .unit = "transaction/s", .op = "transaction",
		.higher = true, .primary = true,
	};
	int r;

	if (res->fatal[0])
		return to->failed(to->arg, &k, res->fatal, e);
	if (!(res->tps > 0))
		return to->failed(to->arg, &k, "not one transaction a second", e);
	r = to->value(to->arg, &k, res->tps, e);
	if (r == 0 && res->has_qps)
		r = say(to, &k, "queries_per_s", "query/s", true, res->qps, e);
	if (r == 0 && res->has_avg)
		r = say(to, &k, "latency_avg_ms", "ms", false, res->avg_ms, e);
	if (r == 0 && res->has_percentile)
		r = say(to, &k, percentile, "ms", false, res->percentile_ms, e);
	return r;
}

static int parse(struct import_in *in, const struct import_sink *to, struct err *e)
{
	struct result res = { .last_s = -1 };
	char *line;
	int r;

	while ((r = import_line(in, &line, e)) > 0) {
		r = take(in, line, &res, e);
		if (r < 0)
			return r;
	}
	if (r == 0 && !res.found && !res.fatal[0])
		return import_fail(in, e, "no line \"transactions:\": the file was cut, or "
				   "sysbench was");
	return r < 0 ? r : emit(in, to, &res, e);
}

static bool sniff(const char *head)
{
	return str_starts(head, "sysbench ") || strstr(head, "\nRunning the test with following");
}

const struct importer import_sysbench = {
	.name = "sysbench",
	.summary = "output of sysbench: transactions, queries, latency",
	.sniff = sniff,
	.parse = parse,
};
