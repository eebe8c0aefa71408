// SPDX-License-Identifier: GPL-2.0-or-later
/* What was written is what is read: every level, every field, order, refusals. */
#include "store_sample.h"

#include <errno.h>
#include <sha2.h>

static void experiment_reads_back(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_experiment_ struct store_experiment x = { 0 };
	struct sample ids;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &ids, &e));
	CHECK_OK(store_read_experiment(s, 0, &x, &e));
	CHECK_EQ(x.id, ids.experiment);
	CHECK_STR(x.name, "quick");
	CHECK_STR(x.plan_text, "workloads: [page_fault1]\n");
	CHECK_STR(x.plan_hash, "1f00");
	CHECK_STR(x.command, "mmgauge run page_fault1");
	CHECK_STR(x.order, "balanced");
	CHECK(x.seed == UINT64_MAX - 6);
	CHECK(x.margin == 0.02);
	CHECK_EQ(x.time_ns, 3000000000);
	CHECK_EQ(x.warmup_ns, 500000000);
	CHECK_EQ(x.rounds_planned, 3);
	CHECK_EQ(x.wall_start_ns, 1700000000123456789);
	CHECK_STR(x.tool, "mmgauge 0.1");
	CHECK_STR(x.status, "running");
	CHECK_STR(x.skipped, "");
	CHECK_EQ(x.n_variants, 2);
	CHECK_STR(x.variants[0].name, "base");
	CHECK_STR(x.variants[1].spec, "depth=4,memory.max=256M");
	CHECK_STR(x.variants[1].target, "local");
	CHECK_EQ(x.variants[1].id, ids.variant[1]);
	CHECK_EQ(x.n_cases, 2);
	CHECK_STR(x.cases[1].title, "page_fault1 tasks=2");
	CHECK_STR(x.cases[1].params, "tasks=2");
	CHECK_STR(x.cases[0].op, "page touched");
	CHECK_EQ(x.cases[0].revision, 1);
	CHECK(x.cases[0].primary_row && !x.cases[1].primary_row);
	CHECK_EQ(x.n_metrics, 4);
	CHECK_EQ(x.metrics[0].case_id, ids.case_id[0]); /* in order of cases */
	CHECK_EQ(x.metrics[3].case_id, ids.case_id[1]);
	CHECK_STR(x.metrics[0].name, "ops_per_s");
	CHECK(!x.metrics[0].primary && x.metrics[1].primary && x.metrics[1].higher_is_better);
	CHECK_STR(x.metrics[1].unit, "op/s");
	CHECK_STR(x.metrics[1].help, "operations");
}

static void experiments_are_found_by_id_and_last(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_experiment_ struct store_experiment x = { 0 };
	struct store_experiment *list = NULL;
	struct sample a, b;
	size_t n = 0;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_EQ(store_read_experiment(s, 0, &x, &e), -ENOENT);
	CHECK_HAS(e.msg, "there is no experiment in it");
	CHECK_OK(sample_begin(s, &a, &e));
	CHECK_OK(sample_begin(s, &b, &e));
	CHECK_OK(store_set_status(s, a.experiment, "done", &e));
	CHECK_EQ(store_set_status(s, 99, "done", &e), -ENOENT);
	CHECK_EQ(store_set_status(s, a.experiment, "finished", &e), -EINVAL);
	CHECK_EQ(store_read_experiment(s, 99, &x, &e), -ENOENT);
	CHECK_HAS(e.msg, "there is no experiment 99");
	CHECK_OK(store_read_experiment(s, 0, &x, &e));
	CHECK_EQ(x.id, b.experiment);
	store_experiment_done(&x);
	CHECK_OK(store_read_experiment(s, a.experiment, &x, &e));
	CHECK_STR(x.status, "done");
	CHECK_OK(store_list_experiments(s, &list, &n, &e));
	CHECK_EQ(n, 2);
	CHECK_EQ(list[1].id, b.experiment);
	CHECK_EQ(list[1].n_cases, 0);
	store_experiments_done(list, n);
}

