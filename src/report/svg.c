// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/svg.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the UTF-8 character at @s, 0 when it is none; *@ret_c is which. */
static size_t utf8(const unsigned char *s, uint32_t *ret_c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
	uint32_t c = len == 1 ? *s : *s & (0x7fu >> len);

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (len > 1 && (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)))
		return 0;
	*ret_c = c;
	return len;
}

static bool unprintable(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0) ||
	       (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

void svg_escape(struct str *out, const char *text)
{
	static const char *const special[] = { ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;",
					       ['"'] = "&quot;", ['\''] = "&#39;" };
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		uint32_t c = 0;
		size_t len = utf8(s, &c);

		if (!len || unprintable(c))
			str_add(out, REPLACEMENT);
		else if (c < ARRAY_LEN(special) && special[c])
			str_add(out, special[c]);
		else
			str_addn(out, (const char *)s, len);
		s += len ? len : 1;
	}
}

void svg_fit(struct svg_scale *s, const double *v, size_t n, bool log_scale)
{
	double lo = HUGE_VAL, hi = -HUGE_VAL, room;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]) || fabs(v[i]) > 1e300)
			continue;
		lo = v[i] < lo ? v[i] : lo;
		hi = v[i] > hi ? v[i] : hi;
	}
	if (lo > hi) {
		lo = 0;
		hi = 1;
	}
	s->log = log_scale && lo > 0;
	if (s->log) {
		room = hi > lo ? pow(hi / lo, 0.05) : 1.5;
		s->lo = lo / room;
		s->hi = hi * room;
		return;
	}
	room = (hi - lo) * 0.05;
	if (!(room > fabs(hi) * 1e-9)) /* all the same, but for the last bits */
		room = lo < 0 || lo > 0 ? fabs(lo) * 0.01 : 1;
	s->lo = lo - room;
	s->hi = hi + room;
}

double svg_at(const struct svg_scale *s, double v)
{
	double part;

	if (isnan(v) || v <= s->lo)
		return s->from;
	if (v >= s->hi)
		return s->to;
	part = s->log ? log(v / s->lo) / log(s->hi / s->lo) : (v - s->lo) / (s->hi - s->lo);
	return s->from + part * (s->to - s->from);
}

