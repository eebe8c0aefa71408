/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: what a table of verdicts looks like as mail text, JSON, CSV, raw lines and gnuplot
 * scripts. Everything is made from the store alone and is the same byte for byte whenever and
 * wherever it is made: no clock, no locale, no terminal. Nothing is printed here; text goes to a
 * struct str, which the caller owns and prints.
 *
 * Text from the store (names, notes) may hold anything; text reports print it as ASCII.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/kv.h"
#include "judge/judge.h"
#include "judge/profile.h"
#include "store/store.h"

struct err;
struct str;

#define REPORT_MAX (256u << 20) /* a sane max for the struct str handed in */
#define REPORT_WIDTH 78		/* columns of mail text */
#define REPORT_JSON_VERSION 1	/* docs/report-json.md */

/* All that a report needs of one experiment. */
struct report_input {
	struct store_experiment x;
	struct store_data data; /* for judge_experiment and pictures */
	struct store_runs runs;
	struct store_boot *boots; size_t n_boots;
	struct kvs *env; /* one per variant, in the order of x.variants */
	char hash[33]; /* "" when not loaded */
	struct report_input *parts; size_t n_parts; /* what it was joined from */
	struct store_sample *samples; /* of the runs, when joined */
};

/*
 * What is loaded besides: the samples of the runs (report_show, report_json) and the hash of the
 * raw data. Of millions of samples each takes longer than the table.
 */
enum report_load_flags { REPORT_SAMPLES = 1, REPORT_HASH = 2, REPORT_ALL = 3 };

/* @experiment 0: the last one. *@ret is ended with report_input_done (fine when zeroed). */
__must_check int report_load(struct store *s, int64_t experiment, unsigned flags,
			     struct report_input *ret, struct err *e);
void report_input_done(struct report_input *in);

/*
 * Several experiments as one: all variants side by side, the first of the first is the base.
 * Cases are the same when workload, revision and parameters are; the same workload and parameters
 * with another revision, or a metric with another unit or direction, is refused. A variant whose
 * name is taken gets "@LABEL" behind it. Nothing is paired: STORE_ORDER_JOINED, or IMPORTED when
 * one of them is. Takes over @in (zeroed on success); @n >= 2, a label each.
 */
__must_check int report_join(struct report_input *in, const char *const *labels, size_t n,
			     struct report_input *ret, struct err *e);

/*
 * Mail text, ASCII, at most REPORT_WIDTH columns: header, a row per case, footnotes that change
 * a reading. @t must come from &in->x and &in->data. @full appends everything that is needed to
 * tear it apart. Fails only when @out is too small (-EFBIG).
 */
__must_check int report_native(const struct judge_table *t, const struct report_input *in,
			       bool full, struct str *out, struct err *e);

/*
 * The forms that others know, by docs/reports.md: "mmtests" (classic comparison tables).
 * (LABEL | MEAN | MEDIAN | STDDEV), "lkp" (value, %stddev, %change), "markdown". NULL: there is
 * no style of that name.
 */
typedef int report_style_fn(const struct judge_table *t, const struct report_input *in,
			    struct str *out, struct err *e);
report_style_fn *report_style(const char *name);
#define REPORT_STYLES "native, mmtests"

/* The table with all its numbers, and the raw samples; numbers that don't exist are null. */
__must_check int report_json(const struct judge_table *t, const struct report_input *in,
			     struct str *out, struct err *e);

/* RFC 4180 with a heading: one line per row and variant; numbers that don't exist are empty. */
__must_check int report_csv(const struct judge_table *t, const struct report_input *in,
			    struct str *out, struct err *e);

/*
 * The kernel functions behind a difference, instructions per operation: at most @max_rows (0: all)
 * of those that changed, what the others come to, the total. Shown parts are rounded to 0.001,
 * so their printed sum may miss the printed total by that much a row.
 */
__must_check int report_explain(const struct explain *x, size_t max_rows, struct str *out,
				struct err *e);
/*
 * The top three for a footnote, unwrapped: "f +32.5, g +8.1, h -1.4 of +42.3 instructions/op";
 * nothing when no function changed.
 */
void report_explain_top(const struct explain *x, struct str *out);

enum report_show_flags { SHOW_COUNTERS = 1, SHOW_PLACEMENT = 2 };

/* Raw samples, one line a run in the order in which they ran; values exact. */
__must_check int report_show(const struct report_input *in, unsigned flags, struct str *out,
			     struct err *e);

/* One line per experiment of a store. Times are UTC. */
__must_check int report_list_experiments(const struct store_experiment *x, size_t n,
					 struct str *out, struct err *e);

/*
 * Writes data files, gnuplot scripts, all.gp and README.txt into @dir (made when it isn't
 * there): for every workload whose cases sweep numeric parameters, the primary metric over each
 * of them. *@ret_graphs is how many graphs there are; none is an error that says why.
 */
__must_check int report_gnuplot(const char *dir, const struct report_input *in, size_t *ret_graphs,
				struct err *e);

/*
 * One offline HTML file, with pictures and raw records; text from the store is escaped, not made
 * ASCII. @in without samples will do, but wants REPORT_HASH.
 */
__must_check int report_html(const struct judge_table *t, const struct report_input *in,
			     struct str *out, struct err *e);

#endif
