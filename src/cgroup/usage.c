// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a group has used. v1 and v2 name and place their counters differently; both tables below
 * lead to the one struct cg_usage. v1 values are the hierarchical total_* ones, as v2's always
 * are. memory.stat of both lags behind by up to two seconds of charging unless it is read, which
 * flushes (mm/memcontrol.c, FLUSH_TIME): read outside of what is timed.
 */
#include "cgroup/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/internal.h"

struct source {
	size_t offset; /* of the field in struct cg_usage */
	const char *file;
	const char *key; /* NULL: the file is one number */
};
#define FIELD(f) offsetof(struct cg_usage, f)

static const struct source v1_sources[] = {
	{ FIELD(current_bytes), "memory.usage_in_bytes", NULL },
	{ FIELD(peak_bytes), "memory.max_usage_in_bytes", NULL },
	{ FIELD(limit_bytes), "memory.limit_in_bytes", NULL },
	{ FIELD(oom_kills), "memory.oom_control", "oom_kill" },
	{ FIELD(kernel_bytes), "memory.kmem.usage_in_bytes", NULL },
	{ FIELD(sock_bytes), "memory.kmem.tcp.usage_in_bytes", NULL },
	{ FIELD(swap_bytes), "memory.stat", "total_swap" },
	{ FIELD(pgfault), "memory.stat", "total_pgfault" },
	{ FIELD(pgmajfault), "memory.stat", "total_pgmajfault" },
	{ FIELD(pgcharge), "memory.stat", "total_pgpgin" },
	{ FIELD(anon_bytes), "memory.stat", "total_rss" },
	{ FIELD(file_bytes), "memory.stat", "total_cache" },
};

static const struct source v2_sources[] = {
	{ FIELD(current_bytes), "memory.current", NULL },
	{ FIELD(peak_bytes), "memory.peak", NULL },
	{ FIELD(limit_bytes), "memory.max", NULL },
	{ FIELD(swap_bytes), "memory.swap.current", NULL },
	{ FIELD(limit_hits), "memory.events", "max" },
	{ FIELD(high_hits), "memory.events", "high" },
	{ FIELD(oom_kills), "memory.events", "oom_kill" },
	{ FIELD(pgfault), "memory.stat", "pgfault" },
	{ FIELD(pgmajfault), "memory.stat", "pgmajfault" },
	{ FIELD(pgscan), "memory.stat", "pgscan" },
	{ FIELD(pgsteal), "memory.stat", "pgsteal" },
	{ FIELD(pgactivate), "memory.stat", "pgactivate" },
	{ FIELD(anon_bytes), "memory.stat", "anon" },
	{ FIELD(file_bytes), "memory.stat", "file" },
	{ FIELD(kernel_bytes), "memory.stat", "kernel" },
	{ FIELD(sock_bytes), "memory.stat", "sock" },
};

static uint64_t *field_of(struct cg_usage *u, size_t offset)
{
	return (uint64_t *)(void *)((char *)u + offset);
}

static uint64_t number_of(const char *text)
{
	uint64_t v;

	if (str_starts(text, "max"))
		return CG_NO_LIMIT;
	return num_u64(text, &v, NULL) < 0 ? CG_UNKNOWN : v;
}

static uint64_t key_of(const char *text, const char *key)
{
	uint64_t v;

	return fsx_key_u64(text, key, &v) ? v : CG_UNKNOWN;
}

/* Reads each file once; one that is missing leaves its fields unknown. */
static int read_sources(int dirfd, const struct source *s, size_t n, struct cg_usage *u,
			struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(CG_TEXT_MAX);
	const char *loaded = NULL;

	for (size_t i = 0; i < n; i++) {
		int r = 0;

		if (!str_eq(loaded, s[i].file))
			r = fsx_read(dirfd, s[i].file, &text, e);
		if (r < 0 && r != -ENOENT)
			return r;
		loaded = s[i].file;
		if (r < 0) {
			str_clear(&text);
			str_add(&text, "");
			continue;
		}
		if (!s[i].key && text.len && text.buf[text.len - 1] == '\n')
			text.buf[--text.len] = '\0';
		*field_of(u, s[i].offset) = s[i].key ? key_of(str_text(&text), s[i].key) :
						       number_of(str_text(&text));
	}
	return 0;
}

