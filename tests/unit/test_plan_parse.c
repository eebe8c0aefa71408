// SPDX-License-Identifier: GPL-2.0-or-later
/* What plans say, and what is said about mistakes in them: place, message, nearest word. */
#include "tap.h"

#include <errno.h>

#include "base/clock.h"
#include "base/err.h"
#include "plan/plan.h"
#include "workload/argv.h"

static struct err last;

/* "" when @text is a plan, else the message. */
static const char *message(const char *text)
{
	_cleanup_plan_ struct plan p = { 0 };

	last = (struct err){ 0 };
	return plan_parse("p.yaml", text, 2, &p, &last) < 0 ? last.msg : "";
}

#define CASES "cases:\n- page_fault1\n"

static void every_key(void)
{
	static const char text[] =
		"name: quick\n"
		"rounds: 6\n"
		"time: 500ms\n"
		"warmup: 200ms\n"
		"margin: 3%\n"
		"seed: 42\n"
		"budget: 2m\n"
		"place: {cpus: 0-1}\n"
		"variants:\n"
		"  base: {depth: 0}\n"
		"  deep: {depth: 4, memory.max: 256M}\n"
		"cases:\n"
		"- page_fault1: {tasks: [1, 2], size: 64M}\n"
		"- createdelete: {tasks: 1..cpus, size: 4K*cpus..2M*cpus/3, fs: tmpfs}\n"
		"primary:\n"
		"- page_fault1: {tasks: 1}\n"
		"- createdelete: {size: [8192, 4M]}\n";
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };
	const struct plan_case *c;

	CHECK_OK(plan_parse("plans/x.yaml", text, 2, &p, &e));
	CHECK_STR(p.name, "quick");
	CHECK_STR(p.text, text);
	CHECK_EQ(p.rounds, 6);
	CHECK(p.rounds_given);
	CHECK_EQ(p.time_ns, 500 * NSEC_PER_MSEC);
	CHECK_EQ(p.warmup_ns, 200 * NSEC_PER_MSEC);
	CHECK_EQ(p.seed, 42);
	CHECK_EQ(p.budget_ns, 120 * NSEC_PER_SEC);
	CHECK_NEAR(p.margin, 0.03, 1e-12);
	CHECK_EQ(p.n_variants, 2);
	CHECK_STR(p.variants[0].name, "base");
	CHECK_STR(p.variants[1].name, "deep");
	CHECK_STR(p.variants[1].target, "local");
	CHECK_EQ(p.variants[1].spec.depth, 4);
	CHECK_EQ(num_set_count(&p.variants[1].spec.cpus), 2);
	CHECK_STR(kvs_get(&p.variants[1].place, "memory.max"), "256M");
	CHECK_EQ(p.n_cases, 2 + 2 * 3);
	CHECK_STR(p.cases[0].title, "page_fault1 size=64M");
	CHECK_STR(p.cases[1].title, "page_fault1 tasks=2 size=64M");
	CHECK(p.cases[0].primary);
	CHECK(!p.cases[1].primary);
	/* the key that is named first varies slowest: tasks, then size 8K, 184K, 4M */
	c = &p.cases[2];
	CHECK_STR(kvs_get(&c[0].params, "tasks"), "1");
	CHECK_STR(kvs_get(&c[0].params, "size"), "8K");
	CHECK_STR(kvs_get(&c[1].params, "size"), "180K"); /* sqrt(8K * 4M) = 185363 */
	CHECK_STR(kvs_get(&c[2].params, "size"), "4M");
	CHECK_STR(kvs_get(&c[3].params, "tasks"), "2");
	CHECK(c[0].primary && !c[1].primary && c[2].primary);
	CHECK_STR(kvs_get(&c[0].place, "fs"), "tmpfs");
	CHECK_STR(kvs_get(&c[0].place, "cpus"), "0-1");
	CHECK_HAS(c[0].title, "createdelete");
	CHECK_HAS(c[0].title, " size=8K");
	CHECK_HAS(c[0].title, " fs=tmpfs");
}

