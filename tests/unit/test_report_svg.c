// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "report/svg.h"
#include "tap.h"

static void escapes(void)
{
	static const struct { const char *in, *want; } cases[] = {
		{ "plain 1", "plain 1" },
		{ "<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;" },
		{ "a\tb\nc\x01\x7f", "a\tb\nc\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xff<", "\xef\xbf\xbd&lt;" },	     /* no UTF-8 */
		{ "\xc3", "\xef\xbf\xbd" },		     /* cut off */
		{ "\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd" },  /* "<", overlong */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
		{ "\xe2\x80\xae", "\xef\xbf\xbd" },	     /* turns the text around */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		_cleanup_str_ struct str out = STR_INIT(1000);

		svg_escape(&out, cases[i].in);
		CHECK_STR(str_text(&out), cases[i].want);
	}
}

/* Every finite value lies between the ends, and ticks are within and rising. */
static void check_scale(const double *v, size_t n, bool log_scale)
{
	struct svg_scale s = { .from = 50, .to = 330 };
	double ticks[SVG_TICKS];
	size_t n_ticks;

	svg_fit(&s, v, n, log_scale);
	CHECK(isfinite(s.lo) && isfinite(s.hi) && s.lo < s.hi);
	for (size_t i = 0; i < n; i++)
		CHECK(svg_at(&s, v[i]) >= 50 && svg_at(&s, v[i]) <= 330);
	n_ticks = svg_ticks(&s, 6, ticks);
	CHECK(n_ticks >= 1 && n_ticks <= 6);
	for (size_t i = 0; i < n_ticks; i++) {
		CHECK(ticks[i] >= s.lo - 1e-9 * fabs(s.lo) && ticks[i] <= s.hi + 1e-9 * fabs(s.hi));
		CHECK(i == 0 || ticks[i] > ticks[i - 1]);
	}
}

static void scales(void)
{
	static const double plain[] = { 431000, 431900, 430200 }, one[] = { 7 },
		constant[] = { 0.3, 0.3, 0.3 }, zero[] = { 0, 0 }, negative[] = { -3, -1 },
		odd[] = { NAN, INFINITY, -INFINITY, 5 }, none[] = { NAN, INFINITY },
		huge[] = { 1e299, 2e299 }, tiny[] = { 1e-300, 3e-300 }, wide[] = { 1, 1e9 },
		close[] = { 1e6, 1e6 + 1e-4 };

	for (int l = 0; l < 2; l++) {
		check_scale(NULL, 0, l);
		check_scale(plain, 3, l);
		check_scale(one, 1, l);
		check_scale(constant, 3, l);
		check_scale(zero, 2, l);
		check_scale(negative, 2, l);
		check_scale(odd, 4, l);
		check_scale(none, 2, l);
		check_scale(huge, 2, l);
		check_scale(tiny, 2, l);
		check_scale(wide, 2, l);
		check_scale(close, 2, l);
	}
}

static void round_ticks(void)
{
	static const double ends[] = { 0, 100 }, decades[] = { 1, 10000 };
	struct svg_scale s = { .from = 0, .to = 100 };
	double v[SVG_TICKS];

	svg_fit(&s, ends, 2, false);
	CHECK(svg_ticks(&s, 6, v) == 6);
	CHECK(fabs(v[0]) < 1e-12 && fabs(v[1] - 20) < 1e-9 && fabs(v[5] - 100) < 1e-9);
	svg_fit(&s, decades, 2, true);
	CHECK(s.log);
	CHECK(svg_ticks(&s, 6, v) == 5);
	CHECK(fabs(v[2] - 100) < 1e-9);
}

static void labels(void)
{
	char buf[SVG_LABEL];

	CHECK_STR(svg_label(buf, 431200, 200, 432000), "431.2k");
	CHECK_STR(svg_label(buf, 0, 200, 432000), "0.0");
	CHECK_STR(svg_label(buf, 20, 20, 100), "20");
	CHECK_STR(svg_label(buf, 0.0025, 0.0005, 0.003), "2.5m");
	CHECK_STR(svg_label(buf, (double)NAN, 1, 1), "-");
	CHECK_STR(svg_label_pct(buf, 0.05, 0.05), "+5%");
	CHECK_STR(svg_label_pct(buf, -0.005, 0.005), "-0.5%");
	CHECK_STR(svg_label_pct(buf, 0, 0.05), "0%");
}

/* Whatever the numbers are: no "nan" and no "inf" in a picture, and marks carry their titles. */
static void drawn(void)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 16);
	struct svg_scale s = { .from = 170, .to = 10 };
	static const double none[] = { NAN };

	svg_fit(&s, none, 1, false);
	svg_open(&out, 340, 190, "a \"label\"");
	svg_axis_y(&out, &s, 50, 330, false);
	svg_axis_y(&out, &s, 50, 330, true);
	svg_axis_x(&out, &s, 170, 173, 5, true);
	svg_mark(&out, (double)NAN, (double)INFINITY, 7, true, "run-1", "x<y");
	svg_rect(&out, 5, 9, 1, 2, "band", "");
	svg_close(&out);
	CHECK(!strstr(str_text(&out), "nan") && !strstr(str_text(&out), "inf"));
	CHECK(strstr(str_text(&out), "aria-label=\"a &quot;label&quot;\""));
	CHECK(strstr(str_text(&out), "<a href=\"#run-1\"><path class=\"m v1 bad\" d=\"M0 0"));
	CHECK(strstr(str_text(&out), "<title>x&lt;y</title>"));
	CHECK(strstr(str_text(&out), "x=\"1\" y=\"2\" width=\"4\" height=\"7\""));
}

int main(void)
{
	TAP_RUN(escapes);
	TAP_RUN(scales);
	TAP_RUN(round_ticks);
	TAP_RUN(labels);
	TAP_RUN(drawn);
	return tap_done();
}
