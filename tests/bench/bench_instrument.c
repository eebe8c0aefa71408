// SPDX-License-Identifier: GPL-2.0-or-later
/* What the instrument itself costs, and whether it sees what is there. */
#include "bench.h"

static const char *agent, *tool, *bare;

static double null_rate(void *arg)
{
	struct bench_run b = bench_cmd("%s null --time 1s --warmup 100ms --cpus 0", agent);
	double v = bench_sample(&b, "ops_per_cpu_s");

	(void)arg;
	str_done(&b.out);
	return v;
}

static double bare_rate(void *arg)
{
	struct bench_run b = bench_cmd("taskset -c 0 %s", bare);
	double v = strtod(str_text(&b.out), NULL);

	(void)arg;
	str_done(&b.out);
	return v;
}

static void bench_null(void)
{
	double ratio[12], mid;

	for (size_t i = 0; i < ARRAY_LEN(ratio); i++) {
		double a, b;

		if (i % 4 == 0 || i % 4 == 3) {
			a = null_rate(NULL);
			b = bare_rate(NULL);
		} else {
			b = bare_rate(NULL);
			a = null_rate(NULL);
		}
		ratio[i] = a / b;
	}
	mid = bench_median(ratio, ARRAY_LEN(ratio));
	bench_say(mid >= 0.95,
		  "null against a bare loop: %.3f [%.3f .. %.3f] of 12 pairs (at least 0.95)", mid,
		  ratio[0], ratio[ARRAY_LEN(ratio) - 1]);
}

static double delay_ns(unsigned steps)
{
	struct bench_run b = bench_cmd("%s delay --steps %u --time 300ms --warmup 50ms --cpus 0",
				       agent, steps);
	double v = 1e9 / bench_sample(&b, "ops_per_cpu_s");

	str_done(&b.out);
	return v;
}

/* Medians of 9 interleaved rounds on a line through least squares of relative residuals. */
static void bench_delay_linear(void)
{
	static const unsigned steps[] = { 50, 100, 200, 500, 1000, 2000, 5000 };
	double ns[ARRAY_LEN(steps)][9], mid[ARRAY_LEN(steps)];
	double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, a, b, worst = 0;

	for (size_t round = 0; round < 9; round++)
		for (size_t i = 0; i < ARRAY_LEN(steps); i++)
			ns[i][round] = delay_ns(steps[i]);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		double x = steps[i], y, w;

		mid[i] = y = bench_median(ns[i], 9);
		w = 1 / (y * y);
		sw += w;
		sx += w * x;
		sy += w * y;
		sxx += w * x * x;
		sxy += w * x * y;
	}
	b = (sw * sxy - sx * sy) / (sw * sxx - sx * sx);
	a = (sy - b * sx) / sw;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		worst = fmax(worst, fabs(mid[i] / (a + b * steps[i]) - 1));
	bench_say(worst <= 0.02,
		  "delay is linear from 50 to 5000 steps: %.4f ns a step, worst residual %.2f %% "
		  "(limit 2 %%)",
		  b, 100 * worst);
}

/* Cuts the next field of a line of RFC 4180 off, its quotes taken away, in place. */
static char *csv_cut(char **rest)
{
	char *field = *rest, *to = field, *p = field;
	bool quoted = false;

	if (!p)
		return NULL;
	for (; *p && (quoted || *p != ','); p++) {
		if (*p == '"')
			quoted = !quoted;
		else
			*to++ = *p;
	}
	*rest = *p ? p + 1 : NULL;
	*to = '\0';
	return field;
}

/* The field of @line below the heading @column. */
static char *csv_at(char *line, const char *heads, const char *column)
{
	char *copy = xstrdup(heads), *h = copy, *head, *field = NULL;

	while ((head = csv_cut(&h)) && (field = csv_cut(&line)))
		if (strcmp(head, column) == 0)
			break;
	free(copy);
	return head ? field : NULL;
}

/* Value of a column in the row of the primary metric of @variant in `compare --csv`. */
static void csv_field(const char *csv, const char *variant, const char *column, char *buf,
		      size_t len)
{
	char *copy = xstrdup(csv), *rest = copy, *heads = str_cut(&rest, "\r\n"), *line;

	buf[0] = '\0';
	while ((line = str_cut(&rest, "\r\n"))) {
		char *a = xstrdup(line), *b = xstrdup(line);
		const char *v = csv_at(a, heads, "variant");
		const char *m = csv_at(b, heads, "primary_metric");

		if (v && m && strcmp(v, variant) == 0 && strcmp(m, "yes") == 0)
			snprintf(buf, len, "%s", csv_at(line, heads, column));
		free(a);
		free(b);
	}
	free(copy);
	if (!buf[0])
		bench_die("no such row in the table", NULL);
}

static void compare_field(const char *column, char *buf, size_t len)
{
	struct bench_run b = bench_cmd("%s compare --csv bench.db", tool);

	csv_field(str_text(&b.out), "b", column, buf, len);
	str_done(&b.out);
}

