/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks into the page cache, for verify() hooks. */
#ifndef WORKLOAD_CACHE_H
#define WORKLOAD_CACHE_H

#include <stdint.h>

#include "base/compiler.h"

struct err;

/*
 * Counts the pages of @bytes of file @fd from @offset (a multiple of the page size) that are in
 * the page cache now. Holes of a tmpfs never are. The file must be the caller's own.
 */
__must_check int cache_resident(int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_pages,
				struct err *e);

#endif
