// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of files with one value each, then the few that are more than that: see env_more.c for
 * directories and files with many keys.
 */
#include "sys/env.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "base/str.h"
#include "sys/env_more.h"
#include "sys/mem.h"

#define MM "sys/kernel/mm/"
#define THP MM "transparent_hugepage/"
#define CPU "sys/devices/system/cpu/"
#define CLOCK "sys/devices/system/clocksource/clocksource0/"
#define MODULE "sys/module/"

static const struct {
	const char *key, *path;
} files[] = {
	{ "kernel.release", "proc/sys/kernel/osrelease" },
	{ "kernel.version", "proc/version" },
	{ "kernel.tainted", "proc/sys/kernel/tainted" },
	{ "cmdline", "proc/cmdline" },
	{ "boot_id", "proc/sys/kernel/random/boot_id" },
	{ "uptime", "proc/uptime" },
	{ "kernel.randomize_va_space", "proc/sys/kernel/randomize_va_space" },
	{ "kernel.numa_balancing", "proc/sys/kernel/numa_balancing" },
	{ "kernel.nmi_watchdog", "proc/sys/kernel/nmi_watchdog" },
	{ "kernel.watchdog_thresh", "proc/sys/kernel/watchdog_thresh" },
	{ "kernel.timer_migration", "proc/sys/kernel/timer_migration" },
	{ "kernel.sched_autogroup_enabled", "proc/sys/kernel/sched_autogroup_enabled" },
	{ "kernel.perf_event_max_sample_rate", "proc/sys/kernel/perf_event_max_sample_rate" },
	{ "kernel.threads-max", "proc/sys/kernel/threads-max" },
	{ "kernel.pid_max", "proc/sys/kernel/pid_max" },
	{ "vm.swappiness", "proc/sys/vm/swappiness" },
	{ "vm.page-cluster", "proc/sys/vm/page-cluster" },
	{ "vm.zone_reclaim_mode", "proc/sys/vm/zone_reclaim_mode" },
	{ "vm.overcommit_memory", "proc/sys/vm/overcommit_memory" },
	{ "vm.overcommit_ratio", "proc/sys/vm/overcommit_ratio" },
	{ "vm.overcommit_kbytes", "proc/sys/vm/overcommit_kbytes" },
	{ "vm.dirty_ratio", "proc/sys/vm/dirty_ratio" },
	{ "vm.dirty_bytes", "proc/sys/vm/dirty_bytes" },
	{ "vm.dirty_background_ratio", "proc/sys/vm/dirty_background_ratio" },
	{ "vm.dirty_background_bytes", "proc/sys/vm/dirty_background_bytes" },
	{ "vm.dirty_expire_centisecs", "proc/sys/vm/dirty_expire_centisecs" },
	{ "vm.dirty_writeback_centisecs", "proc/sys/vm/dirty_writeback_centisecs" },
	{ "vm.min_free_kbytes", "proc/sys/vm/min_free_kbytes" },
	{ "vm.watermark_scale_factor", "proc/sys/vm/watermark_scale_factor" },
	{ "vm.watermark_boost_factor", "proc/sys/vm/watermark_boost_factor" },
	{ "vm.lowmem_reserve_ratio", "proc/sys/vm/lowmem_reserve_ratio" },
	{ "vm.percpu_pagelist_high_fraction", "proc/sys/vm/percpu_pagelist_high_fraction" },
	{ "vm.compaction_proactiveness", "proc/sys/vm/compaction_proactiveness" },
	{ "vm.compact_unevictable_allowed", "proc/sys/vm/compact_unevictable_allowed" },
	{ "vm.defrag_mode", "proc/sys/vm/defrag_mode" },
	{ "vm.extfrag_threshold", "proc/sys/vm/extfrag_threshold" },
	{ "vm.vfs_cache_pressure", "proc/sys/vm/vfs_cache_pressure" },
	{ "vm.max_map_count", "proc/sys/vm/max_map_count" },
	{ "vm.stat_interval", "proc/sys/vm/stat_interval" },
	{ "vm.numa_stat", "proc/sys/vm/numa_stat" },
	{ "vm.nr_hugepages", "proc/sys/vm/nr_hugepages" },
	{ "vm.nr_overcommit_hugepages", "proc/sys/vm/nr_overcommit_hugepages" },
	{ "vm.laptop_mode", "proc/sys/vm/laptop_mode" },
	{ "vm.page_lock_unfairness", "proc/sys/vm/page_lock_unfairness" },
	{ "vm.oom_kill_allocating_task", "proc/sys/vm/oom_kill_allocating_task" },
	{ "vm.panic_on_oom", "proc/sys/vm/panic_on_oom" },
	{ "thp.enabled", THP "enabled" },
	{ "thp.defrag", THP "defrag" },
	{ "thp.shmem_enabled", THP "shmem_enabled" },
	{ "thp.use_zero_page", THP "use_zero_page" },
	{ "thp.shrink_underused", THP "shrink_underused" },
	{ "thp.hpage_pmd_size", THP "hpage_pmd_size" },
	{ "thp.khugepaged.defrag", THP "khugepaged/defrag" },
	{ "thp.khugepaged.pages_to_scan", THP "khugepaged/pages_to_scan" },
	{ "thp.khugepaged.scan_sleep_millisecs", THP "khugepaged/scan_sleep_millisecs" },
	{ "thp.khugepaged.max_ptes_none", THP "khugepaged/max_ptes_none" },
	{ "ksm.run", MM "ksm/run" },
	{ "ksm.pages_sharing", MM "ksm/pages_sharing" },
	{ "lru_gen.enabled", MM "lru_gen/enabled" },
	{ "lru_gen.min_ttl_ms", MM "lru_gen/min_ttl_ms" },
	{ "numa.demotion_enabled", MM "numa/demotion_enabled" },
	{ "swap.vma_ra_enabled", MM "swap/vma_ra_enabled" },
	{ "damon.reclaim.enabled", MODULE "damon_reclaim/parameters/enabled" },
	{ "damon.lru_sort.enabled", MODULE "damon_lru_sort/parameters/enabled" },
	{ "page_reporting.order", MODULE "page_reporting/parameters/page_reporting_order" },
	{ "page_alloc.shuffle", MODULE "page_alloc/parameters/shuffle" },
	{ "zswap.enabled", MODULE "zswap/parameters/enabled" },
	{ "zswap.compressor", MODULE "zswap/parameters/compressor" },
	{ "zswap.max_pool_percent", MODULE "zswap/parameters/max_pool_percent" },
	{ "zswap.shrinker_enabled", MODULE "zswap/parameters/shrinker_enabled" },
	{ "cpu.online", CPU "online" },
	{ "cpu.possible", CPU "possible" },
	{ "cpu.isolated", CPU "isolated" },
	{ "cpu.nohz_full", CPU "nohz_full" },
	{ "cpu.smt.control", CPU "smt/control" },
	{ "cpu.smt.active", CPU "smt/active" },
	{ "cpu.boost", CPU "cpufreq/boost" },
	{ "cpu.intel_pstate.no_turbo", CPU "intel_pstate/no_turbo" },
	{ "cpu.intel_pstate.status", CPU "intel_pstate/status" },
	{ "cpu.cpuidle.driver", CPU "cpuidle/current_driver" },
	{ "cpu.cpuidle.governor", CPU "cpuidle/current_governor" },
	{ "node.online", "sys/devices/system/node/online" },
	{ "node.has_memory", "sys/devices/system/node/has_memory" },
	{ "clocksource", CLOCK "current_clocksource" },
	{ "clocksource.available", CLOCK "available_clocksource" },
	{ "sched.preempt", "sys/kernel/debug/sched/preempt" },
	{ "tracing.current_tracer", "sys/kernel/tracing/current_tracer" },
	{ "hypervisor.type", "sys/hypervisor/type" },
	{ "dmi.sys_vendor", "sys/class/dmi/id/sys_vendor" },
	{ "dmi.product_name", "sys/class/dmi/id/product_name" },
	{ "dmi.bios_version", "sys/class/dmi/id/bios_version" },
	{ "proc.self.cgroup", "proc/self/cgroup" },
};

