// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/env_more.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "base/num.h"
#include "base/str.h"

#define CPU "sys/devices/system/cpu/"
#define THP "sys/kernel/mm/transparent_hugepage"

/* Calls @fn for each entry of @path, hidden ones left out; a missing directory has none. */
static void each_entry(int rootfd, const char *path,
		       void (*fn)(int rootfd, const char *dir, const char *name, struct kvs *ret),
		       struct kvs *ret)
{
	int fd = openat(rootfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir)
		return;
	while ((d = readdir(dir))) {
		if (d->d_name[0] != '.')
			fn(rootfd, path, d->d_name, ret);
	}
	(void)closedir(dir);
}

static void add_mitigation(int rootfd, const char *dir, const char *name, struct kvs *ret)
{
	_cleanup_free_ char *key = xasprintf("mitigations.%s", name);
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);

	sys_env_file(rootfd, key, path, ret);
}

static void add_thp_size(int rootfd, const char *dir, const char *name, struct kvs *ret)
{
	_cleanup_free_ char *key = xasprintf("thp.%s.enabled", name);
	_cleanup_free_ char *path = xasprintf("%s/%s/enabled", dir, name);
	_cleanup_free_ char *shmem_key = xasprintf("thp.%s.shmem_enabled", name);
	_cleanup_free_ char *shmem_path = xasprintf("%s/%s/shmem_enabled", dir, name);

	if (!str_starts(name, "hugepages-"))
		return;
	sys_env_file(rootfd, key, path, ret);
	sys_env_file(rootfd, shmem_key, shmem_path, ret);
}

static void add_idle_state(int rootfd, const char *dir, const char *name, struct kvs *ret)
{
	static const char *const files[] = { "name", "latency", "disable" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		_cleanup_free_ char *key = xasprintf("cpu.idle.%s.%s", name, files[i]);
		_cleanup_free_ char *path = xasprintf("%s/%s/%s", dir, name, files[i]);

		sys_env_file(rootfd, key, path, ret);
	}
}

static void add_zram(int rootfd, const char *dir, const char *name, struct kvs *ret)
{
	static const char *const files[] = { "disksize", "comp_algorithm" };

	for (size_t i = 0; i < ARRAY_LEN(files) && str_starts(name, "zram"); i++) {
		_cleanup_free_ char *key = xasprintf("%s.%s", name, files[i]);
		_cleanup_free_ char *path = xasprintf("%s/%s/%s", dir, name, files[i]);

		sys_env_file(rootfd, key, path, ret);
	}
}

/* A policy is a set of CPUs with one clock; values that differ between policies are listed. */
static void add_policy(int rootfd, const char *dir, const char *name, struct kvs *ret)
{
	static const char *const files[][2] = {
		{ "cpu.governor", "scaling_governor" },
		{ "cpu.freq.driver", "scaling_driver" },
		{ "cpu.freq.min_khz", "scaling_min_freq" },
		{ "cpu.freq.max_khz", "scaling_max_freq" },
		{ "cpu.energy_performance_preference", "energy_performance_preference" },
	};

	for (size_t i = 0; i < ARRAY_LEN(files) && str_starts(name, "policy"); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s/%s", dir, name, files[i][1]);
		_cleanup_free_ char *text = NULL, *both = NULL;
		const char *had = kvs_get(ret, files[i][0]);

		if (fsx_read_line(rootfd, path, &text, NULL) < 0 || (had && strstr(had, text)))
			continue;
		both = had ? xasprintf("%s,%s", had, text) : NULL;
		kvs_set(ret, files[i][0], both ? both : text);
	}
}

void sys_env_dirs(int rootfd, struct kvs *ret)
{
	each_entry(rootfd, CPU "vulnerabilities", add_mitigation, ret);
	each_entry(rootfd, CPU "cpufreq", add_policy, ret);
	each_entry(rootfd, CPU "cpu0/cpuidle", add_idle_state, ret);
	each_entry(rootfd, THP, add_thp_size, ret);
	each_entry(rootfd, "sys/block", add_zram, ret);
}

/* Value of the first line "KEY<blanks>: VALUE", malloc'd, or NULL. */
static char *value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *p;

		line += *line == '\n';
		p = line + len;
		if (strncmp(line, key, len) != 0)
			continue;
		p += strspn(p, " \t");
		if (*p != ':')
			continue;
		p += 1 + strspn(p + 1, " \t");
		return xstrndup(p, strcspn(p, "\n"));
	}
	return NULL;
}

