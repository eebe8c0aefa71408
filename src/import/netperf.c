// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netperf: KEY=VALUE lines ("-k"), a block for each run, or the classic table, of which the number
 * of columns tells the line that counts: 5 of a TCP stream, 4 of the receiver of UDP (what the
 * sender threw away isn't throughput), 6 of a round trip.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/internal.h"

enum classic { CLASSIC_NONE, CLASSIC_TCP, CLASSIC_UDP, CLASSIC_RR };

struct state {
	enum classic kind;
	double throughput;
	bool has_throughput, said;
	char unit[24];
	char why[200];
	size_t results;
};

static struct import_key key_of(const struct import_in *in, const struct state *s)
{
	return (struct import_key){
		.workload = in->workload ? in->workload : "netperf",
		.params = in->params ? in->params : "",
		.title = in->title,
		.metric = "throughput",
		.unit = s->unit[0] ? s->unit : "10^6bits/s",
		.op = "",
		.higher = true,
		.primary = true,
	};
}

static int say_throughput(const struct import_in *in, struct state *s,
			  const struct import_sink *to, struct err *e)
{
	struct import_key k = key_of(in, s);

	if (!s->has_throughput)
		return 0;
	s->has_throughput = false;
	s->results++;
	return s->throughput > 0 ? to->value(to->arg, &k, s->throughput, e) :
				   to->failed(to->arg, &k, "a throughput of zero", e);
}

static int say_latency(const struct import_in *in, const struct state *s, const char *name,
		       double v, const struct import_sink *to, struct err *e)
{
	_cleanup_free_ char *metric = xasprintf("%s_us", name);
	struct import_key k = key_of(in, s);

	for (char *p = metric; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	k.metric = metric;
	k.unit = "us";
	k.higher = false;
	k.primary = false;
	return to->value(to->arg, &k, v, e);
}

/* THROUGHPUT_UNITS may come before or after: the value waits until its block is over. */
static int take_pair(const struct import_in *in, char *line, char *eq, struct state *s,
		     const struct import_sink *to, struct err *e)
{
	const char *val = eq + 1;
	double v;
	int r;

	*eq = '\0';
	if (strcmp(line, "THROUGHPUT") == 0) {
		r = say_throughput(in, s, to, e);
		if (r < 0)
			return r;
		if (!import_number(val, &s->throughput))
			return import_fail(in, e, "\"%.40s\" is no throughput", val);
		s->has_throughput = true;
	} else if (strcmp(line, "THROUGHPUT_UNITS") == 0) {
		(void)snprintf(s->unit, sizeof(s->unit), "%.20s", val);
	} else if (strlen(line) > 8 && strcmp(line + strlen(line) - 8, "_LATENCY") == 0) {
		if (!import_number(val, &v))
			return import_fail(in, e, "\"%.40s\" is no latency", val);
		return say_latency(in, s, line, v, to, e);
	}
	return 0;
}

static void take_headline(const char *line, struct state *s)
{
	if (strstr(line, "REQUEST/RESPONSE TEST")) {
		s->kind = CLASSIC_RR;
		(void)snprintf(s->unit, sizeof(s->unit), "trans/s");
	} else if (strstr(line, "UDP") && strstr(line, "STREAM TEST")) {
		s->kind = CLASSIC_UDP;
	} else if (strstr(line, "STREAM TEST")) {
		s->kind = CLASSIC_TCP;
	}
}

/* How many numbers a line has that has nothing else; the last is *@ret_last. */
static size_t count_numbers(const char *line, double *ret_last)
{
	_cleanup_free_ char *copy = xstrdup(line);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = str_cut(&rest, " \t"))) {
		if (!*word)
			continue;
		if (!import_number(word, ret_last))
			return 0;
		n++;
	}
	return n;
}

static int take_table(const struct import_in *in, const char *line, struct state *s,
		      const struct import_sink *to, struct err *e)
{
	static const size_t columns[] = { [CLASSIC_TCP] = 5, [CLASSIC_UDP] = 4, [CLASSIC_RR] = 6 };
	double v = 0;

	if (s->kind == CLASSIC_NONE || count_numbers(line, &v) != columns[s->kind])
		return 0;
	s->throughput = v;
	s->has_throughput = true;
	return say_throughput(in, s, to, e);
}

static int take_line(const struct import_in *in, char *line, struct state *s,
		     const struct import_sink *to, struct err *e)
{
	char *eq = strchr(line, '=');

	if (eq && strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == (size_t)(eq - line))
		return take_pair(in, line, eq, s, to, e);
	if (!s->why[0] && (strstr(line, "rror") || strstr(line, "failed") ||
			   strstr(line, "refused") || strstr(line, "not ")))
		(void)snprintf(s->why, sizeof(s->why), "%.190s", line);
	take_headline(line, s);
	return take_table(in, line, s, to, e);
}

static int parse(struct import_in *in, const struct import_sink *to, struct err *e)
{
	struct state s = { 0 };
	struct import_key k;
	char *line;
	int r;

	while ((r = import_line(in, &line, e)) > 0) {
		r = take_line(in, line, &s, to, e);
		if (r < 0)
			return r;
	}
	if (r == 0)
		r = say_throughput(in, &s, to, e);
	if (r < 0 || s.results)
		return r;
	k = key_of(in, &s);
	if (s.why[0])
		return to->failed(to->arg, &k, s.why, e);
	return import_fail(in, e, "no throughput: the file was cut, or netperf was");
}

static bool sniff(const char *head)
{
	return strstr(head, "THROUGHPUT=") || strstr(head, "STREAM TEST from") ||
	       strstr(head, "REQUEST/RESPONSE TEST from");
}

const struct importer import_netperf = {
	.name = "netperf",
	.summary = "netperf's KEY=VALUE lines (-k) or its classic table",
	.sniff = sniff,
	.parse = parse,
};
