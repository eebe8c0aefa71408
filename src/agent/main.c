// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge-agent: serves a host tool (--wire), or runs one case from its command line. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/init.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "base/log.h"
#include "base/num.h"
#include "base/rng.h"
#include "build_id.h"
#include "place/place.h"
#include "workload/workload.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

static const char usage[] =
	"usage: mmgauge-agent WORKLOAD [--KEY VALUE | --KEY=VALUE]...\n"
	"       mmgauge-agent --wire [FILE]   serve mmgauge on stdin (or what is written in FILE)\n"
	"                                     and stdout\n"
	"       mmgauge-agent --list | --version | --help\n"
	"\n"
	"Runs one case here and prints its records, one a line. KEY is a parameter of the\n"
	"workload (--tasks 2), a key of the placement (--depth 4, --memory.max 256M), or\n"
	"  --time 3s      measured part        --warmup 500ms  before it\n"
	"  --seed N       of access patterns   --ready 60s     patience with tasks\n"
	"\n"
	"examples:\n"
	"  mmgauge-agent page_fault1 --tasks 2 --time 3s\n"
	"  mmgauge-agent page_fault2 --mode thread --depth 2 --memory.max 512M --cpus 0-1\n";

/* Blocks the signals that end us and makes them readable; children get them back unblocked. */
static int signals_to_fd(struct err *e)
{
	sigset_t set;
	int fd;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGPIPE); /* a gone host is an error of write(2) */
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_errno(e, errno, "could not make a signalfd") : fd;
}

/* A descriptor that is readable when any of the two is. */
static int join_fds(int a, int b, struct err *e)
{
	int fds[] = { a, b };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep < 0)
		return err_errno(e, errno, "could not make an epoll descriptor");
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		struct epoll_event ev = { .events = EPOLLIN | EPOLLHUP };

		if (fds[i] >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &ev) < 0) {
			int r = err_errno(e, errno, "could not watch descriptor %d", fds[i]);

			(void)close(ep);
			return r;
		}
	}
	return ep;
}

struct cmdline {
	struct kvs params, place;
	struct agent_job job;
};

static int set_job_key(struct cmdline *c, const char *key, const char *val, struct err *e)
{
	const struct {
		const char *key;
		uint64_t *ns;
	} times[] = {
		{ "time", &c->job.time_ns },
		{ "warmup", &c->job.warmup_ns },
		{ "ready", &c->job.ready_ns },
	};

	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		if (strcmp(key, times[i].key) == 0)
			return num_duration(val, times[i].ns, e);
	if (strcmp(key, "seed") == 0)
		return num_u64(val, &c->job.seed, e);
	kvs_set(place_is_key(key) ? &c->place : &c->params, key, val);
	return 0;
}

static int parse_args(int argc, char **argv, struct cmdline *c, struct err *e)
{
	for (int i = 0; i < argc; i++) {
		_cleanup_free_ char *key = NULL;
		const char *val;
		char *eq;
		int r;

		if (!str_starts(argv[i], "--") || !argv[i][2])
			return err_set(e, -EINVAL, "unexpected argument \"%s\"", argv[i]);
		key = xstrdup(argv[i] + 2);
		eq = strchr(key, '=');
		if (!eq && i + 1 == argc)
			return err_set(e, -EINVAL, "option \"%s\" wants a value", argv[i]);
		if (eq)
			*eq = '\0';
		val = eq ? eq + 1 : argv[++i];
		r = set_job_key(c, key, val, e);
		if (r < 0)
			return err_wrap(e, r, "option \"--%s\"", key);
	}
	return 0;
}

static int run_one(struct agent *a, int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str params = STR_INIT(65536), place = STR_INIT(65536);
	_cleanup_free_ char *id = xasprintf("%d-%" PRIx64, (int)getpid(), clock_mono_ns());
	struct cmdline c = {
		.job = {
			.id = id,
			.workload = argv[0],
			.time_ns = 3 * NSEC_PER_SEC,
			.warmup_ns = 500 * NSEC_PER_MSEC,
			.ready_ns = 60 * NSEC_PER_SEC,
			.seed = 1,
		},
	};
	bool ok = false;
	int r = parse_args(argc - 1, argv + 1, &c, e);

	kvs_format(&c.params, &params);
	kvs_format(&c.place, &place);
	c.job.params = str_text(&params);
	c.job.place = str_text(&place);
	if (r == 0)
		r = agent_case(a, &c.job, &ok, e);
	kvs_done(&c.params);
	kvs_done(&c.place);
	if (r < 0)
		return r;
	return ok ? EXIT_OK : EXIT_FAILED;
}

/*
 * Whom to listen to. A file can't go away or speak out of turn: only a signal calls off then.
 * Returns the descriptor, *@ret_watch is what abort_fd watches of it.
 */
static int open_wire(const char *file, int *ret_watch, struct err *e)
{
	if (!file) {
		*ret_watch = STDIN_FILENO;
		return STDIN_FILENO;
	}
	*ret_watch = -EBADF;
	return fsx_open(AT_FDCWD, file, O_RDONLY, e);
}

static int run_agent(bool wire, int argc, char **argv, struct err *e)
{
	_cleanup_close_ int rootfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int stop_fd = signals_to_fd(e);
	_cleanup_close_ int abort_fd = -EBADF;
	struct wire_reader in = WIRE_READER(-EBADF);
	int watch = -EBADF, in_fd = wire ? open_wire(argc > 1 ? argv[1] : NULL, &watch, e) : 0;
	struct agent a = {
		.rootfd = rootfd,
		.out_fd = STDOUT_FILENO,
		.stop_fd = stop_fd,
		.in = wire ? &in : NULL,
		.out = STR_INIT(64u << 20),
	};
	int r;

	if (stop_fd < 0 || in_fd < 0)
		return stop_fd < 0 ? stop_fd : in_fd;
	in = WIRE_READER(in_fd);
	abort_fd = join_fds(stop_fd, watch, e);
	if (abort_fd < 0)
		return abort_fd;
	a.abort_fd = abort_fd;
	r = wire ? agent_serve(&a, e) : run_one(&a, argc, argv, e);
	wire_reader_done(&in);
	str_done(&a.out);
	return r;
}

static void list_workloads(void)
{
	for (size_t i = 0; workload_table[i]; i++)
		(void)printf("%-16s %s\n", workload_table[i]->name, workload_table[i]->summary);
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";
	bool wire = strcmp(first, "--wire") == 0;
	struct err e = { 0 };
	int r;

	if (getpid() == 1 && str_eq(argv[0], "/init"))
		agent_init();
	log_set_name("mmgauge-agent");
	if (strcmp(first, "--list") == 0) {
		list_workloads();
		return EXIT_OK;
	}
	if (strcmp(first, "--version") == 0) {
		(void)printf("mmgauge-agent %s, build %s, protocol %d\n", BUILD_VERSION, BUILD_ID,
			     WIRE_PROTO);
		return EXIT_OK;
	}
	if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
		(void)fputs(usage, stdout);
		return EXIT_OK;
	}
	if (argc < 2 || (!wire && first[0] == '-')) {
		(void)fputs(usage, stderr);
		return EXIT_USAGE;
	}
	r = run_agent(wire, argc - 1, argv + 1, &e);
	if (r >= 0)
		return r;
	log_err(&e);
	return r == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}
