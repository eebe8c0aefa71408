/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What anon_touch and usemem share: how memory is brought in and gone through. */
#ifndef WORKLOAD_WALK_H
#define WORKLOAD_WALK_H

#include <stddef.h>

#include "base/compiler.h"

struct err;
struct params;

enum { WALK_SEQUENTIAL, WALK_RANDOM };
enum { WALK_WRITE, WALK_READ };
enum { WALK_TOUCH, WALK_POPULATE };

extern const char *const walk_orders[], *const walk_accesses[], *const walk_populates[];

#define WALK_PARAMS                                                                            \
	{ .name = "order", .type = PARAM_CHOICE, .def = "sequential", .choices = walk_orders,    \
	  .help = "rising addresses, or drawn evenly from the whole range" },                    \
	{ .name = "access", .type = PARAM_CHOICE, .def = "write", .choices = walk_accesses,      \
	  .help = "store to memory or load from it" },                                           \
	{ .name = "populate", .type = PARAM_CHOICE, .def = "touch", .choices = walk_populates,   \
	  .help = "pages come by faults of the first touch, or all at once with the mapping" }

/* Maps private anonymous memory, populated when the parameters say so. */
__must_check int walk_map(const struct params *p, size_t bytes, char **ret_mem, struct err *e);

#endif
