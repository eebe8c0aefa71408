// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/log.h"
#include "base/spawn.h"
#include "base/str.h"
#include "wire/guest.h"

#define PORT_OUT 0xe9
#define PORT_END 0xf4
#define PORT_SNAPSHOT 0x505 /* of pvpanic: writing 1 stops the machine, for the host to keep it */

/* fw_cfg (QEMU, docs/specs/fw_cfg): 16-bit selector, then data byte by byte. */
#define FW_CFG_SELECT 0x510
#define FW_CFG_DATA 0x511
#define FW_CFG_DIR 0x19
#define FW_CFG_NAME_BYTES 56
#define FW_CFG_MAX (1u << 20)
#define CGROUPS "/sys/fs/cgroup"
#define JOB_WORDS_MAX 32

#ifdef __x86_64__
static int ports_open(struct err *e)
{
	return iopl(3) < 0 ? err_errno(e, errno, "could not use I/O ports") : 0;
}

static void port_write(const char *p, size_t len)
{
	for (; len; len--)
		outb((unsigned char)*p++, PORT_OUT);
}

static void port_end(unsigned char code)
{
	outb(code, PORT_END);
}

static void port_snapshot(void)
{
	outb(1, PORT_SNAPSHOT);
}

static uint32_t fw_cfg_be(unsigned bytes)
{
	uint32_t v = 0;

	for (; bytes; bytes--)
		v = v << 8 | inb(FW_CFG_DATA);
	return v;
}

/* Finds the blob of that name in the directory; its size, or 0. Its selector is then set. */
static uint32_t fw_cfg_find(const char *name)
{
	uint32_t n;

	outw(FW_CFG_DIR, FW_CFG_SELECT);
	for (n = fw_cfg_be(4); n; n--) {
		char here[FW_CFG_NAME_BYTES];
		uint32_t size = fw_cfg_be(4), select = fw_cfg_be(2);

		(void)fw_cfg_be(2);
		for (size_t i = 0; i < sizeof(here); i++)
			here[i] = (char)inb(FW_CFG_DATA);
		if (strncmp(here, name, sizeof(here)) != 0)
			continue;
		outw((unsigned short)select, FW_CFG_SELECT);
		return size;
	}
	return 0;
}

static int fw_cfg_read(const char *name, struct str *out, struct err *e)
{
	uint32_t size = fw_cfg_find(name);

	if (!size || size > FW_CFG_MAX)
		return err_set(e, -ENOENT, "the host gave no \"%s\"", name);
	for (; size; size--)
		str_addc(out, (char)inb(FW_CFG_DATA));
	return 0;
}
#else
static int ports_open(struct err *e)
{
	return err_set(e, -ENOSYS, "a guest needs I/O ports, which only x86-64 has");
}

static void port_write(const char *p, size_t len)
{
	(void)p;
	(void)len;
}

static void port_end(unsigned char code)
{
	(void)code;
}

static void port_snapshot(void)
{
}

static int fw_cfg_read(const char *name, struct str *out, struct err *e)
{
	(void)out;
	return err_set(e, -ENOSYS, "no \"%s\": only x86-64 has fw_cfg by ports", name);
}
#endif

/* Ends the guest; powering off is for a QEMU without the port. */
__attribute__((noreturn)) static void end_guest(unsigned char code)
{
	port_end(code);
	sync();
	(void)reboot(RB_POWER_OFF);
	for (;;)
		(void)pause();
}

static int mount_at(const char *what, const char *dir, const char *type, unsigned long flags,
		    const char *data, struct err *e)
{
	int r = fsx_mkdirs(AT_FDCWD, dir, 0755, e);

	if (r < 0)
		return r;
	if (mount(what, dir, type, flags, data) < 0)
		return err_errno(e, errno, "could not mount %s on \"%s\"", type, dir);
	return 0;
}

