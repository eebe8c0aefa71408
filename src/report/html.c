// SPDX-License-Identifier: GPL-2.0-or-later
/* One offline file: no script, nothing fetched, the reader's colours; its frame and its words. */
#include "report/html.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "report/svg.h"
#include "report/text.h"

void html_text(const struct html *h, const char *text)
{
	svg_escape(h->out, text ? text : "");
}

static __printf(2, 0) void textv(const struct html *h, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) >= 0)
		svg_escape(h->out, text);
	else
		h->out->failed = true;
	free(text);
}

void html_textf(const struct html *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	textv(h, fmt, ap);
	va_end(ap);
}

void html_tag(const struct html *h, const char *tag, const char *attrs, const char *fmt, ...)
{
	va_list ap;

	str_addf(h->out, "<%s%s>", tag, attrs);
	va_start(ap, fmt);
	textv(h, fmt, ap);
	va_end(ap);
	str_addf(h->out, "</%s>\n", tag);
}

void html_table(const struct html *h, const char *caption, const char *const *names, size_t n)
{
	str_add(h->out, "<div class=\"scroll\" tabindex=\"0\"><table>\n");
	html_tag(h, "caption", "", "%s", caption);
	str_add(h->out, "<thead><tr>");
	for (size_t i = 0; i < n; i++)
		html_tag(h, "th", " scope=\"col\"", "%s", names[i]);
	str_add(h->out, "</tr></thead>\n");
}

void html_table_end(const struct html *h)
{
	str_add(h->out, "</table></div>\n");
}

void html_pre(const struct html *h, const char *text)
{
	str_add(h->out, "<pre tabindex=\"0\">");
	html_text(h, text);
	str_add(h->out, "</pre>\n");
}

void html_refs(const struct html *h, int64_t case_id, size_t variant)
{
	_cleanup_str_ struct str refs = STR_INIT(1 << 16);

	notes_refs(&h->notes, case_id, variant, &refs);
	for (const char *p = str_text(&refs); (p = strchr(p, '[')); p++) {
		int digits = (int)strcspn(p + 1, "]");

		str_addf(h->out, " <a href=\"#note-%.*s\">[%.*s]</a>", digits, p + 1, digits,
			 p + 1);
	}
}

bool html_drawn(const struct html *h, size_t row)
{
	return h->t->rows[row].m->primary;
}

const char *html_title(const struct html *h, size_t row)
{
	const char *title = h->t->rows[row].c->title;

	return title && *title ? title : "(no title)";
}

char *html_interval(const struct html *h, const struct judge_effect *f, char buf[64])
{
	char a[TEXT_NUM], b[TEXT_NUM];

	if (judge_has_interval(f))
		(void)snprintf(buf, 64, "%s to %s", text_pct_signed(a, f->lo, h->decimals),
			       text_pct_signed(b, f->hi, h->decimals));
	else
		(void)snprintf(buf, 64, "-");
	return buf;
}

static void put_head(const struct html *h)
{
	const char *name = h->in->x.name && *h->in->x.name ? h->in->x.name : "experiment";

	str_add(h->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n");
	html_tag(h, "title", "", "mmgauge: %s", name);
	str_addf(h->out, "<style>\n%s</style>\n</head>\n<body>\n<header id=\"top\">\n", html_css);
	html_tag(h, "h1", "", "%s", name);
}

/* The header of text reports, a line each paragraph. */
static void put_header(const struct html *h)
{
	_cleanup_str_ struct str lines = STR_INIT(REPORT_MAX);

	header_put(h->t, h->in, &h->titles, &lines);
	html_pre(h, str_text(&lines));
	str_add(h->out, "</header>\n<nav aria-label=\"Sections\"><a href=\"#summary\">Verdicts</a> "
		"<a href=\"#environment\">Environment</a> <a href=\"#rows\">Rows</a> "
		"<a href=\"#scaling\">Scaling</a> <a href=\"#repeat\">To run it again</a> "
		"<a href=\"#raw\">Raw records</a></nav>\n<main>\n");
}

int report_html(const struct judge_table *t, const struct report_input *in, struct str *out,
		struct err *e)
{
	struct html h = { .t = t, .in = in, .decimals = text_decimals(t->margin), .out = out };

	titles_init(&h.titles, in);
	notes_collect(t, in, &h.notes);
	put_head(&h);
	put_header(&h);
	html_summary(&h);
	html_environment(&h);
	html_rows(&h);
	html_sweeps(&h);
	html_repeat(&h);
	html_raw(&h);
	str_add(out, "</main>\n</body>\n</html>\n");
	notes_done(&h.notes);
	titles_done(&h.titles);
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