/* 1, 2 or 5 times a power of ten, not below @v. */
static double nice(double v)
{
	double power = pow(10, floor(log10(v))), m = v / power;

	return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static size_t log_ticks(const struct svg_scale *s, size_t max, double *ret)
{
	double decades = log10(s->hi / s->lo);
	double by = ceil(decades / (double)max);
	size_t n = 0;

	for (double p = ceil(log10(s->lo)); n < max; p += by) {
		if (pow(10, p) > s->hi)
			break;
		ret[n++] = pow(10, p);
	}
	return n;
}

size_t svg_ticks(const struct svg_scale *s, size_t max, double *ret)
{
	size_t n = 0;
	double step;

	max = max > SVG_TICKS ? SVG_TICKS : max;
	if (s->log)
		n = log_ticks(s, max, ret);
	if (n > 1)
		return n;
	step = nice((s->hi - s->lo) / (double)max);
	for (n = 0; n < max; n++) {
		double v = (ceil(s->lo / step) + (double)n) * step;

		if (v > s->hi)
			break;
		ret[n] = fabs(v) < step / 2 ? 0 : v;
	}
	return n;
}

static int decimals_of(double step)
{
	int d = step > 0 ? (int)-floor(log10(step) + 1e-9) : 0;

	return d < 0 ? 0 : d > 6 ? 6 : d;
}

char *svg_label(char *buf, double v, double step, double largest)
{
	static const struct { double unit; const char *name; } units[] = {
		{ 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" }, { 1e-3, "m" },
		{ 1e-6, "u" }, { 1e-9, "n" },
	};
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(units) && fabs(largest) < units[i].unit)
		i++;
	if (!(fabs(largest) > 0) || !isfinite(largest))
		i = 4;
	if (isfinite(v) && fabs(v / units[i].unit) < 1e9)
		(void)snprintf(buf, SVG_LABEL, "%.*f%s", decimals_of(step / units[i].unit),
			       v / units[i].unit, v < 0 || v > 0 ? units[i].name : "");
	else
		(void)snprintf(buf, SVG_LABEL, "%s", isfinite(v) ? "large" : "-");
	return buf;
}

char *svg_label_pct(char *buf, double v, double step)
{
	if (fabs(v) < 1e6)
		(void)snprintf(buf, SVG_LABEL, "%s%.*f%%", v > 0 ? "+" : "",
			       decimals_of(step * 100), v * 100);
	else
		(void)snprintf(buf, SVG_LABEL, "%.0e%%", v * 100);
	return buf;
}

static double tenth(double v)
{
	double r = isfinite(v) ? round(v * 10) / 10 : 0;

	return fabs(r) < 0.05 ? 0 : r;
}

static void attr(struct str *out, const char *name, double v)
{
	str_addf(out, " %s=\"%g\"", name, tenth(v));
}

void svg_open(struct str *out, double width, double height, const char *label)
{
	str_addf(out, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", width, height);
	svg_escape(out, label);
	str_add(out, "\">\n");
}

void svg_close(struct str *out)
{
	str_add(out, "</svg>\n");
}

void svg_line(struct str *out, double x1, double y1, double x2, double y2, const char *cls)
{
	str_addf(out, "<path class=\"%s\" d=\"M%g %gL%g %g\"/>\n", cls, tenth(x1), tenth(y1),
		 tenth(x2), tenth(y2));
}

static void put_title(struct str *out, const char *title)
{
	str_add(out, "<title>");
	svg_escape(out, title);
	str_add(out, "</title>");
}

void svg_rect(struct str *out, double x1, double y1, double x2, double y2, const char *cls,
	      const char *title)
{
	str_addf(out, "<rect class=\"%s\"", cls);
	attr(out, "x", fmin(x1, x2));
	attr(out, "y", fmin(y1, y2));
	attr(out, "width", fabs(x2 - x1));
	attr(out, "height", fabs(y2 - y1));
	str_addc(out, '>');
	if (*title)
		put_title(out, title);
	str_add(out, "</rect>\n");
}

void svg_text(struct str *out, double x, double y, const char *anchor, const char *text)
{
	str_add(out, "<text");
	attr(out, "x", x);
	attr(out, "y", y);
	if (!str_eq(anchor, "start"))
		str_addf(out, " text-anchor=\"%s\"", anchor);
	str_addc(out, '>');
	svg_escape(out, text);
	str_add(out, "</text>\n");
}

void svg_mark(struct str *out, double x, double y, size_t variant, bool bad, const char *href,
	      const char *title)
{
	static const char *const shapes[SVG_SHAPES] = {
		"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "m-3.5-3.5h7v7h-7z", "m0-4.5l4.5 8h-9z",
		"m0-5l5 5l-5 5l-5-5z", "m0 4.5l4.5-8h-9z", "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
	};
	size_t k = variant % SVG_SHAPES;

	if (*href)
		str_addf(out, "<a href=\"#%s\">", href);
	str_addf(out, "<path class=\"m v%zu%s\" d=\"M%g %g%s", k, bad ? " bad" : "", tenth(x),
		 tenth(y), shapes[k]);
	if (bad)
		str_addf(out, "M%g %gm-6-6l12 12m0-12l-12 12", tenth(x), tenth(y));
	str_add(out, "\">");
	put_title(out, title);
	str_addf(out, "</path>%s\n", *href ? "</a>" : "");
}

void svg_axis_y(struct str *out, const struct svg_scale *y, double x1, double x2, bool percent)
{
	double v[SVG_TICKS];
	size_t n = svg_ticks(y, 6, v);
	char buf[SVG_LABEL];

	for (size_t i = 0; i < n; i++) {
		double at = svg_at(y, v[i]), step = n > 1 ? v[1] - v[0] : fabs(v[i]);
		double largest = fmax(fabs(y->lo), fabs(y->hi));

		svg_line(out, x1, at, x2, at, "grid");
		svg_text(out, x1 - 5, at + 4, "end", percent ? svg_label_pct(buf, v[i], step) :
			 svg_label(buf, v[i], step, y->log ? v[i] : largest));
	}
}

void svg_axis_x(struct str *out, const struct svg_scale *x, double y1, double y2, size_t max,
		bool whole)
{
	double v[SVG_TICKS];
	size_t n = svg_ticks(x, max, v);
	char buf[SVG_LABEL];

	for (size_t i = 0; i < n; i++) {
		double at = svg_at(x, v[i]), step = n > 1 ? v[1] - v[0] : fabs(v[i]);

		if (whole && fabs(v[i] - round(v[i])) > 1e-6)
			continue;
		if (whole)
			step = fmax(step, 1);
		svg_line(out, at, y1, at, y2, "grid");
		svg_text(out, at, fmax(y1, y2) + 14, "middle",
			 svg_label(buf, v[i], step, fmax(fabs(x->lo), fabs(x->hi))));
	}
}
