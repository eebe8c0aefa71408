/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that stand for several, and numbers that depend on the machine. Syntax in plan.h. */
#ifndef PLAN_SWEEP_H
#define PLAN_SWEEP_H

#include "base/compiler.h"
#include "base/str.h"
#include "workload/workload.h"

struct err;

#define SWEEP_MAX 100000 /* values of one parameter */

/*
 * Appends to *@ret the values that @text stands for, numbers resolved ("3*cpus" is "6" when
 * @n_cpus is 2). Texts never sweep. A word that is no range and no product is passed on as it
 * is: whether it is a good value is params_parse's to say. On failure *@ret is unchanged.
 */
__must_check int sweep_expand(const struct param_spec *spec, const char *text, unsigned n_cpus,
			      struct strv *ret, struct err *e);

/*
 * For placement values: when @text is a product with "cpus" in it ("2*cpus", "64M*cpus"), its
 * value, malloc'd; else NULL.
 */
char *sweep_product(const char *text, unsigned n_cpus);

#endif
