// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/cache.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"

#define CHUNK_PAGES 4096

static int count_chunk(int fd, uint64_t offset, size_t bytes, uint64_t *pages, struct err *e)
{
	unsigned char resident[CHUNK_PAGES] = { 0 };
	void *mem = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	int r = 0;

	if (mem == MAP_FAILED)
		return err_errno(e, errno, "could not map a file to look at its page cache");
	if (mincore(mem, bytes, resident) < 0)
		r = err_errno(e, errno, "could not look at the page cache");
	(void)munmap(mem, bytes);
	for (size_t i = 0; i < CHUNK_PAGES; i++)
		*pages += resident[i] & 1;
	return r;
}

int cache_resident(int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_pages, struct err *e)
{
	uint64_t chunk = CHUNK_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t pages = 0;

	for (uint64_t done = 0; done < bytes; done += chunk) {
		uint64_t left = bytes - done;
		int r = count_chunk(fd, offset + done, (size_t)(left < chunk ? left : chunk),
				    &pages, e);

		if (r < 0)
			return r;
	}
	*ret_pages = pages;
	return 0;
}