static void defaults(void)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_parse("dir.d/one.yaml", "cases: [page_fault1, null]", 2, &p, &e));
	CHECK_STR(p.name, "one");
	CHECK_EQ(p.rounds, 10);
	CHECK(!p.rounds_given);
	CHECK_EQ(p.time_ns, 3 * NSEC_PER_SEC);
	CHECK_EQ(p.warmup_ns, 500 * NSEC_PER_MSEC);
	CHECK_NEAR(p.margin, 0.02, 1e-12);
	CHECK_EQ(p.budget_ns, 0);
	CHECK_EQ(p.seed, 0);
	CHECK_EQ(p.n_variants, 1);
	CHECK_STR(p.variants[0].name, "base");
	CHECK_EQ(p.variants[0].spec.groups, 1);
	CHECK_EQ(p.n_cases, 2);
	CHECK_STR(p.cases[0].title, "page_fault1");
	CHECK_STR(p.cases[1].workload->name, "null");
	CHECK(p.cases[0].primary && p.cases[1].primary);
}

static void mistakes_at_the_top(void)
{
	CHECK_STR(message("rouns: 3\n" CASES),
		  "p.yaml:1:1: unknown key of a plan \"rouns\"; did you mean \"rounds\"?");
	CHECK_STR(message("zebra: 3\n" CASES), "p.yaml:1:1: unknown key of a plan \"zebra\"");
	CHECK_HAS(last.hint,
		  "known are: name, rounds, time, warmup, margin, seed, budget, count, place,");
	CHECK_STR(message("case:\n- null\n"),
		  "p.yaml:1:1: unknown key of a plan \"case\"; did you mean \"cases\"?");
	CHECK_STR(message("rounds: [3]\n" CASES), "p.yaml:1:9: \"rounds\" needs one value");
	CHECK_STR(message("rounds:\n" CASES), "p.yaml:1:8: \"rounds\" needs one value");
	CHECK_HAS(message("rounds: many\n" CASES),
		  "p.yaml:1:9: \"rounds\": \"many\" is not a whole number");
	CHECK_HAS(message("rounds: 0\n" CASES), "p.yaml:1:9: \"rounds\": 0 rounds are not from 1");
	CHECK_HAS(message("time: 3\n" CASES), "p.yaml:1:7: \"time\": \"3\" is not a time");
	CHECK_HAS(message("time: 10us\n" CASES), "\"10us\" is not from 1ms to 86400s");
	CHECK_HAS(message("margin: 0\n" CASES),
		  "p.yaml:1:9: \"margin\": margin \"0\" is not above 0");
	CHECK_HAS(message("margin: 2\n" CASES), "at most 50%");
	CHECK_HAS(message("seed: 9223372036854775808\n" CASES), "above 2^63-1");
	CHECK_HAS(message("budget: 1ms\n" CASES), "p.yaml:1:9: \"budget\": ");
	CHECK_HAS(message("name: ''\n" CASES), "p.yaml:1:7: \"name\": a name has 1 to 64");
	CHECK_STR(message("rounds: 2\n"), "p.yaml:1:1: the plan has no cases: nothing to run");
	CHECK_STR(message("cases:\n"), "p.yaml:1:7: the plan has no cases: nothing to run");
	CHECK_STR(message("- page_fault1\n"),
		  "p.yaml:1:1: a plan is a mapping of keys like \"cases:\"");
	CHECK_STR(message("just text"), "p.yaml:1:1: a plan is a mapping of keys like \"cases:\"");
}

