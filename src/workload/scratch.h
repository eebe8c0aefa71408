/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of workloads in the work directory, one per task, named after workload and task. */
#ifndef WORKLOAD_SCRATCH_H
#define WORKLOAD_SCRATCH_H

#include <stdint.h>

#include "base/compiler.h"

struct err;
struct task;
struct workload_ctx;

/* Makes the file, empty but @bytes long; returns its descriptor or -errno. */
__must_check int scratch_open(const struct task *t, const char *workload, uint64_t bytes,
			      struct err *e);
/* Takes its name away; what holds it open goes on. */
__must_check int scratch_unlink(const struct task *t, const char *workload, struct err *e);

/* For setup(): has the work directory's file system room for @bytes? -ENOSPC when not. */
__must_check int scratch_room(const struct workload_ctx *ctx, uint64_t bytes, struct err *e);

#endif