static void tool_run(const char *what)
{
	struct bench_run b;

	unlink("bench.db");
	b = bench_cmd("%s run %s -q -o bench.db", tool, what);
	str_done(&b.out);
}

static void bench_delay_change(void)
{
	char change[40];
	double v;

	tool_run("delay --variant a:steps=1000 --variant b:steps=1050 --rounds 20 --time 300ms "
		 "--warmup 50ms -p cpus=0");
	compare_field("change", change, sizeof(change));
	/* the rate falls by 1/1.05; told as time per operation that is +5 % */
	v = 100 * (1 / (1 + strtod(change, NULL)) - 1);
	bench_say(fabs(v - 5) <= 0.5, "5 %% more steps of delay measure %+.2f %% (5.0 +- 0.5)", v);
}

static void bench_false_and_true(void)
{
	unsigned false_alarms = 0, found = 0;
	char verdict[40];

	for (int i = 0; i < 20; i++) {
		tool_run("page_fault1:size=32M --variant a --variant b --rounds 10 --time 200ms "
			 "--warmup 50ms -p cpus=0");
		compare_field("verdict", verdict, sizeof(verdict));
		false_alarms += strstr(verdict, "regressed") || strstr(verdict, "improved");
		tool_run("delay --variant a:steps=1000 --variant b:steps=1050 --rounds 10 "
			 "--time 100ms --warmup 20ms -p cpus=0");
		compare_field("verdict", verdict, sizeof(verdict));
		found += strstr(verdict, "regressed") != NULL;
	}
	bench_say(false_alarms <= 3, "A/A of page_fault1: %u of 20 called a change (at most 3)",
		  false_alarms);
	bench_say(found == 20, "delay 5 %% slower: found in %u of 20", found);
}

static void bench_start_up(void)
{
	double first[15], version[15];

	for (size_t i = 0; i < ARRAY_LEN(first); i++) {
		struct bench_run b;

		unlink("bench.db");
		b = bench_cmd("%s run null --time 200ms --rounds 1 -q -o bench.db", tool);
		first[i] = b.wall_s;
		str_done(&b.out);
		b = bench_cmd("%s --version", tool);
		version[i] = b.wall_s;
		str_done(&b.out);
	}
	bench_say(bench_median(first, 15) < 1,
		  "run null --time 200ms: done, stored and compared in %.2f s (median; below 1)",
		  bench_median(first, 15));
	bench_say(bench_median(version, 15) < 0.02, "start of the tool: %.1f ms (below 20)",
		  1000 * bench_median(version, 15));
}

static void bench_groups(void)
{
	struct bench_run b;
	char *window;
	double v;

	unlink("bench.db");
	b = bench_cmd("%s run readtwice:tasks=2,file_size=64M --variant a:depth=2,groups=40 "
		      "--rounds 1 --time 3s -q -o bench.db",
		      tool);
	bench_say(b.maxrss_kib < 32 * 1024,
		  "40 groups with two readers each: the tool and its tasks peak at %ld KiB "
		  "(below 32 MiB each)",
		  b.maxrss_kib);
	str_done(&b.out);
	b = bench_cmd("sqlite3 bench.db "
		      "select(value)from(v_counters)where(counter='common_window')");
	window = xstrdup(str_text(&b.out));
	v = strtod(window, NULL);
	bench_say(v >= 0.9, "their common window is %.1f %% of the run (at least 90)", 100 * v);
	free(window);
	str_done(&b.out);
}

/* What a task costs that does nothing: the agent's and the task's own resident memory. */
static void bench_memory(void)
{
	struct bench_run b = bench_cmd("%s null --depth 1 --tasks 1 --time 1s", agent);

	bench_say(b.maxrss_kib < 2 * 1024,
		  "an idle worker: %ld KiB resident, %.0f KiB charged to its group at the peak "
		  "(below 2 MiB)",
		  b.maxrss_kib, bench_sum(&b, "group/0", "peak_bytes") / 1024);
	str_done(&b.out);
}

/* All parts, or those that are named. */
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "null", bench_null },		{ "linear", bench_delay_linear },
		{ "change", bench_delay_change }, { "start", bench_start_up },
		{ "groups", bench_groups },	{ "memory", bench_memory },
		{ "aa", bench_false_and_true },
	};

	agent = bench_env("MMGAUGE_AGENT", "build/mmgauge-agent");
	tool = bench_env("MMGAUGE_TOOL", "build/mmgauge");
	bare = bench_env("MMGAUGE_BARE_LOOP", "build/tests/bench/bare_loop");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		bool wanted = argc < 2;

		for (int k = 1; k < argc; k++)
			wanted = wanted || strcmp(argv[k], parts[i].name) == 0;
		if (wanted)
			parts[i].run();
	}
	unlink("bench.db");
	return bench_done();
}