static uint64_t sum_known(uint64_t a, uint64_t b)
{
	if (a == CG_UNKNOWN)
		return b;
	return b == CG_UNKNOWN ? a : a + b;
}

/* Refaults are split in two since 5.9, one number before. */
static int read_refault(int dirfd, const char *prefix, uint64_t *ret, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(CG_TEXT_MAX);
	char key[64];
	uint64_t v = CG_UNKNOWN;
	static const char *const kinds[] = { "_anon", "_file", "" };
	int r = fsx_read(dirfd, "memory.stat", &text, e);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		(void)snprintf(key, sizeof(key), "%sworkingset_refault%s", prefix, kinds[i]);
		v = sum_known(v, key_of(str_text(&text), key));
	}
	*ret = v;
	return 0;
}

/* Total stall time of "some avg10=0.00 avg60=0.00 avg300=0.00 total=123". */
static uint64_t psi_total(const char *text, const char *kind)
{
	const char *line = strstr(text, kind);
	const char *total = line ? strstr(line, "total=") : NULL;
	char digits[24];
	size_t n;

	if (!total)
		return CG_UNKNOWN;
	total += strlen("total=");
	n = strspn(total, "0123456789");
	if (n == 0 || n >= sizeof(digits))
		return CG_UNKNOWN;
	memcpy(digits, total, n);
	digits[n] = '\0';
	return number_of(digits);
}

/* PSI of a group needs only a v2 group, no controller; so the twin has it on a hybrid system. */
static void read_psi(int dirfd, struct cg_usage *u)
{
	_cleanup_str_ struct str text = STR_INIT(4096);

	if (fsx_read(dirfd, "memory.pressure", &text, NULL) < 0)
		return; /* psi=0, or cgroup.pressure off */
	u->psi_some_us = psi_total(str_text(&text), "some ");
	u->psi_full_us = psi_total(str_text(&text), "full ");
}

static uint64_t scaled(uint64_t v, uint64_t by)
{
	return v == CG_UNKNOWN ? v : v * by;
}

static int read_cpu_v2(int dirfd, struct cg_usage *u, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(4096);
	int r = fsx_read(dirfd, "cpu.stat", &text, e);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	u->cpu_ns = scaled(key_of(str_text(&text), "usage_usec"), NSEC_PER_USEC);
	u->user_ns = scaled(key_of(str_text(&text), "user_usec"), NSEC_PER_USEC);
	u->sys_ns = scaled(key_of(str_text(&text), "system_usec"), NSEC_PER_USEC);
	return 0;
}

/* cpuacct.usage_user and _sys are exact, cpuacct.stat is in ticks; the first exist since 4.7. */
static int read_cpu_v1(int dirfd, struct cg_usage *u, struct err *e)
{
	static const struct source sources[] = {
		{ FIELD(cpu_ns), "cpuacct.usage", NULL },
		{ FIELD(user_ns), "cpuacct.usage_user", NULL },
		{ FIELD(sys_ns), "cpuacct.usage_sys", NULL },
	};
	static const struct source ticks[] = {
		{ FIELD(user_ns), "cpuacct.stat", "user" },
		{ FIELD(sys_ns), "cpuacct.stat", "system" },
	};
	uint64_t tick_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	int r = read_sources(dirfd, sources, ARRAY_LEN(sources), u, e);

	if (r < 0 || u->user_ns != CG_UNKNOWN)
		return r;
	r = read_sources(dirfd, ticks, ARRAY_LEN(ticks), u, e);
	u->user_ns = scaled(u->user_ns, tick_ns);
	u->sys_ns = scaled(u->sys_ns, tick_ns);
	return r;
}

