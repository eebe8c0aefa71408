// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knobs by their v2 names, and what v1 calls them. The one that needs arithmetic is
 * memory.swap.max: v1 has a limit of memory and swap together (memsw), which must never be below
 * the memory limit (mm/memcontrol-v1.c, mem_cgroup_resize_max), so the order of writes matters.
 */
#include "cgroup/cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/internal.h"

#define V1_LIMIT "memory.limit_in_bytes"
#define V1_MEMSW "memory.memsw.limit_in_bytes"

struct knob {
	const char *name; /* as in v2 */
	const char *v1;	  /* file on v1, NULL: no counterpart */
	bool bytes;
	bool readonly;
};

static const struct knob knobs[] = {
	{ "memory.max", V1_LIMIT, true, false },
	{ "memory.swap.max", V1_MEMSW, true, false },
	{ "memory.high", NULL, true, false },
	{ "memory.low", NULL, true, false },
	{ "memory.min", NULL, true, false },
	{ "memory.swap.high", NULL, true, false },
	{ "memory.zswap.max", NULL, true, false },
	{ "memory.zswap.writeback", NULL, false, false },
	{ "memory.oom.group", NULL, false, false },
	{ "memory.reclaim", NULL, false, false },
	{ "memory.current", "memory.usage_in_bytes", true, true },
	{ "memory.peak", "memory.max_usage_in_bytes", true, true },
	{ "memory.swap.current", NULL, true, true },
	{ "memory.swap.peak", NULL, true, true },
	{ "memory.zswap.current", NULL, true, true },
	{ "memory.events", NULL, false, true },
	{ "memory.pressure", NULL, false, false },
};

/* Files of v1 that are written as they stand and hold bytes. */
static const char *const v1_sizes[] = {
	V1_LIMIT, V1_MEMSW, "memory.soft_limit_in_bytes", "memory.kmem.limit_in_bytes",
	"memory.kmem.tcp.limit_in_bytes",
};

static const struct knob *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(knobs); i++) {
		if (strcmp(knobs[i].name, name) == 0)
			return &knobs[i];
	}
	return NULL;
}

static bool is_v1_size(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(v1_sizes); i++) {
		if (strcmp(v1_sizes[i], name) == 0)
			return true;
	}
	return false;
}

static bool is_v1_name(const char *name)
{
	return strstr(name, "_in_bytes") || str_starts(name, "memory.kmem.") ||
	       str_starts(name, "memory.memsw.") || str_eq(name, "memory.swappiness") ||
	       str_eq(name, "memory.oom_control") || str_eq(name, "memory.force_empty") ||
	       str_eq(name, "memory.use_hierarchy");
}

const char *cg_knob_refusal(enum cg_version v, const char *knob)
{
	const struct knob *k = find(knob);

	if (strchr(knob, '/'))
		return "is not a file name";
	if (v == CG_NONE)
		return "needs the memory controller, which is not available here";
	if (k && k->readonly)
		return "can only be read";
	if (v == CG_V1 && k && !k->v1)
		return "has no counterpart on cgroup v1";
	if (v == CG_V1 && !str_starts(knob, "memory.") && !str_starts(knob, "cgroup."))
		return "is not in the memory hierarchy of cgroup v1";
	if (v == CG_V2 && str_eq(knob, V1_LIMIT))
		return "is called memory.max on cgroup v2";
	if (v == CG_V2 && is_v1_name(knob))
		return "exists only on cgroup v1";
	return NULL;
}

const char *cg_knob_file(enum cg_version v, const char *knob)
{
	const struct knob *k = find(knob);

	return v == CG_V1 && k && k->v1 ? k->v1 : k ? k->name : knob;
}

/* "max" and v1's "-1" are UINT64_MAX. */
static int parse_amount(const char *value, uint64_t *ret, struct err *e)
{
	if (str_eq(value, "max") || str_eq(value, "-1")) {
		*ret = UINT64_MAX;
		return 0;
	}
	return num_size(value, ret, e);
}

