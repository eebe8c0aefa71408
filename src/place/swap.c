// SPDX-License-Identifier: GPL-2.0-or-later
/* Swap on a zram device of our own: a free one, or one that is added for it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "place/internal.h"
#include "undo/undo.h"

#define HOT_ADD "/sys/class/zram-control/hot_add"

/* Reading hot_add makes a device and tells its number. */
static int hot_add(uint64_t *ret, struct err *e)
{
	int r;

	if (!fsx_exists(AT_FDCWD, "/sys/class/zram-control")) {
		r = err_set(e, -ENODEV, "this kernel has no zram");
		err_hint(e, "load the module zram, or leave swap= out");
		return r;
	}
	return fsx_read_u64(AT_FDCWD, HOT_ADD, ret, e);
}

/*
 * What mkswap writes (union swap_header in the kernel's linux/swap.h): at 1024 the version, the
 * number of the last page and of bad ones; the signature at the end of the first page.
 */
static int write_swap_header(const char *node, uint64_t bytes, struct err *e)
{
	size_t page = (size_t)getpagesize();
	_cleanup_free_ char *buf = xcalloc(1, page);
	_cleanup_close_ int fd = open(node, O_WRONLY | O_CLOEXEC);
	const uint32_t info[] = { 1, (uint32_t)(bytes / page - 1), 0 };

	if (fd < 0)
		return err_errno(e, errno, "could not open \"%s\"", node);
	memcpy(buf + 1024, info, sizeof(info));
	memcpy(buf + page - 10, "SWAPSPACE2", 10); /* NOLINT(bugprone-not-null-terminated-result) */
	if (pwrite(fd, buf, page, 0) != (ssize_t)page || fsync(fd) < 0)
		return err_errno(e, errno, "could not write to \"%s\"", node);
	return 0;
}

static int set_up_zram(struct place *p, uint64_t dev, uint64_t bytes, struct err *e)
{
	_cleanup_free_ char *attr = xasprintf("/sys/block/zram%" PRIu64 "/disksize", dev);
	_cleanup_free_ char *node = xasprintf("/dev/zram%" PRIu64, dev);
	char text[24];
	int r;

	(void)snprintf(text, sizeof(text), "%" PRIu64, bytes);
	r = fsx_write(AT_FDCWD, attr, text, e);
	if (r == 0)
		r = write_swap_header(node, bytes, e);
	if (r == 0)
		r = undo_note_swapoff(p->undo, node, e);
	if (r < 0)
		return r;
	if (swapon(node, 0) < 0)
		return err_errno(e, errno, "could not switch swap on on \"%s\"", node);
	place_record(p, 0, 0, "", "swap", p->spec->swap, node, attr);
	return 0;
}

int place_open_swap(struct place *p, struct err *e)
{
	const char *size = p->spec->swap ? strchr(p->spec->swap, ':') : NULL;
	uint64_t dev, bytes;
	int r;

	if (!size)
		return 0;
	r = num_size(size + 1, &bytes, e);
	if (r == 0)
		r = hot_add(&dev, e);
	/* noted after the fact: a device that was added and not noted is empty and harmless */
	if (r == 0)
		r = undo_note_zram(p->undo, (unsigned)dev, 1, e);
	if (r == 0)
		r = set_up_zram(p, dev, bytes, e);
	return r < 0 ? err_wrap(e, r, "swap=%s", p->spec->swap) : 0;
}
