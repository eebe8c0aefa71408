/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's machine protocol (QEMU, docs/interop/qmp-spec): a line of JSON each way, events between.
 * Only what keeping and waking a guest takes.
 */
#ifndef TARGET_VM_QMP_H
#define TARGET_VM_QMP_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

struct err;

struct qmp {
	int fd;
	int pidfd;	/* of QEMU; borrowed: when it is readable nobody will answer */
	struct str in;	/* read, not yet taken */
};
#define QMP_INIT ((struct qmp){ .fd = -EBADF, .pidfd = -EBADF })

/* Connects to the socket at @path, which QEMU makes when it starts, and shakes hands. */
__must_check int qmp_open(const char *path, int pidfd, uint64_t deadline_ns, struct qmp *ret,
			  struct err *e);
void qmp_done(struct qmp *q);

/* A command without arguments whose answer says nothing. */
__must_check int qmp_do(struct qmp *q, const char *command, uint64_t deadline_ns, struct err *e);
/*
 * Waits until the machine is in @state ("guest-panicked"). -EPIPE when QEMU ended first,
 * -ETIMEDOUT at the deadline.
 */
__must_check int qmp_await(struct qmp *q, const char *state, uint64_t deadline_ns, struct err *e);
/* Writes the state of the stopped machine to the open file @fd. */
__must_check int qmp_save(struct qmp *q, int fd, uint64_t deadline_ns, struct err *e);

#endif