/*
 * One line, blanks for tabs and newlines. A choice of several words keeps what is in brackets;
 * other text may have brackets of its own ("cmdline"), so they must stand around one word.
 */
static void set_value(struct kvs *ret, const char *key, char *text)
{
	char chosen[64];
	const char *open = strchr(text, '[');
	size_t len = open ? strcspn(open, "] \n") : 0;

	if (open && open[len] == ']' && strlen(text) < sizeof(chosen) &&
	    (open == text || open[-1] == ' ')) {
		kvs_set(ret, key, sys_chosen(text, chosen, sizeof(chosen)));
		return;
	}
	for (char *p = text; (p = strpbrk(p, "\t\n")); p++)
		*p = *p == '\t' ? ' ' : ';';
	kvs_set(ret, key, text);
}

void sys_env_file(int rootfd, const char *key, const char *path, struct kvs *ret)
{
	_cleanup_free_ char *text = NULL;

	if (fsx_read_line(rootfd, path, &text, NULL) == 0)
		set_value(ret, key, text);
}

int sys_env_read(int rootfd, struct kvs *ret, struct err *e)
{
	if (!fsx_exists(rootfd, "proc/sys/kernel"))
		return err_set(e, -ENOENT,
			       "could not read the environment: no \"proc/sys/kernel\"");
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		sys_env_file(rootfd, files[i].key, files[i].path, ret);
	sys_env_dirs(rootfd, ret);
	sys_env_texts(rootfd, ret);
	sys_env_kernel(rootfd, ret);
	return 0;
}
