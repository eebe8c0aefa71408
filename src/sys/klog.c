// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/klog.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"

/* The longer text before one that it contains. */
static const char *const kinds[] = {
	"Memory cgroup out of memory",
	"Out of memory",
	"invoked oom-killer",
	"page allocation failure",
	"BUG:",
	"kernel BUG at",
	"WARNING:",
	"Oops",
	"general protection",
	"Kernel panic",
	"soft lockup",
	"hard LOCKUP",
	"rcu_sched detected stalls",
	"rcu_preempt detected stalls",
	"blocked for more than",
	"hung task",
	"list_add corruption",
	"list_del corruption",
	"Bad page state",
	"UBSAN:",
	"KASAN:",
	"mce:",
	"Machine check",
	"Hardware Error",
	"temperature above threshold",
	"Clocksource",
	"I/O error",
	"unregister_netdevice: waiting",
};

const char *sys_klog_kind(const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strstr(text, kinds[i]))
			return kinds[i];
	}
	return NULL;
}

int sys_klog_open(int rootfd, struct sys_klog *ret, struct err *e)
{
	_cleanup_close_ int fd = fsx_open(rootfd, "dev/kmsg", O_RDONLY | O_NONBLOCK, e);

	if (fd < 0)
		return fd == -EACCES ? -EPERM : fd;
	if (lseek(fd, 0, SEEK_END) < 0)
		return err_errno(e, errno, "could not go to the end of the kernel log");
	*ret = (struct sys_klog){ .fd = steal_fd(&fd) };
	return 0;
}

/* "6,339,5140900,-;text\n KEY=value\n": what belongs to the record is set off by a blank. */
static void scan(char *records, struct sys_splat *splat)
{
	char *line;

	while ((line = str_cut(&records, "\n"))) {
		const char *text = strchr(line, ';');
		const char *kind = text && *line != ' ' ? sys_klog_kind(text + 1) : NULL;

		if (!kind || splat->kind)
			continue;
		splat->kind = kind;
		(void)snprintf(splat->line, sizeof(splat->line), "%s", text + 1);
	}
}

int sys_klog_read(struct sys_klog *k, struct sys_splat *ret, struct err *e)
{
	char buf[8192]; /* one record a read(2); the kernel's are at most 2 KiB with its keys */
	struct sys_splat splat = { 0 };

	for (;;) {
		ssize_t n = read(k->fd, buf, sizeof(buf) - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE) { /* goes on with the oldest one there is */
			k->lost = true;
			continue;
		}
		if (n < 0 && errno != EAGAIN)
			return err_errno(e, errno, "could not read the kernel log");
		if (n <= 0)
			break;
		buf[n] = '\0';
		scan(buf, &splat);
	}
	*ret = splat;
	return 0;
}

void sys_klog_close(struct sys_klog *k)
{
	cleanup_close(&k->fd);
	*k = SYS_KLOG_INIT;
}
