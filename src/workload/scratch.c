// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "workload/workload.h"

static void format_name(const struct task *t, const char *workload, char *buf, size_t len)
{
	(void)snprintf(buf, len, "%s-%u", workload, t->index);
}

int scratch_open(const struct task *t, const char *workload, uint64_t bytes, struct err *e)
{
	_cleanup_close_ int fd = -EBADF;
	char name[64];

	format_name(t, workload, name, sizeof(name));
	fd = openat(t->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(e, errno, "could not make \"%s\" in the work directory", name);
	if (bytes && ftruncate(fd, (off_t)bytes) < 0) {
		int r = err_errno(e, errno, "could not make \"%s\" %" PRIu64 " bytes long", name,
				  bytes);

		(void)unlinkat(t->dirfd, name, 0);
		return r;
	}
	return steal_fd(&fd);
}

int scratch_unlink(const struct task *t, const char *workload, struct err *e)
{
	char name[64];

	format_name(t, workload, name, sizeof(name));
	if (unlinkat(t->dirfd, name, 0) < 0)
		return err_errno(e, errno, "could not remove \"%s\" from the work directory",
				 name);
	return 0;
}

int scratch_room(const struct workload_ctx *ctx, uint64_t bytes, struct err *e)
{
	struct statvfs fs;
	uint64_t free_bytes;

	if (fstatvfs(ctx->dirfd, &fs) < 0)
		return err_errno(e, errno, "could not ask for room in the work directory");
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (fs.f_blocks == 0 || bytes <= free_bytes) /* no blocks: a tmpfs without limit */
		return 0;
	err_set(e, -ENOSPC,
		"could not fit %" PRIu64 " MiB into the work directory: it has room for %" PRIu64
		" MiB", bytes >> 20, free_bytes >> 20);
	err_hint(e, "set a smaller size, or another directory with dir= or fs=");
	return -ENOSPC;
}
