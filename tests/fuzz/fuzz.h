/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entry point of a fuzz target, which libFuzzer calls; and, with FUZZ_STANDALONE, a main() of
 * our own for compilers without libFuzzer:
 *
 *	fuzz_X [-runs=N] [-seed=S] [FILE|DIRECTORY...]
 *
 * runs every corpus file as it is, then N (default 50000) seeded mutations of them. It knows
 * nothing of coverage: a regression test, no hunt. The input that a target dies of is written to
 * stderr in hexadecimal. Include it first; a target aborts (assert) to report a fault.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_STANDALONE

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/str.h"

#define FUZZ_MAX 4096u

static struct {
	struct str *v;
	size_t n;
} fuzz_corpus;

static uint8_t fuzz_input[FUZZ_MAX];
static size_t fuzz_len;

/* Whole lines of the input, by write(2) alone: the process is in no state for stdio. */
static void fuzz_dump(int sig)
{
	static const char hex[] = "0123456789abcdef";
	char line[64 + 1];
	ssize_t n = write(2, "# dies of:\n", 11);

	for (size_t i = 0; i < fuzz_len && n > 0;) {
		size_t len = 0;

		for (; i < fuzz_len && len < 64; i++) {
			line[len++] = hex[fuzz_input[i] >> 4];
			line[len++] = hex[fuzz_input[i] & 15];
		}
		line[len++] = '\n';
		n = write(2, line, len);
	}
	(void)sig; /* SA_RESETHAND: returning to the fault, or the abort(), ends it */
}

static void fuzz_run(const uint8_t *data, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1); /* of that size, so that ASan sees overruns */

	fuzz_len = len < FUZZ_MAX ? len : FUZZ_MAX;
	memmove(fuzz_input, data, fuzz_len);
	if (!exact)
		abort();
	memcpy(exact, fuzz_input, fuzz_len);
	(void)LLVMFuzzerTestOneInput(exact, fuzz_len);
	free(exact);
}

static void fuzz_add_file(const char *path)
{
	struct str s = STR_INIT(FSX_TEXT_MAX);
	struct err e;

	if (fsx_read(AT_FDCWD, path, &s, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		exit(2);
	}
	fuzz_corpus.v = xrealloc(fuzz_corpus.v, fuzz_corpus.n + 1, sizeof(*fuzz_corpus.v));
	fuzz_corpus.v[fuzz_corpus.n++] = s;
}

static void fuzz_add(const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, NULL, alphasort); /* sorted: the seed decides, not the disk */

	if (n < 0)
		fuzz_add_file(path);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *file = xasprintf("%s/%s", path, names[i]->d_name);

		if (names[i]->d_name[0] != '.')
			fuzz_add_file(file);
		free(names[i]);
	}
	free(names);
}

/* One change: a bit, a byte, a special byte, a piece removed, doubled, or of another input. */
static size_t fuzz_mutate(struct rng *r, uint8_t *buf, size_t len)
{
	static const char special[] = "\0\xff\x7f\x80\n\t ,=\\.:-+/%@09aZ\"'[]{}";
	size_t at = len ? rng_below(r, len) : 0;
	size_t n = 1 + rng_below(r, 8);
	const struct str *other = &fuzz_corpus.v[rng_below(r, fuzz_corpus.n)];

	switch (rng_below(r, 6)) {
	case 0:
		buf[at] ^= (uint8_t)(1u << rng_below(r, 8));
		return len ? len : 1;
	case 1:
		buf[at] = (uint8_t)rng_next(r);
		return len ? len : 1;
	case 2:
		buf[at] = (uint8_t)special[rng_below(r, sizeof(special) - 1)];
		return len ? len : 1;
	case 3:
		n = n < len - at ? n : len - at;
		memmove(buf + at, buf + at + n, len - at - n);
		return len - n;
	case 4:
		n = n < len - at ? n : len - at;
		if (len + n > FUZZ_MAX)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		return len + n;
	default:
		if (!other->len)
			return len;
		n = 1 + rng_below(r, other->len);
		n = n < FUZZ_MAX - at ? n : FUZZ_MAX - at;
		memcpy(buf + at,
		       other->buf + (other->len > n ? rng_below(r, other->len - n) : 0), n);
		return at + n > len ? at + n : len;
	}
}

static void fuzz_loop(uint64_t runs, uint64_t seed)
{
	static uint8_t buf[FUZZ_MAX];
	struct rng r;

	for (size_t i = 0; i < fuzz_corpus.n; i++)
		fuzz_run((const uint8_t *)str_text(&fuzz_corpus.v[i]), fuzz_corpus.v[i].len);
	rng_init(&r, seed);
	for (uint64_t i = 0; i < runs; i++) {
		const struct str *from = &fuzz_corpus.v[rng_below(&r, fuzz_corpus.n)];
		size_t len = from->len < FUZZ_MAX ? from->len : FUZZ_MAX;

		memcpy(buf, str_text(from), len);
		for (uint64_t n = 1 + rng_below(&r, 8); n > 0; n--)
			len = fuzz_mutate(&r, buf, len);
		fuzz_run(buf, len);
	}
}

int main(int argc, char **argv)
{
	static const int deadly[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	const struct sigaction act = { .sa_handler = fuzz_dump, .sa_flags = (int)SA_RESETHAND };
	uint64_t runs = 50000, seed = 1;
	struct err e;
	int r = 0;

	for (int i = 1; r >= 0 && i < argc; i++) {
		if (str_starts(argv[i], "-runs="))
			r = num_u64(argv[i] + 6, &runs, &e);
		else if (str_starts(argv[i], "-seed="))
			r = num_u64(argv[i] + 6, &seed, &e);
		else if (argv[i][0] != '-') /* other options of libFuzzer mean nothing here */
			fuzz_add(argv[i]);
	}
	if (r < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 2;
	}
	if (!fuzz_corpus.n) {
		fuzz_corpus.v = xcalloc(1, sizeof(*fuzz_corpus.v));
		fuzz_corpus.n = 1;
	}
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		(void)sigaction(deadly[i], &act, NULL);
	fuzz_loop(runs, seed);
	for (size_t i = 0; i < fuzz_corpus.n; i++)
		str_done(&fuzz_corpus.v[i]);
	free(fuzz_corpus.v);
	return 0;
}

#endif
#endif
