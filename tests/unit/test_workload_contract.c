// SPDX-License-Identifier: GPL-2.0-or-later
/* What every workload of the table must keep, checked and run one by one. */
#include "tap.h"
#include "workload_rig.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#define RUN_NS (50 * NSEC_PER_MSEC)
#define STOP_NS (60 * NSEC_PER_SEC) /* far above any honest stop, below a hang */

/* Settings under which a workload is small and quick; the defaults where it isn't named. */
static const struct {
	const char *name, *settings;
} small[] = {
	{ "page_fault1", "size=1M" },
	{ "page_fault2", "size=1M" },
	{ "page_fault3", "size=1M" },
	{ "createdelete", "size=64K,passes=200" },
	{ "anon_touch", "size=1M" },
	{ "usemem", "size=1M" },
	{ "readtwice", "file_size=1M" },
	{ "exec", "argv=/bin/echo hello" },
};

static const char *settings_of(const struct workload *w)
{
	for (size_t i = 0; i < ARRAY_LEN(small); i++)
		if (strcmp(small[i].name, w->name) == 0)
			return small[i].settings;
	return "";
}

static const struct workload *now; /* the one under test */

static bool is_name(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

static void has_a_whole_descriptor(void)
{
	CHECK(is_name(now->name));
	CHECK(now->summary && *now->summary);
	CHECK(now->revision >= 1);
	CHECK(now->op && *now->op);
	CHECK(now->timed && *now->timed);
	CHECK(now->exercises && *now->exercises);
	CHECK(now->footprint_bytes);
	CHECK(now->run);
	CHECK(now->verify);
	CHECK(now->params);
	CHECK_STR(now->params[0].name, "tasks");
	CHECK_STR(now->params[1].name, "mode");
	CHECK(!now->default_fs || (now->needs & NEED_DIR));
	CHECK(!(now->needs & NEED_REAL_CACHE) || (now->needs & NEED_DIR));
}

static void is_in_a_file_of_its_name(void)
{
	_cleanup_free_ char *path = xasprintf("src/workload/%s.c", now->name);

	if (!fsx_exists(AT_FDCWD, "src/workload/workload.h"))
		SKIP("this machine has no source tree here");
	CHECK(fsx_exists(AT_FDCWD, path));
}

static void names_its_parameters(void)
{
	for (const struct param_spec *s = now->params; s->name; s++) {
		CHECK(is_name(s->name));
		CHECK(s->def);
		CHECK(s->help && *s->help && strlen(s->help) < 100);
		CHECK((s->type == PARAM_CHOICE) == (s->choices != NULL));
		for (const struct param_spec *o = now->params; o < s; o++)
			CHECK(strcmp(o->name, s->name) != 0);
	}
	for (const struct metric_spec *m = now->metrics; m && m->name; m++) {
		CHECK(is_name(m->name));
		CHECK(m->unit && *m->unit);
		CHECK(m->help && *m->help);
	}
}

static int parse(const char *key, const char *val, struct params *ret, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };

	if (key)
		kvs_set(&kvs, key, val);
	return params_parse(now, &kvs, ret, e);
}

static void parses_its_defaults_and_back(void)
{
	_cleanup_(params_done) struct params p = { 0 }, q = { 0 };
	_cleanup_str_ struct str one = STR_INIT(4096), two = STR_INIT(4096);
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct err e = { 0 };
	const char *primary;

	CHECK_OK(parse(NULL, NULL, &p, &e));
	params_format(&p, &one);
	CHECK_OK(kvs_parse(str_text(&one), &kvs, &e));
	CHECK_OK(params_parse(now, &kvs, &q, &e));
	params_format(&q, &two);
	CHECK_STR(str_text(&two), str_text(&one));
	primary = workload_primary(now, &p, 1);
	CHECK(primary && is_name(primary));
}