static void same_metric_and_boot_give_the_same_row(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	struct store_metric m = { .name = "ops_per_s", .unit = "op/s", .higher_is_better = true };
	struct store_boot b = { .boot_id = "b0" }, *boots = NULL;
	struct sample x;
	size_t n = 0;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	m.case_id = x.case_id[1];
	CHECK_OK(store_add_metric(s, &m, &e));
	CHECK_EQ(m.id, x.metric[1][1]);
	m.unit = "s";
	CHECK_EQ(store_add_metric(s, &m, &e), -EINVAL);
	CHECK_HAS(e.msg, "metric \"ops_per_s\" had another unit");
	m.case_id = 999;
	CHECK_EQ(store_add_metric(s, &m, &e), -EINVAL); /* foreign keys are on */
	b.experiment = x.experiment;
	CHECK_OK(store_add_boot(s, &b, &e));
	CHECK_EQ(b.id, x.boot);
	b.boot_id = "b1";
	CHECK_OK(store_add_boot(s, &b, &e));
	CHECK(b.id != x.boot);
	CHECK_OK(store_read_boots(s, x.experiment, &boots, &n, &e));
	CHECK_EQ(n, 2);
	CHECK_STR(boots[0].kernel, "6.1.0");
	CHECK_STR(boots[0].machine, "2 CPUs");
	CHECK_STR(boots[1].boot_id, "b1");
	store_boots_done(boots, n);
}

static void observations_come_sorted(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_store_data_ struct store_data d = { 0 };
	struct sample x, other;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &other, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	/* ids out of step with seq, and runs of another experiment between */
	CHECK_OK(sample_run(s, &x, 0, 1, 9, 90, "ok", &e));
	CHECK_OK(sample_run(s, &other, 0, 1, 1, 1, "ok", &e));
	CHECK_OK(sample_fill(s, &x, 3, &e));
	CHECK_OK(store_read_data(s, x.experiment, &d, &e));
	CHECK_EQ(d.n_obs, (3 * 4 + 1) * 2);
	CHECK_EQ(d.n_runs, 3 * 4 + 1);
	CHECK_EQ(d.n_series, 2 * 2 * 2);
	for (size_t i = 1; i < d.n_series; i++) {
		const struct store_series *a = &d.series[i - 1], *b = &d.series[i];

		CHECK_EQ(b->first, a->first + a->n);
		CHECK(a->case_id < b->case_id || (a->case_id == b->case_id &&
		      (a->metric < b->metric ||
		       (a->metric == b->metric && a->variant < b->variant))));
	}
	for (size_t i = 0; i < d.n_series; i++) {
		const struct store_series *p = &d.series[i];
		unsigned metric = p->metric == x.metric[p->case_id == x.case_id[1]][1];

		CHECK(store_data_find(&d, p->case_id, p->metric, p->variant) == p);
		for (size_t k = 0; k < p->n; k++) {
			const struct store_obs *o = &d.obs[p->first + k];
			const struct store_ref *run = &d.runs[o->run];

			CHECK(k == 0 || d.runs[o[-1].run].seq < run->seq);
			CHECK(run->variant == p->variant && run->case_id == p->case_id);
			CHECK(o->value == sample_value(run->seq, metric) && o->idx == 0);
			CHECK_EQ(run->start_ns, 1000 * run->seq);
			CHECK_EQ(run->end_ns, 1000 * run->seq + 900);
			CHECK_EQ(run->untrustworthy, run->seq == 3);
			CHECK(!run->failed && run->repeat == 0 && run->boot == x.boot);
			CHECK_EQ(run->round, run->seq == 90 ? 9 : (run->seq - 1) / 4 + 1);
		}
	}
	CHECK(!store_data_find(&d, x.case_id[0], x.metric[0][0], 999));
	/* first metric of the first case, last of the second variant */
	CHECK_EQ(d.runs[d.obs[6].run].seq, 90);
	CHECK_EQ(d.runs[d.obs[6].run].variant, x.variant[1]);
}

static void no_runs_no_observations(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_store_data_ struct store_data d = { 0 };
	_cleanup_runs_ struct store_runs runs = { 0 };
	struct sample x;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(store_read_data(s, x.experiment, &d, &e));
	CHECK_EQ(d.n_obs, 0);
	CHECK(!store_data_find(&d, 1, 1, 1));
	CHECK_OK(store_read_runs(s, x.experiment, true, &runs, &e));
	CHECK_EQ(runs.n, 0);
}

