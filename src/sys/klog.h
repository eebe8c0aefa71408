/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel said during a run: its log from a position on, searched for splats. Optional:
 * without CAP_SYSLOG, or in a container, there is nothing to read, and the caller goes on.
 */
#ifndef SYS_KLOG_H
#define SYS_KLOG_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

struct sys_klog {
	int fd;
	bool lost; /* records were overwritten before they could be read */
};
#define SYS_KLOG_INIT ((struct sys_klog){ .fd = -EBADF })

struct sys_splat {
	const char *kind; /* "WARNING:", "Memory cgroup out of memory"; NULL: none */
	char line[240];	  /* the text of the record, cut there */
};

/* Opens dev/kmsg at its end. -EPERM when we may not, -ENOENT where there is none. */
__must_check int sys_klog_open(int rootfd, struct sys_klog *ret, struct err *e);
/*
 * Reads all records since open or the last call, without blocking; *@ret is the first splat
 * among them. An out-of-memory kill in a memory cgroup is one as well: whether it was meant to
 * happen the caller knows.
 */
__must_check int sys_klog_read(struct sys_klog *k, struct sys_splat *ret, struct err *e);
void sys_klog_close(struct sys_klog *k);

/* The kind of splat that a line of text shows, or NULL. */
const char *sys_klog_kind(const char *text);

#endif