/* The kernel's console becomes our three descriptors: an initramfs without /dev gives us none. */
static int open_console(struct err *e)
{
	int r = mount_at("devtmpfs", "/dev", "devtmpfs", MS_NOSUID, "mode=0755", e);
	int fd;

	if (r < 0)
		return r;
	fd = open("/dev/console", O_RDWR | O_NOCTTY); /* NOLINT(android-cloexec-open): 0 to 2 */
	if (fd < 0)
		return err_errno(e, errno, "could not open \"/dev/console\"");
	for (int i = 0; i <= STDERR_FILENO; i++)
		if (dup2(fd, i) < 0)
			return err_errno(e, errno, "could not use \"/dev/console\"");
	if (fd > STDERR_FILENO)
		(void)close(fd);
	return 0;
}

static int mount_all(struct err *e)
{
	static const struct {
		const char *what, *dir, *data;
	} fs[] = {
		{ "proc", "/proc", NULL },
		{ "sysfs", "/sys", NULL },
		{ "tmpfs", "/tmp", "mode=1777" },
		{ "tmpfs", "/run", "mode=0755" },
		{ "tmpfs", "/dev/shm", "mode=1777" },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(fs); i++)
		r = mount_at(fs[i].what, fs[i].dir, fs[i].what, MS_NOSUID | MS_NODEV, fs[i].data,
			     e);
	return r;
}

/* Version 1: a hierarchy for every controller that the kernel has, named like it. */
static int mount_v1(struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);
	char *rest, *line;
	int r = fsx_read(AT_FDCWD, "/proc/cgroups", &text, e);

	if (r == 0)
		r = mount_at("tmpfs", CGROUPS, "tmpfs", 0, "mode=0755", e);
	rest = r == 0 ? text.buf : NULL;
	while (r == 0 && rest && (line = str_cut(&rest, "\n"))) {
		char *name = str_cut(&line, "\t"), *dir;

		if (!name || !*name || name[0] == '#' || !line || !strchr(line, '1'))
			continue; /* the last column: enabled */
		dir = xasprintf(CGROUPS "/%s", name);
		/* one that isn't there in version 1 is told by who needs it */
		if (mount_at("cgroup", dir, "cgroup", 0, name, NULL) < 0)
			(void)rmdir(dir);
		free(dir);
	}
	if (r == 0 && !fsx_exists(AT_FDCWD, CGROUPS "/memory"))
		return err_set(e, -ENOTSUP, "this kernel has no memory controller of version 1 "
					    "(CONFIG_MEMCG_V1)");
	return r;
}

/* Is that word on the kernel's command line? */
static bool on_cmdline(const char *word)
{
	_cleanup_free_ char *line = NULL;
	char *rest, *w;

	if (fsx_read_line(AT_FDCWD, "/proc/cmdline", &line, NULL) < 0)
		return false;
	rest = line;
	while ((w = str_cut(&rest, " ")))
		if (strcmp(w, word) == 0)
			return true;
	return false;
}

static int mount_cgroups(struct err *e)
{
	if (on_cmdline("mmgauge.cgroup=v1"))
		return mount_v1(e);
	return mount_at("cgroup2", CGROUPS, "cgroup2", 0, NULL, e);
}

static int loopback_up(struct err *e)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	_cleanup_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 && errno == EAFNOSUPPORT)
		return 0; /* a kernel without network: who needs it says so */
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return err_errno(e, errno, "could not bring the loopback interface up");
	return 0;
}

static int load_module(const char *name, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("/modules/%s", name);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
		return err_errno(e, errno, "could not load module \"%s\"", name);
	return 0;
}

static int load_modules(struct err *e)
{
	struct dirent **names = NULL;
	int n = scandir("/modules", &names, NULL, alphasort);
	int r = 0;

	for (int i = 0; i < n; i++) {
		if (r == 0 && names[i]->d_name[0] != '.')
			r = load_module(names[i]->d_name, e);
		free(names[i]);
	}
	free(names);
	return r;
}

/*
 * What a child says must be out of the guest before the child goes on, perhaps into a crash: with
 * a real-time priority we run as soon as there is something to carry, and sleep else.
 */
