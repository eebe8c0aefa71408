// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/vm/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "kernel/initrd.h"
#include "kernel/kernel.h"
#include "undo/undo.h"
#include "wire/guest.h"

#define QEMU "qemu-system-x86_64"
/* After its last word a guest is about to end; a panic prints its trace to a slow line first. */
#define END_NS (10 * NSEC_PER_SEC)
#define CONSOLE_MAX (8u << 20)

static int make_dir(struct guest *g, struct err *e)
{
	static unsigned seq;
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *id = xasprintf("vm-%d-%u", (int)getpid(), ++seq);
	_cleanup_free_ char *journal = undo_default_dir();
	int r = undo_open(journal, id, &g->undo, e);

	if (r < 0)
		return r;
	g->dir = xasprintf("%s/mmgauge-%s", tmp && tmp[0] == '/' ? tmp : "/tmp", id);
	r = undo_note_rmtree(g->undo, g->dir, e);
	if (r == 0 && mkdir(g->dir, 0700) < 0)
		r = err_errno(e, errno, "could not make folder \"%s\"", g->dir);
	return r;
}

/*
 * A panic resets, and QEMU ends on a reset. What an oops leaves behind can't be trusted. The
 * self-tests of cryptomgr would run for a second beside the first case (6.12). Counting: addresses
 * are the same in every boot; locked instructions stay locked on one CPU.
 */
static char *kernel_args(const struct guest_spec *s)
{
	return xasprintf("console=ttyS0 quiet panic=-1 oops=panic softlockup_panic=1 "
			 "hung_task_panic=1 watchdog_thresh=30 tsc=reliable "
			 "cryptomgr.notests%s%s%s%s",
			 s->count ? " nokaslr norandmaps randomize_kstack_offset=off "
				    "noreplace-smp " GUEST_COUNT_WORD : "",
			 s->cgroup_v1 ? " mmgauge.cgroup=v1" : "", s->append[0] ? " " : "",
			 s->append);
}

static void add_args(struct strv *argv, const char *const *args)
{
	for (; *args; args++)
		strv_add(argv, *args);
}

/*
 * What counts instructions, and nothing else: an instruction is a nanosecond, idling is jumped
 * over, the clock of the machine is the instruction counter, there is no device with a life of its
 * own on the host. pvpanic's port stops the machine for the snapshot.
 */
static void add_count_args(struct strv *argv)
{
	static const char *const args[] = {
		"-machine", "pc,hpet=on", "-accel", "tcg", "-cpu", "qemu64",
		"-icount", "shift=0,sleep=off", "-rtc", "base=2020-01-01,clock=vm", "-seed", "1",
		"-device", "pvpanic", "-action", "panic=pause", NULL,
	};

	add_args(argv, args);
}

/* The plain model: with "max", TCG counts each byte of a rep as an instruction. */
static void add_time_args(struct strv *argv, enum guest_accel accel)
{
	const char *const args[] = {
		"-machine", "pc", "-accel", accel == GUEST_KVM ? "kvm" : "tcg",
		"-cpu", accel == GUEST_KVM ? "host" : "qemu64",
		"-chardev", "stdio,id=in,signal=off", "-serial", "chardev:in", NULL,
	};

	add_args(argv, args);
}

char *guest_count_flags(const struct guest_spec *s)
{
	_cleanup_str_ struct str text = STR_INIT(65536);
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_free_ char *append = kernel_args(s);

	add_count_args(&argv);
	for (size_t i = 0; i < argv.n; i++)
		str_addf(&text, "%s ", argv.v[i]);
	str_addf(&text, "-smp %u -m %" PRIu64 "M -append %s", s->cpus, s->memory_bytes >> 20,
		 append);
	return xstrdup(str_text(&text));
}

char *guest_qmp_path(const struct guest *g)
{
	return xasprintf("%s/qmp", g->dir);
}

static void add_job_args(const struct guest_spec *s, const struct guest *g, struct strv *argv)
{
	_cleanup_free_ char *job = xasprintf("name=" GUEST_JOB_FILE ",file=%s/job", g->dir);
	_cleanup_free_ char *qmp = xasprintf("unix:%s/qmp,server=on,wait=off", g->dir);
	_cleanup_free_ char *in = xasprintf("fd:%d", s->snapshot_fd);
	const char *const args[] = { "-fw_cfg", job, "-qmp", qmp,
				     s->snapshot_fd >= 0 ? "-incoming" : NULL, in, NULL };

	add_args(argv, args);
}

/* QEMU's option parser takes a comma within a value doubled. */
static void add_value(struct str *out, const char *key, const char *path)
{
	str_addf(out, ",%s=", key);
	for (; *path; path++)
		str_add(out, *path == ',' ? ",," : (char[]){ *path, '\0' });
}

static void add_plugin_args(const struct guest_spec *s, const struct guest *g, struct strv *argv)
{
	_cleanup_free_ char *out = xasprintf("%s/profile", g->dir);
	_cleanup_str_ struct str text = STR_INIT(65536);

	if (!s->plugin)
		return;
	add_value(&text, "file", s->plugin);
	add_value(&text, "symbols", s->symbols);
	add_value(&text, "out", out);
	strv_add(argv, "-plugin");
	strv_add(argv, str_text(&text) + 1);
}