static void mistakes_in_cases(void)
{
	CHECK_STR(message("cases: []"), "p.yaml:1:8: the list of workloads is empty");
	CHECK_STR(message("cases: {page_fault1: {}}"), "p.yaml:1:8: workloads must be a list");
	CHECK_STR(message("cases:\n- page_falt1\n"),
		  "p.yaml:2:3: unknown workload \"page_falt1\"; did you mean \"page_fault1\"?");
	CHECK_STR(message("cases:\n- xyzzy: {a: 1}\n"), "p.yaml:2:3: unknown workload \"xyzzy\"");
	CHECK_HAS(last.hint, "mmgauge list");
	CHECK_STR(message("cases:\n- page_fault1: {taks: 2}\n"),
		  "p.yaml:2:17: unknown parameter of workload page_fault1, or placement key, "
		  "\"taks\"; did you mean \"tasks\"?");
	CHECK_HAS(message("cases:\n- page_fault1: {dept: 2}\n"), "did you mean \"depth\"?");
	CHECK_STR(message("cases:\n- page_fault1:\n  tasks: 2\n"),
		  "p.yaml:3:3: \"tasks\" beside the workload \"page_fault1\"");
	CHECK_HAS(last.hint, "indent");
	CHECK_HAS(message("cases:\n- page_fault1: 3\n"), "p.yaml:2:16: settings of workload");
	CHECK_STR(message("cases:\n- [page_fault1]\n"),
		  "p.yaml:2:3: the name of a workload is missing");
	CHECK_STR(message("cases:\n-\n"), "p.yaml:2:2: the name of a workload is missing");
	CHECK_STR(message("cases:\n- page_fault1: {tasks: []}\n"),
		  "p.yaml:2:24: the list of \"tasks\" is empty");
	CHECK_STR(message("cases:\n- page_fault1: {tasks: }\n"),
		  "p.yaml:2:24: \"tasks\" needs a value");
	CHECK_STR(message("cases:\n- page_fault1: {tasks: {a: 1}}\n"),
		  "p.yaml:2:24: \"tasks\" needs a value");
	CHECK_STR(message("cases:\n- page_fault1: {tasks: [[1]]}\n"),
		  "p.yaml:2:25: a value of \"tasks\" must be a single text");
	CHECK_STR(message("cases:\n- page_fault1: {tasks: [1, 2, 1]}\n"),
		  "p.yaml:2:31: value \"1\" is given twice");
	CHECK_STR(message("cases:\n- page_fault1: {tasks: 1, tasks: 2}\n"),
		  "p.yaml:2:27: \"tasks\" is given twice");
}

static void bad_values_in_cases(void)
{
	CHECK_HAS(message("cases:\n- page_fault1: {size: 4K, tasks: 0}\n"), "p.yaml:2:34: ");
	CHECK_HAS(last.msg, "tasks");
	CHECK_HAS(message("cases:\n- page_fault1: {tasks: x}\n"), "p.yaml:2:24: ");
	CHECK_HAS(message("cases:\n- page_fault1: {tasks: 2, size: 3Q}\n"), "p.yaml:2:33: ");
	CHECK_HAS(last.msg, "3Q");
	CHECK_HAS(message("cases:\n- page_fault1: {mode: fibre}\n"), "p.yaml:2:23: ");
	CHECK_HAS(message("cases:\n- page_fault1: {tasks: 5..1}\n"),
		  "p.yaml:2:24: \"tasks\": \"5..1\": the range ends below its beginning");
	CHECK_HAS(message("cases:\n- page_fault1: {depth: x}\n"), "p.yaml:2:24: \"depth\": ");
	/* wrong only together: with a variant, with the plan's own placement */
	CHECK_HAS(message("cases:\n- page_fault1: {groups: 3}\n"), "p.yaml:2:16: 3 groups need");
	CHECK_HAS(message("place: {depth: 1}\nvariants: {a: {depth: 0}}\ncases:\n"
			  "- page_fault1: {groups: 3}\n"), "p.yaml:4:16: 3 groups need");
	CHECK_HAS(message("variants: {a: {depth: 2, memory.max@3: 1G}}\n" CASES),
		  "p.yaml:1:40: \"memory.max@3\" is deeper");
	CHECK_HAS(message("cases:\n- page_fault1: {cpus: [0, x]}\n"), "0,x");
	CHECK_HAS(message("cases:\n- page_fault1: {cpus: []}\n"),
		  "p.yaml:2:23: the list of \"cpus\" is empty");
}

