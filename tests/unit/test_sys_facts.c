// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time, memory, noise, the environment record and the kernel log. */
#include "tap.h"

#include <errno.h>

#include "base/kv.h"
#include "fixtures/fixture.h"
#include "sys/cpu.h"
#include "sys/env.h"
#include "sys/klog.h"
#include "sys/mem.h"
#include "sys/noise.h"

static struct err e;

static void put(int fd, const char *path, const char *text)
{
	(void)!fsx_replace(fd, path, text, NULL);
}

static void cpu_time(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v1-only");
	struct sys_cpu cpu;

	put(c.fd, "proc/stat",
	    "cpu  100 20 30 4000 500 6 7 80 50 10\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
	    "cpu12 1 1 1 1 1 1 1 1 0 0\nctxt 77\ncpux 1\n");
	CHECK_OK(sys_cpu_read(c.fd, &cpu, &e));
	CHECK_EQ(cpu.busy_ns, 1630000000); /* 163 ticks: guest time is in user already */
	CHECK_EQ(cpu.idle_ns, 45000000000);
	CHECK_EQ(cpu.steal_ns, 800000000);
	CHECK_EQ(cpu.n, 2);
	put(c.fd, "proc/stat", "cpu  100 20 30\n");
	CHECK_EQ(sys_cpu_read(c.fd, &cpu, &e), -EBADMSG);
	put(c.fd, "proc/stat", "intr 5\n");
	CHECK_EQ(sys_cpu_read(c.fd, &cpu, &e), -EBADMSG);
}

static void memory(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-v1-only");
	struct sys_mem m;

	put(c.fd, "proc/meminfo", "MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  500 kB\n"
				  "SwapCached: 9 kB\nSwapTotal: 8 kB\nSwapFree:  7 kB\n");
	CHECK_OK(sys_mem_read(c.fd, &m, &e));
	CHECK_EQ(m.total_bytes, 1024000);
	CHECK_EQ(m.avail_bytes, 512000);
	CHECK_EQ(m.free_bytes, 10240);
	CHECK_EQ(m.swap_total_bytes, 8192);
	CHECK_EQ(m.swap_free_bytes, 7168);
	CHECK_EQ(m.thp_bytes, 0);
	CHECK_STR(m.thp_enabled, "");
	put(c.fd, "proc/meminfo", "MemTotal:  1000 kB\n");
	CHECK_EQ(sys_mem_read(c.fd, &m, &e), -EBADMSG);
	CHECK_HAS(e.msg, "MemAvailable");
}

static void thp_modes(void)
{
	_cleanup_close_ int root = fixture_open("hybrid-6.18");
	const char *enabled;
	struct sys_mem m;
	char buf[16];

	CHECK_OK(sys_mem_read(root, &m, &e));
	CHECK_EQ(m.thp_bytes, 2 << 20);
	enabled = fixture_text(root, "sys/kernel/mm/transparent_hugepage/enabled");
	CHECK_STR(m.thp_enabled, sys_chosen(enabled, buf, sizeof(buf)));
	CHECK_STR(sys_chosen("always [madvise] never", buf, sizeof(buf)), "madvise");
	CHECK_STR(sys_chosen("plain\n", buf, sizeof(buf)), "plain");
	CHECK_STR(sys_chosen("x [aaaaaaaaaaaaaaaaaaaaaaaaa]", buf, sizeof(buf)), "aaaaaaaaaaaaaaa");
}

static unsigned fields;
static void count(const char *name, const char *unit, uint64_t value, void *arg)
{
	(void)value;
	(void)arg;
	fields += *name && *unit;
}

