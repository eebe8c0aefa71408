/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Look-ups in what a report was given, and the one list of the names (environment facts,
 * counters) that reports understand. Private to report/.
 */
#ifndef REPORT_INPUT_H
#define REPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

struct str;

#define NO_VARIANT SIZE_MAX

/* Facts of the environment that headers read: lists like "0-3,8". */
#define ENV_CPUS "cpu.online"
#define ENV_NODES "node.online"

/* Metrics that footnotes read. */
#define METRIC_FAULTS_PER_OP "faults_per_op"
#define METRIC_BYTES_PER_FAULT "bytes_per_fault"

/* Index into x.variants, or NO_VARIANT. */
size_t input_variant(const struct report_input *in, int64_t variant_id);
const struct store_case *input_case(const struct report_input *in, int64_t case_id);
const struct store_metric *input_metric(const struct report_input *in, int64_t metric_id);
const struct store_boot *input_boot(const struct report_input *in, int64_t boot_id);

/* A fact of the environment of a variant, NULL when it isn't known. */
const char *input_env(const struct report_input *in, size_t variant, const char *key);

bool input_run_good(const struct store_run *r);

/* The good samples of a metric of a case under a variant in the order of the store; to be freed. */
double *input_values(const struct report_input *in, int64_t case_id, int64_t metric,
		     int64_t variant_id, size_t *ret_n);

/*
 * Good samples of the metric @name of a case under a variant: median and quartiles (linear
 * between order statistics), and how many there are; false when there is none.
 */
struct quartiles {
	double q1, median, q3;
};
bool input_samples(const struct report_input *in, int64_t case_id, int64_t variant_id,
		   const char *name, struct quartiles *ret, size_t *ret_n);

/* The same of @v, which is sorted in place; @n > 0. */
struct quartiles input_quartiles(double *v, size_t n);

/* How many are in the list that is the value of @key under a variant; 0: unknown. */
size_t input_count(const struct report_input *in, size_t variant, const char *key);

/* Value of @key in a case's parameters as text, malloc'd, or NULL. */
char *input_param(const struct store_case *c, const char *key);

#endif
