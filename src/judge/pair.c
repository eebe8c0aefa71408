// SPDX-License-Identifier: GPL-2.0-or-later
/* From samples to log-ratios of pairs: which sample counts, and what is paired with what. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "judge/internal.h"
#include "stats/sorted.h"
#include "stats/summary.h"

void judge_picks_done(struct judge_picks *p)
{
	free(p->v);
	*p = (struct judge_picks){ 0 };
}

void judge_pairs_done(struct judge_pairs *p)
{
	free(p->log_ratio);
	free(p->label);
	*p = (struct judge_pairs){ 0 };
}

static int by_round(const void *a, const void *b)
{
	const struct judge_pick *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	if (x->repeat != y->repeat)
		return x->repeat < y->repeat ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Stores keep runs in the order of rounds, so that there is mostly nothing to do. */
static void sort_picks(struct judge_pick *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (by_round(&v[i - 1], &v[i]) > 0) {
			qsort(v, n, sizeof(*v), by_round);
			return;
		}
	}
}

static void describe(const struct judge_picks *p, struct judge_side *s)
{
	_cleanup_free_ double *v = xcalloc(p->n ? p->n : 1, sizeof(*v));
	struct summary sum;

	s->n = p->n;
	if (!p->n)
		return;
	for (size_t i = 0; i < p->n; i++)
		v[i] = p->v[i].value;
	sum = summary_of(v, p->n);
	s->median = sum.median;
	s->mean = sum.mean;
	s->stddev = sum.stddev;
	s->min = sum.min;
	s->max = sum.max;
	s->cv = isnan(sum.coeff_var) ? HUGE_VAL : sum.coeff_var;
}

bool judge_one_run(const struct store_data *d, const struct store_series *s)
{
	return s && s->n > 1 && d->obs[s->first].run == d->obs[s->first + s->n - 1].run;
}

/* Samples of one run, which lie together from @o to @end, as their mean. */
static struct judge_pick pick_of(const struct store_ref *run, const struct store_obs *o,
				 const struct store_obs *end)
{
	double sum = 0;

	for (const struct store_obs *at = o; at < end; at++)
		sum += at->value;
	return (struct judge_pick){ run->round, run->repeat, run->seq, run->boot,
				    sum / (double)(end - o) };
}

void judge_pick_rounds(const struct store_data *d, const struct store_series *series,
		       bool by_sample, struct judge_picks *ret, struct judge_side *ret_side)
{
	const struct store_obs *o = series ? &d->obs[series->first] : NULL, *next;
	const struct store_obs *end = series ? o + series->n : NULL;
	struct judge_pick *v = xcalloc(series ? series->n : 1, sizeof(*v));
	size_t good = 0, last = 0;

	for (; o < end; o = next) {
		const struct store_ref *run = &d->runs[o->run];
		struct judge_pick pick;

		for (next = o + 1; !by_sample && next < end && next->run == o->run; next++)
			;
		pick = pick_of(run, o, next);
		if (by_sample)
			pick.round = o->idx;
		if (run->failed)
			continue; /* counted with those that left nothing */
		if (run->untrustworthy || !isfinite(pick.value))
			ret_side->n_bad++;
		else
			v[good++] = pick;
	}
	sort_picks(v, good);
	for (size_t i = 0; i < good; i++) {
		if (i && v[i].round != v[last].round)
			last++;
		v[last] = v[i];
	}
	*ret = (struct judge_picks){ v, good ? last + 1 : 0 };
	describe(ret, ret_side);
}

/* How many picks have the value of pick @i. */
static size_t agreeing(const struct judge_picks *p, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < p->n; k++)
		n += p->v[k].value <= p->v[i].value && p->v[k].value >= p->v[i].value;
	return n;
}

void judge_agree(struct judge_picks *p, struct judge_side *side)
{
	double value = 0;
	size_t kept = 0, n = p->n;
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		found = n == 1 || 2 * agreeing(p, i) > n;
		value = p->v[i].value;
	}
	for (size_t i = 0; i < n && found; i++)
		if (p->v[i].value <= value && p->v[i].value >= value)
			p->v[kept++] = p->v[i];
	p->n = kept;
	side->n_bad += n - kept;
	describe(p, side);
}

/* A boot as one value: its mean log, not finite when a value was <= 0. */
struct unit {
	int64_t boot;
	unsigned seq; /* first run, for the order */
	double sum_log;
	size_t n;
};

struct units {
	struct unit *v;
	size_t n;
};