static void runs_read_back_whole(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_runs_ struct store_runs runs = { 0 };
	struct sample x, other;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &other, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(sample_run(s, &other, 0, 0, 1, 1, "ok", &e));
	CHECK_OK(sample_run(s, &x, 1, 0, 1, 2, "untrustworthy", &e));
	CHECK_OK(sample_run(s, &x, 1, 1, 1, 1, "ok", &e));
	CHECK_OK(sample_run(s, &x, 0, 1, 1, 3, "failed", &e));
	CHECK_OK(store_read_runs(s, x.experiment, true, &runs, &e));
	CHECK_EQ(runs.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct store_run *r = &runs.v[i];

		CHECK_EQ(r->seq, i + 1);
		CHECK_EQ(r->n_counters, 3);
		CHECK_STR(r->counters[1].where, "group");
		CHECK(r->counters[0].value == 4096.0 * r->seq);
		CHECK_STR(r->counters[2].name, "minflt");
		CHECK_STR(r->counters[2].unit, "faults");
		CHECK(r->counters[2].value == 7);
		CHECK_EQ(r->n_places, 2);
		CHECK_STR(r->places[0].path, "/a/b");
		CHECK_STR(r->places[0].got, "268435456");
		CHECK_STR(r->places[0].file, "memory.limit_in_bytes");
		CHECK_EQ(r->places[0].level, 2);
		CHECK_STR(r->places[1].key, "");
		CHECK_EQ(r->n_notes, i == 0 ? 0 : 1);
		CHECK_EQ(r->n_samples, i == 2 ? 0 : 2);
	}
	CHECK_EQ(runs.v[0].variant, x.variant[1]);
	CHECK_STR(runs.v[1].status, "untrustworthy");
	CHECK_STR(runs.v[1].notes[0].code, "steal");
	CHECK_STR(runs.v[1].notes[0].text, "12 % steal time");
	for (unsigned i = 0; i < 2; i++)
		for (unsigned m = 0; m < 2; m++)
			CHECK(runs.v[i].samples[m].value ==
			      sample_value(i + 1, runs.v[i].samples[m].metric == x.metric[1][1]));
	CHECK_EQ(runs.v[2].wall_ns, 1700000000000000000);
	CHECK_EQ(runs.v[2].end_ns, 3900);
}

static void a_bad_run_leaves_nothing(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_runs_ struct store_runs runs = { 0 };
	struct store_sample p = { 0 };
	struct store_counter c = { "task", "x", "", 1 };
	struct sample x, other;
	struct store_run r;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &other, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	r = (struct store_run){ .experiment = x.experiment, .variant = x.variant[0],
				.case_id = x.case_id[0], .boot = x.boot, .round = 1, .seq = 1,
				.status = "ok", .samples = &p, .n_samples = 1,
				.counters = &c, .n_counters = 1 };
	p = (struct store_sample){ x.metric[1][0], 1, 0 };
	CHECK_EQ(store_add_run(s, &r, &e), -EINVAL);
	CHECK_HAS(e.msg, "is not one of case");
	p = (struct store_sample){ x.metric[0][0], nan(""), 0 };
	CHECK_EQ(store_add_run(s, &r, &e), -EINVAL);
	CHECK_HAS(e.msg, "not a finite number");
	p.value = 1;
	c.value = HUGE_VAL;
	CHECK_EQ(store_add_run(s, &r, &e), -EINVAL);
	CHECK_HAS(e.msg, "counter \"x\" is not a finite number");
	c.value = 1;
	r.status = "fine";
	CHECK_EQ(store_add_run(s, &r, &e), -EINVAL);
	r.status = "ok";
	r.variant = other.variant[0];
	CHECK_EQ(store_add_run(s, &r, &e), -EINVAL);
	CHECK_HAS(e.msg, "is not one of experiment");
	r.variant = x.variant[0];
	CHECK_EQ(r.id, 0);
	CHECK_OK(store_read_runs(s, x.experiment, true, &runs, &e));
	CHECK_EQ(runs.n, 0);
	CHECK_OK(store_add_run(s, &r, &e));
	CHECK(r.id > 0);
	CHECK_EQ(store_add_run(s, &r, &e), -EINVAL); /* the same round again */
	r.repeat = 1;
	CHECK_OK(store_add_run(s, &r, &e));
}

