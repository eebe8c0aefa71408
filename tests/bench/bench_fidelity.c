// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do our workloads cost what the programs of the field cost? In pairs, CPU time of both sides by
 * wait4 from outside. The peers are built by whoever runs this, outside of this repository:
 *
 *	MMGAUGE_PEER_WIS		folder with will-it-scale's *_processes programs
 *	MMGAUGE_PEER_CREATEDELETE	the program of the post of 2007 (its C file, cc -o)
 *	MMGAUGE_BENCH_DISK		folder on a disk file system (default: the current one)
 */
#include "bench.h"

struct peer {
	const char *agent, *wis, *createdelete;
	const char *test;  /* will-it-scale */
	const char *dir;   /* create-delete */
	const char *size;
	unsigned passes;
};

/*
 * Sum of all operations that will-it-scale printed, warm-up seconds too, per CPU second. Not
 * under "setarch -R", as its script does: one fixed address layout is one draw of some per cent,
 * and both sides had better be drawn anew in every pair.
 */
static double wis_rate(void *arg)
{
	const struct peer *p = arg;
	struct bench_run b = bench_cmd("%s/%s_processes -t 1 -s 1", p->wis, p->test);
	double sum = 0;

	for (const char *at = str_text(&b.out); (at = strstr(at, "total:")); at++) {
		char *end;

		sum += strtod(at + 6, &end);
	}
	sum /= b.cpu_s;
	str_done(&b.out);
	return sum;
}

/* The same from outside: operations of the measured part and of the (short) warm-up's CPU. */
static double our_rate(void *arg)
{
	const struct peer *p = arg;
	struct bench_run b = bench_cmd("%s %s --tasks 1 --time 5s --warmup 1ms --cpus 0 --fs dir "
				       "--dir /tmp",
				       p->agent, p->test);
	double rate = bench_sum(&b, "task/", "ops") / b.cpu_s;

	str_done(&b.out);
	return rate;
}

static double post_cost(void *arg)
{
	const struct peer *p = arg;
	struct bench_run b = bench_cmd("%s -n %u -s %s -i 1 %s/post", p->createdelete, p->passes,
				       p->size, p->dir);
	char *name = xasprintf("%s/post-0\n", p->dir);

	str_done(&b.out);
	unlink(name); /* it leaves its file, whose name ends in a newline */
	free(name);
	return b.cpu_s / p->passes;
}

static double our_cost(void *arg)
{
	const struct peer *p = arg;
	struct bench_run b = bench_cmd("%s createdelete --tasks 1 --size %s --passes %u --fs dir "
				       "--dir %s",
				       p->agent, p->size, p->passes, p->dir);
	unsigned warm = p->passes / 20 ? p->passes / 20 : 1;

	str_done(&b.out);
	return b.cpu_s / (p->passes + warm);
}

static void bench_createdelete(struct peer *p, const char *fs, const char *dir)
{
	static const struct {
		const char *size;
		unsigned passes;
	} sizes[] = { { "131072", 16384 }, { "1048576", 2048 } };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		char *what = xasprintf("createdelete %s on %s, CPU per pass against the post's",
				       sizes[i].size, fs);

		p->dir = dir;
		p->size = sizes[i].size;
		p->passes = sizes[i].passes;
		bench_pairs(what, our_cost, post_cost, p, 10, 0.05);
		free(what);
	}
}

int main(void)
{
	static const char *const tests[] = { "page_fault1", "page_fault2", "page_fault3" };
	struct peer p = {
		.agent = bench_env("MMGAUGE_AGENT", "build/mmgauge-agent"),
		.wis = bench_env("MMGAUGE_PEER_WIS", NULL),
		.createdelete = bench_env("MMGAUGE_PEER_CREATEDELETE", NULL),
	};

	if (!p.wis)
		printf("skip  will-it-scale: set MMGAUGE_PEER_WIS\n");
	for (size_t i = 0; p.wis && i < ARRAY_LEN(tests); i++) {
		char *what = xasprintf("%s, operations per CPU second against will-it-scale",
				       tests[i]);

		p.test = tests[i];
		bench_pairs(what, our_rate, wis_rate, &p, 10, 0.03);
		free(what);
	}
	if (!p.createdelete) {
		printf("skip  create-delete: set MMGAUGE_PEER_CREATEDELETE\n");
		return bench_done();
	}
	bench_createdelete(&p, "tmpfs", "/dev/shm");
	bench_createdelete(&p, "disk", bench_env("MMGAUGE_BENCH_DISK", "."));
	return bench_done();
}
