// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/selfcheck.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "report/report.h"
#include "report/text.h"
#include "stats/binomial.h"
#include "stats/equiv.h"
#include "stats/power.h"

#define RATE_LEVEL 0.95

/* The signed-rank test of normal data needs more rounds than the t test, by 3 / pi. */
static const double rank_efficiency = 3 / M_PI;

double selfcheck_mde(double sd, uint64_t rounds)
{
	if (rounds < JUDGE_MIN_ROUNDS)
		return HUGE_VAL;
	return expm1(power_mde(sd, (uint64_t)((double)rounds * rank_efficiency), JUDGE_ALPHA,
			       POWER_USUAL));
}

static uint64_t rank_rounds(uint64_t n)
{
	uint64_t more = (uint64_t)ceil((double)n / rank_efficiency);

	return n && more < JUDGE_MIN_ROUNDS ? JUDGE_MIN_ROUNDS : more;
}

uint64_t selfcheck_rounds_find(double sd, double margin)
{
	return rank_rounds(power_rounds(sd, equiv_log_upper(margin), JUDGE_ALPHA, POWER_USUAL));
}

uint64_t selfcheck_rounds_none(double sd, double margin)
{
	return rank_rounds(power_equiv_rounds(sd, -equiv_log_lower(margin),
					      equiv_log_upper(margin), JUDGE_ALPHA, POWER_USUAL));
}

bool selfcheck_broken(const struct selfcheck *s)
{
	double lo, hi;

	binomial_interval(s->same.regressed + s->same.improved, s->same.n, RATE_LEVEL, &lo, &hi);
	return s->same.n && lo > JUDGE_ALPHA;
}

static void put_rate(struct text_table *tab, const char *what, size_t hits, size_t n)
{
	char a[TEXT_NUM], b[TEXT_NUM], c[TEXT_NUM];
	double lo, hi;

	binomial_interval(hits, n, RATE_LEVEL, &lo, &hi);
	text_row(tab);
	text_cell(tab, "%s", what);
	text_cell(tab, "%zu of %zu", hits, n);
	text_cell(tab, "%s", n ? text_pct_at(a, (double)hits / (double)n, 1) : "-");
	if (n)
		text_cell(tab, "%s to %s", text_pct_at(b, lo, 1), text_pct_at(c, hi, 1));
	else
		text_cell(tab, "-");
	text_tail(tab, "");
}

static void put_trials(const struct selfcheck *s, struct str *out)
{
	_cleanup_text_table_ struct text_table tab = { .cols = "Lrrr" };
	static const char *const heading[] = { "trials", "verdicts", "rate", "95% interval" };
	_cleanup_str_ struct str what = STR_INIT(4096);
	char a[TEXT_NUM];

	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(heading); i++)
		text_cell(&tab, "%s", heading[i]);
	put_rate(&tab, "run, nothing differs: false verdicts",
		 s->same.regressed + s->same.improved, s->same.n);
	str_addf(&what, "run, delay with %s more work: regressed", text_pct(a, s->delta));
	put_rate(&tab, str_text(&what), s->injected.regressed, s->injected.n);
	if (!s->own) {
		str_clear(&what);
		str_addf(&what, "computed, not run, %s more work: regressed",
			 text_pct(a, s->delta));
		put_rate(&tab, str_text(&what), s->shifted.regressed, s->shifted.n);
	}
	text_table_put(&tab, out);
}

static void put_reading(const struct selfcheck *s, struct str *out)
{
	size_t wrong = s->injected.improved + (s->own ? 0 : s->shifted.improved);
	size_t few = s->same.too_few + s->injected.too_few;
	char a[TEXT_NUM], b[TEXT_NUM], c[TEXT_NUM];

	str_addc(out, '\n');
	text_wrapf(out, "", 2, "False verdicts are promised to be at most 5%%%s.",
		   selfcheck_broken(s) ? ": THEY ARE MORE HERE" : "");
	if (!s->own)
		text_wrapf(out, "", 2,
			   "Work can be added exactly to delay only, so that is what was run with "
			   "more of it: it tests the tool and the machine. The computed line is "
			   "from the A/A samples of %s, one side of them made slower on paper.",
			   s->title);
	if (s->same.n_pairs >= JUDGE_MIN_ROUNDS)
		text_wrapf(out, "", 2, "A against A over all %zu rounds: %s (95%% CI %s to %s).",
			   s->same.n_pairs, text_pct_signed(a, s->same.change, 2),
			   text_pct_signed(b, s->same.lo, 2), text_pct_signed(c, s->same.hi, 2));
	if (wrong)
		text_wrapf(out, "", 2, "Trials with more work that came out as improved, which is "
			   "wrong: %zu.", wrong);
	if (few)
		text_wrapf(out, "", 2, "Trials with fewer than %d rounds without a mark (steal, "
			   "failed runs), not counted: %zu.", JUDGE_MIN_ROUNDS, few);
	if (s->same.n + s->same.too_few < s->trials)
		text_wrapf(out, "", 2, "%zu of %zu trials were done: time was up, or it was "
			   "interrupted.", s->same.n + s->same.too_few, s->trials);
}

