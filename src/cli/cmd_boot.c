// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge boot: a kernel in a virtual machine, to see that it works or to run programs in it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "cli/cli.h"
#include "target/target.h"
#include "target/vm/guest.h"
#include "target/vm/vm.h"

static const char *arg_guest;
static struct strv arg_programs;

static const struct opt opts[] = {
	{ "guest", 'g', OPT_TEXT, &arg_guest, "KEY=VALUE,..",
	  "smp=1, mem=1G, append=.., cgroup=v2|v1, accel=.., modules=.., timeout=10m" },
	{ "program", 0, OPT_LIST, &arg_programs, "FILE",
	  "run it in the guest; more than one run in turn" },
	{ 0 },
};

/* What the kernel says of itself, with the environment that a run would record. */
static int describe(const struct kvs *options, struct err *e)
{
	static const char *const first[] = {
		"kernel.release", "kernel.build_id", "guest.accel", "guest.qemu", "guest.cpus",
		"guest.memory",
	};
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	uint64_t start = 0;
	struct target t = { 0 };
	char took[24];
	int r = target_open(&t, "vm", options, e);

	if (r == 0) {
		start = clock_mono_ns();
		r = target_boot(&t, e);
	}
	if (r < 0) {
		target_close(&t);
		return r;
	}
	for (size_t i = 0; i < ARRAY_LEN(first); i++) {
		const char *v = kvs_get(&t.env, first[i]);

		str_addf(&out, "%-20s %s\n", first[i], v ? v : "unknown");
	}
	str_addf(&out, "%-20s %s\n", "cgroup", cg_version_name(t.facts.version));
	str_addf(&out, "%-20s %s\n", "controllers",
		 t.facts.controllers ? t.facts.controllers : "");
	str_addf(&out, "%-20s %s\n", "booted in",
		 num_fmt_duration(took, sizeof(took), (clock_mono_ns() - start) / NSEC_PER_MSEC *
							      NSEC_PER_MSEC));
	target_close(&t);
	return cli_print(&out, e);
}

static void add_command(int argc, char **argv)
{
	_cleanup_str_ struct str line = STR_INIT(1 << 16);

	for (int i = 0; i < argc; i++)
		str_addf(&line, "%s%s", i ? " " : "", argv[i]);
	if (argc)
		strv_add(&arg_programs, str_text(&line));
}

static int run_programs(const struct kvs *options, struct err *e)
{
	_cleanup_guest_outcome_ struct guest_outcome out = { 0 };
	_cleanup_close_ int stop_fd = -EBADF;
	struct vm_options o;
	sigset_t set;
	int r = vm_options_parse(options, &o, e);

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r == 0)
		r = vm_run_programs(&o, &arg_programs, STDOUT_FILENO, stop_fd, &out, e);
	vm_options_done(&o);
	if (r < 0)
		return r;
	if (out.end == GUEST_DONE)
		return EXIT_FINE;
	if (out.end == GUEST_BAD)
		return EXIT_FAILED; /* its status stands in the output */
	for (size_t i = 0; i < out.console.n; i++)
		log_warn("console: %s", out.console.v[i]);
	return err_set(e, -EIO, "the guest ended in: %s%s%s", guest_end_name(out.end),
		       out.text[0] ? ": " : "", out.text);
}

static int boot_main(int argc, char **argv, struct err *e)
{
	_cleanup_kvs_ struct kvs options = { 0 };
	int r = argc < 1 ? err_set(e, -EINVAL, "no kernel is named") : 0;

	if (r == 0 && arg_guest)
		r = kvs_parse(arg_guest, &options, e);
	if (r == 0 && argc > 1 && strcmp(argv[1], "--") != 0)
		r = err_set(e, -EINVAL, "unexpected argument \"%s\": a program comes after \"--\"",
			    argv[1]);
	if (r < 0)
		return r;
	kvs_set(&options, "kernel", argv[0]);
	if (argc > 2)
		add_command(argc - 2, argv + 2);
	r = arg_programs.n ? run_programs(&options, e) : describe(&options, e);
	strv_done(&arg_programs);
	return r;
}

const struct cmd cmd_boot = {
	.name = "boot",
	.summary = "boot a kernel in a virtual machine, run programs in it",
	.synopsis = "KERNEL [-- PROGRAM [ARG..]]",
	.about = "Without a program: does the kernel boot, and what does it offer? With one: runs\n"
		 "it as root in the guest, prints what it prints. Nothing but the program is in\n"
		 "there, so it must be static. Status 1: it failed, or the kernel did.\n",
	.examples = "  mmgauge boot linux-image-cloud-amd64\n"
		    "  mmgauge boot ../linux -g smp=2,cgroup=v1\n"
		    "  mmgauge boot linux-image-cloud-amd64 -- ./a-static-program arg\n",
	.opts = opts,
	.main = boot_main,
};
