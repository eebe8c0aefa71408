/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the TCG plugin counted (its output: plugin/mmgauge-tcg.c), and the difference between two
 * such profiles by function.
 */
#ifndef JUDGE_PROFILE_H
#define JUDGE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;
struct str;

struct profile_fn {
	const char *name;
	uint64_t insns, locked;
};

/* One window. The parts add up to the whole: checked when it is read. */
struct profile {
	struct profile_fn *v; /* by name (bytes), each once */
	size_t n;
	uint64_t insns, locked; /* of all */
	uint64_t faults;	/* page faults in it; those of data count their instruction twice */
	char *text;		/* the names */
};

/*
 * Window @window of the plugin's output, 1 being the first, 0 the last. -EINVAL with the line that
 * isn't right, also for windows not asked for; -ENODATA when the window isn't there or was never
 * closed: a profile that was cut off is no profile.
 */
__must_check int profile_parse(const char *text, size_t len, unsigned window,
			       struct profile *ret, struct err *e);
void profile_done(struct profile *p);
#define _cleanup_profile_ __attribute__((cleanup(profile_done)))

/* A profile of @ops operations, under the name of its variant. */
struct explain_side {
	const char *name;
	const struct profile *p;
	uint64_t ops; /* > 0 */
};

struct explain_row {
	char *name;
	uint64_t base, changed; /* instructions of all operations */
	uint64_t base_locked, changed_locked;
	double diff; /* instructions per operation: changed - base */
	double diff_locked;
};

/*
 * What the compiler made of one function is one: a name ends at its first dot (".cold", ".isra.0",
 * ".constprop.0", ".part.0", ".llvm.123"), since which parts are split off changes with every
 * build. A function that only one side executed is 0 on the other.
 */
struct explain {
	struct explain_side base, changed; /* borrowed */
	struct explain_row *rows; /* largest difference first, then by name; unchanged ones last */
	size_t n;
};

/* -EINVAL when a side has no operations. The sides must outlive @ret. */
__must_check int explain_profiles(const struct explain_side *base,
				  const struct explain_side *changed, struct explain *ret,
				  struct err *e);
void explain_done(struct explain *x);
/* The sum of the rows from the @first on, exactly; from 0 on it is the total. It has no name. */
struct explain_row explain_sum(const struct explain *x, size_t first);
#define _cleanup_explain_ __attribute__((cleanup(explain_done)))

#endif
