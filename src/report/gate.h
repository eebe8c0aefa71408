/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of a contract: a table with a line per comparison, the reasons below it, and what
 * would decide what can't be told; or the same as JSON (docs/gate.md).
 */
#ifndef REPORT_GATE_H
#define REPORT_GATE_H

#include "base/compiler.h"
#include "judge/claim.h"
#include "report/report.h"

struct err;
struct str;

#define REPORT_GATE_JSON_VERSION 1

/* @name: the contract's; @store: where the numbers are, for the heading, or NULL. */
struct gate_report {
	const char *name;
	const char *store;
	const struct judge_contract *c; /* of &in->x and &in->data */
	const struct report_input *in;
};

/* Mail text of at most REPORT_WIDTH columns. Fails only when @out is too small (-EFBIG). */
__must_check int report_gate(const struct gate_report *g, struct str *out, struct err *e);
__must_check int report_gate_json(const struct gate_report *g, struct str *out, struct err *e);

/* "no loss beyond 2%", appended. */
void gate_claim_text(const struct judge_claim *c, struct str *out);
/* Why a comparison came out as it did and what would decide it, appended; "" for held ones. */
void gate_reason_text(const struct gate_report *g, const struct judge_checked *k, struct str *out);

#endif
