/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signs that something else was at work on the machine: readings before and after a window, and
 * their difference. What the kernel doesn't tell is SYS_UNKNOWN, in a difference as well.
 */
#ifndef SYS_NOISE_H
#define SYS_NOISE_H

#include <stdint.h>

#include "base/compiler.h"

struct err;

#define SYS_UNKNOWN UINT64_MAX

struct sys_noise {
	/* grow */
	uint64_t busy_ns, idle_ns, steal_ns; /* as in sys/cpu.h */
	uint64_t cpu_some_us, mem_some_us, mem_full_us, io_some_us, io_full_us; /* PSI */
	uint64_t switches;		     /* context switches */
	uint64_t swapin_pages, swapout_pages;
	uint64_t kswapd_scan_pages, direct_scan_pages;
	uint64_t oom_kills;
	uint64_t throttles; /* thermal, summed over CPUs */
	/* now: a difference has those of the later reading */
	uint64_t runnable_tasks; /* at the moment, this process included */
	uint64_t load1_milli;	 /* load average of a minute, times 1000 */
};

__must_check int sys_noise_read(int rootfd, struct sys_noise *ret, struct err *e);
/* @after - @before; a counter that went backwards (a CPU went offline) is SYS_UNKNOWN. */
void sys_noise_delta(const struct sys_noise *before, const struct sys_noise *after,
		     struct sys_noise *ret);
/* Calls @fn for each field that is known: name ("steal_ns"), unit ("ns", "us", "event", "page"). */
void sys_noise_each(const struct sys_noise *n, void (*fn)(const char *name, const char *unit,
							  uint64_t value, void *arg), void *arg);

#endif