static int start_qemu(const struct guest_spec *s, struct guest *g, int err_fd, struct err *e)
{
	_cleanup_free_ char *append = kernel_args(s);
	_cleanup_free_ char *smp = xasprintf("%u", s->cpus);
	_cleanup_free_ char *mem = xasprintf("%" PRIu64 "M", s->memory_bytes >> 20);
	_cleanup_free_ char *console = xasprintf("file:%s/console", g->dir);
	_cleanup_free_ char *initrd = xasprintf("%s/initrd", g->dir);
	const char *const args[] = {
		QEMU, "-nodefaults", "-no-user-config",
		"-smp", smp, "-m", mem, "-display", "none", "-no-reboot",
		"-kernel", s->kernel->image, "-initrd", initrd, "-append", append,
		"-chardev", "file,id=out,path=/dev/stdout", "-serial", console,
		"-device", "isa-debugcon,iobase=0xe9,chardev=out",
		"-device", "isa-debug-exit,iobase=0xf4,iosize=1",
		NULL,
	};
	/* every clock of the guest then depends on what it executes, and on nothing else */
	static const char *const icount[] = {
		"-icount", "shift=0,sleep=off", "-rtc", "base=2020-01-01,clock=vm", "-seed", "1",
	};
	_cleanup_strv_ struct strv argv = { 0 };
	int r;

	add_args(&argv, args);
	if (s->count) {
		add_count_args(&argv);
		add_job_args(s, g, &argv);
		add_plugin_args(s, g, &argv);
	} else {
		add_time_args(&argv, s->accel);
		for (size_t i = 0; s->icount && i < ARRAY_LEN(icount); i++)
			strv_add(&argv, icount[i]);
	}
	argv.v = xrealloc(argv.v, argv.n + 1, sizeof(*argv.v));
	argv.v[argv.n] = NULL;
	r = spawn_start_err(argv.v, SPAWN_PIPE_IN | SPAWN_PIPE_OUT | SPAWN_OWN_GROUP, err_fd,
			    &g->qemu, e);
	if (r == -ENOENT)
		err_hint(e, "virtual machines need QEMU: install qemu-system-x86");
	return r;
}

static int write_job(const struct guest_spec *s, const struct guest *g, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/job", g->dir);

	return fsx_replace(AT_FDCWD, path, s->job, e);
}

int guest_start(const struct guest_spec *s, struct guest *ret, struct err *e)
{
	_cleanup_free_ char *path = NULL, *initrd = NULL;
	_cleanup_close_ int err_fd = -EBADF;
	struct guest g = GUEST_INIT;
	struct stat st;
	int r = make_dir(&g, e);

	if (r == 0) {
		initrd = xasprintf("%s/initrd", g.dir);
		r = initrd_write(s->initrd, initrd, e);
	}
	if (r == 0) {
		r = s->count ? write_job(s, &g, e) : 0;
	}
	if (r == 0) {
		g.initrd_bytes = stat(initrd, &st) == 0 ? (uint64_t)st.st_size : 0;
		path = xasprintf("%s/messages", g.dir);
		err_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (err_fd < 0)
			r = err_errno(e, errno, "could not create \"%s\"", path);
	}
	if (r == 0)
		r = start_qemu(s, &g, err_fd, e);
	if (r < 0) {
		guest_stop(&g);
		return r;
	}
	*ret = g;
	return 0;
}

bool guest_is_up(const struct guest *g)
{
	return g->qemu.pid > 0;
}

void guest_stop(struct guest *g)
{
	spawn_done(&g->qemu);
	if (g->undo)
		(void)!undo_close(g->undo, NULL);
	free(g->dir);
	*g = GUEST_INIT;
}

static char *read_text(const struct guest *g, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", g->dir, name);
	_cleanup_str_ struct str text = STR_INIT(CONSOLE_MAX);

	(void)!fsx_read(AT_FDCWD, path, &text, NULL);
	/* a guest may write any byte: what the strings here can't hold is made visible */
	for (size_t i = 0; i < text.len; i++)
		if (!text.buf[i])
			text.buf[i] = '?';
	return xstrdup(str_text(&text));
}

int guest_read_profile(struct guest *g, char **ret, struct err *e)
{
	struct pollfd p = { .fd = g->qemu.pidfd, .events = POLLIN };
	_cleanup_free_ char *path = xasprintf("%s/profile", g->dir);
	_cleanup_str_ struct str text = STR_INIT(CONSOLE_MAX);
	int r;

	if (poll(&p, 1, (int)(END_NS / NSEC_PER_MSEC)) <= 0)
		return err_set(e, -ETIMEDOUT, "the guest did not end");
	r = fsx_read(AT_FDCWD, path, &text, e);
	if (r == 0)
		*ret = xstrdup(str_text(&text));
	return r;
}

void guest_finish(struct guest *g, enum guest_end forced, struct guest_outcome *ret)
{
	struct pollfd p = { .fd = g->qemu.pidfd, .events = POLLIN };
	_cleanup_free_ char *messages = NULL, *console = NULL;
	int status = 0;

	if (forced == GUEST_DONE && poll(&p, 1, (int)(END_NS / NSEC_PER_MSEC)) <= 0)
		forced = GUEST_TIMEOUT;
	if (forced == GUEST_DONE)
		(void)!spawn_wait(&g->qemu, &status, NULL);
	else
		spawn_done(&g->qemu);
	messages = read_text(g, "messages");
	console = read_text(g, "console");
	guest_judge(status, forced, messages, console, ret);
	guest_stop(g);
}
