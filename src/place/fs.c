// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The work directory: a scratch folder where the user says, or a file system of our own. Own
 * ones vanish whole, and no page cache of theirs keeps a group alive. The image of a loop file
 * system lies in a tmpfs of ours, as in the containerised readtwice of 2020.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/spawn.h"
#include "base/str.h"
#include "place/internal.h"
#include "undo/undo.h"

#define LOOP_IMAGE_BYTES (UINT64_C(1) << 30) /* sparse; mkfs.xfs wants 300 MiB at least */
#define LOOP_TRIES 16

/* What is noted is removed whole: a folder that is there already is not ours. */
static int make_dir(struct place *p, const char *dir, struct err *e)
{
	int r;

	if (fsx_exists(AT_FDCWD, dir)) {
		r = err_set(e, -EEXIST, "folder \"%s\" is there already", dir);
		err_hint(e, "\"mmgauge clean\" takes back what a killed run left");
		return r;
	}
	r = undo_note_rmtree(p->undo, dir, e);
	if (r < 0)
		return r;
	if (mkdir(dir, 0700) < 0)
		return err_errno(e, errno, "could not make folder \"%s\"", dir);
	return 0;
}

static int mount_noted(struct place *p, const char *source, const char *dir, const char *type,
		       const char *options, struct err *e)
{
	int r = undo_note_umount(p->undo, dir, e);

	if (r < 0)
		return r;
	if (mount(source, dir, type, MS_NOSUID | MS_NODEV, options) == 0)
		return 0;
	r = err_errno(e, errno, "could not mount %s (%s) on \"%s\"", type, options, dir);
	if (r == -EPERM)
		err_hint(e, "mounting needs root; fs=dir works without");
	else if (r == -ENODEV)
		err_hint(e, "this kernel has no %s; choose another fs=", type);
	return r;
}

/* huge=never: one page a fault, whatever the machine's default for tmpfs is. */
static int mount_tmpfs(struct place *p, const char *dir, uint64_t bytes, struct err *e)
{
	char options[80], size[24] = "100%";
	int r;

	if (bytes)
		(void)num_fmt_size(size, sizeof(size), bytes);
	(void)snprintf(options, sizeof(options), "size=%s,mode=0700,huge=never", size);
	r = mount_noted(p, "mmgauge", dir, "tmpfs", options, e);
	if (r != -EINVAL)
		return r;
	/* COMPAT: a kernel without CONFIG_TRANSPARENT_HUGEPAGE does not know the option */
	(void)snprintf(options, sizeof(options), "size=%s,mode=0700", size);
	return mount_noted(p, "mmgauge", dir, "tmpfs", options, e);
}

