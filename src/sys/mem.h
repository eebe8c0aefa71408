/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of the machine, and how it is handed out in large pages. */
#ifndef SYS_MEM_H
#define SYS_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

struct sys_mem {
	uint64_t total_bytes, avail_bytes, free_bytes;
	uint64_t swap_total_bytes, swap_free_bytes;
	uint64_t page_bytes;
	uint64_t thp_bytes;	 /* size of a PMD huge page, 0 without THP */
	char thp_enabled[16];	 /* "always", "madvise", "never", or "" without THP */
	char thp_defrag[16];	 /* "defer+madvise" … */
	char thp_shmem[16];	 /* of shmem_enabled: "within_size" … */
};

__must_check int sys_mem_read(int rootfd, struct sys_mem *ret, struct err *e);

/*
 * The choice in the kernel's "always [madvise] never" form; text without brackets is taken as it
 * is. @buf gets at most @len bytes; returns @buf.
 */
char *sys_chosen(const char *text, char *buf, size_t len);

#endif
