// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of the plan itself that hold one value: how often, how long, how exact. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "plan/draft.h"

#define ROUNDS_MAX 10000
#define TIME_MIN_NS NSEC_PER_MSEC
#define TIME_MAX_NS (24 * 3600ull * NSEC_PER_SEC)
#define BUDGET_MAX_NS (366 * TIME_MAX_NS)
#define NAME_MAX_LEN 64
#define MARGIN_MAX 0.5

const char *const plan_setting_names[] = {
	"name", "rounds", "time", "warmup", "margin", "seed", "budget", "count",
};
const size_t plan_setting_count = ARRAY_LEN(plan_setting_names);

void plan_defaults(struct plan *p)
{
	p->rounds = 10;
	p->time_ns = 3 * NSEC_PER_SEC;
	p->warmup_ns = 500 * NSEC_PER_MSEC;
	p->margin = 0.02;
}

static int set_name(struct plan *p, const char *value, struct err *e)
{
	if (!*value || strlen(value) > NAME_MAX_LEN)
		return err_set(e, -EINVAL, "a name has 1 to %d characters", NAME_MAX_LEN);
	for (const char *c = value; *c; c++)
		if (iscntrl((unsigned char)*c))
			return err_set(e, -EINVAL, "a name must not hold control characters");
	free(p->name);
	p->name = xstrdup(value);
	return 0;
}

static int set_rounds(struct plan *p, const char *value, struct err *e)
{
	uint64_t v;
	int r = num_u64(value, &v, e);

	if (r < 0)
		return r;
	if (v < 1 || v > ROUNDS_MAX)
		return err_set(e, -ERANGE, "%" PRIu64 " rounds are not from 1 to %d", v,
			       ROUNDS_MAX);
	p->rounds = (unsigned)v;
	p->rounds_given = true;
	return 0;
}

static int set_time(uint64_t *ns, const char *value, uint64_t min, uint64_t max, struct err *e)
{
	char from[32], to[32];
	uint64_t v;
	int r = num_duration(value, &v, e);

	if (r < 0)
		return r;
	if (v < min || v > max)
		return err_set(e, -ERANGE, "\"%s\" is not from %s to %s", value,
			       num_fmt_duration(from, sizeof(from), min),
			       num_fmt_duration(to, sizeof(to), max));
	*ns = v;
	return 0;
}

static int set_margin(struct plan *p, const char *value, struct err *e)
{
	double v;
	int r = num_fraction(value, &v, e);

	if (r < 0)
		return r;
	if (!(v > 0 && v <= MARGIN_MAX)) {
		err_set(e, -ERANGE, "margin \"%s\" is not above 0 and at most %g%%", value,
			MARGIN_MAX * 100);
		err_hint(e, "it is the smallest change that matters to you, say 2%%");
		return -ERANGE;
	}
	p->margin = v;
	p->margin_given = true;
	return 0;
}

/*
 * Counting needs no rounds but the second that shows that the first was no accident, and windows
 * of 1e8 instructions, in which a timer tick is nothing. The margin is that of the best floor
 * (docs/measurement.md); rows with a higher one have theirs.
 */
#define COUNT_ROUNDS 2
#define COUNT_TIME_NS (100 * NSEC_PER_MSEC)
#define COUNT_WARMUP_NS (10 * NSEC_PER_MSEC)
#define COUNT_MARGIN 0.0002

static int set_count(struct plan *p, const char *value, struct err *e)
{
	if (strcmp(value, "instructions") != 0)
		return err_set(e, -EINVAL, "\"%s\" can't be counted, only \"instructions\" can",
			       value);
	p->count = true;
	if (!p->rounds_given)
		p->rounds = COUNT_ROUNDS;
	if (!p->time_given)
		p->time_ns = COUNT_TIME_NS;
	if (!p->warmup_given)
		p->warmup_ns = COUNT_WARMUP_NS;
	if (!p->margin_given)
		p->margin = COUNT_MARGIN;
	return 0;
}

/* As set_time; remembers that somebody wanted it. */
static int set_given(uint64_t *ns, bool *given, const char *value, uint64_t min, struct err *e)
{
	int r = set_time(ns, value, min, TIME_MAX_NS, e);

	*given = *given || r == 0;
	return r;
}

static int set_seed(struct plan *p, const char *value, struct err *e)
{
	uint64_t v;
	int r = num_u64(value, &v, e);

	if (r < 0)
		return r;
	if (v > INT64_MAX) /* a column of the store is signed */
		return err_set(e, -ERANGE, "seed %" PRIu64 " is above 2^63-1", v);
	p->seed = v;
	return 0;
}

bool plan_is_setting(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(plan_setting_names); i++)
		if (strcmp(key, plan_setting_names[i]) == 0)
			return true;
	return false;
}

int plan_setting(struct plan *p, const char *key, const char *value, struct err *e)
{
	if (strcmp(key, "name") == 0)
		return set_name(p, value, e);
	if (strcmp(key, "rounds") == 0)
		return set_rounds(p, value, e);
	if (strcmp(key, "time") == 0)
		return set_given(&p->time_ns, &p->time_given, value, TIME_MIN_NS, e);
	if (strcmp(key, "warmup") == 0)
		return set_given(&p->warmup_ns, &p->warmup_given, value, 0, e);
	if (strcmp(key, "margin") == 0)
		return set_margin(p, value, e);
	if (strcmp(key, "seed") == 0)
		return set_seed(p, value, e);
	if (strcmp(key, "count") == 0)
		return set_count(p, value, e);
	if (strcmp(key, "budget") == 0)
		return set_time(&p->budget_ns, value, NSEC_PER_SEC, BUDGET_MAX_NS, e);
	return err_set(e, -EINVAL, "a plan has no setting \"%s\"", key);
}

int plan_set(struct plan *p, const char *key, const char *value, struct err *e)
{
	int r = plan_setting(p, key, value, e);
	size_t len = p->text ? strlen(p->text) : 0;
	char *text;

	if (r < 0)
		return r;
	text = xasprintf("%s%s# by option: %s: %s\n", p->text ? p->text : "",
			 len && p->text[len - 1] != '\n' ? "\n" : "", key, value);
	free(p->text);
	p->text = text;
	return 0;
}
