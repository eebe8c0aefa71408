// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of target vm, and how an end is named; consoles are as real kernels wrote them. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "target/target.h"
#include "target/vm/guest.h"
#include "target/vm/vm.h"

static struct err e;

static int parse(const char *text, struct vm_options *o)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };

	if (kvs_parse(text, &kvs, &e) < 0)
		return -EBADMSG;
	return vm_options_parse(&kvs, o, &e);
}

static void options_have_defaults(void)
{
	struct vm_options o;

	CHECK_OK(parse("kernel=k", &o));
	CHECK_STR(o.kernel, "k");
	CHECK_EQ(o.cpus, 1);
	CHECK_EQ(o.memory_bytes, 1 << 30);
	CHECK_STR(o.append, "");
	CHECK(!o.cgroup_v1);
	CHECK_EQ(o.accel, VM_ACCEL_AUTO);
	CHECK_EQ(o.timeout_ns, 600 * NSEC_PER_SEC);
	vm_options_done(&o);
}

static void options_are_read(void)
{
	struct vm_options o;

	CHECK_OK(parse("kernel=/boot/x,smp=4,mem=512M,append=cgroup_disable=memory psi=0,"
		       "cgroup=v1,accel=tcg,modules=zram,loop,timeout=90s", &o));
	CHECK_EQ(o.cpus, 4);
	CHECK_EQ(o.memory_bytes, 512 << 20);
	CHECK_STR(o.append, "cgroup_disable=memory psi=0");
	CHECK(o.cgroup_v1);
	CHECK_EQ(o.accel, VM_ACCEL_TCG);
	CHECK_EQ(o.modules.n, 2);
	CHECK_STR(o.modules.v[1], "loop");
	CHECK_EQ(o.timeout_ns, 90 * NSEC_PER_SEC);
	vm_options_done(&o);
}

static void bad_options_are_refused(void)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "smp=2", "wants a kernel" },
		{ "kernel=", "no kernel is named" },
		{ "kernel=k,smp=0", "1 to 64 CPUs" },
		{ "kernel=k,smp=65", "1 to 64 CPUs" },
		{ "kernel=k,smp=two", "two" },
		{ "kernel=k,mem=64M", "128M" },
		{ "kernel=k,mem=1000000001", "whole MiB" },
		{ "kernel=k,cgroup=v3", "not one of v2, v1" },
		{ "kernel=k,accel=xen", "not one of auto, kvm, tcg" },
		{ "kernel=k,clock=sun", "not one of host, instructions" },
		{ "kernel=k,clock=instructions,smp=2", "one CPU and TCG" },
		{ "kernel=k,clock=instructions,accel=kvm", "one CPU and TCG" },
		{ "kernel=k,modules=../x", "no name of a module" },
		{ "kernel=k,timeout=10ms", "below a second" },
		{ "kernel=k,append=a\nb", "printable" },
		{ "kernel=k,nodes=2", "no option \"nodes\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct vm_options o;

		CHECK(parse(bad[i].text, &o) < 0);
		CHECK_HAS(e.msg, bad[i].says);
		vm_options_done(&o);
	}
}

static void targets_check_their_options(void)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };

	CHECK_OK(target_check_options("local", &kvs, &e));
	kvs_set(&kvs, "kernel", "k");
	CHECK_OK(target_check_options("vm", &kvs, &e));
	CHECK_EQ(target_check_options("local", &kvs, &e), -EINVAL);
	CHECK_HAS(e.msg, "target \"local\" has no option \"kernel\"");
	CHECK_EQ(target_check_options("wm", &kvs, &e), -EINVAL);
	CHECK_STR(target_nearest("wm"), "vm");
}

#define EXITED(n) ((n) << 8)

#define PANIC_VFS                                                                              \
	"[    2.530162] /dev/root: Can't open blockdev\r\n"                                     \
	"[    2.532120] Kernel panic - not syncing: VFS: Unable to mount root fs on "           \
	"unknown-block(0,0)\r\n"                                                                \
	"[    2.532689] CPU: 0 PID: 1 Comm: swapper/0 Not tainted\r\n"
