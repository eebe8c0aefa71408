/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which parameters the cases of a workload sweep, and over which numbers: what a graph can have
 * on its axis. Private to report/.
 */
#ifndef REPORT_SWEEP_H
#define REPORT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/kv.h"
#include "report/input.h"

enum sweep_kind {
	SWEEP_NUMBER,
	SWEEP_SIZE,	/* bytes */
	SWEEP_DURATION, /* nanoseconds */
	SWEEP_WORDS,	/* no number: tells graphs apart, is never an axis */
};

struct sweep_axis {
	char *name;
	enum sweep_kind kind;
};

struct sweep_case {
	const struct store_case *c;
	const struct store_metric *m;
	struct kvs params;
};

struct sweep {
	const char *workload;
	struct sweep_case *cases; size_t n_cases;
	struct sweep_axis *axes; size_t n_axes; /* parameters with more than one value */
};

/*
 * The cases of @workload with one metric that they share: the primary one of most of them. With
 * one task another may be primary than with more.
 */
void sweep_init(struct sweep *s, const struct report_input *in, const char *workload);
void sweep_done(struct sweep *s);

/* Value of an axis at a case; 0 for SWEEP_WORDS. */
double sweep_value(const struct sweep *s, size_t case_index, size_t axis);
const char *sweep_text(const struct sweep *s, size_t case_index, size_t axis);
/* The cases agree in all axes but @axis (and @other; SIZE_MAX: no other). */
bool sweep_same_slice(const struct sweep *s, size_t a, size_t b, size_t axis, size_t other);
/* Index of the axis of that name, or SIZE_MAX. */
size_t sweep_find(const struct sweep *s, const char *name);

#endif
