/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the programs of `make bench`: run commands, take their CPU time from outside (wait4),
 * compare in pairs, print each figure with pass or fail. Not part of the tests: timing is judged
 * here only, on a machine that somebody looks at.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/num.h"
#include "base/spawn.h"
#include "base/str.h"
#include "wire/wire.h"

struct bench_run {
	double cpu_s, wall_s;
	long maxrss_kib;
	struct str out;
};

static int bench_failed;

static inline void bench_die(const char *what, const struct err *e)
{
	fprintf(stderr, "bench: %s: %s\n", what, e ? e->msg : "");
	exit(2);
}

/* A figure with its limit; @ok decides. */
static inline void bench_say(bool ok, const char *fmt, ...)
{
	va_list ap;

	printf("%s  ", ok ? "pass" : "FAIL");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	bench_failed += !ok;
}

/* Runs @argv to its end; CPU time of it and of all that it waited for, by wait4. */
static inline struct bench_run bench_run(char *const argv[])
{
	struct bench_run b = { .out = STR_INIT(64u << 20) };
	uint64_t start = clock_mono_ns();
	struct spawn s = SPAWN_INIT;
	struct rusage ru;
	struct err e;
	char chunk[8192];
	int status;
	ssize_t n;

	if (spawn_start(argv, SPAWN_PIPE_OUT, &s, &e) < 0)
		bench_die(argv[0], &e);
	while ((n = read(s.out, chunk, sizeof(chunk))) > 0)
		str_addn(&b.out, chunk, (size_t)n);
	if (wait4(s.pid, &status, 0, &ru) < 0 || status != 0) {
		fprintf(stderr, "bench: %s ended with %#x\n%s\n", argv[0], (unsigned)status,
			str_text(&b.out));
		exit(2);
	}
	close(s.out);
	close(s.pidfd);
	b.wall_s = (double)(clock_mono_ns() - start) / 1e9;
	b.cpu_s = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		  (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	b.maxrss_kib = ru.ru_maxrss;
	return b;
}

/* Splits a command at blanks and runs it. */
static inline struct bench_run bench_cmd(const char *fmt, ...)
{
	char *words[64];
	char *line = NULL, *rest;
	struct bench_run b;
	size_t n = 0;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		abort();
	va_end(ap);
	rest = line;
	while (n < 63 && (words[n] = str_cut(&rest, " ")))
		n += *words[n] != '\0';
	words[n] = NULL;
	b = bench_run(words);
	free(line);
	return b;
}

/* Adds up the counters NAME of all places that begin with @where in an agent's records. */
static inline double bench_sum(const struct bench_run *b, const char *where, const char *name)
{
	char *copy = xstrdup(str_text(&b->out)), *rest = copy, *line;
	double sum = 0;

	while ((line = str_cut(&rest, "\n")) && *line) {
		struct wire_rec r;
		double v;

		if (wire_parse(line, &r, NULL) < 0 || strcmp(r.kind, "counter") != 0)
			continue;
		if (str_starts(wire_get(&r, "where"), where) &&
		    strcmp(wire_get(&r, "name"), name) == 0 &&
		    num_double(wire_get(&r, "value"), &v, NULL) == 0)
			sum += v;
	}
	free(copy);
	return sum;
}

/* The value of a sample of an agent's records, NAN when there is none. */
static inline double bench_sample(const struct bench_run *b, const char *name)
{
	char *copy = xstrdup(str_text(&b->out)), *rest = copy, *line;
	double v = NAN;

	while ((line = str_cut(&rest, "\n")) && *line) {
		struct wire_rec r;

		if (wire_parse(line, &r, NULL) == 0 && strcmp(r.kind, "sample") == 0 &&
		    strcmp(wire_get(&r, "name"), name) == 0)
			(void)!num_double(wire_get(&r, "value"), &v, NULL);
	}
	free(copy);
	return v;
}

static inline int bench_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double bench_quantile(double *v, size_t n, double q)
{
	double pos = q * (double)(n - 1);
	size_t lo = (size_t)pos, hi = lo + 1 < n ? lo + 1 : lo;

	qsort(v, n, sizeof(*v), bench_cmp);
	return v[lo] + (pos - (double)lo) * (v[hi] - v[lo]);
}

static inline double bench_median(double *v, size_t n)
{
	return bench_quantile(v, n, 0.5);
}

static inline double bench_cv(const double *v, size_t n)
{
	double mean = 0, var = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		var += (v[i] - mean) * (v[i] - mean) / (double)(n - 1);
	return sqrt(var) / mean;
}

/*
 * @n pairs in ABBA order of two measurements of the same quantity; 30 instead of @n when either
 * side's CV is above 4 %. Prints median ratio A/B against 1 within @tolerance.
 */
static inline void bench_pairs(const char *what, double (*a)(void *), double (*b)(void *),
			       void *arg, size_t n, double tolerance)
{
	double va[64], vb[64], ratio[64], mid;
	size_t have = 0;

	for (;;) {
		for (; have < n; have++) {
			bool a_first = have % 4 == 0 || have % 4 == 3;

			if (a_first)
				va[have] = a(arg);
			vb[have] = b(arg);
			if (!a_first)
				va[have] = a(arg);
			ratio[have] = va[have] / vb[have];
		}
		if (n >= 30 || (bench_cv(va, have) <= 0.04 && bench_cv(vb, have) <= 0.04))
			break;
		n = 30;
	}
	mid = bench_median(ratio, have);
	bench_say(fabs(mid - 1) <= tolerance,
		  "%s: ratio %.4f [%.4f .. %.4f] of %zu pairs, CV %.1f %% and %.1f %% "
		  "(limit 1 +- %.3f)",
		  what, mid, ratio[0], ratio[have - 1], have, 100 * bench_cv(va, have),
		  100 * bench_cv(vb, have), tolerance);
}

static inline const char *bench_env(const char *name, const char *def)
{
	const char *v = getenv(name);

	return v ? v : def;
}

static inline int bench_done(void)
{
	printf("%d failed\n", bench_failed);
	return bench_failed ? 1 : 0;
}

#endif