/* Reads a size file; no limit is UINT64_MAX in both versions. */
static int read_amount(const struct cg *cg, const char *file, uint64_t *ret, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	uint64_t v;
	int r = fsx_read_line(cg->dirfd, file, &text, e);

	if (r < 0)
		return r;
	r = parse_amount(text, &v, e);
	if (r < 0)
		return err_wrap(e, r, "file \"%s\"", file);
	*ret = cg->env->memory.version == CG_V1 && v >= CG_UNLIMITED ? UINT64_MAX : v;
	return 0;
}

static int write_amount(const struct cg *cg, const char *file, uint64_t v, struct err *e)
{
	char number[24];
	int r;

	if (v == UINT64_MAX)
		(void)snprintf(number, sizeof(number), "%s",
			       cg->env->memory.version == CG_V1 ? "-1" : "max");
	else
		(void)snprintf(number, sizeof(number), "%" PRIu64, v);
	r = fsx_write(cg->dirfd, file, number, e);
	if (r == -EBUSY)
		err_hint(e, "the group holds more than that and nothing more could be reclaimed");
	return r;
}

/* See memsw_hits() in usage.c: the peak must not be from a time with a higher limit. */
static int write_v1_memsw(const struct cg *cg, uint64_t v, struct err *e)
{
	int r = write_amount(cg, V1_MEMSW, v, e);

	if (r < 0 || v == UINT64_MAX)
		return r;
	return fsx_write(cg->dirfd, "memory.memsw.max_usage_in_bytes", "0", e);
}

/* memsw is UINT64_MAX when it has no limit or swap isn't accounted. */
static int read_v1_limits(const struct cg *cg, uint64_t *ret_limit, uint64_t *ret_memsw,
			  struct err *e)
{
	int r = read_amount(cg, V1_LIMIT, ret_limit, e);

	if (r < 0)
		return r;
	r = read_amount(cg, V1_MEMSW, ret_memsw, e);
	if (r != -ENOENT)
		return r;
	*ret_memsw = UINT64_MAX;
	return 0;
}

/* Keeps the swap allowance: raising moves memsw first, lowering the limit first. */
static int set_v1_max(const struct cg *cg, uint64_t want, struct err *e)
{
	uint64_t limit, memsw, memsw_want = UINT64_MAX;
	int r = read_v1_limits(cg, &limit, &memsw, e);

	if (r < 0)
		return r;
	if (memsw == UINT64_MAX)
		return write_amount(cg, V1_LIMIT, want, e);
	if (want < CG_UNLIMITED)
		memsw_want = want + (memsw - limit);
	if (want >= limit) {
		r = write_v1_memsw(cg, memsw_want, e);
		return r < 0 ? r : write_amount(cg, V1_LIMIT, want, e);
	}
	r = write_amount(cg, V1_LIMIT, want, e);
	return r < 0 ? r : write_v1_memsw(cg, memsw_want, e);
}

static int set_v1_swap(const struct cg *cg, uint64_t want, struct err *e)
{
	uint64_t limit, memsw;
	int r;

	if (!fsx_exists(cg->dirfd, V1_MEMSW)) {
		r = err_set(e, -EOPNOTSUPP, "could not set \"memory.swap.max\": the kernel does "
			    "not account swap");
		err_hint(e, "boot with swapaccount=1");
		return r;
	}
	r = read_v1_limits(cg, &limit, &memsw, e);
	if (r < 0)
		return r;
	if (want == UINT64_MAX)
		return write_v1_memsw(cg, want, e);
	if (limit == UINT64_MAX) {
		r = err_set(e, -EINVAL, "could not set \"memory.swap.max\": cgroup v1 limits "
			    "memory and swap together, and \"memory.max\" is not set");
		err_hint(e, "set memory.max as well");
		return r;
	}
	if (want >= CG_UNLIMITED)
		return err_set(e, -ERANGE, "could not set \"memory.swap.max\": too large");
	return write_v1_memsw(cg, limit + want, e);
}