static void refuses_what_it_does_not_know(void)
{
	struct params p;
	struct err e = { 0 };

	CHECK(parse("taskz", "1", &p, &e) < 0);
	CHECK_HAS(e.msg, "has no parameter \"taskz\"");
	CHECK_HAS(e.hint, "\"tasks\"");
	for (const struct param_spec *s = now->params; s->name; s++) {
		_cleanup_free_ char *above = NULL;

		if (s->type == PARAM_TEXT)
			continue;
		CHECK(parse(s->name, "junk", &p, &e) < 0);
		CHECK_HAS(e.msg, s->name);
		if (!s->max || s->type == PARAM_DURATION)
			continue;
		above = xasprintf("%" PRIu64, s->max + 1);
		CHECK(parse(s->name, above, &p, &e) < 0);
		CHECK_HAS(e.msg, "not within");
	}
}

static void states_its_memory(void)
{
	_cleanup_(params_done) struct params p = { 0 }, two = { 0 };
	struct err e = { 0 };

	CHECK_OK(parse(NULL, NULL, &p, &e));
	if (now == &workload_null || now == &workload_delay || now->kind == WORKLOAD_DRIVER) {
		CHECK_EQ(now->footprint_bytes(&p), 0);
		return;
	}
	CHECK_OK(parse("tasks", "2", &two, &e));
	CHECK(now->footprint_bytes(&p) > 0);
	CHECK(now->footprint_bytes(&two) >= now->footprint_bytes(&p));
}

static void runs_and_verifies(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	unsigned fds = rig_open_fds();
	struct err e = { 0 };
	struct statfs fs;
	uint64_t start_ns;

	CHECK_EQ(statfs("/tmp", &fs), 0);
	if ((now->needs & NEED_REAL_CACHE) && fs.f_type == TMPFS_MAGIC)
		SKIP("this machine has /tmp on a tmpfs, which has no page cache for holes");
	CHECK_OK(rig_init(&r, now->name, settings_of(now), "/tmp", &e));
	CHECK_OK(rig_start(&r, &e));
	start_ns = clock_mono_ns();
	CHECK_OK(rig_measure(&r, RUN_NS, &e));
	CHECK(clock_mono_ns() - start_ns < STOP_NS);
	CHECK_OK(rig_verify(&r, &e));
	CHECK(atomic_load(&r.task.ops) > 0);
	if (now->kind != WORKLOAD_DRIVER)
		CHECK(r.warm_ops > 0);
	rig_stop(&r);
	CHECK(!r.task.priv);
	CHECK_EQ(rig_files(&r), 0);
	CHECK_EQ(rig_open_fds(), fds + 1); /* the work directory */
}

/* Honest numbers need work done: nothing counted must never verify. */
static void refuses_to_verify_nothing(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, now->name, settings_of(now), "/tmp", &e));
	CHECK_OK(rig_start(&r, &e));
	CHECK(rig_verify(&r, &e) < 0);
	CHECK(e.msg[0]);
}

/* The work directory is gone: set-up must say so and leave nothing behind. */
static void fails_cleanly_without_directory(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	unsigned fds;

	CHECK_OK(rig_init(&r, now->name, settings_of(now), "/tmp", &e));
	if (!(now->needs & NEED_DIR))
		return;
	CHECK(rmdir(r.dir) == 0);
	fds = rig_open_fds();
	CHECK(rig_start(&r, &e) < 0);
	CHECK_HAS(e.msg, "could not");
	CHECK(!r.task.priv);
	rig_stop(&r);
	CHECK_EQ(rig_open_fds(), fds);
}

static void run(const char *what, void (*fn)(void))
{
	_cleanup_free_ char *name = xasprintf("%s %s", now->name, what);

	tap_run(name, fn);
}
#define RUN(fn) run(#fn, fn)

int main(void)
{
	for (size_t i = 0; workload_table[i]; i++) {
		now = workload_table[i];
		RUN(has_a_whole_descriptor);
		RUN(is_in_a_file_of_its_name);
		RUN(names_its_parameters);
		RUN(parses_its_defaults_and_back);
		RUN(refuses_what_it_does_not_know);
		RUN(states_its_memory);
		RUN(runs_and_verifies);
		RUN(refuses_to_verify_nothing);
		RUN(fails_cleanly_without_directory);
	}
	return tap_done();
}
