// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/noise.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "sys/cpu.h"

#define FIELD(f) offsetof(struct sys_noise, f)

static const struct {
	const char *name, *unit;
	size_t offset;
	bool grows;
} fields[] = {
	{ "busy_ns", "ns", FIELD(busy_ns), true },
	{ "idle_ns", "ns", FIELD(idle_ns), true },
	{ "steal_ns", "ns", FIELD(steal_ns), true },
	{ "cpu_some_us", "us", FIELD(cpu_some_us), true },
	{ "mem_some_us", "us", FIELD(mem_some_us), true },
	{ "mem_full_us", "us", FIELD(mem_full_us), true },
	{ "io_some_us", "us", FIELD(io_some_us), true },
	{ "io_full_us", "us", FIELD(io_full_us), true },
	{ "switches", "event", FIELD(switches), true },
	{ "swapin_pages", "page", FIELD(swapin_pages), true },
	{ "swapout_pages", "page", FIELD(swapout_pages), true },
	{ "kswapd_scan_pages", "page", FIELD(kswapd_scan_pages), true },
	{ "direct_scan_pages", "page", FIELD(direct_scan_pages), true },
	{ "oom_kills", "event", FIELD(oom_kills), true },
	{ "throttles", "event", FIELD(throttles), true },
	{ "runnable_tasks", "task", FIELD(runnable_tasks), false },
	{ "load1_milli", "1/1000", FIELD(load1_milli), false },
};
_Static_assert(ARRAY_LEN(fields) * sizeof(uint64_t) == sizeof(struct sys_noise),
	       "a field of struct sys_noise is missing here");

static uint64_t get(const struct sys_noise *n, size_t i)
{
	uint64_t v;

	memcpy(&v, (const char *)n + fields[i].offset, sizeof(v));
	return v;
}

static void set(struct sys_noise *n, size_t i, uint64_t v)
{
	memcpy((char *)n + fields[i].offset, &v, sizeof(v));
}

/* "some avg10=0.00 … total=123\nfull …"; psi=0 makes the read fail. */
static void read_psi(int rootfd, const char *path, uint64_t *some, uint64_t *full)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *line;

	if (fsx_read_line(rootfd, path, &text, NULL) < 0)
		return;
	rest = text;
	while ((line = str_cut(&rest, "\n"))) {
		const char *total = strstr(line, "total=");
		uint64_t v;

		if (!total || num_u64(total + strlen("total="), &v, NULL) < 0)
			continue;
		if (str_starts(line, "some "))
			*some = v;
		else if (full && str_starts(line, "full "))
			*full = v;
	}
}

static void read_vmstat(int rootfd, struct sys_noise *n)
{
	_cleanup_free_ char *text = NULL;
	const struct {
		const char *key;
		uint64_t *v;
	} keys[] = {
		{ "pswpin", &n->swapin_pages },
		{ "pswpout", &n->swapout_pages },
		{ "pgscan_kswapd", &n->kswapd_scan_pages },
		{ "pgscan_direct", &n->direct_scan_pages },
		{ "oom_kill", &n->oom_kills },
	};

	if (fsx_read_line(rootfd, "proc/vmstat", &text, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		(void)fsx_key_u64(text, keys[i].key, keys[i].v);
}

/* "0.52 0.58 0.59 2/467 12345" */
static void read_load(int rootfd, struct sys_noise *n)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *load, *running;
	double v;

	if (fsx_read_line(rootfd, "proc/loadavg", &text, NULL) < 0)
		return;
	rest = text;
	load = str_cut(&rest, " ");
	if (load && num_double(load, &v, NULL) == 0 && v >= 0)
		n->load1_milli = (uint64_t)(v * 1000 + 0.5);
	(void)str_cut(&rest, " ");
	(void)str_cut(&rest, " ");
	running = str_cut(&rest, "/");
	if (!running || num_u64(running, &n->runnable_tasks, NULL) < 0)
		n->runnable_tasks = SYS_UNKNOWN;
}

/* One file a CPU; a virtual machine has none, and then not even the first is looked for twice. */
static void read_throttles(int rootfd, unsigned n_cpus, struct sys_noise *n)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		_cleanup_free_ char *path = xasprintf(
			"sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count", cpu);
		uint64_t v;

		if (fsx_read_u64(rootfd, path, &v, NULL) < 0)
			return;
		sum += v;
	}
	n->throttles = sum;
}

int sys_noise_read(int rootfd, struct sys_noise *ret, struct err *e)
{
	_cleanup_free_ char *stat = NULL;
	struct sys_noise n;
	struct sys_cpu cpu;
	int r = sys_cpu_read(rootfd, &cpu, e);

	if (r < 0)
		return r;
	memset(&n, 0xff, sizeof(n)); /* every field SYS_UNKNOWN */
	n.busy_ns = cpu.busy_ns;
	n.idle_ns = cpu.idle_ns;
	n.steal_ns = cpu.steal_ns;
	if (fsx_read_line(rootfd, "proc/stat", &stat, NULL) == 0)
		(void)fsx_key_u64(stat, "ctxt", &n.switches);
	read_psi(rootfd, "proc/pressure/cpu", &n.cpu_some_us, NULL);
	read_psi(rootfd, "proc/pressure/memory", &n.mem_some_us, &n.mem_full_us);
	read_psi(rootfd, "proc/pressure/io", &n.io_some_us, &n.io_full_us);
	read_vmstat(rootfd, &n);
	read_load(rootfd, &n);
	read_throttles(rootfd, cpu.n, &n);
	*ret = n;
	return 0;
}

void sys_noise_delta(const struct sys_noise *before, const struct sys_noise *after,
		     struct sys_noise *ret)
{
	struct sys_noise d;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		uint64_t a = get(before, i), b = get(after, i);

		if (!fields[i].grows)
			set(&d, i, b);
		else if (a == SYS_UNKNOWN || b == SYS_UNKNOWN || b < a)
			set(&d, i, SYS_UNKNOWN);
		else
			set(&d, i, b - a);
	}
	*ret = d;
}

void sys_noise_each(const struct sys_noise *n, void (*fn)(const char *name, const char *unit,
							  uint64_t value, void *arg), void *arg)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (get(n, i) != SYS_UNKNOWN)
			fn(fields[i].name, fields[i].unit, get(n, i), arg);
	}
}