static void too_many_cases(void)
{
	CHECK_STR(message("cases:\n- page_fault1: {tasks: 1..4096, size: 4K..4G/100}\n"),
		  "p.yaml:2:3: the sweeps make more than 100000 cases");
	CHECK_HAS(message("cases:\n- page_fault1: {tasks: 1..100001}\n"), "p.yaml:2:24: ");
}

static void cases_twice(void)
{
	CHECK_STR(message("cases:\n- page_fault1\n- page_fault1: {tasks: 1}\n"),
		  "p.yaml:3:3: a case of \"page_fault1\" is given twice, first in line 2");
	CHECK_STR(message("cases:\n- page_fault1: {size: 1M}\n- page_fault1: {size: 1024K}\n"),
		  "p.yaml:3:3: a case of \"page_fault1\" is given twice, first in line 2");
	CHECK_STR(message("cases:\n- page_fault1: {fs: tmpfs}\n- page_fault1\n"), "");
}

/* On one CPU, 1 and cpus are the same: that is the machine's doing, no mistake. */
static void values_that_became_equal(void)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_parse("p", "cases:\n- page_fault1: {tasks: [1, cpus, 3*cpus]}\n", 1, &p, &e));
	CHECK_EQ(p.n_cases, 2);
	CHECK_STR(p.cases[1].title, "page_fault1 tasks=3");
}

static void mistakes_in_variants(void)
{
	CHECK_STR(message("variants: []\n" CASES),
		  "p.yaml:1:11: \"variants\" must be a mapping of names");
	CHECK_STR(message("variants: {}\n" CASES), "p.yaml:1:11: \"variants\" is empty");
	CHECK_STR(message("variants: {a: 3}\n" CASES),
		  "p.yaml:1:15: variant \"a\" must be a mapping like {depth: 4}");
	CHECK_STR(message("variants: {a: {}, a: {}}\n" CASES), "p.yaml:1:19: \"a\" is given twice");
	CHECK_HAS(message("variants: {\"a b\": {}}\n" CASES), "p.yaml:1:12: variants are named by");
	CHECK_STR(message("variants: {a: {dept: 4}}\n" CASES),
		  "p.yaml:1:16: unknown key of a variant \"dept\"; did you mean \"depth\"?");
	CHECK_STR(message("variants: {a: {taks: 4}}\n" CASES),
		  "p.yaml:1:16: unknown key of a variant \"taks\"; did you mean \"tasks\"?");
	/* createdelete has it, but there is no case of createdelete */
	CHECK_STR(message("variants: {a: {backing: anon}}\n" CASES),
		  "p.yaml:1:16: \"backing\" is neither a placement key nor a parameter of any "
		  "case");
	CHECK_HAS(message("variants: {a: {depth: four}}\n" CASES), "p.yaml:1:23: ");
	CHECK_HAS(message("variants: {a: {depth: 0}, b: {size: 3Q}}\n" CASES), "p.yaml:1:37: ");
	CHECK_HAS(message("variants: {a: {tasks: [1, 2]}}\n" CASES),
		  "p.yaml:1:23: \"tasks\" of a variant needs one value");
	CHECK_HAS(message("variants: {a: {tasks: 1..4}}\n" CASES),
		  "p.yaml:1:23: \"tasks\" of a variant needs one value, not 4");
	CHECK_HAS(message("variants: {a: {target: moon}}\n" CASES),
		  "p.yaml:1:24: there is no target \"moon\"");
	CHECK_HAS(message("variants: {a: {target: vm}}\n" CASES),
		  "p.yaml:1:15: target \"vm\" wants a kernel");
	CHECK_HAS(message("variants: {a: {target: vm, kernel: k, smp: 0}}\n" CASES),
		  "p.yaml:1:15: \"smp\": a guest has 1 to 64 CPUs");
	CHECK_HAS(message("variants: {a: {kernel: k}}\n" CASES), "\"kernel\" is neither");
	CHECK_HAS(message("variants: {a: {target: vm, kernal: k}}\n" CASES),
		  "did you mean \"kernel\"?");
	CHECK_STR(message("variants: {a: {tasks: 1}}\ncases:\n- page_fault1: {tasks: [1, 2]}\n"),
		  "p.yaml:3:24: \"tasks\" sweeps here although a variant sets it");
}

