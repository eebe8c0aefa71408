// SPDX-License-Identifier: GPL-2.0-or-later
#include "worker/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "place/place.h"
#include "worker/crew.h"

int groups_init(struct groups *g, const struct place *p, struct err *e)
{
	(void)e;
	g->place = p;
	g->n = place_leaf(p, 0) ? place_groups(p) : 0;
	g->before = xcalloc(g->n, sizeof(*g->before));
	g->after = xcalloc(g->n, sizeof(*g->after));
	return 0;
}

void groups_done(struct groups *g)
{
	free(g->before);
	free(g->after);
	*g = (struct groups){ 0 };
}

static bool was_hit(const struct cg *cg)
{
	struct cg_usage u;

	/* what can't be read can't be waited for */
	if (cg_usage_read(cg, &u, NULL) < 0 || u.limit_hits == CG_UNKNOWN)
		return true;
	return u.limit_hits > 0 || (u.high_hits != CG_UNKNOWN && u.high_hits > 0);
}

unsigned groups_unreached(const struct groups *g)
{
	unsigned n = 0;

	for (size_t i = 0; i < place_limited(g->place); i++)
		n += !was_hit(place_limited_group(g->place, i));
	return n;
}

uint64_t groups_peak_sum(const struct groups *g)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < g->n; i++) {
		struct cg_usage u;

		if (cg_usage_read(place_leaf(g->place, i), &u, NULL) == 0 &&
		    u.peak_bytes != CG_UNKNOWN)
			sum += u.peak_bytes;
	}
	return sum;
}

static int read_all(const struct groups *g, struct cg_usage *into, struct err *e)
{
	for (unsigned i = 0; i < g->n; i++) {
		int r = cg_usage_read(place_leaf(g->place, i), &into[i], e);

		if (r < 0)
			return r;
	}
	return 0;
}

int groups_read_before(struct groups *g, struct err *e)
{
	return read_all(g, g->before, e);
}

int groups_read_after(struct groups *g, struct err *e)
{
	return read_all(g, g->after, e);
}

uint64_t groups_cpu_ns(const struct groups *g)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < g->n; i++) {
		if (g->before[i].cpu_ns == CG_UNKNOWN || g->after[i].cpu_ns == CG_UNKNOWN ||
		    g->after[i].cpu_ns < g->before[i].cpu_ns)
			return CG_UNKNOWN;
		sum += g->after[i].cpu_ns - g->before[i].cpu_ns;
	}
	return g->n && place_own_groups(g->place) ? sum : CG_UNKNOWN;
}

uint64_t groups_strangers(const struct groups *g, unsigned n_hosts)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < g->n && place_own_groups(g->place); i++) {
		ssize_t n = cg_procs(place_leaf(g->place, i), NULL, 0, NULL);

		all += n > 0 ? (uint64_t)n : 0;
	}
	return all > n_hosts ? all - n_hosts : 0;
}

/* Levels are reported as they are at the end; everything else counts events in between. */
static bool is_level(const char *name)
{
	return strstr(name, "_bytes") != NULL;
}

struct flat {
	const char *name[48], *unit[48];
	uint64_t value[48];
	size_t n;
};

static void flatten(const char *name, const char *unit, uint64_t value, void *arg)
{
	struct flat *f = arg;

	if (f->n == ARRAY_LEN(f->name))
		return;
	f->name[f->n] = name;
	f->unit[f->n] = unit;
	f->value[f->n++] = value;
}

static void report_group(const struct groups *g, unsigned i, struct measured *m,
			 const struct worker_events *ev)
{
	struct flat before = { 0 }, after = { 0 };
	char where[32];

	(void)snprintf(where, sizeof(where), "group/%u", i);
	cg_usage_each(&g->before[i], flatten, &before);
	cg_usage_each(&g->after[i], flatten, &after);
	for (size_t k = 0; k < after.n; k++) {
		uint64_t was = 0;

		for (size_t j = 0; j < before.n && !is_level(after.name[k]); j++)
			if (strcmp(before.name[j], after.name[k]) == 0)
				was = before.value[j];
		if (after.value[k] < was) {
			measure_note(m, ev, "untrustworthy", "counter_backwards",
				     "%s of %s went from %" PRIu64 " back to %" PRIu64,
				     after.name[k], where, was, after.value[k]);
			continue;
		}
		ev->counter(ev->arg, where, after.name[k], after.unit[k],
			    (double)(after.value[k] - was));
	}
}

void groups_report(const struct groups *g, struct measured *m, const struct worker_events *ev)
{
	unsigned unreached = groups_unreached(g);

	for (unsigned i = 0; i < g->n; i++) {
		const struct cg_usage *a = &g->after[i], *b = &g->before[i];

		report_group(g, i, m, ev);
		if (a->oom_kills != CG_UNKNOWN && a->oom_kills > b->oom_kills)
			measure_note(m, ev, "untrustworthy", "oom_kill",
				     "%" PRIu64 " processes of group %u killed by the OOM killer",
				     a->oom_kills - b->oom_kills, i);
	}
	if (unreached)
		measure_note(m, ev, "warning", "limit_not_reached",
			     "%u of %zu groups never reached their limit", unreached,
			     place_limited(g->place));
}
