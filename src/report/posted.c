// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading posted tables. */
#include "report/posted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

#define MAX_FIELDS 8
#define BLANKS " \t\r"

struct parser {
	struct posted *t;
	uint64_t n;
	size_t line;
	char *label;	  /* of the posted table, which has it on a line of its own */
	bool past_first;  /* a line of fields was there: names can't follow */
};

static char *trim(char *s)
{
	char *end;

	s += strspn(s, BLANKS);
	end = s + strlen(s);
	while (end > s && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	return s;
}

/* Less what a mail program puts before a line that it quotes. */
static char *unquote(char *s)
{
	s = trim(s);
	while (*s == '>')
		s = trim(s + 1);
	return s;
}

static struct posted_row *row_of(struct posted *t, const char *label)
{
	for (size_t i = t->n_rows; i > 0; i--)
		if (str_eq(t->rows[i - 1].label, label))
			return &t->rows[i - 1];
	return NULL;
}

static struct posted_row *add_row(struct posted *t, const char *label)
{
	t->rows = xrealloc(t->rows, t->n_rows + 1, sizeof(*t->rows));
	t->rows[t->n_rows] = (struct posted_row){ .label = xstrdup(label) };
	return &t->rows[t->n_rows++];
}

static int add_side(struct posted *t, const char *label, const struct posted_side *s,
		    struct err *e)
{
	struct posted_row *row = row_of(t, label);

	if (!*label || !*s->variant)
		return err_set(e, -EINVAL, "a label and a variant must have a name");
	for (size_t i = 0; row && i < row->n_sides; i++)
		if (str_eq(row->side[i].variant, s->variant))
			return err_set(e, -EINVAL, "\"%s\" has \"%s\" already, in line %zu", label,
				       s->variant, row->side[i].line);
	if (!row && t->n_rows == POSTED_MAX_LABELS)
		return err_set(e, -E2BIG, "more than %d labels", POSTED_MAX_LABELS);
	if (!row)
		row = add_row(t, label);
	row->side = xrealloc(row->side, row->n_sides + 1, sizeof(*row->side));
	row->side[row->n_sides] = *s;
	row->side[row->n_sides++].variant = xstrdup(s->variant);
	return 0;
}

/* The text of @n is NULL in forms that have none. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it becomes a field that is not const */
static int add_values(struct parser *p, const char *label, char *variant, const char *mean,
		      const char *stddev, const char *n, struct err *e)
{
	struct posted_side s = { .variant = variant, .n = p->n, .line = p->line };
	int r = num_double(mean, &s.mean, e);

	if (r < 0)
		return err_wrap(e, r, "mean");
	r = num_double(stddev, &s.stddev, e);
	if (r < 0)
		return err_wrap(e, r, "standard deviation");
	if (s.stddev < 0)
		return err_set(e, -EINVAL, "the standard deviation %s is negative", stddev);
	if (n)
		r = num_u64(n, &s.n, e);
	if (r < 0)
		return err_wrap(e, r, "number of runs");
	if (!n && !s.n) {
		r = err_set(e, -EINVAL, "how many runs it is from is not said");
		err_hint(e, "say it with --n, or in a fifth field");
		return r;
	}
	if (s.n < 1 || s.n > POSTED_MAX_N)
		return err_set(e, -ERANGE, "the number of runs must be 1 to %u", POSTED_MAX_N);
	return add_side(p->t, label, &s, e);
}

/* Cells of a table; empty ones at the end don't count. */
static size_t cut_cells(char *line, char **cells)
{
	size_t n = 0, used = 0;
	char *cell;

	while (n < MAX_FIELDS && (cell = str_cut(&line, "|"))) {
		cells[n++] = trim(cell);
		if (*cells[n - 1])
			used = n;
	}
	return used;
}

static bool ends_in_percent(const char *s)
{
	return *s && s[strlen(s) - 1] == '%';
}

/* Less the letter that the table puts before it: "(A) base". */
static char *plain_name(char *s)
{
	if (s[0] == '(' && s[1] >= 'A' && s[1] <= 'Z' && s[2] == ')' && s[3] == ' ')
		return trim(s + 3);
	return s;
}

static int table_line(struct parser *p, char *line, struct err *e)
{
	char *all[MAX_FIELDS] = { 0 }, **cells = all;
	size_t n = cut_cells(line, cells);

	if (n >= 2 && !*cells[0] && !ends_in_percent(cells[1])) {
		cells++; /* a table that has borders at both sides */
		n--;
	}
	if (n >= 2 && !*cells[0] && ends_in_percent(cells[1]))
		return 0; /* a change, which is computed anew */
	if (n == 4 && strcasecmp(cells[1], "mean") == 0) {
		if (strcasecmp(cells[2], "median") == 0 && strcasecmp(cells[3], "stddev") == 0)
			return 0;
		return err_set(e, -EINVAL, "the columns must be LABEL, MEAN, MEDIAN, STDDEV");
	}
	if (n == 1) {
		free(p->label);
		p->label = xstrdup(cells[0]);
		return 0;
	}
	if (n != 4)
		return err_set(e, -EINVAL, "a row has a mean, a median and a standard deviation, "
			       "or a label alone");
	if (!p->label)
		return err_set(e, -EINVAL, "values without a label above them");
	return add_values(p, p->label, plain_name(cells[0]), cells[1], cells[3], NULL, e);
}

/* One field in quotes, "" in it is one; cuts it off *@rest. */
static int cut_quoted(char **rest, char **ret, struct err *e)
{
	char *from = *rest + 1, *to = from;

	*ret = to;
	for (;; from++) {
		if (!*from)
			return err_set(e, -EINVAL, "a quote that doesn't end");
		if (*from == '"' && *++from != '"')
			break;
		*to++ = *from;
	}
	from += strspn(from, BLANKS);
	if (*from && *from != ',')
		return err_set(e, -EINVAL, "text between a quote and the next comma");
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return 0;
}

static int cut_fields(char *line, char **fields, size_t *ret_n, struct err *e)
{
	bool commas = strchr(line, ',');

	*ret_n = 0;
	while (line) {
		char *field;

		line += strspn(line, BLANKS);
		if (!commas && !*line)
			break;
		if (*ret_n == MAX_FIELDS)
			return err_set(e, -EINVAL, "more than %d fields", MAX_FIELDS);
		if (commas && *line == '"') {
			int r = cut_quoted(&line, &field, e);

			if (r < 0)
				return r;
		} else {
			field = trim(str_cut(&line, commas ? "," : BLANKS));
		}
		fields[(*ret_n)++] = field;
	}
	return 0;
}

static bool is_number(const char *s)
{
	double v;

	return num_double(s, &v, NULL) == 0;
}

static int fields_line(struct parser *p, char *line, struct err *e)
{
	char *fields[MAX_FIELDS] = { 0 };
	bool first = !p->past_first;
	size_t n;
	int r = cut_fields(line, fields, &n, e);

	p->past_first = true;
	if (r < 0)
		return r;
	if (n == 4 && !p->n && is_number(fields[2]))
		return add_values(p, fields[0], fields[1], fields[2], fields[3], NULL, e);
	if (n != 5 && !(n == 4 && p->n))
		return err_set(e, -EINVAL, "%zu fields, want LABEL VARIANT MEAN STDDEV N", n);
	if (first && !is_number(fields[2]) && !is_number(fields[3]))
		return 0; /* names */
	return add_values(p, fields[0], fields[1], fields[2], fields[3], fields[4], e);
}

static bool is_rule(const char *s)
{
	return s[strspn(s, "-+|=: ")] == '\0' && (strchr(s, '-') || strchr(s, '='));
}

static int parse_line(struct parser *p, char *line, struct err *e)
{
	line = unquote(line);
	if (!*line || *line == '#' || is_rule(line))
		return 0;
	return strchr(line, '|') ? table_line(p, line, e) : fields_line(p, line, e);
}

int posted_parse(const char *text, const char *name, uint64_t n, struct posted *ret,
		 struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(text);
	struct posted t = { 0 };
	struct parser p = { .t = &t, .n = n };
	char *rest = copy, *line;
	int r = 0;

	while (r == 0 && (line = str_cut(&rest, "\n"))) {
		p.line++;
		r = parse_line(&p, line, e);
	}
	free(p.label);
	if (r < 0) {
		posted_done(&t);
		return err_wrap(e, r, "%s:%zu", name, p.line);
	}
	if (!t.n_rows)
		return err_set(e, -EINVAL, "%s: there is no summary in it", name);
	*ret = t;
	return 0;
}