/* Options of a target, placement and parameters beside each other, in any order. */
static void variants_that_boot(void)
{
	const char *text = "variants:\n"
			   "  a: {depth: 2, kernel: vmlinuz-1, target: vm, cgroup: v1, tasks: 2}\n"
			   "  b: {target: vm, kernel: k, cgroup: root, modules: [zram, loop]}\n"
			   "  c: {}\n" CASES;
	_cleanup_str_ struct str spec = STR_INIT(1000);
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_parse("p.yaml", text, 2, &p, &e));
	CHECK(plan_boots(&p));
	CHECK_STR(p.variants[0].target, "vm");
	CHECK_STR(kvs_get(&p.variants[0].options, "kernel"), "vmlinuz-1");
	CHECK_STR(kvs_get(&p.variants[0].options, "cgroup"), "v1");
	CHECK_EQ(p.variants[0].spec.depth, 2);
	CHECK(p.variants[1].spec.root_group);
	CHECK(!kvs_get(&p.variants[1].options, "cgroup"));
	CHECK_STR(kvs_get(&p.variants[1].options, "modules"), "zram,loop");
	CHECK_EQ(p.variants[2].options.n, 0);
	plan_variant_spec(&p.variants[0], &spec);
	CHECK_STR(str_text(&spec), "kernel=vmlinuz-1,cgroup=v1,depth=2,tasks=2");
	str_clear(&spec);
	plan_variant_spec(&p.variants[2], &spec);
	CHECK_STR(str_text(&spec), "");
}

static void mistakes_in_place(void)
{
	CHECK_STR(message("place: 3\n" CASES),
		  "p.yaml:1:8: \"place\" must be a mapping like {cpus: 0-1}");
	CHECK_HAS(message("place: {dept: 3}\n" CASES),
		  "p.yaml:1:9: unknown placement key \"dept\"; did you mean \"depth\"?");
	CHECK_HAS(message("place: {cpus: 0-1, depth: x}\n" CASES), "p.yaml:1:27: ");
	CHECK_HAS(message("place: {tasks: 3}\n" CASES),
		  "p.yaml:1:9: unknown placement key \"tasks\"");
}

static void mistakes_in_primary(void)
{
	CHECK_STR(message(CASES "primary:\n- page_fault1: {tasks: 2}\n"),
		  "p.yaml:4:3: primary \"page_fault1\" is none of the cases");
	CHECK_STR(message(CASES "primary: []\n"), "p.yaml:3:10: the list of workloads is empty");
	CHECK_STR(message(CASES "primary:\n- null\n"),
		  "p.yaml:4:3: primary \"null\" is none of the cases");
	CHECK_HAS(message("variants: {a: {tasks: 2}}\n" CASES
			  "primary:\n- page_fault1: {tasks: 2}\n"),
		  "p.yaml:5:24: \"tasks\" is set by variant \"a\"");
	CHECK_STR(message(CASES "primary:\n- page_fault1: {tasks: 1, mode: process}\n"), "");
}

