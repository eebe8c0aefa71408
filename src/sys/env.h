/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment record: what about this machine can move a number, stored with every run and
 * compared between variants. Keys are the kernel's own names where there is one ("vm.swappiness",
 * "thp.enabled", "cmdline"); values are text as the kernel gives it, a choice in brackets reduced
 * to what is chosen. What can't be read is absent.
 *
 * "kernel.config.X" come from /boot/config-RELEASE alone: proc/config.gz needs a decompressor,
 * which the agent doesn't carry.
 */
#ifndef SYS_ENV_H
#define SYS_ENV_H

#include "base/compiler.h"

struct err;
struct kvs;

/* Sets the keys in *@ret, which must be initialised. Takes a few milliseconds. */
__must_check int sys_env_read(int rootfd, struct kvs *ret, struct err *e);

#endif
