/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units: strict parsing (the whole string, range checked, no locale) and printing.
 * Parsers return 0 or -EINVAL/-ERANGE with a message that quotes the text.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

__must_check int num_u64(const char *s, uint64_t *ret_v, struct err *e);
__must_check int num_i64(const char *s, int64_t *ret_v, struct err *e);
/* A finite decimal number with a point, whatever the locale. */
__must_check int num_double(const char *s, double *ret_v, struct err *e);
/* "4096", "64K", "1M", "2G", "1T": powers of 1024; "KiB" and "KB" are the same as "K". */
__must_check int num_size(const char *s, uint64_t *ret_bytes, struct err *e);
/* "3s", "500ms", "20us", "10m", "2h", "1.5s"; a bare number is refused: say the unit. */
__must_check int num_duration(const char *s, uint64_t *ret_ns, struct err *e);
/* "2%" or "0.02" gives 0.02. */
__must_check int num_fraction(const char *s, double *ret_v, struct err *e);
/* yes/no, on/off, true/false, 1/0 */
__must_check int num_bool(const char *s, bool *ret_v, struct err *e);

/* "64K" when exact in a unit, else the plain number. @buf at least 24 bytes; returns @buf. */
char *num_fmt_size(char *buf, size_t len, uint64_t bytes);
/* "1.5s", "500ms", "20us", "7ns": exact. */
char *num_fmt_duration(char *buf, size_t len, uint64_t ns);
/* At most @digits significant digits with k/M/G/T: "431k", "2.09M"; for tables. */
char *num_fmt_si(char *buf, size_t len, double v, int digits);

/* A set of small integers (CPUs, memory nodes) in the kernel's list form "0-3,8". */
#define NUM_SET_MAX 8192 /* CONFIG_NR_CPUS of the largest distribution kernels */
struct num_set {
	uint64_t bits[NUM_SET_MAX / 64];
};
__must_check int num_set_parse(const char *s, struct num_set *ret, struct err *e); /* "" is empty */
char *num_set_format(const struct num_set *set); /* malloc'd; "" when empty */
bool num_set_has(const struct num_set *set, size_t i);
void num_set_add(struct num_set *set, size_t i); /* i < NUM_SET_MAX */
size_t num_set_count(const struct num_set *set);
/* The @n-th member in rising order (n from 0), or NUM_SET_MAX when there are fewer. */
size_t num_set_nth(const struct num_set *set, size_t n);
bool num_set_within(const struct num_set *inner, const struct num_set *outer);

#endif
