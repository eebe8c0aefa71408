/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release. Initialise at the declaration (fd = -EBADF, pointer = NULL) and hand
 * ownership on with steal_fd/steal_ptr. Handlers keep errno. There is no goto in a function
 * that has such a variable. Kernel objects that outlive the process go through undo/ instead.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd); /* never retried on EINTR: on Linux the number is free again */
	errno = saved;
}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fclose(FILE **f)
{
	int saved = errno;

	if (*f)
		(void)fclose(*f);
	errno = saved;
}

static inline int steal_fd(int *fd)
{
	int out = *fd;

	*fd = -EBADF;
	return out;
}

#define _cleanup_(fn) __attribute__((cleanup(fn)))
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)

#define steal_ptr(p)                   \
	({                             \
		typeof(*(p)) out_ = *(p); \
		*(p) = NULL;           \
		out_;                  \
	})

#endif
