/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks, all in nanoseconds. Monotonic time is comparable between processes of one boot. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_MSEC UINT64_C(1000000)
#define NSEC_PER_USEC UINT64_C(1000)

uint64_t clock_mono_ns(void);	    /* CLOCK_MONOTONIC */
uint64_t clock_wall_ns(void);	    /* CLOCK_REALTIME, since the epoch */
uint64_t clock_thread_cpu_ns(void); /* CPU time of the calling thread */
uint64_t clock_process_cpu_ns(void); /* CPU time of the calling process, all threads */
void clock_sleep_until_ns(uint64_t mono_ns); /* returns at or after it, whatever signals come */

#endif
