// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters and knobs of both versions from the text of other machines. */
#include "tap.h"

#include <errno.h>

#include "cgroup/cgroup.h"
#include "fixtures/fixture.h"

static struct err e;

struct opened {
	int root;
	struct cg_env env;
	struct cg cg;
};

static bool open_start(struct opened *o, const char *name)
{
	o->root = fixture_open(name);
	return cg_probe(o->root, &o->env, &e) == 0 &&
	       cg_open(&o->env, o->env.memory.start, &o->cg, &e) == 0;
}

static void close_start(struct opened *o)
{
	cg_close(&o->cg);
	cg_env_done(&o->env);
	(void)close(o->root);
}
#define _cleanup_start_ _cleanup_(close_start)

static void v1_usage(void)
{
	_cleanup_start_ struct opened o = { .cg = CG_INIT };
	struct cg_usage u;

	CHECK(open_start(&o, "synthetic-v1-only"));
	CHECK_OK(cg_usage_read(&o.cg, &u, &e));
	CHECK_EQ(u.current_bytes, 123456789);
	CHECK_EQ(u.peak_bytes, 223456789);
	CHECK_EQ(u.limit_bytes, 268435456);
	CHECK_EQ(u.limit_hits, 44); /* of memory and of memory and swap */
	CHECK_EQ(u.oom_kills, 2);
	CHECK_EQ(u.file_bytes, 4096);
	CHECK_EQ(u.anon_bytes, 8192);
	CHECK_EQ(u.swap_bytes, 12288);
	CHECK_EQ(u.pgcharge, 700);
	CHECK_EQ(u.pgfault, 500);
	CHECK_EQ(u.pgmajfault, 40);
	CHECK_EQ(u.refault, 30);
	CHECK_EQ(u.pgscan, CG_UNKNOWN);
	CHECK_EQ(u.high_hits, CG_UNKNOWN);
	CHECK_EQ(u.kernel_bytes, CG_UNKNOWN);
	CHECK_EQ(u.cpu_ns, 987654321);
	CHECK_EQ(u.user_ns, 600000000); /* ticks of 10 ms */
	CHECK_EQ(u.sys_ns, 300000000);
	CHECK_EQ(u.psi_some_us, CG_UNKNOWN);
}

static void hybrid_usage(void)
{
	_cleanup_start_ struct opened o = { .cg = CG_INIT };
	struct cg_usage u;
	uint64_t cpu_us;

	CHECK(open_start(&o, "hybrid-6.18"));
	CHECK_OK(cg_usage_read(&o.cg, &u, &e));
	CHECK_EQ(u.limit_bytes, CG_NO_LIMIT);
	CHECK(fsx_key_u64(fixture_text(o.root, "sys/fs/cgroup/unified/cpu.stat"), "usage_usec",
			  &cpu_us));
	CHECK_EQ(u.cpu_ns, cpu_us * 1000); /* of the twin on cgroup2 */
	CHECK(u.psi_some_us != CG_UNKNOWN);
	CHECK(u.pgfault > 0 && u.pgfault != CG_UNKNOWN);
	CHECK(u.kernel_bytes != CG_UNKNOWN);
}

static void v2_usage(void)
{
	_cleanup_start_ struct opened o = { .cg = CG_INIT };
	struct cg_usage u;
	uint64_t n;

	CHECK(open_start(&o, "synthetic-v2-systemd"));
	CHECK_OK(cg_usage_read(&o.cg, &u, &e));
	CHECK_EQ(u.current_bytes, 52428800);
	CHECK_EQ(u.peak_bytes, 73400320);
	CHECK_EQ(u.limit_bytes, CG_NO_LIMIT);
	CHECK_EQ(u.swap_bytes, 4096);
	CHECK_EQ(u.limit_hits, 7);
	CHECK_EQ(u.high_hits, 11);
	CHECK_EQ(u.oom_kills, 1);
	CHECK_EQ(u.pgfault, 123456);
	CHECK_EQ(u.pgscan, 900);
	CHECK_EQ(u.pgsteal, 800);
	CHECK_EQ(u.refault, 42);
	CHECK_EQ(u.pgactivate, 4321);
	CHECK_EQ(u.pgcharge, CG_UNKNOWN);
	CHECK_EQ(u.kernel_bytes, 5242880); /* not kernel_stack */
	CHECK_EQ(u.sock_bytes, 65536);
	CHECK_EQ(u.cpu_ns, 5000000000);
	CHECK_EQ(u.user_ns, 3000000000);
	CHECK_EQ(u.sys_ns, 2000000000);
	CHECK_EQ(u.psi_some_us, 456789);
	CHECK_EQ(u.psi_full_us, 123456);
	CHECK_OK(cg_limit_hits(&o.cg, &n, &e));
	CHECK_EQ(n, 7);
	CHECK_OK(cg_dying(&o.cg, &n, &e));
	CHECK_EQ(n, 17);
}

static void v1_dead_groups(void)
{
	_cleanup_start_ struct opened o = { .cg = CG_INIT };
	uint64_t n;

	CHECK(open_start(&o, "synthetic-v1-only"));
	CHECK_OK(cg_dying(&o.cg, &n, &e));
	CHECK_EQ(n, 5); /* 7 by proc/cgroups, 2 directories */
}