static int get_amount(const struct cg *cg, const char *knob, uint64_t *ret, struct err *e)
{
	uint64_t limit, memsw;
	int r;

	if (cg->env->memory.version != CG_V1 || !str_eq(knob, "memory.swap.max"))
		return read_amount(cg, cg_knob_file(cg->env->memory.version, knob), ret, e);
	r = read_v1_limits(cg, &limit, &memsw, e);
	if (r < 0)
		return r;
	*ret = memsw == UINT64_MAX || limit == UINT64_MAX ? UINT64_MAX : memsw - limit;
	return 0;
}

static bool is_amount(const struct cg *cg, const char *knob)
{
	const struct knob *k = find(knob);

	return (k && k->bytes) || (cg->env->memory.version == CG_V1 && is_v1_size(knob));
}

static char *spell(uint64_t got, uint64_t want, const char *value)
{
	char buf[24];

	if (got == UINT64_MAX)
		return xstrdup("max");
	return xstrdup(got == want ? value : num_fmt_size(buf, sizeof(buf), got));
}

static int set_amount(const struct cg *cg, const char *knob, const char *value, char **ret_got,
		      struct err *e)
{
	enum cg_version v = cg->env->memory.version;
	uint64_t want, got;
	int r = parse_amount(value, &want, e);

	if (r < 0)
		return err_wrap(e, r, "could not set \"%s\"", knob);
	if (v == CG_V1 && str_eq(knob, "memory.max"))
		r = set_v1_max(cg, want, e);
	else if (v == CG_V1 && str_eq(knob, "memory.swap.max"))
		r = set_v1_swap(cg, want, e);
	else
		r = write_amount(cg, cg_knob_file(v, knob), want, e);
	if (r < 0)
		return r;
	r = get_amount(cg, knob, &got, e);
	if (r < 0)
		return r;
	*ret_got = spell(got, want, value);
	return 0;
}

static int set_text(const struct cg *cg, const char *file, const char *value, char **ret_got,
		    struct err *e)
{
	char *got = NULL;
	int r = fsx_write(cg->dirfd, file, value, e);

	if (r < 0)
		return r;
	r = fsx_read_line(cg->dirfd, file, &got, e);
	/* write-only files: no read permission bit for users, no read method for root */
	if (r == -EACCES || r == -EINVAL)
		got = xstrdup("");
	else if (r < 0)
		return r;
	*ret_got = got;
	return 0;
}

int cg_set(const struct cg *cg, const char *knob, const char *value, char **ret_got,
	   const char **ret_file, struct err *e)
{
	const char *refusal = cg_knob_refusal(cg->env->memory.version, knob);
	const char *file = cg_knob_file(cg->env->memory.version, knob);
	_cleanup_free_ char *got = NULL;
	int r;

	if (refusal)
		return err_set(e, -EOPNOTSUPP, "could not set \"%s\": it %s", knob, refusal);
	if (is_amount(cg, knob))
		r = set_amount(cg, knob, value, &got, e);
	else
		r = set_text(cg, file, value, &got, e);
	if (r < 0)
		return err_wrap(e, r, "cgroup \"%s\"", cg->path);
	if (ret_got)
		*ret_got = steal_ptr(&got);
	if (ret_file)
		*ret_file = file;
	return 0;
}

int cg_get(const struct cg *cg, const char *knob, char **ret_value, struct err *e)
{
	enum cg_version version = cg->env->memory.version;
	const struct knob *k = find(knob);
	uint64_t v;
	int r;

	if (version == CG_V1 && k && !k->v1)
		return err_set(e, -EOPNOTSUPP, "could not read \"%s\": it has no counterpart on "
			       "cgroup v1", knob);
	if (!is_amount(cg, knob)) {
		r = fsx_read_line(cg->dirfd, cg_knob_file(version, knob), ret_value, e);
	} else {
		r = get_amount(cg, knob, &v, e);
		if (r == 0)
			*ret_value = v == UINT64_MAX ? xstrdup("max") : xasprintf("%" PRIu64, v);
	}
	if (r < 0)
		return err_wrap(e, r, "cgroup \"%s\"", cg->path);
	return 0;
}