static void add_values(int rootfd, const char *path, const char *prefix, const char *const *keys,
		       size_t n, struct kvs *ret)
{
	_cleanup_free_ char *text = NULL;

	if (fsx_read_line(rootfd, path, &text, NULL) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *value = value_of(text, keys[i]);
		_cleanup_free_ char *key = xasprintf("%s.%s", prefix, keys[i]);

		for (char *p = key; (p = strchr(p, ' ')); p++)
			*p = '_';
		if (value)
			kvs_set(ret, key, value);
	}
}

/* The last one wins among mounts of a kind; a hierarchy is mounted twice in containers only. */
static void add_cgroup_mounts(int rootfd, struct kvs *ret)
{
	_cleanup_free_ char *text = NULL;
	const char *memory = "none";
	char *rest, *line;

	if (fsx_read_line(rootfd, "proc/self/mountinfo", &text, NULL) < 0)
		return;
	rest = text;
	while ((line = str_cut(&rest, "\n"))) {
		const char *v1 = strstr(line, " - cgroup "), *v2 = strstr(line, " - cgroup2 ");
		const char *options = strrchr(line, ' ');

		if (v1 && options && strstr(options, "memory"))
			memory = "v1";
		if (v2 && options) {
			kvs_set(ret, "cgroup.v2.options", options + 1);
			if (str_eq(memory, "none"))
				memory = "v2";
		}
	}
	kvs_set(ret, "cgroup.memory.version", memory);
}

/* Sum of a key over zones: "pages free"'s neighbours low and high tell where kswapd wakes. */
static void add_zoneinfo(int rootfd, struct kvs *ret)
{
	static const char *const keys[] = { "low", "high", "managed" };
	_cleanup_free_ char *text = NULL;
	uint64_t sum[ARRAY_LEN(keys)] = { 0 };
	char *rest, *line;

	if (fsx_read_line(rootfd, "proc/zoneinfo", &text, NULL) < 0)
		return;
	rest = text;
	while ((line = str_cut(&rest, "\n"))) {
		line += strspn(line, " ");
		for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
			uint64_t v;

			if (fsx_key_u64(line, keys[i], &v))
				sum[i] += v;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		_cleanup_free_ char *key = xasprintf("zoneinfo.%s_pages", keys[i]);
		_cleanup_free_ char *value = xasprintf("%llu", (unsigned long long)sum[i]);

		kvs_set(ret, key, value);
	}
}

/* "/dev/zram0 partition 524284 0 100" a line after the head, joined by ";". */
static void add_swaps(int rootfd, struct kvs *ret)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_str_ struct str out = STR_INIT(4096);
	char *rest, *line;

	if (fsx_read_line(rootfd, "proc/swaps", &text, NULL) < 0)
		return;
	rest = text;
	(void)str_cut(&rest, "\n");
	while ((line = str_cut(&rest, "\n"))) {
		bool blank = false;

		if (out.len)
			str_addc(&out, ';');
		for (; *line; line++) { /* runs of blanks and tabs become one blank */
			if (!isspace((unsigned char)*line))
				str_addf(&out, "%s%c", blank ? " " : "", *line);
			blank = isspace((unsigned char)*line);
		}
	}
	kvs_set(ret, "swaps", out.len ? str_text(&out) : "none");
}

void sys_env_texts(int rootfd, struct kvs *ret)
{
	static const char *const mem[] = {
		"MemTotal",   "MemFree",   "MemAvailable",    "Cached",		 "Dirty",
		"Writeback",  "SwapTotal", "SwapFree",	      "SReclaimable",	 "AnonHugePages",
		"Hugepagesize", "Hugetlb", "HugePages_Total", "HugePages_Free", "CmaTotal",
	};
	static const char *const cpu[] = { "model name", "microcode", "cpu family", "model",
					   "stepping",	 "cache size", "bugs" };
	static const char *const self[] = { "Cpus_allowed_list", "Mems_allowed_list",
					    "Seccomp",		 "THP_enabled" };

	add_values(rootfd, "proc/meminfo", "meminfo", mem, ARRAY_LEN(mem), ret);
	add_values(rootfd, "proc/cpuinfo", "cpuinfo", cpu, ARRAY_LEN(cpu), ret);
	add_values(rootfd, "proc/self/status", "self", self, ARRAY_LEN(self), ret);
	add_cgroup_mounts(rootfd, ret);
	add_zoneinfo(rootfd, ret);
	add_swaps(rootfd, ret);
}

