// SPDX-License-Identifier: GPL-2.0-or-later
/* The short form: the same plan as a file would give, and messages that name the argument. */
#include "tap.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

static struct err last;

#define LIST(...) ((char *[]){ __VA_ARGS__ })
#define N(...) (sizeof(LIST(__VA_ARGS__)) / sizeof(char *))
#define WORKLOADS(...) .workloads = LIST(__VA_ARGS__), .n_workloads = N(__VA_ARGS__)
#define VARIANTS(...) .variants = LIST(__VA_ARGS__), .n_variants = N(__VA_ARGS__)
#define COMMON(...) .common = LIST(__VA_ARGS__), .n_common = N(__VA_ARGS__)
#define SETTINGS(...) .settings = LIST(__VA_ARGS__), .n_settings = N(__VA_ARGS__)
#define ARGV(...) .argv = LIST(__VA_ARGS__, NULL)

static const char *message(struct plan_args a)
{
	_cleanup_plan_ struct plan p = { 0 };

	last = (struct err){ 0 };
	return plan_from_args(&a, 2, &p, &last) < 0 ? last.msg : "";
}
#define MESSAGE(...) message((struct plan_args){ __VA_ARGS__ })

static void as_in_the_manual(void)
{
	struct plan_args a = { WORKLOADS("page_fault1"),
			       VARIANTS("base:depth=0", "deep:depth=4,memory.max=256M"),
			       SETTINGS("rounds=12") };
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_from_args(&a, 2, &p, &e));
	CHECK_STR(p.name, "page_fault1");
	CHECK_EQ(p.rounds, 12);
	CHECK_EQ(p.n_variants, 2);
	CHECK_STR(p.variants[1].name, "deep");
	CHECK_EQ(p.variants[1].spec.depth, 4);
	CHECK_STR(kvs_get(&p.variants[1].place, "memory.max"), "256M");
	CHECK_EQ(p.n_cases, 1);
	CHECK_STR(p.text, "rounds: 12\n"
			  "name: page_fault1\n"
			  "variants:\n"
			  "  base: {depth: 0}\n"
			  "  deep: {depth: 4, memory.max: 256M}\n"
			  "cases:\n"
			  "- page_fault1: {}\n");
}

static void sweeps_and_common(void)
{
	struct plan_args a = { WORKLOADS("page_fault1:tasks=1,2", "null",
					 "page_fault1:size=4M,tasks=1"),
			       COMMON("size=8M,cpus=0-1", "fs=tmpfs") };
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_from_args(&a, 2, &p, &e));
	CHECK_STR(p.name, "page_fault1+null+page_fault1");
	CHECK_EQ(p.n_cases, 4);
	CHECK_STR(p.cases[0].title, "page_fault1 size=8M");
	CHECK_STR(p.cases[1].title, "page_fault1 tasks=2 size=8M");
	CHECK_STR(p.cases[2].title, "null");
	CHECK_STR(p.cases[3].title, "page_fault1 size=4M");
	CHECK_STR(kvs_get(&p.cases[2].place, "fs"), "tmpfs");
	CHECK_EQ(num_set_count(&p.variants[0].spec.cpus), 2);
}

static void messages_name_the_argument(void)
{
	CHECK_STR(MESSAGE(0), "no workload is named: nothing to run");
	CHECK_STR(MESSAGE(WORKLOADS("page_falt1")),
		  "argument \"page_falt1\": unknown workload \"page_falt1\"; did you mean "
		  "\"page_fault1\"?");
	CHECK_HAS(MESSAGE(WORKLOADS("page_fault1:taks=2")),
		  "argument \"page_fault1:taks=2\": unknown parameter");
	CHECK_HAS(last.msg, "did you mean \"tasks\"?");
	CHECK_HAS(MESSAGE(WORKLOADS("page_fault1:tasks=0")), "argument \"page_fault1:tasks=0\": ");
	CHECK_HAS(MESSAGE(WORKLOADS("page_fault1:tasks")),
		  "argument \"page_fault1:tasks\": \"tasks\" has no \"=\"");
	CHECK_HAS(MESSAGE(WORKLOADS("page_fault1", "page_fault1:tasks=1")),
		  "argument \"page_fault1:tasks=1\": a case of \"page_fault1\" is given twice, "
		  "first in another argument");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), VARIANTS("a:dept=2")),
		  "argument \"a:dept=2\": unknown key of a variant \"dept\"; did you mean "
		  "\"depth\"?");
	CHECK_STR(MESSAGE(WORKLOADS("null"), VARIANTS("a", "a:depth=2")),
		  "argument \"a:depth=2\": a variant \"a\" was given before");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), VARIANTS("a:depth=x")), "argument \"a:depth=x\": ");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), VARIANTS(":depth=1")),
		  "argument \":depth=1\": the name of a variant");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), SETTINGS("rounds=0")), "argument \"rounds=0\": ");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), SETTINGS("cases=0")), "is no setting of a plan");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), SETTINGS("rounds=6", "rounds=7")),
		  "argument \"rounds=7\": \"rounds\" is given twice");
}

