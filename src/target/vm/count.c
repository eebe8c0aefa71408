// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/vm/count.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/log.h"
#include "base/str.h"
#include "kernel/initrd.h"
#include "kernel/kernel.h"
#include "kernel/symbols.h"
#include "target/vm/guest.h"
#include "target/vm/qmp.h"
#include "wire/guest.h"

#define MANIFEST_MAX 65536
#define KEY_DIGITS 32
#define SYMBOLS_MAX (64u << 20)

/* Where a guest stops for its snapshot, and is when it was woken: pvpanic's word for it. */
#define STOPPED "guest-panicked"

void count_done(struct count *c)
{
	free(c->key);
	free(c->machine);
	free(c->flags);
	*c = (struct count){ 0 };
}

static void cleanup_qmp(struct qmp *q)
{
	qmp_done(q);
}
#define _cleanup_qmp_ __attribute__((cleanup(cleanup_qmp)))

static void cleanup_guest(struct guest *g)
{
	guest_stop(g);
}
#define _cleanup_guest_ __attribute__((cleanup(cleanup_guest)))

/* Everything that a snapshot depends on, a line each. */
static int manifest(const struct guest_spec *s, const char *qemu_version, const char *dir,
		    struct str *out, struct err *e)
{
	_cleanup_free_ char *initrd = xasprintf("%s/initrd", dir);
	_cleanup_free_ char *flags = guest_count_flags(s);
	char kernel_hash[65], initrd_hash[65];
	int r = kernel_hash_file(s->kernel->image, kernel_hash, e);

	if (r == 0)
		r = initrd_write(s->initrd, initrd, e);
	if (r == 0)
		r = kernel_hash_file(initrd, initrd_hash, e);
	(void)unlink(initrd);
	if (r < 0)
		return r;
	str_addf(out, "qemu %s\nflags %s\nkernel %s %s\ninitrd %s\n", qemu_version, flags,
		 s->kernel->release, kernel_hash, initrd_hash);
	return 0;
}

/* The end of a guest that should have come to its snapshot. */
static int ended_early(struct guest *g, int code, const struct guest_spec *s, struct err *e)
{
	_cleanup_guest_outcome_ struct guest_outcome o = { 0 };
	int r;

	guest_finish(g, code == -ETIMEDOUT ? GUEST_TIMEOUT : GUEST_DONE, &o);
	r = err_set(e, code == -ETIMEDOUT ? -ETIMEDOUT : -EIO,
		    "the guest of kernel \"%s\" ended in: %s%s%s", s->kernel->release,
		    guest_end_name(o.end), o.text[0] ? ": " : "", o.text);
	if (o.console.n)
		err_hint(e, "last on its console: %s", o.console.v[o.console.n - 1]);
	return r;
}

/* Boots up to the snapshot and writes it to @path. */
static int make(const struct guest_spec *s, const char *path, uint64_t deadline_ns,
		struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	_cleanup_guest_ struct guest g = GUEST_INIT;
	_cleanup_qmp_ struct qmp q = QMP_INIT;
	_cleanup_free_ char *socket = NULL;
	int r;

	if (fd < 0)
		return err_errno(e, errno, "could not create \"%s\"", path);
	r = guest_start(s, &g, e);
	if (r < 0)
		return r;
	socket = guest_qmp_path(&g);
	r = qmp_open(socket, g.qemu.pidfd, deadline_ns, &q, e);
	if (r == 0)
		r = qmp_await(&q, STOPPED, deadline_ns, e);
	if (r == -EPIPE || r == -ETIMEDOUT)
		return ended_early(&g, r, s, e);
	if (r == 0)
		r = qmp_save(&q, fd, deadline_ns, e);
	if (r == 0 && fsync(fd) < 0)
		r = err_errno(e, errno, "could not write \"%s\"", path);
	return r;
}

/* A whole snapshot or none: made in a folder of its own, which is then renamed. */
static int make_entry(const struct count *c, const struct guest_spec *s, const char *folder,
		      const char *temp, const char *text, uint64_t deadline_ns, struct err *e)
{
	_cleanup_free_ char *machine = xasprintf("%s/machine", temp);
	_cleanup_free_ char *words = xasprintf("%s/manifest", temp);
	_cleanup_free_ char *entry = xasprintf("%s/%s", folder, c->key);
	int r;

	log_info("booting kernel %s once to count on it", s->kernel->release);
	r = make(s, machine, deadline_ns, e);
	if (r == 0)
		r = fsx_replace(AT_FDCWD, words, text, e);
	if (r == 0 && rename(temp, entry) < 0 && errno != EEXIST && errno != ENOTEMPTY)
		r = err_errno(e, errno, "could not keep the snapshot in \"%s\"", entry);
	return r;
}

static int prepare_in(struct count *c, const struct guest_spec *s, const char *qemu_version,
		      const char *folder, const char *temp, uint64_t deadline_ns, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(MANIFEST_MAX);
	_cleanup_free_ char *draft = xasprintf("%s/manifest", temp);
	char hash[65];
	int r = manifest(s, qemu_version, temp, &text, e);

	if (r == 0)
		r = fsx_replace(AT_FDCWD, draft, str_text(&text), e);
	if (r == 0)
		r = kernel_hash_file(draft, hash, e);
	if (r < 0)
		return r;
	hash[KEY_DIGITS] = '\0';
	c->key = xstrdup(hash);
	c->machine = xasprintf("%s/%s/machine", folder, c->key);
	c->flags = guest_count_flags(s);
	if (fsx_exists(AT_FDCWD, c->machine))
		return 0;
	return make_entry(c, s, folder, temp, str_text(&text), deadline_ns, e);
}