/* The limit of memory and swap was reached, but the kernel doesn't count its hits. */
static void v1_uncounted_hits(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v1-only");
	_cleanup_cg_env_ struct cg_env env = { 0 };
	_cleanup_cg_ struct cg cg = CG_INIT;
	uint64_t n;

	CHECK(c.fd >= 0);
	CHECK_OK(cg_probe(c.fd, &env, &e));
	CHECK_OK(cg_open(&env, env.memory.start, &cg, &e));
	CHECK_OK(fsx_replace(cg.dirfd, "memory.memsw.failcnt", "0\n", &e));
	CHECK_OK(cg_limit_hits(&cg, &n, &e));
	CHECK_EQ(n, 41);
	CHECK_OK(fsx_replace(cg.dirfd, "memory.memsw.max_usage_in_bytes", "301989888\n", &e));
	CHECK_OK(cg_limit_hits(&cg, &n, &e));
	CHECK_EQ(n, 42);
}

struct sums {
	unsigned fields;
	bool limit, fault;
};

static void note(const char *name, const char *unit, uint64_t value, void *arg)
{
	struct sums *s = arg;

	s->fields++;
	s->limit |= strcmp(name, "limit_bytes") == 0;
	s->fault |= strcmp(name, "pgfault") == 0 && value == 500 && strcmp(unit, "event") == 0;
}

static void each_known_field(void)
{
	_cleanup_start_ struct opened o = { .cg = CG_INIT };
	struct sums s = { 0 };
	struct cg_usage u;

	CHECK(open_start(&o, "synthetic-v1-only"));
	CHECK_OK(cg_usage_read(&o.cg, &u, &e));
	cg_usage_each(&u, note, &s);
	CHECK_EQ(s.fields, 15);
	CHECK(s.limit && s.fault);
	memset(&u, 0xff, sizeof(u));
	cg_usage_each(&u, note, &s);
	CHECK_EQ(s.fields, 15);
}

static void knobs_are_read(void)
{
	static const struct {
		const char *fixture, *knob, *want;
	} cases[] = {
		{ "synthetic-v1-only", "memory.max", "268435456" },
		{ "synthetic-v1-only", "memory.swap.max", "33554432" },
		{ "synthetic-v1-only", "memory.current", "123456789" },
		{ "hybrid-6.18", "memory.max", "max" },
		{ "hybrid-6.18", "memory.swap.max", "max" },
		{ "hybrid-6.18", "memory.limit_in_bytes", "max" },
		{ "synthetic-v2-systemd", "memory.max", "max" },
		{ "synthetic-v2-systemd", "memory.swap.max", "1073741824" },
		{ "synthetic-v2-systemd", "memory.low", "0" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		_cleanup_start_ struct opened o = { .cg = CG_INIT };
		_cleanup_free_ char *got = NULL;

		CHECK(open_start(&o, cases[i].fixture));
		CHECK_OK(cg_get(&o.cg, cases[i].knob, &got, &e));
		CHECK_STR(got, cases[i].want);
	}
}

static void knobs_are_refused(void)
{
	static const struct {
		enum cg_version version;
		const char *knob, *why;
	} cases[] = {
		{ CG_V1, "memory.high", "has no counterpart on cgroup v1" },
		{ CG_V1, "memory.zswap.max", "has no counterpart on cgroup v1" },
		{ CG_V1, "cpuset.cpus", "is not in the memory hierarchy of cgroup v1" },
		{ CG_V2, "memory.limit_in_bytes", "is called memory.max on cgroup v2" },
		{ CG_V2, "memory.swappiness", "exists only on cgroup v1" },
		{ CG_V2, "memory.current", "can only be read" },
		{ CG_V2, "../memory.max", "is not a file name" },
		{ CG_NONE, "memory.max",
		  "needs the memory controller, which is not available here" },
		{ CG_V1, "memory.max", NULL },
		{ CG_V1, "memory.swappiness", NULL },
		{ CG_V2, "memory.zswap.max", NULL },
		{ CG_V2, "cpuset.cpus", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *why = cg_knob_refusal(cases[i].version, cases[i].knob);

		CHECK_EQ(why == NULL, cases[i].why == NULL);
		if (why)
			CHECK_STR(why, cases[i].why);
	}
	CHECK_STR(cg_knob_file(CG_V1, "memory.max"), "memory.limit_in_bytes");
	CHECK_STR(cg_knob_file(CG_V2, "memory.max"), "memory.max");
	CHECK_STR(cg_knob_file(CG_V1, "memory.swappiness"), "memory.swappiness");
}

int main(void)
{
	TAP_RUN(v1_usage);
	TAP_RUN(hybrid_usage);
	TAP_RUN(v2_usage);
	TAP_RUN(v1_dead_groups);
	TAP_RUN(v1_uncounted_hits);
	TAP_RUN(each_known_field);
	TAP_RUN(knobs_are_read);
	TAP_RUN(knobs_are_refused);
	return tap_done();
}
