/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the workloads share that touch fresh memory page by page: the loop, and the check that the
 * kernel took the faults that were counted. A fault may bring in more than one page (THP, large
 * folios of a file), so the check needs to know the largest piece.
 */
#ifndef WORKLOAD_FAULT_H
#define WORKLOAD_FAULT_H

#include <stdint.h>

#include "base/compiler.h"

struct err;
struct task;

/* A sanitizer's shadow of mapped memory faults, too: then there may be any number more. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FAULT_SHADOW 1
#elif defined(__has_feature)
#define FAULT_SHADOW (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
#else
#define FAULT_SHADOW 0
#endif

struct fault_loop {
	uint64_t bytes; /* of each mapping */
	int flags;	/* for mmap(2) */
	int fd;		/* -1: anonymous */
};

uint64_t fault_page_bytes(void);

/*
 * Until stopped: maps, stores one zero byte at the start of each page, unmaps. One operation is
 * one page. A stop is seen at the next page; the unmapping of that pass still happens.
 */
__must_check int fault_run(struct task *t, const struct fault_loop *l, struct err *e);

/*
 * The largest piece of anonymous (private, without madvise) or file memory that one fault can
 * map on the machine below @rootfd; UINT64_MAX when there is no sysfs to ask.
 */
uint64_t fault_largest_anon_bytes(int rootfd);
uint64_t fault_largest_file_bytes(int rootfd);

/*
 * Are the faults by rusage enough for @pages touched for the first time, with @largest_bytes at
 * most a fault? Nothing touched is an error, too. fault_check also refuses too many, where no
 * page is touched twice, so that none can be reclaimed and fault again.
 */
__must_check int fault_at_least(const struct task *t, uint64_t pages, uint64_t largest_bytes,
				struct err *e);
__must_check int fault_check(const struct task *t, uint64_t pages, uint64_t largest_bytes,
			     struct err *e);

/* As fault_check for a task whose operations are pages, on the running machine. */
__must_check int fault_verify_anon(struct task *t, struct err *e);
__must_check int fault_verify_cow(struct task *t, struct err *e); /* one page a fault */
__must_check int fault_verify_file(struct task *t, struct err *e);

#endif