int count_prepare(struct count *c, const struct guest_spec *s, const char *qemu_version,
		  uint64_t deadline_ns, struct err *e)
{
	_cleanup_free_ char *cache = kernel_cache_dir(), *folder = NULL, *temp = NULL;
	_cleanup_close_ int lock = -EBADF;
	struct count made = { 0 };
	int r;

	if (!cache)
		return err_set(e, -ENOENT, "there is no place for snapshots: set $HOME");
	folder = xasprintf("%s/snapshots", cache);
	r = fsx_mkdirs(AT_FDCWD, folder, 0755, e);
	if (r < 0)
		return r;
	lock = kernel_cache_temp(folder, &temp, e); /* until it is renamed or removed */
	if (lock < 0)
		return lock;
	r = prepare_in(&made, s, qemu_version, folder, temp, deadline_ns, e);
	(void)!fsx_remove_tree(AT_FDCWD, temp, NULL); /* when it wasn't renamed */
	if (r < 0) {
		count_done(&made);
		return r;
	}
	count_done(c);
	*c = made;
	return 0;
}

int count_start(const struct count *c, const struct guest_spec *s, uint64_t deadline_ns,
		struct guest *ret, struct err *e)
{
	_cleanup_close_ int fd = open(c->machine, O_RDONLY | O_CLOEXEC);
	_cleanup_guest_ struct guest g = GUEST_INIT;
	_cleanup_qmp_ struct qmp q = QMP_INIT;
	_cleanup_free_ char *socket = NULL;
	struct guest_spec from = *s;
	int r;

	/* QEMU reads it by its number: it is inherited */
	if (fd < 0 || fcntl(fd, F_SETFD, 0) < 0)
		return err_errno(e, errno, "could not open \"%s\"", c->machine);
	from.snapshot_fd = fd;
	r = guest_start(&from, &g, e);
	if (r < 0)
		return r;
	socket = guest_qmp_path(&g);
	r = qmp_open(socket, g.qemu.pidfd, deadline_ns, &q, e);
	if (r == 0)
		r = qmp_await(&q, STOPPED, deadline_ns, e);
	if (r == -EPIPE || r == -ETIMEDOUT)
		return ended_early(&g, r, s, e);
	if (r == 0)
		r = qmp_do(&q, "cont", deadline_ns, e);
	if (r < 0)
		return r;
	*ret = g;
	g = GUEST_INIT;
	return 0;
}

/* All that the guest says, up to the end of its output. */
static int read_all(struct guest *g, uint64_t deadline_ns, struct str *out, struct err *e)
{
	for (;;) {
		uint64_t now = clock_mono_ns();
		struct pollfd p = { .fd = g->qemu.out, .events = POLLIN };
		char buf[8192];
		ssize_t n;

		if (now >= deadline_ns)
			return err_set(e, -ETIMEDOUT, "the guest did not name its functions");
		if (poll(&p, 1, (int)((deadline_ns - now) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		n = read(g->qemu.out, buf, sizeof(buf));
		if (n < 0 && errno != EINTR)
			return err_errno(e, errno, "could not read what the guest says");
		if (n == 0)
			return str_ok(out) ? 0 : err_set(e, -EFBIG, "too many symbols");
		if (n > 0)
			str_addn(out, buf, (size_t)n);
	}
}

static int ask_symbols(const struct count *c, const struct guest_spec *s, uint64_t deadline_ns,
		       const char *path, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(SYMBOLS_MAX), lines = STR_INIT(SYMBOLS_MAX);
	_cleanup_kernel_symbols_ struct kernel_symbols symbols = { 0 };
	_cleanup_guest_ struct guest g = GUEST_INIT;
	struct guest_spec ask = *s;
	int r;

	ask.job = GUEST_JOB_SYMBOLS;
	r = count_start(c, &ask, deadline_ns, &g, e);
	if (r == 0)
		r = read_all(&g, deadline_ns, &text, e);
	if (r == 0)
		r = kernel_symbols_parse(str_text(&text), text.len, &symbols, e);
	if (r < 0)
		return err_wrap(e, r, "could not get the functions of the guest's kernel");
	kernel_symbols_format(&symbols, &lines);
	return fsx_replace(AT_FDCWD, path, str_text(&lines), e);
}

int count_symbols(const struct count *c, const struct guest_spec *s, uint64_t deadline_ns,
		  char **ret, struct err *e)
{
	size_t len = strlen(c->machine) - strlen("machine");
	_cleanup_free_ char *path = xasprintf("%.*ssymbols", (int)len, c->machine);
	int r = fsx_exists(AT_FDCWD, path) ? 0 : ask_symbols(c, s, deadline_ns, path, e);

	if (r == 0)
		*ret = steal_ptr(&path);
	return r;
}