static void common_must_fit_somewhere(void)
{
	CHECK_STR(MESSAGE(WORKLOADS("null"), COMMON("backing=anon")),
		  "argument \"backing=anon\": \"backing\" is neither a placement key nor a "
		  "parameter of any workload here");
	CHECK_HAS(MESSAGE(WORKLOADS("page_fault1"), COMMON("siz=4M")), "did you mean \"size\"?");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), COMMON("dept=4")), "did you mean \"depth\"?");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), COMMON("depth=4", "depth=3")),
		  "argument \"depth=3\": \"depth\" was given before");
	CHECK_HAS(MESSAGE(WORKLOADS("page_falt1"), COMMON("size=4M")), "unknown workload");
}

static void programs(void)
{
	struct plan_args a = { WORKLOADS("null", "exec:prepare=./setup"),
			       ARGV("./prog", "a,b: c", "", "#\n") };
	struct plan_args implied = { ARGV("true") };
	_cleanup_plan_ struct plan p = { 0 }, q = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_from_args(&a, 2, &p, &e));
	CHECK_EQ(p.n_cases, 2);
	CHECK_EQ(p.cases[1].argv.n, 4);
	CHECK_STR(p.cases[1].argv.v[1], "a,b: c");
	CHECK_STR(p.cases[1].argv.v[3], "#\n");
	CHECK_STR(p.cases[1].prepare.v[0], "./setup");
	CHECK_OK(plan_from_args(&implied, 2, &q, &e));
	CHECK_EQ(q.n_cases, 1);
	CHECK_STR(q.cases[0].title, "exec true");
	CHECK_HAS(MESSAGE(WORKLOADS("null"), ARGV("true")), "needs the workload exec");
	CHECK_HAS(MESSAGE(WORKLOADS("exec")), "workload \"exec\" needs a program");
	CHECK_HAS(MESSAGE(ARGV("a\xff")), "not UTF-8");
}

static void same_kvs(const struct kvs *a, const struct kvs *b)
{
	CHECK_EQ(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		CHECK_STR(a->v[i].key, b->v[i].key);
		CHECK_STR(a->v[i].val, b->v[i].val);
	}
}

static void same_strv(const struct strv *a, const struct strv *b)
{
	CHECK_EQ(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		CHECK_STR(a->v[i], b->v[i]);
}

static void same_plan(const struct plan *a, const struct plan *b)
{
	CHECK_STR(a->name, b->name);
	CHECK_STR(a->text, b->text);
	CHECK_EQ(a->rounds, b->rounds);
	CHECK_EQ(a->rounds_given, b->rounds_given);
	CHECK_EQ(a->time_ns, b->time_ns);
	CHECK_EQ(a->warmup_ns, b->warmup_ns);
	CHECK_EQ(a->budget_ns, b->budget_ns);
	CHECK_EQ(a->seed, b->seed);
	CHECK(a->margin == b->margin);
	CHECK_EQ(a->n_variants, b->n_variants);
	CHECK_EQ(a->n_cases, b->n_cases);
	for (size_t i = 0; i < a->n_variants; i++) {
		CHECK_STR(a->variants[i].name, b->variants[i].name);
		same_kvs(&a->variants[i].place, &b->variants[i].place);
		same_kvs(&a->variants[i].params, &b->variants[i].params);
	}
	for (size_t i = 0; i < a->n_cases; i++) {
		CHECK(a->cases[i].workload == b->cases[i].workload);
		CHECK_STR(a->cases[i].title, b->cases[i].title);
		CHECK_EQ(a->cases[i].primary, b->cases[i].primary);
		same_kvs(&a->cases[i].params, &b->cases[i].params);
		same_kvs(&a->cases[i].fallback, &b->cases[i].fallback);
		same_kvs(&a->cases[i].place, &b->cases[i].place);
		same_strv(&a->cases[i].argv, &b->cases[i].argv);
		same_strv(&a->cases[i].prepare, &b->cases[i].prepare);
	}
}

/* The text that is stored gives the same plan again. */
static void text_reads_back(void)
{
	const struct plan_args all[] = {
		{ WORKLOADS("null") },
		{ WORKLOADS("page_fault1:tasks=1..3*cpus,size=4K..64K/3,mode=process,thread",
			    "null"),
		  VARIANTS("base", "deep:depth=4,cpus=0\\,1", "big:depth=1,groups=2*cpus"),
		  COMMON("cpus=0,1", "fs=tmpfs"),
		  SETTINGS("rounds=7", "time=1s", "warmup=0s", "margin=0.5%", "seed=9", "budget=1h",
			   "name=a: 'b' # c") },
		{ WORKLOADS("page_fault1:tasks=2,size=8M"), VARIANTS("a", "b:size=4M") },
		{ ARGV("prog", "", " ", "- x", "a: b", "*", "&", "!", "%", "@", "\"", "'", "\\",
		       "\n", "\t", "\x01", "null", "~", "{", "]", "#", "\xc3\xa4", "é", "---") },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		_cleanup_plan_ struct plan p = { 0 }, back = { 0 };
		struct err e = { 0 };

		CHECK_OK(plan_from_args(&all[i], 2, &p, &e));
		CHECK_OK(plan_parse("stored", p.text, 2, &back, &e));
		same_plan(&p, &back);
		if (tap.this_failed)
			return;
	}
}

int main(void)
{
	TAP_RUN(as_in_the_manual);
	TAP_RUN(sweeps_and_common);
	TAP_RUN(messages_name_the_argument);
	TAP_RUN(common_must_fit_somewhere);
	TAP_RUN(programs);
	TAP_RUN(text_reads_back);
	return tap_done();
}
