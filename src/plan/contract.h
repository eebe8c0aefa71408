/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contracts: what must hold of a comparison, row by row. YAML, docs/gate.md:
 *
 *	contract: memcg-faults          # a name; default: that of the file
 *	plan: ../plans/x.yaml           # what to run, from the contract's folder; or "run:" with
 *	                                # the plan itself below it; neither: only stores are judged
 *	base: base                      # a variant; default: the first
 *	margin: 2%                      # of rows that name none
 *	rows:
 *	  - row: page_fault3 mode=thread
 *	    variant: deep               # default: every variant but the base
 *	    metric: ops_per_cpu_s       # default: the primary one
 *	    no_loss_beyond: 2%          # or no_change_beyond, or gain_of_at_least
 *
 * Here they are only read; judge/claim.h says what they mean.
 */
#ifndef PLAN_CONTRACT_H
#define PLAN_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "plan/plan.h"

struct err;

enum contract_claim {
	CONTRACT_NO_LOSS, /* also of a row that says nothing */
	CONTRACT_NO_CHANGE,
	CONTRACT_GAIN,
};

struct contract_row {
	char *row;     /* "page_fault3 mode=thread", see judge_row_matches */
	char *variant; /* NULL: every one but the base */
	char *metric;  /* NULL: the primary one */
	enum contract_claim claim;
	double margin;
	unsigned line, column; /* of the text in row */
};

struct contract {
	char *file;
	char *name;
	char *base;	 /* NULL: the first variant */
	double margin;	 /* default 0.02 */
	struct contract_row *rows; size_t n_rows; /* at least one */
	char *plan_path; /* as the file that reads it finds it, or NULL */
	bool has_plan;	 /* plan is filled in: from "run", or by contract_load_plan */
	struct plan plan;
};

#define CONTRACT_ROWS_MAX 1000

/* Messages begin with FILE:LINE:COLUMN. @n_cpus as for plan_parse. Reads no other file. */
__must_check int contract_parse(const char *file, const char *text, unsigned n_cpus,
				struct contract *ret, struct err *e);
__must_check int contract_read(const char *path, unsigned n_cpus, struct contract *ret,
			       struct err *e);
/* Reads plan_path. -EINVAL when there is neither that nor an inline plan. */
__must_check int contract_load_plan(struct contract *c, unsigned n_cpus, struct err *e);
void contract_done(struct contract *c);
#define _cleanup_contract_ __attribute__((cleanup(contract_done)))

#endif
