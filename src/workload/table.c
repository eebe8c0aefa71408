// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of all workloads and what follows from a descriptor alone. */
#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "workload/workload.h"

#define WORKLOAD(name) &workload_##name,
const struct workload *const workload_table[] = {
#include "workload/list.h"
	NULL,
};
#undef WORKLOAD

#define WORKLOAD(name) #name,
static const char *const names[] = {
#include "workload/list.h"
};
#undef WORKLOAD

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workload_table[i]; i++)
		if (strcmp(workload_table[i]->name, name) == 0)
			return workload_table[i];
	return NULL;
}

const char *workload_default_fs(const struct workload *w)
{
	if (w->default_fs)
		return w->default_fs;
	return w->needs & NEED_DIR ? "tmpfs" : NULL;
}

const char *workload_nearest(const char *name)
{
	return str_nearest(name, names, ARRAY_LEN(names));
}

size_t workload_metrics(const struct workload *w, const struct params *p, struct metric_spec *ret)
{
	size_t n = 0;

	for (; w->metrics && w->metrics[n].name; n++) {
		assert(n < TASK_METRICS_MAX);
		ret[n] = w->metrics[n];
	}
	if (w->named_metric) {
		assert(n < TASK_METRICS_MAX);
		n += w->named_metric(p, &ret[n]);
	}
	return n;
}

const char *workload_primary(const struct workload *w, const struct params *p, unsigned n_tasks)
{
	struct metric_spec named;

	switch (w->kind) {
	case WORKLOAD_BATCH:
		return "elapsed_s";
	case WORKLOAD_DRIVER:
		return w->named_metric && w->named_metric(p, &named) ? named.name : "elapsed_s";
	case WORKLOAD_RATE:
		break;
	}
	return w->sleeps || n_tasks > 1 ? "ops_per_s" : "ops_per_cpu_s";
}