static void jobs(void)
{
	static const char text[] =
		"place: {cpus: 0, depth: 1}\n"
		"variants:\n"
		"  base: {}\n"
		"  big: {size: 8M*cpus, depth: 3, fs: tmpfs}\n"
		"cases:\n"
		"- page_fault1: {size: 4M, tasks: 2, depth: 2}\n"
		"- null\n";
	_cleanup_kvs_ struct kvs a = { 0 }, b = { 0 }, c = { 0 }, pa = { 0 }, pb = { 0 };
	_cleanup_plan_ struct plan p = { 0 };
	struct place_spec spec;
	struct err e = { 0 };

	CHECK_OK(plan_parse("p.yaml", text, 2, &p, &e));
	CHECK_EQ(p.n_cases, 2);
	CHECK_STR(p.cases[0].title, "page_fault1 tasks=2 depth=2");
	CHECK(!kvs_get(&p.cases[0].params, "size"));
	CHECK_STR(kvs_get(&p.cases[0].fallback, "size"), "4M");
	plan_job_params(&p.cases[0], &p.variants[0], &a);
	CHECK_STR(kvs_get(&a, "size"), "4M");
	CHECK_STR(kvs_get(&a, "tasks"), "2");
	plan_job_params(&p.cases[0], &p.variants[1], &b);
	CHECK_STR(kvs_get(&b, "size"), "16M");
	plan_job_params(&p.cases[1], &p.variants[1], &c); /* null has no size */
	CHECK_EQ(c.n, 0);
	plan_job_place(&p.cases[0], &p.variants[0], &pa);
	CHECK_STR(kvs_get(&pa, "depth"), "2");
	CHECK_STR(kvs_get(&pa, "cpus"), "0");
	plan_job_place(&p.cases[0], &p.variants[1], &pb);
	CHECK_STR(kvs_get(&pb, "depth"), "3");
	CHECK_STR(kvs_get(&pb, "fs"), "tmpfs");
	CHECK_OK(plan_job_spec(&p.cases[0], &p.variants[0], &spec, &e));
	CHECK_EQ(spec.depth, 2);
	place_spec_done(&spec);
	CHECK_EQ(p.variants[0].spec.depth, 1);
	CHECK_EQ(p.variants[1].spec.depth, 3);
}

static void placement_products(void)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_parse("p", "place: {depth: 1}\nvariants:\n  a: {groups: cpus}\n"
				 "  b: {groups: 2*cpus}\n" CASES, 3,
			    &p, &e));
	CHECK_EQ(p.variants[0].spec.groups, 3);
	CHECK_EQ(p.variants[1].spec.groups, 6);
}

static void programs(void)
{
	static const char text[] = "cases:\n"
				   "- exec: {argv: [./prog, \"a, b\", \"\"], prepare: ./setup}\n"
				   "- exec: {argv: ./prog}\n";
	_cleanup_kvs_ struct kvs job = { 0 };
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_str_ struct str large = STR_INIT(1 << 16);
	_cleanup_plan_ struct plan p = { 0 };
	struct params params;
	struct err e = { 0 };

	CHECK_OK(plan_parse("p.yaml", text, 2, &p, &e));
	CHECK_EQ(p.n_cases, 2);
	CHECK_EQ(p.cases[0].argv.n, 3);
	CHECK_STR(p.cases[0].argv.v[1], "a, b");
	CHECK_STR(p.cases[0].argv.v[2], "");
	CHECK_EQ(p.cases[0].prepare.n, 1);
	CHECK_STR(p.cases[0].prepare.v[0], "./setup");
	CHECK_STR(p.cases[0].title, "exec ./prog a, b ");
	CHECK_STR(p.cases[1].title, "exec ./prog");
	plan_job_params(&p.cases[0], &p.variants[0], &job);
	CHECK_OK(argv_decode(kvs_get(&job, "argv"), &argv, &e));
	CHECK_EQ(argv.n, 3);
	CHECK_STR(argv.v[1], "a, b");
	CHECK_STR(kvs_get(&job, "prepare"), "./setup");
	CHECK_OK(params_parse(p.cases[0].workload, &job, &params, &e));
	params_done(&params);
	CHECK_STR(message("cases:\n- exec\n"), "p.yaml:2:3: workload \"exec\" needs a program");
	CHECK_HAS(message("cases:\n- exec: {argv: []}\n"), "p.yaml:2:16: \"argv\" needs a list");
	CHECK_HAS(message("cases:\n- exec: {argv: [[x]]}\n"), "p.yaml:2:17: an argument must be");
	CHECK_HAS(message("cases:\n- exec: {argv: ['']}\n"), "the name of the program is empty");
	str_add(&large, "cases:\n- exec: {argv: ");
	for (unsigned i = 0; i < 24001; i++)
		str_addc(&large, 'x');
	str_add(&large, "}\n");
	CHECK_STR(message(str_text(&large)),
		  "p.yaml:2:9: \"argv\" is longer than 24000 bytes, encoded");
	CHECK_HAS(message("cases:\n- exec: {argv: x}\n- exec: {argv: [x]}\n"), "is given twice");
	CHECK_STR(message("variants: {a: {argv: y}}\ncases:\n- exec: {argv: x}\n"),
		  "p.yaml:1:16: \"argv\" can't be set by a variant");
}

