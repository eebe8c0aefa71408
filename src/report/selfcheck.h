/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "mmgauge selfcheck" found, as mail text; docs/selfcheck.md explains each line. */
#ifndef REPORT_SELFCHECK_H
#define REPORT_SELFCHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "judge/trials.h"

struct err;
struct str;

struct selfcheck {
	const char *title;	 /* of the chosen case */
	size_t trials;		 /* asked for */
	unsigned rounds;	 /* each */
	uint64_t time_ns;
	double margin;
	double delta;		 /* more work: 0.05 */
	struct judge_trials same;     /* the chosen workload against itself */
	struct judge_trials injected; /* delay against delay with more steps */
	bool own;		 /* the chosen workload is delay: injected is its own */
	struct judge_trials shifted;  /* unless own: same with one side made slower on paper */
	double round_s;		 /* how long a round of the chosen workload takes, two runs; 0: ? */
};

/*
 * Smallest change that @rounds see with 80 % power at that spread of log-ratios, as fraction, by
 * the signed-rank test; infinite below 6.
 */
double selfcheck_mde(double sd, uint64_t rounds);
/* Rounds that find a change of @margin, or show that there is none beyond it; 0: over a million. */
uint64_t selfcheck_rounds_find(double sd, double margin);
uint64_t selfcheck_rounds_none(double sd, double margin);

/* Is the share of false verdicts shown (95 %, exact) to be above the promised 5 %? */
bool selfcheck_broken(const struct selfcheck *s);

__must_check int report_selfcheck(const struct selfcheck *s, struct str *out, struct err *e);

#endif
