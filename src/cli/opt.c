// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/opt.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"

#define OPTS_MAX 32

static size_t count(const struct opt *opts)
{
	size_t n = 0;

	while (opts && opts[n].name)
		n++;
	return n;
}

static int set_unsigned(const struct opt *o, const char *val, struct err *e)
{
	uint64_t v;
	int r = num_u64(val, &v, e);

	if (r == 0 && v > UINT32_MAX)
		r = err_set(e, -ERANGE, "\"%s\" is too large", val);
	if (r == 0)
		*(unsigned *)o->to = (unsigned)v;
	return r;
}

static int set_value(const struct opt *o, const char *val, struct err *e)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->to = true;
		return 0;
	case OPT_TEXT:
		*(const char **)o->to = val;
		return 0;
	case OPT_LIST:
		strv_add(o->to, val);
		return 0;
	case OPT_UNSIGNED:
		return set_unsigned(o, val, e);
	case OPT_U64:
		return num_u64(val, o->to, e);
	case OPT_DURATION:
		return num_duration(val, o->to, e);
	case OPT_FRACTION:
		return num_fraction(val, o->to, e);
	}
	return 0;
}

static int unknown_option(const struct cmd *c, const char *given, struct err *e)
{
	const char *bare = str_starts(given, "--") ? given + strlen("--") : given;
	const char *names[OPTS_MAX];
	size_t n = count(c->opts);
	char word[64];
	const char *near;
	int r;

	for (size_t i = 0; i < n; i++)
		names[i] = c->opts[i].name;
	(void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(bare, "="), bare);
	near = bare == given ? NULL : str_nearest(word, names, n);
	r = err_set(e, -EINVAL, "unknown option \"%s\"", given);
	if (near)
		err_hint(e, "did you mean \"--%s\"? \"mmgauge %s --help\" lists them", near,
			 c->name);
	else
		err_hint(e, "\"mmgauge %s --help\" lists the options", c->name);
	return r;
}

struct tables {
	struct option longs[OPTS_MAX + 2];
	char shorts[2 * OPTS_MAX + 4];
};

/* getopt_long's tables; the value of a long option is 256 + its index. */
static void build_tables(const struct cmd *c, struct tables *t)
{
	size_t n = count(c->opts), len = 0;

	t->shorts[len++] = '+'; /* stop at the first word: a program's options are its own */
	t->shorts[len++] = ':'; /* tell a missing value from an unknown option */
	t->shorts[len++] = 'h';
	for (size_t i = 0; i < n; i++) {
		const struct opt *o = &c->opts[i];

		t->longs[i] = (struct option){
			.name = o->name,
			.has_arg = o->kind == OPT_FLAG ? no_argument : required_argument,
			.val = 256 + (int)i,
		};
		if (!o->letter)
			continue;
		t->shorts[len++] = o->letter;
		if (o->kind != OPT_FLAG)
			t->shorts[len++] = ':';
	}
	t->longs[n] = (struct option){ .name = "help", .val = 'h' };
	t->shorts[len] = '\0';
}

static const struct opt *find(const struct cmd *c, int val)
{
	if (val >= 256)
		return &c->opts[val - 256];
	for (const struct opt *o = c->opts; o && o->name; o++)
		if (o->letter == val)
			return o;
	return NULL;
}

static int take_option(const struct cmd *c, int val, char **argv, struct err *e)
{
	const struct opt *o;
	int r;

	if (val == '?')
		return unknown_option(c, argv[optind - 1], e);
	if (val == ':')
		return err_set(e, -EINVAL, "option \"%s\" wants a value", argv[optind - 1]);
	o = find(c, val);
	assert(o); /* getopt only returns what build_tables() told it */
	r = set_value(o, optarg, e);
	return r < 0 ? err_wrap(e, r, "option \"--%s\"", o->name) : 0;
}

/* Words may stand between options: they are collected to the front, in order. */
int opt_parse(const struct cmd *c, int argc, char **argv, int *ret_first, int *ret_dashes,
	      bool *ret_help, struct err *e)
{
	struct tables t = { 0 };
	int dashes = argc, n_words = 0;
	char **words = xcalloc((size_t)argc, sizeof(*words));
	int r = 0, val;

	for (int i = 1; i < argc && dashes == argc; i++)
		if (strcmp(argv[i], "--") == 0)
			dashes = i;
	build_tables(c, &t);
	opterr = 0;
	optind = 1;
	while (r == 0 && optind < dashes) {
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): the tool has one thread */
		val = getopt_long(dashes, argv, t.shorts, t.longs, NULL);
		if (val == 'h')
			*ret_help = true;
		else if (val == -1 && optind < dashes)
			words[n_words++] = argv[optind++];
		else if (val != -1)
			r = take_option(c, val, argv, e);
	}
	memcpy(argv + dashes - n_words, words, (size_t)n_words * sizeof(*words));
	*ret_first = dashes - n_words;
	*ret_dashes = dashes;
	free(words);
	return r;
}

static void help_option(const struct opt *o, struct str *out)
{
	_cleanup_free_ char *left = NULL;
	char letter[8] = "    ";

	if (o->letter)
		(void)snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	left = xasprintf("%s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	str_addf(out, "  %-28s %s\n", left, o->help);
}

void opt_help(const struct cmd *c, struct str *out)
{
	str_addf(out, "usage: mmgauge %s [options] %s\n\n%s\n", c->name, c->synopsis, c->summary);
	if (c->about[0])
		str_addf(out, "\n%s", c->about);
	str_add(out, "\noptions:\n");
	for (const struct opt *o = c->opts; o && o->name; o++)
		help_option(o, out);
	str_add(out, "  -h, --help                   this text\n");
	if (c->examples[0])
		str_addf(out, "\nexamples:\n%s", c->examples);
}

/* roff wants hyphens and backslashes escaped, and no line that begins with a dot. */
static void man_text(const char *text, struct str *out)
{
	for (const char *p = text; *p; p++) {
		if (*p == '-')
			str_add(out, "\\-");
		else if (*p == '\\')
			str_add(out, "\\e");
		else if ((*p == '.' || *p == '\'') && (p == text || p[-1] == '\n'))
			str_addf(out, "\\&%c", *p);
		else
			str_addc(out, *p);
	}
}

void opt_man(const struct cmd *c, struct str *out)
{
	str_addf(out, ".SS mmgauge %s ", c->name);
	man_text(c->synopsis, out);
	str_addc(out, '\n');
	man_text(c->summary, out);
	str_add(out, ".\n");
	if (c->about[0]) {
		str_add(out, ".PP\n");
		man_text(c->about, out);
	}
	for (const struct opt *o = c->opts; o && o->name; o++) {
		str_add(out, ".TP\n.B ");
		if (o->letter)
			str_addf(out, "\\-%c, ", o->letter);
		str_add(out, "\\-\\-");
		man_text(o->name, out);
		if (o->arg)
			str_addf(out, " \\fI%s\\fR", o->arg);
		str_addc(out, '\n');
		man_text(o->help, out);
		str_addc(out, '\n');
	}
	if (!c->examples[0])
		return;
	str_add(out, ".PP\nExamples:\n.PP\n.nf\n");
	man_text(c->examples, out);
	str_add(out, ".fi\n");
}