/* Values that are right only together: the message is about the one that is wrong by itself. */
static void programs_metrics(void)
{
#define EXEC "cases:\n- exec: {argv: x, "
	CHECK_STR(message(EXEC "metric_name: a, metric_pattern: \"(.)\"}\n"), "");
	CHECK_HAS(message(EXEC "metric_name: a}\n"), "p.yaml:2:3: metric_name");
	CHECK_HAS(message(EXEC "metric_better: up, metric_name: a,\n"
			       "    metric_pattern: \"(.)\"}\n"),
		  "p.yaml:2:34: parameter \"metric_better\"");
	CHECK_STR(message("variants:\n  a: {metric_name: a}\n  b: {metric_name: b}\n" EXEC
			  "metric_name: c, metric_pattern: \"(.)\"}\n"), "");
#undef EXEC
}

static void options_override(void)
{
	_cleanup_plan_ struct plan p = { 0 }, again = { 0 };
	struct err e = { 0 };

	CHECK_OK(plan_parse("p.yaml", "rounds: 3\ncases: [null]", 2, &p, &e));
	CHECK_OK(plan_set(&p, "rounds", "12", &e));
	CHECK_EQ(p.rounds, 12);
	CHECK_STR(p.text, "rounds: 3\ncases: [null]\n# by option: rounds: 12\n");
	CHECK_OK(plan_parse("p.yaml", p.text, 2, &again, &e));
	CHECK_EQ(plan_set(&p, "rounds", "x", &e), -EINVAL);
	CHECK_EQ(plan_set(&p, "cases", "x", &e), -EINVAL);
	CHECK_EQ(p.rounds, 12);
}

static void files(void)
{
	_cleanup_plan_ struct plan p = { 0 };
	struct err e = { 0 };

	CHECK_EQ(plan_read("/nonexistent/plan.yaml", 2, &p, &e), -ENOENT);
	CHECK_HAS(e.msg, "/nonexistent/plan.yaml");
	CHECK_EQ(plan_read("/dev/null", 2, &p, &e), -EINVAL);
	CHECK_STR(e.msg, "/dev/null:1:1: the plan is empty");
	CHECK(!p.name);
}

int main(void)
{
	TAP_RUN(every_key);
	TAP_RUN(defaults);
	TAP_RUN(mistakes_at_the_top);
	TAP_RUN(mistakes_in_cases);
	TAP_RUN(bad_values_in_cases);
	TAP_RUN(too_many_cases);
	TAP_RUN(cases_twice);
	TAP_RUN(values_that_became_equal);
	TAP_RUN(mistakes_in_variants);
	TAP_RUN(variants_that_boot);
	TAP_RUN(mistakes_in_place);
	TAP_RUN(mistakes_in_primary);
	TAP_RUN(jobs);
	TAP_RUN(placement_products);
	TAP_RUN(programs);
	TAP_RUN(programs_metrics);
	TAP_RUN(options_override);
	TAP_RUN(files);
	return tap_done();
}
