// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding workloads and what follows from a descriptor: metrics and the primary one. */
#include "tap.h"

#include "workload/workload.h"

static void finds_by_name(void)
{
	CHECK(workload_find("null") == &workload_null);
	CHECK(workload_find("delay") == &workload_delay);
	CHECK(!workload_find("Null"));
	CHECK(!workload_find(""));
	CHECK_STR(workload_nearest("delya"), "delay");
	CHECK(!workload_nearest("nothing_like_it"));
}

static const struct metric_spec two[] = {
	{ .name = "a", .unit = "s" }, { .name = "b", .unit = "B" }, { 0 },
};

static bool named_c(const struct params *p, struct metric_spec *ret)
{
	if (!p)
		return false;
	*ret = (struct metric_spec){ .name = "c", .unit = "1", .direction = METRIC_LOWER };
	return true;
}

static void metrics_end_with_the_named_one(void)
{
	const struct workload plain = { .metrics = two };
	const struct workload named = { .metrics = two, .named_metric = named_c };
	const struct workload none = { 0 };
	struct metric_spec m[TASK_METRICS_MAX];
	const struct params p = { 0 };

	CHECK_EQ(workload_metrics(&none, &p, m), 0);
	CHECK_EQ(workload_metrics(&plain, &p, m), 2);
	CHECK_EQ(workload_metrics(&named, NULL, m), 2);
	CHECK_EQ(workload_metrics(&named, &p, m), 3);
	CHECK_STR(m[0].name, "a");
	CHECK_STR(m[1].name, "b");
	CHECK_STR(m[2].name, "c");
	CHECK_EQ(m[2].direction, METRIC_LOWER);
}

static void primary_follows_the_kind(void)
{
	struct workload w = { .kind = WORKLOAD_RATE };
	const struct params p = { 0 };

	CHECK_STR(workload_primary(&w, &p, 1), "ops_per_cpu_s");
	CHECK_STR(workload_primary(&w, &p, 2), "ops_per_s");
	w.sleeps = true;
	CHECK_STR(workload_primary(&w, &p, 1), "ops_per_s");
	w.kind = WORKLOAD_BATCH;
	CHECK_STR(workload_primary(&w, &p, 1), "elapsed_s");
	w.kind = WORKLOAD_DRIVER;
	CHECK_STR(workload_primary(&w, &p, 1), "elapsed_s");
	w.named_metric = named_c;
	CHECK_STR(workload_primary(&w, &p, 1), "c");
	CHECK_STR(workload_primary(&w, NULL, 1), "elapsed_s");
}

int main(void)
{
	TAP_RUN(finds_by_name);
	TAP_RUN(metrics_end_with_the_named_one);
	TAP_RUN(primary_follows_the_kind);
	return tap_done();
}
