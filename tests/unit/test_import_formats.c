// SPDX-License-Identifier: GPL-2.0-or-later
/* What each format yields, and what it refuses. The logs in tests/fixtures/import are synthetic. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "import/internal.h"
#include "tap.h"

#define FIXTURES "tests/fixtures/import/"

/* All that was said, a line each. */
static int on_value(void *arg, const struct import_key *k, double value, struct err *e __unused)
{
	str_addf(arg, "%s{%s}%s.%s=%.10g %s %s%s\n", k->workload, k->params,
		 k->title ? k->title : "", k->metric, value, k->unit, k->higher ? "up" : "down",
		 k->primary ? "!" : "");
	return 0;
}

static int on_failed(void *arg, const struct import_key *k, const char *why, struct err *e __unused)
{
	str_addf(arg, "%s{%s}.%s failed: %s\n", k->workload, k->params, k->metric, why);
	return 0;
}

static int parse(const struct importer *imp, const char *path, FILE *f, struct str *out,
		 struct err *e)
{
	const struct import_options o = { .unit = "us", .lower = true };
	static struct import_in in;
	const struct import_sink to = { on_value, on_failed, out };

	in = (struct import_in){ .path = path, .f = f, .o = &o };
	return imp->parse(&in, &to, e);
}

static void yields(const struct importer *imp, const char *file, const char *want)
{
	_cleanup_free_ char *path = xasprintf(FIXTURES "%s", file);
	_cleanup_str_ struct str out = STR_INIT(1 << 16), head = STR_INIT(1 << 16);
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char buf[4096];
	struct err e;

	CHECK(f);
	str_addn(&head, buf, fread(buf, 1, sizeof(buf) - 1, f));
	CHECK(import_sniff(str_text(&head)) == imp);
	rewind(f);
	CHECK_OK(parse(imp, file, f, &out, &e));
	CHECK_STR(str_text(&out), want);
}

/* @text is refused with a message that holds @msg, or taken when that is NULL. */
static void refuses(const struct importer *imp, const char *text, const char *msg)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 16);
	_cleanup_fclose_ FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct err e = { 0 };
	int r = parse(imp, "log", f, &out, &e);

	if (r >= 0)
		TAP_FAIL("\"%.40s\" was taken: %s", text, str_text(&out));
	CHECK_HAS(e.msg, msg);
}

static void gives(const struct importer *imp, const char *text, const char *want)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 16);
	_cleanup_fclose_ FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct err e = { 0 };

	CHECK_OK(parse(imp, "log", f, &out, &e));
	CHECK_STR(str_text(&out), want);
}

static void columns(void)
{
	gives(&import_columns, "# a comment\n\n  a label, of words \t 12.5 \nb -3e2\n",
	      "columns{label=a label; of words}a label, of words.value=12.5 us down!\n"
	      "columns{label=b}b.value=-300 us down!\n");
	refuses(&import_columns, "a 1\nb\n", "log:2: want a label and a number");
	refuses(&import_columns, "a 1\nb nan\n", "log:2: \"nan\" is no number");
	refuses(&import_columns, "a 1,5\n", "log:1: \"1,5\" is no number");
}

static void sysbench(void)
{
	yields(&import_sysbench, "sysbench.txt",
	       "sysbench{threads=4}.transactions_per_s=2235.31 transaction/s up!\n"
	       "sysbench{threads=4}.queries_per_s=35764.98 query/s up\n"
	       "sysbench{threads=4}.latency_avg_ms=1.79 ms down\n"
	       "sysbench{threads=4}.latency_95th_ms=2.76 ms down\n");
	/* checkpoints: the last block is the result */
	gives(&import_sysbench,
	      "transactions: 10 (5.00 per sec.)\ntransactions: 30 (7.00 per sec.)\n",
	      "sysbench{}.transactions_per_s=7 transaction/s up!\n");
	gives(&import_sysbench, "transactions: 0 (0.00 per sec.)\n",
	      "sysbench{}.transactions_per_s failed: not one transaction a second\n");
	gives(&import_sysbench, "FATAL: unable to connect\n",
	      "sysbench{}.transactions_per_s failed: FATAL: unable to connect\n");
	refuses(&import_sysbench, "sysbench 1.0.20\nThreads started!\n", "the file was cut");
	refuses(&import_sysbench, "transactions: 10 (many per sec.)\n", "log:1: no rate");
	refuses(&import_sysbench, "[ 2s ] thds: 1\n[ 1s ] thds: 1\n", "log:2: time went backwards");
}