static uint32_t word_at(const struct str *s, size_t at)
{
	uint32_t v = 0;

	if (at + sizeof(v) <= s->len)
		memcpy(&v, s->buf + at, sizeof(v));
	return v;
}

/* ELF notes: name size, descriptor size, type, name, descriptor, each padded to 4 bytes. */
#define NT_GNU_BUILD_ID 3
static void add_build_id(int rootfd, struct kvs *ret)
{
	_cleanup_str_ struct str notes = STR_INIT(1u << 16);
	_cleanup_str_ struct str id = STR_INIT(256);
	size_t at = 0;

	if (fsx_read(rootfd, "sys/kernel/notes", &notes, NULL) < 0)
		return;
	while (at + 12 <= notes.len) {
		size_t name = at + 12;
		size_t desc = name + ((word_at(&notes, at) + 3ul) & ~3ul);
		size_t len = word_at(&notes, at + 4);

		if (desc + len > notes.len)
			return;
		if (word_at(&notes, at + 8) == NT_GNU_BUILD_ID && word_at(&notes, at) == 4 &&
		    memcmp(notes.buf + name, "GNU", 4) == 0) {
			for (size_t i = 0; i < len; i++)
				str_addf(&id, "%02x", (unsigned)(unsigned char)notes.buf[desc + i]);
			kvs_set(ret, "kernel.build_id", str_text(&id));
			return;
		}
		at = desc + ((len + 3) & ~3ul);
	}
}

/* Options that change what a page fault or a charge costs, or make kernels incomparable. */
static const char *const options[] = {
	"MEMCG", "MEMCG_V1", "SWAP", "ZSWAP", "LRU_GEN", "LRU_GEN_ENABLED", "PER_VMA_LOCK",
	"TRANSPARENT_HUGEPAGE", "NUMA", "NUMA_BALANCING", "COMPACTION", "KSM", "DAMON",
	"HZ", "PREEMPT", "PREEMPT_VOLUNTARY", "PREEMPT_NONE", "PREEMPT_DYNAMIC", "PREEMPT_LAZY",
	"PREEMPT_RT", "NO_HZ_FULL", "NR_CPUS", "SLUB_DEBUG_ON", "SLAB_FREELIST_RANDOM",
	"SLAB_FREELIST_HARDENED", "RANDOM_KMALLOC_CACHES", "SHUFFLE_PAGE_ALLOCATOR",
	"INIT_ON_ALLOC_DEFAULT_ON", "INIT_ON_FREE_DEFAULT_ON", "PAGE_POISONING", "PAGE_OWNER",
	"PAGE_TABLE_CHECK", "DEBUG_VM", "DEBUG_PAGEALLOC", "DEBUG_LIST", "DEBUG_KMEMLEAK",
	"KASAN", "KCSAN", "KMSAN", "KFENCE", "UBSAN", "LOCKDEP", "PROVE_LOCKING",
	"FAULT_INJECTION", "MEM_ALLOC_PROFILING", "MITIGATION_PAGE_TABLE_ISOLATION",
	"RANDOMIZE_BASE", "RANDOMIZE_KSTACK_OFFSET_DEFAULT", "DEBUG_FORCE_FUNCTION_ALIGN_64B",
	"CC_OPTIMIZE_FOR_SIZE", "LTO_CLANG_THIN", "CFI_CLANG", "PSI", "CGROUP_FAVOR_DYNMODS",
};

/* "CONFIG_X=y"; "# CONFIG_X is not set" and a missing option are "n". */
static void add_config(int rootfd, struct kvs *ret)
{
	_cleanup_free_ char *release = NULL, *path = NULL, *text = NULL;

	if (fsx_read_line(rootfd, "proc/sys/kernel/osrelease", &release, NULL) < 0)
		return;
	path = xasprintf("boot/config-%s", release);
	if (fsx_read_line(rootfd, path, &text, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		_cleanup_free_ char *want = xasprintf("\nCONFIG_%s=", options[i]);
		_cleanup_free_ char *key = xasprintf("kernel.config.%s", options[i]);
		const char *at = strstr(text, want);
		_cleanup_free_ char *value = NULL;

		if (at)
			value = xstrndup(at + strlen(want), strcspn(at + strlen(want), "\n"));
		kvs_set(ret, key, value ? value : "n");
	}
}

void sys_env_kernel(int rootfd, struct kvs *ret)
{
	add_build_id(rootfd, ret);
	add_config(rootfd, ret);
}