static int go_first(struct err *e)
{
	const struct sched_param p = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) < 0)
		return err_errno(e, errno, "could not take a real-time priority");
	return 0;
}

static int set_up(struct err *e)
{
	int r = open_console(e);

	if (r == 0)
		r = mount_all(e);
	if (r == 0)
		r = mount_cgroups(e);
	if (r == 0)
		r = load_modules(e);
	if (r == 0)
		r = loopback_up(e);
	if (r == 0)
		r = ports_open(e);
	if (r == 0)
		r = go_first(e);
	return r;
}

static int open_input(struct err *e)
{
	int fd = open("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;

	if (fd < 0)
		return err_errno(e, errno, "could not open \"/dev/ttyS1\"");
	if (tcgetattr(fd, &t) < 0)
		return err_errno(e, errno, "could not use \"/dev/ttyS1\"");
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	if (tcsetattr(fd, TCSANOW, &t) < 0)
		return err_errno(e, errno, "could not use \"/dev/ttyS1\"");
	return fd;
}

static int child_signals(struct err *e)
{
	sigset_t set;
	int fd;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_errno(e, errno, "could not make a signalfd") : fd;
}

/* Orphans of the guest are ours; the child that we wait for is left alone. */
static void reap_orphans(int fd, pid_t child)
{
	struct signalfd_siginfo si;
	siginfo_t info = { 0 };

	(void)!read(fd, &si, sizeof(si));
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid &&
	       info.si_pid != child) {
		(void)waitpid(info.si_pid, NULL, 0);
		info = (siginfo_t){ 0 };
	}
}

/* Takes what is there from @from; false at its end. */
static bool carry(int from, int to)
{
	char buf[4096];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	for (ssize_t done = 0, k; to >= 0 && done < n; done += k) {
		k = write(to, buf + done, (size_t)(n - done));
		if (k < 0)
			return false;
	}
	if (to < 0)
		port_write(buf, (size_t)n);
	return n > 0;
}

/*
 * Carries bytes between the child and the host until the child closes its output. It sleeps
 * while a case runs: the agent says nothing in a measured window, and the host speaks only when
 * spoken to.
 */
static void relay(struct spawn *s, int tty, int chld)
{
	for (;;) {
		struct pollfd p[] = {
			{ .fd = s->out, .events = POLLIN },
			{ .fd = tty, .events = POLLIN },
			{ .fd = chld, .events = POLLIN },
		};

		if (poll(p, ARRAY_LEN(p), -1) < 0 && errno != EINTR)
			return;
		if (p[2].revents)
			reap_orphans(chld, s->pid);
		if (p[1].revents && !carry(tty, s->in))
			tty = -1;
		if (p[0].revents && !carry(s->out, -1))
			return;
	}
}

static int run_agent(int chld, bool *ret_ok, struct err *e)
{
	char *argv[] = { (char[]){ "/init" }, (char[]){ "--wire" }, NULL };
	_cleanup_close_ int tty = open_input(e);
	struct spawn s = SPAWN_INIT;
	int status, r = tty;

	if (r >= 0)
		r = spawn_start(argv, SPAWN_PIPE_IN | SPAWN_PIPE_OUT, &s, e);
	if (r < 0)
		return r;
	relay(&s, tty, chld);
	r = spawn_wait(&s, &status, e);
	if (r == 0 && WIFSIGNALED(status))
		log_warn("the agent was killed by signal %d", WTERMSIG(status));
	*ret_ok = r == 0 && status == 0;
	return r;
}

/*
 * Counting: everything that was not said before must be silent now. The machine is kept as it is
 * after two idle seconds, which cost nothing where idling is jumped over, and goes on from there
 * once for every job: what the host would have said is in its fw_cfg.
 */
#define QUIET_NS (2 * NSEC_PER_SEC)

