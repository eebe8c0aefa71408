// SPDX-License-Identifier: GPL-2.0-or-later
/* exec: how programs end, what they wrote, what they used; this program is its own guinea pig. */
#include "tap.h"
#include "workload_rig.h"

#include <signal.h>

#include "workload/argv.h"

/* What the test program does when it is started as one: argv[1] says. */
static int play(int argc, char **argv)
{
	const char *role = argv[1];

	if (strcmp(role, "fail") == 0) {
		printf("first\nit is broken\n\n");
		return 3;
	}
	if (strcmp(role, "die") == 0) {
		fprintf(stderr, "about to die\n");
		raise(SIGTERM);
	}
	if (strcmp(role, "touch") == 0) {
		size_t bytes = 64 << 20;
		char *mem = malloc(bytes);

		for (size_t i = 0; i < bytes; i += 4096)
			((volatile char *)mem)[i] = 1;
		free(mem);
	}
	if (strcmp(role, "orphan") == 0 && fork() == 0) {
		clock_sleep_until_ns(clock_mono_ns() + 3 * NSEC_PER_SEC); /* holds the pipe open */
		_exit(0);
	}
	if (strcmp(role, "flood") == 0)
		for (int i = 0; i < 400000; i++)
			printf("line %d\n", i);
	if (strcmp(role, "mark") == 0)
		return argc > 2 && open(argv[2], O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0 ? 0 : 1;
	if (strcmp(role, "nul") == 0)
		fwrite("a\0rate 5\n", 1, 9, stdout);
	printf("rate 41.5\nargs %d <%s>\n", argc - 2, argc > 2 ? argv[2] : "");
	return 0;
}

static const char *self;

static int start(struct rig *r, const char *const *argv, size_t n, const char *more, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(10000);

	str_add(&text, "argv=");
	argv_encode(argv, n, &text);
	str_add(&text, more);
	return rig_init(r, "exec", str_text(&text), "/tmp", e);
}

static int run(struct rig *r, const char *role, const char *more, struct err *e)
{
	const char *argv[] = { self, role, "a b, c" };
	int ret = start(r, argv, 3, more, e);

	if (ret == 0)
		ret = rig_start(r, e);
	return ret < 0 ? ret : rig_measure(r, 0, e);
}

static double metric(const struct rig *r, const char *name)
{
	struct metric_spec m[TASK_METRICS_MAX];
	size_t n = workload_metrics(r->w, &r->params, m);

	for (size_t i = 0; i < n; i++)
		if (strcmp(m[i].name, name) == 0)
			return r->task.metric[i];
	return -1;
}

static void picks_a_metric(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct metric_spec m[TASK_METRICS_MAX];
	struct err e = { 0 };

	CHECK_OK(run(&r, "plain",
		     ",metric_pattern=^rate ([0-9.]+)$,metric_name=rate,metric_unit=MB/s,"
		     "metric_better=lower", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK_EQ(workload_metrics(r.w, &r.params, m), 6);
	CHECK_STR(m[5].name, "rate");
	CHECK_STR(m[5].unit, "MB/s");
	CHECK_EQ(m[5].direction, METRIC_LOWER);
	CHECK_NEAR(metric(&r, "rate"), 41.5, 0);
	CHECK_STR(workload_primary(r.w, &r.params, 1), "rate");
	CHECK_EQ(atomic_load(&r.task.ops), 1);
}

static void passes_arguments_untouched(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "plain", ",metric_pattern=args ([0-9]+) <a b\\, c>,metric_name=n", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK_NEAR(metric(&r, "n"), 1, 0);
	CHECK_STR(workload_primary(r.w, &r.params, 1), "n");
}

static void no_match_is_no_value(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "plain", ",metric_pattern=speed ([0-9]+),metric_name=speed", &e));
	CHECK(rig_verify(&r, &e) < 0);
	CHECK_HAS(e.msg, "nothing matches \"speed ([0-9]+)\"");
	CHECK_HAS(e.msg, self);
}

static void failure_names_status_and_last_line(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_EQ(run(&r, "fail", "", &e), -EIO);
	CHECK_HAS(e.msg, "exited with status 3: it is broken");
	CHECK_EQ(atomic_load(&r.task.ops), 0);
	CHECK(rig_verify(&r, &e) < 0);
}

static void a_signal_is_a_failure(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_EQ(run(&r, "die", "", &e), -EIO);
	CHECK_HAS(e.msg, "was killed by signal 15 (Terminated): about to die");
}

static void a_missing_program_is_an_error(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	const char *argv[] = { "/no/such/program" };
	struct err e = { 0 };

	CHECK_OK(start(&r, argv, 1, "", &e));
	CHECK_OK(rig_start(&r, &e));
	CHECK_EQ(rig_measure(&r, 0, &e), -ENOENT);
	CHECK_HAS(e.msg, "could not run program \"/no/such/program\"");
}

static void tells_what_was_used(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "touch", "", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK(metric(&r, "max_rss_bytes") >= 64 << 20);
	CHECK(metric(&r, "max_rss_bytes") < 1u << 30);
	CHECK(metric(&r, "minor_faults") + metric(&r, "major_faults") >= 32);
	CHECK(metric(&r, "user_s") + metric(&r, "system_s") > 0);
	CHECK_STR(workload_primary(r.w, &r.params, 1), "elapsed_s");
}

static void an_orphan_does_not_hold_up_the_end(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "orphan", "", &e));
	CHECK(r.task.end_ns - r.task.start_ns < 3 * NSEC_PER_SEC);
	CHECK_OK(rig_verify(&r, &e));
}

