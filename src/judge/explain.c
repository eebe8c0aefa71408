// SPDX-License-Identifier: GPL-2.0-or-later
/* Two profiles by function: counts stay integers, only quotients and their difference are not. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "judge/profile.h"

/* Length of the name without what the compiler hung on; ".text" and the like have none. */
static size_t own_name(const char *name)
{
	const char *dot = *name ? strchr(name + 1, '.') : NULL;

	return dot ? (size_t)(dot - name) : strlen(name);
}

static void add_side(struct explain *x, const struct profile *p, bool changed)
{
	for (size_t i = 0; i < p->n; i++) {
		struct explain_row *row = &x->rows[x->n++];

		row->name = xstrndup(p->v[i].name, own_name(p->v[i].name));
		*(changed ? &row->changed : &row->base) = p->v[i].insns;
		*(changed ? &row->changed_locked : &row->base_locked) = p->v[i].locked;
	}
}

static int by_name(const void *pa, const void *pb)
{
	const struct explain_row *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static void add_row(struct explain_row *sum, const struct explain_row *row)
{
	sum->base += row->base;
	sum->changed += row->changed;
	sum->base_locked += row->base_locked;
	sum->changed_locked += row->changed_locked;
}

/* Rows of one name become one. */
static void merge_names(struct explain *x)
{
	size_t last = 0;

	if (x->n == 0)
		return;
	qsort(x->rows, x->n, sizeof(*x->rows), by_name);
	for (size_t i = 1; i < x->n; i++) {
		if (strcmp(x->rows[i].name, x->rows[last].name) == 0) {
			add_row(&x->rows[last], &x->rows[i]);
			free(x->rows[i].name);
		} else {
			x->rows[++last] = x->rows[i];
		}
	}
	x->n = last + 1;
}

/*
 * changed / ops - base / ops, subtracted before anything is rounded: the same cost of different
 * numbers of operations gives 0.
 */
static double per_op(uint64_t changed, uint64_t changed_ops, uint64_t base, uint64_t base_ops)
{
	unsigned __int128 a = (unsigned __int128)changed * base_ops;
	unsigned __int128 b = (unsigned __int128)base * changed_ops;
	double diff = a >= b ? (double)(a - b) : -(double)(b - a);

	return diff / ((double)changed_ops * (double)base_ops);
}

static void set_diffs(const struct explain *x, struct explain_row *row)
{
	uint64_t n = x->changed.ops, base_n = x->base.ops;

	row->diff = per_op(row->changed, n, row->base, base_n);
	row->diff_locked = per_op(row->changed_locked, n, row->base_locked, base_n);
}

static int by_diff(const void *pa, const void *pb)
{
	const struct explain_row *a = pa, *b = pb;
	double da = fabs(a->diff), db = fabs(b->diff);

	if (da != db)
		return da > db ? -1 : 1;
	da = fabs(a->diff_locked);
	db = fabs(b->diff_locked);
	if (da != db)
		return da > db ? -1 : 1;
	return strcmp(a->name, b->name);
}

int explain_profiles(const struct explain_side *base, const struct explain_side *changed,
		     struct explain *ret, struct err *e)
{
	struct explain x = { .base = *base, .changed = *changed };

	if (base->ops == 0 || changed->ops == 0)
		return err_set(e, -EINVAL, "variant \"%s\" did no operation",
			       base->ops ? changed->name : base->name);
	x.rows = xcalloc(base->p->n + changed->p->n + 1, sizeof(*x.rows));
	add_side(&x, base->p, false);
	add_side(&x, changed->p, true);
	merge_names(&x);
	for (size_t i = 0; i < x.n; i++)
		set_diffs(&x, &x.rows[i]);
	if (x.n)
		qsort(x.rows, x.n, sizeof(*x.rows), by_diff);
	*ret = x;
	return 0;
}

void explain_done(struct explain *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->rows[i].name);
	free(x->rows);
	*x = (struct explain){ 0 };
}

struct explain_row explain_sum(const struct explain *x, size_t first)
{
	struct explain_row sum = { 0 };

	for (size_t i = first; i < x->n; i++)
		add_row(&sum, &x->rows[i]);
	set_diffs(x, &sum);
	return sum;
}
