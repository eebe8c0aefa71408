/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan between the document and struct plan: keys are sorted out, values not yet multiplied
 * out to cases. Internal to plan/: parse.c fills it, expand.c makes cases of it. Nodes are
 * borrowed from the document, for messages.
 */
#ifndef PLAN_DRAFT_H
#define PLAN_DRAFT_H

#include "plan/doc.h"
#include "plan/plan.h"

struct draft_param {
	const struct param_spec *spec;
	const struct doc_node *node; /* the value */
	struct strv values;
};

/* An item of "cases" or of "primary". */
struct draft_case {
	const struct workload *workload;
	const struct doc_node *node; /* the name of the workload */
	const struct doc_node *map;  /* its settings; the name when there are none */
	struct draft_param *params;
	size_t n_params;
	struct kvs place;
	struct strv argv, prepare;
};

struct draft_cases {
	struct draft_case *v;
	size_t n;
};

struct draft {
	const struct doc *doc;
	unsigned n_cpus;
	struct kvs place;		 /* common to all variants */
	const struct doc_node *variants; /* the mapping, or NULL */
	struct draft_cases cases;
	struct draft_cases primary; /* n 0: all */
};
void draft_done(struct draft *d);

#define PLAN_CASES_MAX 100000

/* cases.c: reads a list of workloads with settings. @what is "cases" or "primary". */
__must_check int draft_read_cases(const struct draft *d, const struct doc_node *list,
				  struct draft_cases *ret, struct err *e);
/* Reads one placement value into @place: a text, products resolved, or a list joined by commas. */
__must_check int draft_read_place(const struct draft *d, const char *key,
				  const struct doc_node *value, struct kvs *place, struct err *e);
/*
 * place_parse of @place, for the message: when that is about a key given in @map, its value is
 * where the mistake is, else @map.
 */
__must_check int draft_check_place(const struct draft *d, const struct kvs *place,
				   const struct doc_node *map, struct err *e);
/* place_parse and params_parse begin a message about one key with its name in quotes. */
bool draft_is_about(const struct err *e, const char *key);
const struct param_spec *draft_find_param(const struct workload *w, const char *name);
/*
 * Is @key an argument vector of that workload ("argv", "prepare" of exec)? Those are lists that
 * don't sweep, and become one parameter each by argv_encode.
 */
bool draft_is_vector(const struct workload *w, const char *key);

/* expand.c: makes the cases of @p, whose variants are there, and checks every job. */
__must_check int draft_expand(const struct draft *d, struct plan *p, struct err *e);
/* primary.c: marks the cases that "primary" names. */
__must_check int draft_mark_primary(struct draft *d, struct plan *p, struct err *e);

/* parse.c: the plan of a document, without its text. */
__must_check int plan_from_doc(const struct doc *doc, unsigned n_cpus, struct plan *ret,
			       struct err *e);

/* settings.c: keys of the plan itself. */
extern const char *const plan_setting_names[];
extern const size_t plan_setting_count;
bool plan_is_setting(const char *key);
__must_check int plan_setting(struct plan *p, const char *key, const char *value, struct err *e);
void plan_defaults(struct plan *p);

#endif