static int read_memory(const struct cg *cg, struct cg_usage *u, struct err *e)
{
	bool v1 = cg->env->memory.version == CG_V1;
	int r = read_sources(cg->dirfd, v1 ? v1_sources : v2_sources,
			     v1 ? ARRAY_LEN(v1_sources) : ARRAY_LEN(v2_sources), u, e);

	if (r < 0)
		return r;
	r = read_refault(cg->dirfd, v1 ? "total_" : "", &u->refault, e);
	if (r < 0 || !v1)
		return r;
	if (u->limit_bytes != CG_UNKNOWN && u->limit_bytes >= CG_UNLIMITED)
		u->limit_bytes = CG_NO_LIMIT;
	return cg_limit_hits(cg, &u->limit_hits, e);
}

int cg_usage_read(const struct cg *cg, struct cg_usage *ret, struct err *e)
{
	struct cg_usage u;
	int r;

	memset(&u, 0xff, sizeof(u)); /* every field CG_UNKNOWN */
	r = read_memory(cg, &u, e);
	if (r == 0 && cg->cpufd >= 0 && cg->env->cpu.version == CG_V1)
		r = read_cpu_v1(cg->cpufd, &u, e);
	if (r == 0 && cg->cpufd >= 0 && cg->env->cpu.version == CG_V2) {
		r = read_cpu_v2(cg->cpufd, &u, e);
		read_psi(cg->cpufd, &u);
	}
	if (r < 0)
		return err_wrap(e, r, "could not read the usage of cgroup \"%s\"", cg->path);
	*ret = u;
	return 0;
}

static const struct {
	const char *name, *unit;
	size_t offset;
} fields[] = {
	{ "current_bytes", "byte", FIELD(current_bytes) },
	{ "peak_bytes", "byte", FIELD(peak_bytes) },
	{ "limit_bytes", "byte", FIELD(limit_bytes) },
	{ "swap_bytes", "byte", FIELD(swap_bytes) },
	{ "limit_hits", "event", FIELD(limit_hits) },
	{ "high_hits", "event", FIELD(high_hits) },
	{ "oom_kills", "event", FIELD(oom_kills) },
	{ "cpu_ns", "ns", FIELD(cpu_ns) },
	{ "user_ns", "ns", FIELD(user_ns) },
	{ "sys_ns", "ns", FIELD(sys_ns) },
	{ "pgfault", "event", FIELD(pgfault) },
	{ "pgmajfault", "event", FIELD(pgmajfault) },
	{ "pgcharge", "event", FIELD(pgcharge) },
	{ "pgscan", "event", FIELD(pgscan) },
	{ "pgsteal", "event", FIELD(pgsteal) },
	{ "refault", "event", FIELD(refault) },
	{ "pgactivate", "event", FIELD(pgactivate) },
	{ "anon_bytes", "byte", FIELD(anon_bytes) },
	{ "file_bytes", "byte", FIELD(file_bytes) },
	{ "kernel_bytes", "byte", FIELD(kernel_bytes) },
	{ "sock_bytes", "byte", FIELD(sock_bytes) },
	{ "psi_some_us", "us", FIELD(psi_some_us) },
	{ "psi_full_us", "us", FIELD(psi_full_us) },
};
_Static_assert(ARRAY_LEN(fields) * sizeof(uint64_t) == sizeof(struct cg_usage),
	       "a field of struct cg_usage is missing here");

void cg_usage_each(const struct cg_usage *u, void (*fn)(const char *name, const char *unit,
							uint64_t value, void *arg), void *arg)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		uint64_t v;

		memcpy(&v, (const char *)u + fields[i].offset, sizeof(v));
		if (v != CG_UNKNOWN && v != CG_NO_LIMIT)
			fn(fields[i].name, fields[i].unit, v, arg);
	}
}