static void noise(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("hybrid-6.18");
	struct sys_noise a, b, d;

	put(c.fd, "proc/stat", "cpu  1 0 0 10 0 0 0 5 0 0\ncpu0 1 0 0 10 0 0 0 5 0 0\nctxt 100\n");
	put(c.fd, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=50\n"
					  "full avg10=0.00 avg60=0.00 avg300=0.00 total=40\n");
	put(c.fd, "proc/loadavg", "0.52 0.58 0.59 3/467 12345\n");
	put(c.fd, "proc/vmstat", "pswpin 7\npgscan_kswapd 9\noom_kill 1\n");
	CHECK_OK(sys_noise_read(c.fd, &a, &e));
	CHECK_EQ(a.load1_milli, 520);
	CHECK_EQ(a.runnable_tasks, 3);
	CHECK_EQ(a.mem_full_us, 40);
	CHECK_EQ(a.swapout_pages, SYS_UNKNOWN);
	CHECK_EQ(a.throttles, SYS_UNKNOWN);
	put(c.fd, "proc/stat", "cpu  3 0 0 10 0 0 0 9 0 0\ncpu0 3 0 0 10 0 0 0 9 0 0\nctxt 90\n");
	put(c.fd, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=75\n");
	CHECK_OK(sys_noise_read(c.fd, &b, &e));
	sys_noise_delta(&a, &b, &d);
	CHECK_EQ(d.busy_ns, 20000000);
	CHECK_EQ(d.idle_ns, 0);
	CHECK_EQ(d.steal_ns, 40000000);
	CHECK_EQ(d.mem_some_us, 25);
	CHECK_EQ(d.mem_full_us, SYS_UNKNOWN);
	CHECK_EQ(d.switches, SYS_UNKNOWN); /* went backwards */
	CHECK_EQ(d.oom_kills, 0);
	CHECK_EQ(d.runnable_tasks, 3);
	sys_noise_each(&d, count, NULL);
	CHECK_EQ(fields, 12);
}

static void environment(void)
{
	_cleanup_close_ int root = fixture_open("hybrid-6.18");
	_cleanup_kvs_ struct kvs env = { 0 };

	CHECK_OK(sys_env_read(root, &env, &e));
	CHECK_STR(kvs_get(&env, "kernel.release"), "6.18.44");
	CHECK_STR(kvs_get(&env, "cgroup.memory.version"), "v1");
	CHECK_STR(kvs_get(&env, "cgroup.v2.options"), "rw");
	CHECK_STR(kvs_get(&env, "cmdline"), "mitigations=auto console=ttyS0 quiet panic=1 psi=1");
	CHECK_STR(kvs_get(&env, "vm.swappiness"),
		  fixture_text(root, "proc/sys/vm/swappiness"));
	CHECK(strpbrk(kvs_get(&env, "thp.enabled"), "[] ") == NULL);
	CHECK(kvs_get(&env, "thp.hugepages-64kB.enabled") != NULL);
	CHECK(kvs_get(&env, "mitigations.spectre_v2") != NULL);
	CHECK_STR(kvs_get(&env, "self.Cpus_allowed_list"), "0-1");
	CHECK_STR(kvs_get(&env, "swaps"), "none");
	CHECK(kvs_get(&env, "kernel.config.MEMCG") == NULL);
	CHECK(kvs_get(&env, "no.such.key") == NULL);
}

static void environment_from_other_files(void)
{
	static const char notes[] = "\4\0\0\0\2\0\0\0\1\0\0\0Xen\0ab\0\0"
				    "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\x01\xab\xff\0";
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("hybrid-6.18");
	_cleanup_kvs_ struct kvs env = { 0 };
	int fd;

	CHECK_OK(fsx_mkdirs(c.fd, "boot", 0755, &e));
	put(c.fd, "boot/config-6.18.44", "#\nCONFIG_HZ=250\n# CONFIG_KASAN is not set\n"
					 "CONFIG_MEMCG=y\nCONFIG_MEMCG_V1=m\n");
	put(c.fd, "proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n"
				"/dev/zram0                  partition\t1024\t0\t\t100\n");
	put(c.fd, "proc/zoneinfo", "Node 0, zone DMA\n  pages free 5\n        low      10\n"
				   "        high     12\nNode 0, zone Normal\n"
				   "        low      32\n");
	put(c.fd, "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
	put(c.fd, "proc/cmdline", "a [b] c d e f g h i j k l m n o p q r s t u v w x y z 0 1 "
				 "2 3 4 5 6 7\n");
	fd = openat(c.fd, "sys/kernel/notes", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(write(fd, notes, sizeof(notes) - 1) == sizeof(notes) - 1);
	(void)close(fd);
	CHECK_OK(sys_env_read(c.fd, &env, &e));
	CHECK_STR(kvs_get(&env, "kernel.config.HZ"), "250");
	CHECK_STR(kvs_get(&env, "kernel.config.MEMCG"), "y");
	CHECK_STR(kvs_get(&env, "kernel.config.MEMCG_V1"), "m");
	CHECK_STR(kvs_get(&env, "kernel.config.KASAN"), "n");
	CHECK_STR(kvs_get(&env, "swaps"), "/dev/zram0 partition 1024 0 100");
	CHECK_STR(kvs_get(&env, "zoneinfo.low_pages"), "42");
	CHECK_STR(kvs_get(&env, "thp.enabled"), "never");
	CHECK_STR(kvs_get(&env, "kernel.build_id"), "01abff");
	CHECK_HAS(kvs_get(&env, "cmdline"), "a [b] c d");
}

static void environment_here(void)
{
	_cleanup_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int empty = fixture_open("synthetic-numa4");
	_cleanup_kvs_ struct kvs env = { 0 };

	CHECK_OK(sys_env_read(root, &env, &e));
	CHECK(env.n >= 60);
	CHECK_STR(kvs_get(&env, "boot_id"), fixture_text(root, "proc/sys/kernel/random/boot_id"));
	CHECK_EQ(sys_env_read(empty, &env, &e), -ENOENT);
}

static void splats_are_known(void)
{
	static const struct {
		const char *text, *kind;
	} cases[] = {
		{ "WARNING: CPU: 1 PID: 77 at mm/page_alloc.c:4500", "WARNING:" },
		{ "BUG: Bad page state in process x pfn:1", "BUG:" },
		{ "Memory cgroup out of memory: Killed process 7", "Memory cgroup out of memory" },
		{ "Out of memory: Killed process 7 (x)", "Out of memory" },
		{ "watchdog: soft lockup - CPU#1 stuck for 22s!", "soft lockup" },
		{ "INFO: task kswapd0:77 blocked for more than 120 seconds.",
		  "blocked for more than" },
		{ "kworker: page allocation failure: order:4", "page allocation failure" },
		{ "mce: [Hardware Error]: Machine check events logged", "mce:" },
		{ "EXT4-fs (vda): mounted filesystem", NULL },
		{ "commence: go", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *kind = sys_klog_kind(cases[i].text);

		CHECK_EQ(kind == NULL, cases[i].kind == NULL);
		if (kind)
			CHECK_STR(kind, cases[i].kind);
	}
}

static void say(int fd, const char *text)
{
	int log = openat(fd, "dev/kmsg", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	(void)!write(log, text, strlen(text));
	(void)close(log);
}

static void log_from_a_position_on(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("hybrid-6.18");
	struct sys_klog k = SYS_KLOG_INIT;
	struct sys_splat s;

	CHECK_EQ(sys_klog_open(c.fd, &k, &e), -ENOENT);
	CHECK_OK(fsx_mkdirs(c.fd, "dev", 0755, &e));
	say(c.fd, "4,1,100,-;WARNING: old\n");
	CHECK_OK(sys_klog_open(c.fd, &k, &e));
	CHECK_OK(sys_klog_read(&k, &s, &e));
	CHECK(s.kind == NULL);
	say(c.fd, "6,2,200,-;all is well\n KEY=Oops\n4,3,300,-;Oops: 0002 [#1] SMP\n"
		  "4,4,400,-;WARNING: second\n");
	CHECK_OK(sys_klog_read(&k, &s, &e));
	CHECK_STR(s.kind, "Oops");
	CHECK_STR(s.line, "Oops: 0002 [#1] SMP");
	CHECK_OK(sys_klog_read(&k, &s, &e));
	CHECK(s.kind == NULL);
	sys_klog_close(&k);
	CHECK_EQ(k.fd, -EBADF);
}

static void log_of_this_machine(void)
{
	_cleanup_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sys_klog k = SYS_KLOG_INIT;
	struct sys_splat s;
	int r = sys_klog_open(root, &k, &e);

	if (r == -EPERM || r == -ENOENT)
		SKIP("this machine doesn't let us read the kernel log");
	CHECK_OK(r);
	CHECK_OK(sys_klog_read(&k, &s, &e));
	CHECK(!k.lost);
	sys_klog_close(&k);
}

int main(void)
{
	TAP_RUN(cpu_time);
	TAP_RUN(memory);
	TAP_RUN(thp_modes);
	TAP_RUN(noise);
	TAP_RUN(environment);
	TAP_RUN(environment_from_other_files);
	TAP_RUN(environment_here);
	TAP_RUN(splats_are_known);
	TAP_RUN(log_from_a_position_on);
	TAP_RUN(log_of_this_machine);
	return tap_done();
}