static void finished_rounds_are_found(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	struct sample x;
	bool has = false;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(sample_run(s, &x, 0, 1, 2, 1, "failed", &e));
	CHECK_OK(store_has_run(s, x.experiment, x.case_id[0], x.variant[1], 2, &has, &e));
	CHECK(has);
	CHECK_OK(store_has_run(s, x.experiment, x.case_id[0], x.variant[1], 1, &has, &e));
	CHECK(!has);
	CHECK_OK(store_has_run(s, x.experiment, x.case_id[0], x.variant[0], 2, &has, &e));
	CHECK(!has);
}

static void newest_facts_win(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_kvs_ struct kvs facts = { 0 };
	_cleanup_kvs_ struct kvs got = { 0 };
	_cleanup_kvs_ struct kvs whole = { 0 };
	struct sample x;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	kvs_set(&facts, "thp", "always");
	kvs_set(&facts, "cpus", "2");
	CHECK_OK(store_add_env(s, x.experiment, x.variant[0], &facts, &e));
	CHECK_OK(store_add_env(s, x.experiment, 0, &facts, &e));
	kvs_set(&facts, "thp", "never");
	CHECK_OK(store_add_env(s, x.experiment, x.variant[0], &facts, &e));
	CHECK_OK(store_read_env(s, x.experiment, x.variant[0], &got, &e));
	CHECK_EQ(got.n, 2);
	CHECK_STR(got.v[0].key, "cpus");
	CHECK_STR(got.v[1].val, "never");
	CHECK_OK(store_read_env(s, x.experiment, 0, &whole, &e));
	CHECK_STR(kvs_get(&whole, "thp"), "always");
}

/* The text of docs/store.md, written out by hand for one run. */
static const char canonical[] =
	"experiment\tq\\tick\ta\\nb\\\\\t\tc\tbalanced\t7\t0.02\t3\t1\t2\t5\tt\t\n"
	"variant\tbase\tlocal\tdepth=0\n"
	"case\tnull\t1\t\tnull\tcall\t1\n"
	"metric\t1\trate\top/s\t1\t1\t\n"
	"boot\tb0\t6.1\tbox\n"
	"run\t1\t0\t1\tbase\tb0\t1\t10\t20\t30\tok\n"
	"sample\t1\trate\t0\t0.10000000000000001\n"
	"counter\t1\ttask\tminflt\tfaults\t12\n"
	"placement\t1\t0\t1\t/a\tcpus\t0\t0-1\t\n"
	"note\t1\twarning\tslow\tx\n";

static int add_canonical(struct store *s, int64_t *ret_experiment, struct err *e)
{
	struct store_variant v = { .name = "base", .target = "local", .spec = "depth=0" };
	struct store_case c = { .workload = "null", .revision = 1, .title = "null", .op = "call",
				.primary_row = true };
	struct store_experiment x = { .name = "q\tick", .plan_text = "a\nb\\", .command = "c",
				      .order = "balanced", .seed = 7, .margin = 0.02,
				      .time_ns = 3, .warmup_ns = 1, .rounds_planned = 2,
				      .wall_start_ns = 5, .tool = "t",
				      .variants = &v, .n_variants = 1, .cases = &c, .n_cases = 1 };
	struct store_metric m = { .name = "rate", .unit = "op/s", .higher_is_better = true,
				  .primary = true };
	struct store_boot b = { .boot_id = "b0", .kernel = "6.1", .machine = "box" };
	struct store_sample p = { .value = 0.1 };
	struct store_counter k = { "task", "minflt", "faults", 12 };
	struct store_place place = { 0, 1, "/a", "cpus", "0", "0-1", NULL };
	struct store_note note = { "warning", "slow", "x" };
	struct store_run r = { .round = 1, .seq = 1, .start_ns = 10, .end_ns = 20, .wall_ns = 30,
			       .status = "ok", .samples = &p, .n_samples = 1, .counters = &k,
			       .n_counters = 1, .places = &place, .n_places = 1, .notes = &note,
			       .n_notes = 1 };
	int rc = store_add_experiment(s, &x, e);

	r.experiment = b.experiment = *ret_experiment = x.id;
	r.case_id = m.case_id = c.id;
	r.variant = v.id;
	if (rc >= 0)
		rc = store_add_metric(s, &m, e);
	if (rc >= 0)
		rc = store_add_boot(s, &b, e);
	r.boot = b.id;
	p.metric = m.id;
	return rc < 0 ? rc : store_add_run(s, &r, e);
}