/*
 * A hit of v1's memory-and-swap limit never counts in memory.failcnt, since memsw is charged
 * first (mm/memcontrol.c, try_charge_memcg), and newer kernels (seen with 6.18) don't count it in
 * memsw.failcnt either (track_failcnt is set for the memory counter alone). What is left is the
 * peak: a charge of one page fails only when usage is at the limit. cg_set resets that peak.
 */
static uint64_t memsw_hits(int dirfd)
{
	uint64_t hits = 0, peak, limit;

	if (fsx_read_u64(dirfd, "memory.memsw.failcnt", &hits, NULL) < 0 || hits)
		return hits; /* no swap accounting: 0 */
	if (fsx_read_u64(dirfd, "memory.memsw.max_usage_in_bytes", &peak, NULL) < 0 ||
	    fsx_read_u64(dirfd, "memory.memsw.limit_in_bytes", &limit, NULL) < 0)
		return 0;
	return peak >= limit;
}

static int v1_limit_hits(const struct cg *cg, uint64_t *ret, struct err *e)
{
	uint64_t memory;
	int r = fsx_read_u64(cg->dirfd, "memory.failcnt", &memory, e);

	if (r < 0)
		return r;
	*ret = memory + memsw_hits(cg->dirfd);
	return 0;
}

int cg_limit_hits(const struct cg *cg, uint64_t *ret, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(4096);
	int r;

	if (cg->env->memory.version == CG_V1)
		return v1_limit_hits(cg, ret, e);
	r = fsx_read(cg->dirfd, "memory.events", &text, e);
	if (r < 0)
		return r;
	if (!fsx_key_u64(str_text(&text), "max", ret))
		return err_set(e, -EBADMSG, "file \"memory.events\" has no key \"max\"");
	return 0;
}

/* Directories below and including @fd, which it closes; as deep as the hierarchy. */
static uint64_t count_dirs(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	uint64_t n = 1;

	if (!dir)
		return 0; /* removed meanwhile */
	while ((d = readdir(dir))) {
		if (d->d_type == DT_DIR && strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0)
			n += count_dirs(openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	}
	(void)closedir(dir);
	return n;
}

/* Third column of "memory 4 15 1": all groups of the hierarchy, dead ones included. */
static int v1_num_cgroups(int rootfd, uint64_t *ret, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *line;
	int r = fsx_read_line(rootfd, "proc/cgroups", &text, e);

	if (r < 0)
		return r;
	rest = text;
	while ((line = str_cut(&rest, "\n"))) {
		if (!str_eq(str_cut(&line, " \t"), "memory"))
			continue;
		(void)str_cut(&line, " \t");
		line = str_cut(&line, " \t");
		return num_u64(line ? line : "", ret, e);
	}
	return err_set(e, -ENOENT, "file \"proc/cgroups\" has no controller \"memory\"");
}

int cg_dying(const struct cg *cg, uint64_t *ret, struct err *e)
{
	const struct cg_mount *m = &cg->env->memory;
	_cleanup_str_ struct str text = STR_INIT(4096);
	uint64_t all, live;
	int r;

	if (m->version == CG_V2) {
		r = fsx_read(cg->dirfd, "cgroup.stat", &text, e);
		if (r == 0 && !fsx_key_u64(str_text(&text), "nr_dying_descendants", ret))
			r = err_set(e, -EBADMSG, "file \"cgroup.stat\" has no key "
				    "\"nr_dying_descendants\"");
		return r;
	}
	if (!str_eq(m->root, "/"))
		return err_set(e, -EOPNOTSUPP, "could not count dead groups: only \"%s\" of the "
			       "hierarchy is visible here", m->root);
	r = v1_num_cgroups(cg->env->rootfd, &all, e);
	if (r < 0)
		return r;
	live = count_dirs(openat(cg->env->rootfd, cg_below_root(m->dir),
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	*ret = all > live ? all - live : 0;
	return 0;
}
