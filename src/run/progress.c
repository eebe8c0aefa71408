// SPDX-License-Identifier: GPL-2.0-or-later
/* The progress line: how far, how long still, what is running, what it looks like so far. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "run/internal.h"
#include "stats/summary.h"

struct run_pair *run_pair(struct run *r, size_t case_i, size_t variant_i)
{
	return &r->pairs[case_i * r->n_variants + variant_i];
}

void run_note_value(struct run_pair *p, double value)
{
	p->values = xrealloc(p->values, p->n + 1, sizeof(*p->values));
	p->values[p->n++] = value;
}

static void add_time_left(const struct run *r, struct str *line)
{
	uint64_t spent = clock_mono_ns() - r->started_ns;
	uint64_t left_s;

	if (r->steps_done == 0)
		return;
	left_s = (uint64_t)((double)spent / (double)r->steps_done *
			    (double)(r->steps_all - r->steps_done) / (double)NSEC_PER_SEC);
	str_addf(line, ", %" PRIu64 ":%02" PRIu64 " left", left_s / 60, left_s % 60);
}

/* Medians of the base and of the variant that runs, and their ratio: no verdict, just a look. */
static void add_estimate(struct run *r, const struct plan_step *s, struct str *line)
{
	const struct run_pair *base = run_pair(r, s->case_i, 0);
	const struct run_pair *now = run_pair(r, s->case_i, s->variant_i);
	char a[24], b[24];
	double base_mid, now_mid;

	if (base->n == 0)
		return;
	base_mid = summary_of(base->values, base->n).median;
	str_addf(line, " | %s %s", r->x.variants[0].name, num_fmt_si(a, sizeof(a), base_mid, 3));
	if (s->variant_i == 0 || now->n == 0 || base_mid == 0)
		return;
	now_mid = summary_of(now->values, now->n).median;
	str_addf(line, ", %s %s (%+.1f %%)", r->x.variants[s->variant_i].name,
		 num_fmt_si(b, sizeof(b), now_mid, 3), 100 * (now_mid / base_mid - 1));
}

void run_progress(struct run *r, const struct plan_step *s)
{
	_cleanup_str_ struct str line = STR_INIT(4096);

	str_addf(&line, "[%zu/%zu] round %u/%u", r->steps_done + 1, r->steps_all, s->round,
		 r->plan->rounds);
	add_time_left(r, &line);
	str_addf(&line, " | %s @ %s", r->x.cases[s->case_i].title,
		 r->x.variants[s->variant_i].name);
	add_estimate(r, s, &line);
	log_status(str_text(&line));
}