static void keeps_the_end_of_a_flood(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "flood", ",metric_pattern=^line ([0-9]+)$,metric_name=line", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK_NEAR(metric(&r, "line"), 399999, 0);
}

static void a_nul_does_not_end_the_text(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "nul", ",metric_pattern=a rate ([0-9]+),metric_name=rate", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK_NEAR(metric(&r, "rate"), 5, 0);
}

static void prepares_once_before(void)
{
	_cleanup_rig_ struct rig r = { 0 }, bad = { 0 };
	_cleanup_free_ char *fail = xasprintf("prepare=%s fail,argv=true", self);
	_cleanup_free_ char *mark = NULL;
	struct err e = { 0 };
	char path[100] = "/tmp/mmgauge-test-mark-XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	CHECK_EQ(unlink(path), 0);
	mark = xasprintf("prepare=%s mark %s,argv=true", self, path);
	CHECK_OK(rig_init(&r, "exec", mark, "/tmp", &e));
	CHECK_OK(rig_start(&r, &e));
	CHECK_EQ(unlink(path), 0);
	CHECK_OK(rig_measure(&r, 0, &e)); /* "true" is found in PATH */
	CHECK(!fsx_exists(AT_FDCWD, path));
	CHECK_OK(rig_init(&bad, "exec", fail, "/tmp", &e));
	CHECK(rig_start(&bad, &e) < 0);
	CHECK_HAS(e.msg, "could not prepare: program");
	CHECK_HAS(e.msg, "status 3: it is broken");
}

static void refuses_what_makes_no_sense(void)
{
	static const struct {
		const char *settings, *message;
	} bad[] = {
		{ "argv=true,mode=thread", "a program is a process" },
		{ "argv=true,metric_name=x", "go together" },
		{ "argv=true,metric_pattern=(x)", "go together" },
		{ "argv=true,metric_pattern=x,metric_name=x", "has no group" },
		{ "argv=true,metric_pattern=(x),metric_name=X", "is not made of" },
		{ "argv=true,metric_pattern=(x),metric_name=user_s", "is there without a pattern" },
		{ "argv=true,metric_pattern=(x),metric_name=elapsed_s", "is there without" },
		{ "argv=true,metric_pattern=(x),metric_name=ops_per_s", "is there without" },
		{ "argv=a%4", "is not encoded right" },
		{ "argv=a,prepare=b  c", "two blanks" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		_cleanup_rig_ struct rig r = { 0 };
		struct err e = { 0 };

		CHECK_EQ(rig_init(&r, "exec", bad[i].settings, "/tmp", &e), -EINVAL);
		CHECK_HAS(e.msg, bad[i].message);
	}
}

static void needs_a_program(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, "exec", "", "/tmp", &e));
	CHECK_EQ(rig_start(&r, &e), -EINVAL);
	CHECK_HAS(e.msg, "no program to run");
	CHECK(!r.task.priv);
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc > 1)
		return play(argc, argv);
	TAP_RUN(picks_a_metric);
	TAP_RUN(passes_arguments_untouched);
	TAP_RUN(no_match_is_no_value);
	TAP_RUN(failure_names_status_and_last_line);
	TAP_RUN(a_signal_is_a_failure);
	TAP_RUN(a_missing_program_is_an_error);
	TAP_RUN(tells_what_was_used);
	TAP_RUN(an_orphan_does_not_hold_up_the_end);
	TAP_RUN(keeps_the_end_of_a_flood);
	TAP_RUN(a_nul_does_not_end_the_text);
	TAP_RUN(prepares_once_before);
	TAP_RUN(refuses_what_makes_no_sense);
	TAP_RUN(needs_a_program);
	return tap_done();
}