#define OOPS                                                                                   \
	"[    3.1] BUG: kernel NULL pointer dereference, address: 0000000000000000\n"           \
	"[    3.2] Oops: 0002 [#1] PREEMPT SMP PTI\n"                                           \
	"[    3.3] Kernel panic - not syncing: Fatal exception\n"
#define OOM_KILL "[    9.1] Out of memory: Killed process 77 (mmgauge-agent)\n"

/* Status of QEMU, console, and what it must be called. */
static void ends_have_names(void)
{
	static const struct {
		int status;
		const char *messages, *console;
		enum guest_end end;
		const char *text;
	} cases[] = {
		{ EXITED(33), "", "", GUEST_DONE, "" },
		{ EXITED(37), "", "mmgauge-init: the agent was killed by signal 11\n", GUEST_BAD,
		  "mmgauge-init: the agent was killed by signal 11" },
		{ EXITED(35), "", "x\nmmgauge-init: could not mount cgroup2\nhint\n",
		  GUEST_INIT_FAILED, "mmgauge-init: could not mount cgroup2" },
		{ EXITED(0), "", PANIC_VFS, GUEST_PANIC,
		  "Kernel panic - not syncing: VFS: Unable to mount root fs on "
		  "unknown-block(0,0)" },
		{ EXITED(0), "", OOPS, GUEST_OOPS, "BUG: kernel NULL pointer dereference, address: "
						   "0000000000000000" },
		{ EXITED(0), "", "[ 1] general protection fault, maybe for address 0x1: 0000\n"
				 "[ 2] Kernel panic - not syncing: Fatal exception in interrupt\n",
		  GUEST_OOPS, "general protection fault, maybe for address 0x1: 0000" },
		{ EXITED(0), "", "[ 1] Kernel panic - not syncing: softlockup: hung tasks\n",
		  GUEST_HANG, "Kernel panic - not syncing: softlockup: hung tasks" },
		{ EXITED(0), "", "[ 1] Kernel panic - not syncing: hung_task: blocked tasks\n",
		  GUEST_HANG, "Kernel panic - not syncing: hung_task: blocked tasks" },
		{ EXITED(0), "", "[ 1] Kernel panic - not syncing: Out of memory: compulsory "
				 "panic_on_oom is enabled\n", GUEST_OOM,
		  "Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is "
		  "enabled" },
		{ EXITED(0), "", OOM_KILL "[ 2] Kernel panic - not syncing: Attempted to kill "
				 "init! exitcode=0x00000009\n", GUEST_OOM,
		  "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009" },
		{ EXITED(0), "", OOM_KILL "[ 2] Kernel panic - not syncing: sysrq triggered "
				 "crash\n", GUEST_PANIC,
		  "Kernel panic - not syncing: sysrq triggered crash" },
		{ EXITED(0), "", "Power down\n", GUEST_OFF,
		  "the guest was reset or powered off before it was done" },
		{ EXITED(1), "qemu: warning\nqemu: cannot set up guest memory 'pc.ram': Cannot "
			     "allocate memory\n", "", GUEST_QEMU,
		  "qemu: cannot set up guest memory 'pc.ram': Cannot allocate memory" },
		{ EXITED(1), "", "", GUEST_QEMU, "it said nothing" },
		{ 6, "", "", GUEST_QEMU, "QEMU was killed by signal 6 (Aborted)" },
		{ EXITED(99), "", "", GUEST_QEMU, "QEMU exited with status 99" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		_cleanup_guest_outcome_ struct guest_outcome o = { 0 };

		guest_judge(cases[i].status, GUEST_DONE, cases[i].messages, cases[i].console, &o);
		CHECK_STR(guest_end_name(o.end), guest_end_name(cases[i].end));
		CHECK_STR(o.text, cases[i].text);
	}
}

static void what_forced_an_end_names_it(void)
{
	_cleanup_guest_outcome_ struct guest_outcome o = { 0 };

	guest_judge(9, GUEST_TIMEOUT, "", "[ 1.0] one\n[ 2.0] two\n", &o);
	CHECK_EQ(o.end, GUEST_TIMEOUT);
	CHECK_EQ(o.console.n, 2);
	CHECK_STR(o.console.v[1], "two");
}

static void the_console_is_cut_and_cleaned(void)
{
	_cleanup_guest_outcome_ struct guest_outcome o = { 0 };
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	char longest[401];

	memset(longest, 'x', 400);
	longest[400] = '\0';
	for (int i = 0; i < 100; i++)
		str_addf(&text, "line %d\n", i);
	str_addf(&text, "\033[31mred\001\n%s\nno newline", longest);
	guest_judge(EXITED(0), GUEST_DONE, "", str_text(&text), &o);
	CHECK_EQ(o.console.n, 12);
	CHECK_STR(o.console.v[0], "line 91");
	CHECK_STR(o.console.v[9], "?[31mred?");
	CHECK_EQ(strlen(o.console.v[10]), 200);
	CHECK_STR(o.console.v[11], "no newline");
}

/* The trace behind a panic would push the panic itself out of the last lines. */
static void a_panic_is_shown_with_what_follows(void)
{
	_cleanup_guest_outcome_ struct guest_outcome o = { 0 };
	_cleanup_str_ struct str text = STR_INIT(1 << 20);

	str_add(&text, "booting\n" OOPS);
	for (int i = 0; i < 50; i++)
		str_addf(&text, "[    3.4]  function_%d+0x1/0x2\n", i);
	guest_judge(EXITED(0), GUEST_DONE, "", str_text(&text), &o);
	CHECK_EQ(o.console.n, 12);
	CHECK_STR(o.console.v[0], "BUG: kernel NULL pointer dereference, address: "
				  "0000000000000000");
	CHECK_STR(o.console.v[3], " function_0+0x1/0x2");
}

/* Kept for a guest like it, and for no other. */
static void facts_are_kept(void)
{
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *dir = xasprintf("%s/mmgauge-facts.XXXXXX", tmp ? tmp : "/tmp");
	struct target said = { .ops = target_find("vm") }, read = said;
	struct vm_options o = { .cpus = 2, .append = (char[]){ "psi=0" } };
	struct vm_guest_key k = { .image = "/proc/self/exe", .agent = "/proc/self/exe",
				  .qemu = "7.2", .o = &o };

	CHECK(mkdtemp(dir) != NULL);
	CHECK_EQ(setenv("XDG_CACHE_HOME", dir, 1), 0);
	said.facts = (struct place_facts){
		.version = CG_V2,
		.controllers = xstrdup("cpu,memory"),
		.start_path = xstrdup("/"),
		.mem_total_bytes = 123456,
	};
	kvs_set(&said.env, "boot_id", "x");
	kvs_set(&said.env, "cmdline", "a=b c\nd");
	CHECK(!vm_facts_load(&k, &read));
	vm_facts_save(&k, &said);
	CHECK(vm_facts_load(&k, &read));
	CHECK_EQ(read.facts.version, CG_V2);
	CHECK_EQ(read.facts.mem_total_bytes, 123456);
	CHECK_STR(read.facts.controllers, "cpu,memory");
	CHECK_STR(kvs_get(&read.env, "cmdline"), "a=b c\nd");
	o.cpus = 3;
	CHECK(!vm_facts_load(&k, &read));
	o.cpus = 2;
	k.accel = GUEST_KVM;
	CHECK(!vm_facts_load(&k, &read));
	CHECK_OK(fsx_remove_tree(AT_FDCWD, dir, &e));
	place_facts_done(&said.facts);
	place_facts_done(&read.facts);
	kvs_done(&said.env);
	kvs_done(&read.env);
	free(read.build);
}

int main(void)
{
	TAP_RUN(options_have_defaults);
	TAP_RUN(options_are_read);
	TAP_RUN(bad_options_are_refused);
	TAP_RUN(targets_check_their_options);
	TAP_RUN(ends_have_names);
	TAP_RUN(what_forced_an_end_names_it);
	TAP_RUN(the_console_is_cut_and_cleaned);
	TAP_RUN(a_panic_is_shown_with_what_follows);
	TAP_RUN(facts_are_kept);
	return tap_done();
}