static int by_boot(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	if (x->boot != y->boot)
		return x->boot < y->boot ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_seq(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static double log_of(double value)
{
	return value > 0 ? log(value) : -HUGE_VAL;
}

/* Sorted by boot. */
static struct units boots_of(const struct judge_picks *p)
{
	struct units u = { .v = xcalloc(p->n ? p->n : 1, sizeof(*u.v)) };
	size_t last = 0;

	for (size_t i = 0; i < p->n; i++)
		u.v[i] = (struct unit){ p->v[i].boot, p->v[i].seq, log_of(p->v[i].value), 1 };
	for (size_t i = 1; i < p->n; i++) {
		if (by_boot(&u.v[i - 1], &u.v[i]) > 0) {
			qsort(u.v, p->n, sizeof(*u.v), by_boot);
			break;
		}
	}
	for (size_t i = 1; i < p->n; i++) {
		if (u.v[i].boot == u.v[last].boot) {
			u.v[last].sum_log += u.v[i].sum_log;
			u.v[last].n++;
		} else {
			u.v[++last] = u.v[i];
		}
	}
	u.n = p->n ? last + 1 : 0;
	return u;
}

static void add_pair(struct judge_pairs *p, unsigned label, double base_log, double variant_log)
{
	double d = variant_log - base_log;

	if (isfinite(d)) {
		p->label[p->n] = label;
		p->log_ratio[p->n++] = d;
	} else {
		p->n_no_ratio++;
	}
}

static void pair_rounds(const struct judge_picks *b, const struct judge_picks *v,
			struct judge_pairs *ret)
{
	for (size_t i = 0, j = 0; i < b->n && j < v->n;) {
		if (b->v[i].round < v->v[j].round) {
			i++;
		} else if (b->v[i].round > v->v[j].round) {
			j++;
		} else {
			add_pair(ret, b->v[i].round, log_of(b->v[i].value),
				 log_of(v->v[j].value));
			i++;
			j++;
		}
	}
}

static void add_units(struct judge_pairs *ret, const struct unit *b, const struct unit *v)
{
	add_pair(ret, (unsigned)(ret->n + ret->n_no_ratio + 1), b->sum_log / (double)b->n,
		 v->sum_log / (double)v->n);
}

static bool pair_common_boots(const struct units *b, const struct units *v,
			      struct judge_pairs *ret)
{
	bool any = false;

	for (size_t i = 0, j = 0; i < b->n && j < v->n;) {
		if (b->v[i].boot < v->v[j].boot) {
			i++;
		} else if (b->v[i].boot > v->v[j].boot) {
			j++;
		} else {
			add_units(ret, &b->v[i++], &v->v[j++]);
			any = true;
		}
	}
	return any;
}

static void pair_boots(struct units *b, struct units *v, struct judge_pairs *ret)
{
	if (pair_common_boots(b, v, ret))
		return;
	qsort(b->v, b->n, sizeof(*b->v), by_seq);
	qsort(v->v, v->n, sizeof(*v->v), by_seq);
	for (size_t i = 0; i < b->n && i < v->n; i++)
		add_units(ret, &b->v[i], &v->v[i]);
}

void judge_sides_done(struct judge_sides *s)
{
	free(s->base);
	free(s->variant);
	*s = (struct judge_sides){ 0 };
}

/* One value a boot, or one a pick. */
static double *logs_of(const struct judge_picks *p, const struct units *boots, size_t *ret_n,
		       size_t *no_ratio)
{
	size_t n = boots ? boots->n : p->n;
	double *v = xcalloc(n ? n : 1, sizeof(*v));

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		double l = boots ? boots->v[i].sum_log / (double)boots->v[i].n :
				   log_of(p->v[i].value);

		if (isfinite(l))
			v[(*ret_n)++] = l;
		else
			++*no_ratio;
	}
	sorted_sort(v, *ret_n);
	return v;
}

void judge_split(const struct judge_picks *base, const struct judge_picks *variant,
		 bool boots_known, struct judge_sides *ret)
{
	struct units b = { 0 }, v = { 0 };

	*ret = (struct judge_sides){ 0 };
	if (boots_known) {
		b = boots_of(base);
		v = boots_of(variant);
		ret->by_boot = b.n > 1 && v.n > 1;
		ret->single_boot = (b.n == 1 || v.n == 1) &&
				   !(b.n == 1 && v.n == 1 && b.v[0].boot == v.v[0].boot);
	}
	ret->base = logs_of(base, ret->by_boot ? &b : NULL, &ret->n_base, &ret->n_no_ratio);
	ret->variant = logs_of(variant, ret->by_boot ? &v : NULL, &ret->n_variant,
			       &ret->n_no_ratio);
	free(b.v);
	free(v.v);
}

void judge_pair(const struct judge_picks *base, const struct judge_picks *variant,
		struct judge_pairs *ret)
{
	struct units b = boots_of(base), v = boots_of(variant);
	size_t most = base->n < variant->n ? base->n : variant->n;
	bool same = b.n == 1 && v.n == 1 && b.v[0].boot == v.v[0].boot;

	*ret = (struct judge_pairs){ .log_ratio = xcalloc(most ? most : 1, sizeof(double)),
				     .label = xcalloc(most ? most : 1, sizeof(unsigned)) };
	ret->single_boot = !same && (b.n == 1 || v.n == 1);
	ret->by_boot = b.n > 1 && v.n > 1;
	/* One boot against another: the rounds are shown, but carry no verdict. */
	if (ret->by_boot)
		pair_boots(&b, &v, ret);
	else
		pair_rounds(base, variant, ret);
	free(b.v);
	free(v.v);
}
