// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU and KVM as they are here. That /dev/kvm exists says little: in a virtual machine it may
 * start a guest and then run it an instruction at a time, or abort. So a boot decides, and the
 * answer is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/spawn.h"
#include "kernel/kernel.h"
#include "target/vm/guest.h"

#define QEMU "qemu-system-x86_64"
#define QEMU_OLDEST 5
#define VERSION_MAX 65536

int guest_qemu_version(char **ret, struct err *e)
{
	char *argv[] = { (char[]){ QEMU }, (char[]){ "--version" }, NULL };
	_cleanup_str_ struct str out = STR_INIT(VERSION_MAX);
	_cleanup_free_ char *major = NULL;
	const char *p;
	uint64_t n = 0;
	int r = spawn_run(argv, &out, e);

	if (r == -ENOENT)
		err_hint(e, "virtual machines need QEMU: install qemu-system-x86");
	if (r < 0)
		return r;
	p = strstr(str_text(&out), "version ");
	p = p ? p + strlen("version ") : "";
	major = xstrndup(p, strspn(p, "0123456789"));
	if (num_u64(major, &n, NULL) < 0)
		return err_set(e, -ENOTSUP, "could not tell the version of \"%s\"", QEMU);
	if (n < QEMU_OLDEST)
		return err_set(e, -ENOTSUP, "QEMU %s is too old: at least %d is needed", major,
			       QEMU_OLDEST);
	*ret = xstrndup(p, strspn(p, "0123456789."));
	return 0;
}

static char *note_path(void)
{
	_cleanup_free_ char *dir = kernel_cache_dir();

	return dir ? xasprintf("%s/kvm", dir) : NULL;
}

/* What the answer depends on; another host kernel is asked again. */
static char *note_line(const char *qemu_version, bool works)
{
	struct utsname u;

	if (uname(&u) < 0)
		return xstrdup("");
	return xasprintf("%s %s %s qemu %s: %s", u.nodename, u.release, u.version, qemu_version,
			 works ? "yes" : "no");
}

int guest_kvm_known(const char *qemu_version)
{
	_cleanup_free_ char *path = note_path(), *line = NULL;
	_cleanup_free_ char *yes = note_line(qemu_version, true);
	_cleanup_free_ char *no = note_line(qemu_version, false);
	_cleanup_close_ int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return 0; /* not kept: the rights may be others tomorrow */
	if (!path || fsx_read_line(AT_FDCWD, path, &line, NULL) < 0)
		return -1;
	return str_eq(line, yes) ? 1 : str_eq(line, no) ? 0 : -1;
}

void guest_kvm_note(const char *qemu_version, bool works)
{
	_cleanup_free_ char *path = note_path(), *dir = kernel_cache_dir();
	_cleanup_free_ char *line = note_line(qemu_version, works);

	/* without a cache it is asked again next time */
	if (dir && fsx_mkdirs(AT_FDCWD, dir, 0755, NULL) == 0)
		(void)!fsx_replace(AT_FDCWD, path, line, NULL);
}
