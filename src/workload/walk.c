// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/walk.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/err.h"
#include "workload/workload.h"

const char *const walk_orders[] = { "sequential", "random", NULL };
const char *const walk_accesses[] = { "write", "read", NULL };
const char *const walk_populates[] = { "touch", "populate", NULL };

int walk_map(const struct params *p, size_t bytes, char **ret_mem, struct err *e)
{
	int populate = params_u64(p, "populate") == WALK_POPULATE ? MAP_POPULATE : 0;
	char *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);

	if (mem == MAP_FAILED)
		return err_errno(e, errno, "could not map %zu bytes", bytes);
	*ret_mem = mem;
	return 0;
}