static void hash_is_that_of_the_documented_text(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	char want[SHA256_DIGEST_STRING_LENGTH], got[33], again[33];
	int64_t first = 0, second = 0;
	struct sample x;
	struct err e;

	SHA256Data((const uint8_t *)canonical, strlen(canonical), want);
	want[32] = '\0';
	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(add_canonical(s, &first, &e));
	CHECK_OK(store_hash(s, first, got, &e));
	CHECK_STR(got, want);
	/* other ids, another status: the same data */
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(sample_fill(s, &x, 1, &e));
	CHECK_OK(add_canonical(s, &second, &e));
	CHECK_OK(store_set_status(s, second, "done", &e));
	CHECK_OK(store_hash(s, second, again, &e));
	CHECK_STR(again, want);
	CHECK_OK(store_hash(s, x.experiment, again, &e));
	CHECK(strcmp(again, want) != 0);
	CHECK_EQ(store_hash(s, 99, again, &e), -ENOENT);
}

static void a_batch_is_all_or_nothing(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_ struct store *s = NULL;
	_cleanup_store_data_ struct store_data d = { 0 };
	struct sample x;
	struct err e;

	CHECK_OK(store_open(t.db, STORE_WRITE, &s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	CHECK_OK(store_begin_batch(s, &e));
	CHECK_OK(sample_fill(s, &x, 2, &e));
	CHECK(sample_run(s, &x, 0, 0, 1, 99, "ok", &e) < 0); /* only this one is taken back */
	CHECK_OK(store_end_batch(s, &e));
	CHECK_OK(store_begin_batch(s, &e));
	CHECK_OK(sample_run(s, &x, 0, 0, 3, 100, "ok", &e));
	store_close(s);
	s = NULL;
	CHECK_OK(store_open(t.db, STORE_READ, &s, &e));
	CHECK_OK(store_read_data(s, x.experiment, &d, &e));
	CHECK_EQ(d.n_obs, 16);
	CHECK_EQ(store_begin_batch(s, &e), -EBADF);
	CHECK(sample_run(s, &x, 0, 0, 3, 100, "ok", &e) == -EBADF);
}

/* Values of one run come in the order of idx, whatever the order in which they were stored. */
static void a_run_of_many_samples(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_store_data_ struct store_data d = { 0 };
	_cleanup_store_ struct store *s = NULL;
	struct store_sample v[3];
	struct store_run r;
	struct sample x;
	struct err e;

	CHECK_OK(store_open_memory(&s, &e));
	CHECK_OK(sample_begin(s, &x, &e));
	for (unsigned i = 0; i < 3; i++)
		v[i] = (struct store_sample){ x.metric[0][0], 10 * i, 2 - i };
	r = (struct store_run){ .experiment = x.experiment, .variant = x.variant[1],
				.case_id = x.case_id[0], .boot = x.boot, .round = 1, .seq = 1,
				.status = "ok", .samples = v, .n_samples = 3 };
	CHECK_OK(store_add_run(s, &r, &e));
	r.round = 2;
	v[2].idx = 2;
	CHECK(store_add_run(s, &r, &e) < 0); /* an idx twice */
	CHECK_OK(store_read_data(s, x.experiment, &d, &e));
	CHECK_EQ(d.n_runs, 1);
	CHECK_EQ(d.n_obs, 3);
	for (unsigned i = 0; i < 3; i++)
		CHECK(d.obs[i].idx == i && d.obs[i].value == 10 * (2 - i));
}

int main(void)
{
	TAP_RUN(experiment_reads_back);
	TAP_RUN(experiments_are_found_by_id_and_last);
	TAP_RUN(same_metric_and_boot_give_the_same_row);
	TAP_RUN(observations_come_sorted);
	TAP_RUN(no_runs_no_observations);
	TAP_RUN(a_run_of_many_samples);
	TAP_RUN(runs_read_back_whole);
	TAP_RUN(a_bad_run_leaves_nothing);
	TAP_RUN(finished_rounds_are_found);
	TAP_RUN(newest_facts_win);
	TAP_RUN(hash_is_that_of_the_documented_text);
	TAP_RUN(a_batch_is_all_or_nothing);
	return tap_done();
}
