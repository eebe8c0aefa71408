/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison table that readers of kernel lists know from MMTests, as its 2020 version
 * printed it: rows Min, mean, Stddev, CoeffVar, Max and the means of the best 50, 95 and 99 %;
 * percent against the first column; stars. Byte for byte, with its oddities, because scripts and
 * eyes compare such tables: docs/reports.md lists them. Not our judgement: that is judge/.
 * Private to report/.
 */
#ifndef REPORT_CLASSIC_H
#define REPORT_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>

struct str;

struct classic_samples {
	double *v; /* finite */
	size_t n;
};

struct classic {
	const char *const *kernels; size_t n_kernels; /* columns; the first is the base */
	const char *const *ops; size_t n_ops;
	bool higher_is_better;
	int width;    /* of a value: 12, or 16 */
	int decimals; /* of a value: 2, or 4 */
	struct classic_samples *samples; /* of operation o and kernel k: [o * n_kernels + k] */
};

/* Appends heading and rows. The samples are sorted in place. */
void classic_put(const struct classic *t, struct str *out);

#endif
