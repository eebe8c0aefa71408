// SPDX-License-Identifier: GPL-2.0-or-later
/* "label value" lines: what every script can print. The label may have blanks. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "import/internal.h"

#define BLANKS " \t"

/* Cuts the last word off, in place; NULL when there is none before it. */
static char *last_word(char *line)
{
	char *end = line + strlen(line);

	while (end > line && strchr(BLANKS, end[-1]))
		*--end = '\0';
	while (end > line && !strchr(BLANKS, end[-1]))
		end--;
	if (end == line)
		return NULL;
	end[-1] = '\0';
	return end;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* A comma would end the value. */
static void label_params(const char *label, struct str *out)
{
	str_add(out, "label=");
	for (; *label; label++) {
		if (*label == ',')
			str_addc(out, ';');
		else
			str_addc(out, *label);
	}
}

static int parse(struct import_in *in, const struct import_sink *to, struct err *e)
{
	char *line;
	int r;

	while ((r = import_line(in, &line, e)) > 0) {
		_cleanup_str_ struct str params = STR_INIT((size_t)2 * IMPORT_LINE_MAX);
		struct import_key k = { .workload = "columns", .metric = "value", .op = "",
					.unit = in->o->unit ? in->o->unit : "",
					.higher = !in->o->lower, .primary = true };
		char *word;
		double v;

		line = trim(line);
		if (!*line || *line == '#')
			continue;
		word = last_word(line);
		if (!word)
			return import_fail(in, e, "want a label and a number, got \"%.60s\"",
					   line);
		/* any finite number: a column may hold differences or temperatures */
		if (num_double(word, &v, NULL) < 0)
			return import_fail(in, e, "\"%.60s\" is no number", word);
		k.title = trim(line);
		label_params(k.title, &params);
		k.params = str_text(&params);
		r = to->value(to->arg, &k, v, e);
		if (r < 0)
			return r;
	}
	return r;
}

/* A label, then a number, on the first line that says something. */
static bool sniff(const char *head)
{
	_cleanup_free_ char *copy = xstrdup(head);
	char *rest = copy, *line;

	while ((line = str_cut(&rest, "\n"))) {
		char *word;
		double v;

		line = trim(line);
		if (!*line || *line == '#')
			continue;
		word = last_word(line);
		return word && num_double(word, &v, NULL) == 0;
	}
	return false;
}

const struct importer import_columns = {
	.name = "columns",
	.summary = "lines of a label and a number",
	.sniff = sniff,
	.parse = parse,
};