/* The kernel's functions, where they are under this command line: no address is random. */
static int say_symbols(bool *ret_ok, struct err *e)
{
	_cleanup_close_ int fd = fsx_open(AT_FDCWD, "/proc/kallsyms", O_RDONLY, e);
	char buf[8192];
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		port_write(buf, (size_t)n);
	*ret_ok = n == 0;
	return n < 0 ? err_errno(e, errno, "could not read the kernel's symbols") : 0;
}

static int run_counted(int chld, bool *ret_ok, struct err *e)
{
	static const char path[] = "/run/job";
	char *argv[] = { (char[]){ "/init" }, (char[]){ "--wire" }, (char[]){ "/run/job" }, NULL };
	_cleanup_str_ struct str job = STR_INIT(FW_CFG_MAX);
	struct spawn s = SPAWN_INIT;
	int status, r;

	clock_sleep_until_ns(clock_mono_ns() + QUIET_NS);
	port_snapshot();
	r = fw_cfg_read(GUEST_JOB_FILE, &job, e);
	if (r == 0 && str_eq(str_text(&job), GUEST_JOB_SYMBOLS))
		return say_symbols(ret_ok, e);
	if (r == 0)
		r = fsx_replace(AT_FDCWD, path, str_text(&job), e);
	if (r == 0)
		r = spawn_start(argv, SPAWN_PIPE_OUT, &s, e);
	if (r < 0)
		return r;
	relay(&s, -1, chld);
	r = spawn_wait(&s, &status, e);
	*ret_ok = r == 0 && status == 0;
	return r;
}

static int run_program(char *line, int chld, bool *ret_ok, struct err *e)
{
	char *argv[JOB_WORDS_MAX + 1] = { NULL }, *word, how[80];
	struct spawn s = SPAWN_INIT;
	_cleanup_str_ struct str say = STR_INIT(4096);
	int status, r;

	str_addf(&say, "=== %s\n", line);
	port_write(str_text(&say), say.len);
	for (size_t n = 0; n < JOB_WORDS_MAX && (word = str_cut(&line, " "));)
		if (*word)
			argv[n++] = word;
	if (!argv[0])
		return 0;
	r = spawn_start(argv, SPAWN_PIPE_OUT | SPAWN_ERR_TO_OUT, &s, e);
	if (r < 0)
		return r;
	relay(&s, -1, chld);
	r = spawn_wait(&s, &status, e);
	if (r < 0)
		return r;
	*ret_ok = *ret_ok && status == 0;
	str_clear(&say);
	str_addf(&say, "=== %s\n", spawn_describe(status, how, sizeof(how)));
	port_write(str_text(&say), say.len);
	return 0;
}

static int run_job(int chld, bool *ret_ok, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);
	char *rest, *line;
	int r = fsx_read(AT_FDCWD, "/job", &text, e);

	*ret_ok = true;
	rest = r == 0 ? text.buf : NULL;
	while (r == 0 && rest && (line = str_cut(&rest, "\n")))
		if (*line)
			r = run_program(line, chld, ret_ok, e);
	return r;
}

void agent_init(void)
{
	_cleanup_close_ int chld = -EBADF;
	struct err e = { 0 };
	bool ok = false;
	int r = set_up(&e);

	log_set_name("mmgauge-init");
	(void)setenv("PATH", "/bin:/sbin:/", 1); /* NOLINT(concurrency-mt-unsafe): one thread */
	(void)setenv("HOME", "/", 1); /* NOLINT(concurrency-mt-unsafe) */
	(void)setenv("TMPDIR", "/tmp", 1); /* NOLINT(concurrency-mt-unsafe) */
	if (r == 0)
		r = chld = child_signals(&e);
	if (r >= 0)
		r = fsx_exists(AT_FDCWD, "/job") ? run_job(chld, &ok, &e) :
		    on_cmdline(GUEST_COUNT_WORD) ? run_counted(chld, &ok, &e) :
					     run_agent(chld, &ok, &e);
	if (r < 0)
		log_err(&e);
	end_guest(r < 0 ? INIT_FAILED : ok ? INIT_DONE : INIT_BAD);
}