static int make_image(const char *image, uint64_t bytes, struct err *e)
{
	_cleanup_close_ int fd = open(image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return err_errno(e, errno, "could not make image \"%s\"", image);
	return 0;
}

static int mkfs(const char *type, const char *image, struct err *e)
{
	_cleanup_free_ char *program = xasprintf("mkfs.%s", type);
	char quiet[] = "-q", force[] = "-F";
	_cleanup_free_ char *file = xstrdup(image);
	char *argv[] = { program, quiet, file, NULL, NULL };
	int r;

	if (strcmp(type, "ext4") == 0)
		argv[3] = force;
	r = spawn_run(argv, NULL, e);
	if (r == -ENOENT)
		err_hint(e, "install %s, or choose another fs=",
			 strcmp(type, "xfs") == 0 ? "xfsprogs" : "e2fsprogs");
	return r;
}

/* Attaches @image to free loop device number @n. -EBUSY when somebody else was faster. */
static int attach(struct place *p, int n, const char *image, char **ret_dev, struct err *e)
{
	_cleanup_free_ char *dev = xasprintf("/dev/loop%d", n);
	_cleanup_close_ int image_fd = fsx_open(AT_FDCWD, image, O_RDWR, e);
	_cleanup_close_ int fd = -EBADF;
	struct loop_config config = { .fd = (__u32)image_fd };
	int r;

	if (image_fd < 0)
		return image_fd;
	r = undo_note_loop(p->undo, dev, image, e);
	if (r < 0)
		return r;
	fd = fsx_open(AT_FDCWD, dev, O_RDWR, e);
	if (fd < 0)
		return fd;
	if (ioctl(fd, LOOP_CONFIGURE, &config) < 0)
		return err_errno(e, errno, "could not attach \"%s\" to %s", image, dev);
	*ret_dev = steal_ptr(&dev);
	return 0;
}

static int attach_free(struct place *p, const char *image, char **ret_dev, struct err *e)
{
	_cleanup_close_ int control = fsx_open(AT_FDCWD, "/dev/loop-control", O_RDWR, e);
	int r = -EBUSY;

	if (control < 0)
		return control;
	for (int i = 0; r == -EBUSY && i < LOOP_TRIES; i++) {
		int n = ioctl(control, LOOP_CTL_GET_FREE);

		if (n < 0)
			return err_errno(e, errno, "could not find a free loop device");
		r = attach(p, n, image, ret_dev, e);
	}
	return r;
}

/* @dir becomes a tmpfs with the image and, below it, the mounted file system. */
static int open_loop(struct place *p, const char *type, const char *dir, uint64_t bytes,
		     struct err *e)
{
	_cleanup_free_ char *image = xasprintf("%s/image", dir);
	_cleanup_free_ char *mnt = xasprintf("%s/mnt", dir);
	_cleanup_free_ char *dev = NULL;
	int r = mount_tmpfs(p, dir, 0, e);

	if (r == 0)
		r = make_image(image, bytes ? bytes : LOOP_IMAGE_BYTES, e);
	if (r == 0)
		r = mkfs(type, image, e);
	if (r == 0)
		r = attach_free(p, image, &dev, e);
	if (r == 0 && mkdir(mnt, 0700) < 0)
		r = err_errno(e, errno, "could not make folder \"%s\"", mnt);
	if (r == 0)
		r = mount_noted(p, dev, mnt, type, "", e);
	if (r == 0)
		p->dir = steal_ptr(&mnt);
	return r;
}

static const char *scratch_parent(const struct place *p)
{
	const char *tmp = getenv("TMPDIR");

	if (p->spec->dir)
		return p->spec->dir;
	return tmp && *tmp == '/' ? tmp : "/tmp";
}

static int open_fs(struct place *p, const char *fs, const char *dir, struct err *e)
{
	const char *size = strchr(fs, ':');
	uint64_t bytes = 0;
	int r = size ? num_size(size + 1, &bytes, e) : 0;

	if (r == 0)
		r = make_dir(p, dir, e);
	if (r < 0)
		return r;
	if (str_starts(fs, "xfs-loop"))
		return open_loop(p, "xfs", dir, bytes, e);
	if (str_starts(fs, "ext4-loop"))
		return open_loop(p, "ext4", dir, bytes, e);
	if (str_starts(fs, "tmpfs"))
		r = mount_tmpfs(p, dir, bytes, e);
	if (r == 0)
		p->dir = xstrdup(dir);
	return r;
}

int place_open_dir(struct place *p, const char *default_fs, struct err *e)
{
	/* naming a folder without a file system means that folder's */
	const char *fs = p->spec->fs ? p->spec->fs : p->spec->dir ? "dir" : default_fs;
	_cleanup_free_ char *dir = xasprintf("%s/mmgauge-%s", scratch_parent(p), p->id);
	int r;

	if (!default_fs && !p->spec->fs && !p->spec->dir)
		return 0;
	if (!p->spec->fs && fs && strcmp(fs, "dir") != 0 && geteuid() != 0)
		fs = "dir"; /* may not mount: the default gives way to what is there */
	r = open_fs(p, fs, dir, e);
	if (r < 0)
		return err_wrap(e, r, "work directory (fs=%s)", fs);
	p->dirfd = fsx_open(AT_FDCWD, p->dir, O_RDONLY | O_DIRECTORY, e);
	if (p->dirfd < 0)
		return p->dirfd;
	place_record(p, 0, 0, "", "fs", p->spec->fs ? p->spec->fs : "", fs, p->dir);
	return 0;
}