/* "12s", "3.4m", "5.2h" */
static const char *rough_time(char *buf, double s)
{
	if (!(s > 0))
		return "-";
	if (s < 10)
		(void)snprintf(buf, TEXT_NUM, "%.2fs", s);
	else if (s < 100)
		(void)snprintf(buf, TEXT_NUM, "%.0fs", ceil(s));
	else if (s < 100 * 60)
		(void)snprintf(buf, TEXT_NUM, "%.1fm", s / 60);
	else
		(void)snprintf(buf, TEXT_NUM, "%.1fh", s / 3600);
	return buf;
}

static void put_time_row(struct text_table *tab, const char *time, uint64_t rounds, double sd)
{
	char a[TEXT_NUM];

	text_row(tab);
	text_cell(tab, "%s", time);
	text_cell(tab, "%" PRIu64, rounds);
	text_cell(tab, "%s", text_pct_at(a, selfcheck_mde(sd, rounds), 2));
	text_tail(tab, "");
}

static void put_times(const struct selfcheck *s, struct str *out)
{
	static const unsigned minutes[] = { 1, 5, 10, 30 };
	_cleanup_text_table_ struct text_table tab = { .cols = "lrr" };
	char a[TEXT_NUM];

	text_row(&tab);
	text_cell(&tab, "time");
	text_cell(&tab, "rounds");
	text_cell(&tab, "smallest change seen");
	put_time_row(&tab, rough_time(a, s->round_s * s->rounds), s->rounds, s->same.sd);
	for (size_t i = 0; s->round_s > 0 && i < ARRAY_LEN(minutes); i++) {
		(void)snprintf(a, sizeof(a), "%um", minutes[i]);
		put_time_row(&tab, a, (uint64_t)(60.0 * minutes[i] / s->round_s), s->same.sd);
	}
	text_table_put(&tab, out);
}

static void put_rounds(struct text_table *tab, const struct selfcheck *s, uint64_t rounds)
{
	char a[TEXT_NUM];

	if (rounds) {
		text_cell(tab, "%" PRIu64, rounds);
		text_cell(tab, "%s", rough_time(a, (double)rounds * s->round_s));
	} else {
		text_cell(tab, "> 1000000");
		text_cell(tab, "-");
	}
}

static void put_margins(const struct selfcheck *s, struct str *out)
{
	static const double margins[] = { 0.01, 0.02, 0.05 };
	_cleanup_text_table_ struct text_table tab = { .cols = "rrrrr" };
	static const char *const heading[] = { "margin", "rounds to find it", "time",
					       "rounds to exclude it", "time" };

	text_row(&tab);
	for (size_t i = 0; i < ARRAY_LEN(heading); i++)
		text_cell(&tab, "%s", heading[i]);
	for (size_t i = 0; i < ARRAY_LEN(margins); i++) {
		char a[TEXT_NUM];

		text_row(&tab);
		text_cell(&tab, "%s", text_pct(a, margins[i]));
		put_rounds(&tab, s, selfcheck_rounds_find(s->same.sd, margins[i]));
		put_rounds(&tab, s, selfcheck_rounds_none(s->same.sd, margins[i]));
		text_tail(&tab, "");
	}
	text_table_put(&tab, out);
}

int report_selfcheck(const struct selfcheck *s, struct str *out, struct err *e)
{
	char t[TEXT_NUM], a[TEXT_NUM], b[TEXT_NUM];

	text_wrapf(out, "", 2, "selfcheck of %s: %zu trial%s of %u rounds, %s a run, margin %s",
		   s->title, s->trials, s->trials == 1 ? "" : "s", s->rounds,
		   num_fmt_duration(t, sizeof(t), s->time_ns), text_pct(a, s->margin));
	str_addc(out, '\n');
	put_trials(s, out);
	put_reading(s, out);
	str_addc(out, '\n');
	if (s->same.n_pairs < JUDGE_MIN_ROUNDS) {
		text_wrapf(out, "", 2, "%zu good rounds are too few to say what can be seen.",
			   s->same.n_pairs);
	} else {
		text_wrapf(out, "", 2, "Computed from the spread of these %zu rounds (%s between "
			   "the two runs of one; a round takes %s), one row, 80%% power:",
			   s->same.n_pairs, text_pct_at(b, s->same.sd, 2),
			   rough_time(t, s->round_s));
		str_addc(out, '\n');
		put_times(s, out);
		str_addc(out, '\n');
		put_margins(s, out);
	}
	if (!str_ok(out))
		return err_set(e, -EFBIG, "the report is larger than %zu bytes", out->max);
	return 0;
}
