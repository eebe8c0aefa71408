/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time of the whole machine since boot, from proc/stat (resolution: one tick of USER_HZ,
 * 10 ms). Take a reading before and after and subtract.
 */
#ifndef SYS_CPU_H
#define SYS_CPU_H

#include <stdint.h>

#include "base/compiler.h"

struct err;

struct sys_cpu {
	uint64_t busy_ns;  /* user (guests are in it), nice, system, irq, softirq */
	uint64_t idle_ns;  /* idle and iowait */
	uint64_t steal_ns; /* the hypervisor ran something else; in neither of the above */
	unsigned n;	   /* CPUs online */
};

/* @rootfd: descriptor of "/" or of a tree of fixtures, here and in all of sys/. */
__must_check int sys_cpu_read(int rootfd, struct sys_cpu *ret, struct err *e);

#endif