static void will_it_scale(void)
{
	yields(&import_wis_stdout, "wis.txt",
	       "Anonymous memory page fault{}.ops_per_s=300000 op/s up!\n"
	       "Anonymous memory page fault{}.ops_per_s=302000 op/s up!\n"
	       "Anonymous memory page fault{}.ops_per_s=304000 op/s up!\n");
	yields(&import_wis_csv, "page_fault1.csv",
	       "page_fault1{mode=process,tasks=1}.ops_per_s=151234 op/s up!\n"
	       "page_fault1{mode=thread,tasks=1}.ops_per_s=149876 op/s up!\n"
	       "page_fault1{mode=process,tasks=2}.ops_per_s=270249 op/s up!\n");
	refuses(&import_wis_stdout, "testcase:x\nmeasurement\nmin:1 max:1 total:1\n", "was cut");
	refuses(&import_wis_stdout, "min:1 max:18446744073709551000 total:5\n",
		"log:1: a counter went backwards");
	refuses(&import_wis_stdout, "min:1 max:2\n", "log:1: want \"min:N max:N total:N\"");
	refuses(&import_wis_stdout, "measurement\nmin:1 max:1 total:10\naverage:20\n",
		"log:3: the average is 20");
	gives(&import_wis_stdout, "measurement\nmin:0 max:0 total:0\naverage:0\n",
	      "will-it-scale{}.ops_per_s failed: not one operation\n");
	refuses(&import_wis_csv, "tasks,processes\n", "log:1: want the heading");
	refuses(&import_wis_csv,
		"tasks,processes,processes_idle,threads,threads_idle,linear\n1,2,3\n",
		"log:2: want 6 columns");
}

static void netperf(void)
{
	yields(&import_netperf, "netperf-k.txt",
	       "netperf{}.mean_latency_us=13.52 us down\n"
	       "netperf{}.p99_latency_us=31 us down\n"
	       "netperf{}.throughput=9415.27 10^6bits/s up!\n"
	       "netperf{}.throughput=9380.02 10^6bits/s up!\n");
	yields(&import_netperf, "netperf-udp.txt",
	       "netperf{}.throughput=3194.88 10^6bits/s up!\n"); /* what was received */
	gives(&import_netperf,
	      "MIGRATED TCP REQUEST/RESPONSE TEST from x\n16384  131072 1  1  10.00  12345.67\n"
	      "16384  131072\n",
	      "netperf{}.throughput=12345.67 trans/s up!\n");
	gives(&import_netperf, "establish control: are you sure there is a netserver? not found\n",
	      "netperf{}.throughput failed: establish control: are you sure there is a netserver? "
	      "not found\n");
	gives(&import_netperf, "THROUGHPUT=0.00\n",
	      "netperf{}.throughput failed: a throughput of zero\n");
	refuses(&import_netperf, "THROUGHPUT=much\n", "log:1: \"much\" is no throughput");
	refuses(&import_netperf, "ELAPSED_TIME=10.00\n", "no throughput: the file was cut");
}

static void lines(void)
{
	_cleanup_free_ char *line = xcalloc(IMPORT_LINE_MAX + 10, 1);
	_cleanup_fclose_ FILE *f = fmemopen((char[]){ 'a', ' ', '1', 0, '2', '\n' }, 6, "r");
	_cleanup_str_ struct str out = STR_INIT(1 << 16);
	struct err e;

	memset(line, 'x', IMPORT_LINE_MAX + 5);
	refuses(&import_columns, line, "longer than");
	CHECK_EQ(parse(&import_columns, "log", f, &out, &e), -EINVAL);
	CHECK_HAS(e.msg, "log:1: this is no text");
	gives(&import_columns, "a 1\r\nb 2", /* of another system; without a last newline */
	      "columns{label=a}a.value=1 us down!\ncolumns{label=b}b.value=2 us down!\n");
}

static void what_is_told_apart(void)
{
	CHECK(import_sniff("a 1\n") == &import_columns);
	CHECK(import_sniff("hello world\n") == NULL);
	CHECK(import_sniff("") == NULL);
	CHECK(import_find("netperf") == &import_netperf);
	CHECK(!import_find("nothing"));
}

int main(void)
{
	TAP_RUN(columns);
	TAP_RUN(sysbench);
	TAP_RUN(will_it_scale);
	TAP_RUN(netperf);
	TAP_RUN(lines);
	TAP_RUN(what_is_told_apart);
	return tap_done();
}
