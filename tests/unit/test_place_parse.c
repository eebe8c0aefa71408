// SPDX-License-Identifier: GPL-2.0-or-later
/* Placements as text, facts over the wire, and every refusal with its advice. */
#include <errno.h>

#include "base/err.h"
#include "base/kv.h"
#include "place/place.h"
#include "tap.h"

static int parse(const char *text, struct place_spec *ret, struct err *e)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(text, &kvs, e);

	return r < 0 ? r : place_parse(&kvs, ret, e);
}

static void reads_all_keys(void)
{
	struct place_spec s;
	struct err e = { 0 };

	CHECK_OK(parse("depth=4,groups=3,fanout=top,memory.max=256M,memory.high@2=1G,cpus=0-3,8,"
		       "mems=1,spread=nodes,fs=xfs-loop:2G,dir=/mnt,swap=zram:512M,sock=on,"
		       "cgroup-parent=/a/b,vm.swappiness=10,sys.kernel.mm.ksm.run=0",
		       &s, &e));
	CHECK_EQ(s.depth, 4);
	CHECK_EQ(s.groups, 3);
	CHECK_EQ(s.fanout, FANOUT_TOP);
	CHECK_EQ(s.n_knobs, 2);
	CHECK_STR(s.knobs[0].file, "memory.max");
	CHECK_EQ(s.knobs[0].level, 0);
	CHECK_STR(s.knobs[1].file, "memory.high");
	CHECK_EQ(s.knobs[1].level, 2);
	CHECK_EQ(num_set_count(&s.cpus), 5);
	CHECK(num_set_has(&s.cpus, 8));
	CHECK_EQ(s.spread, SPREAD_NODES);
	CHECK_STR(s.fs, "xfs-loop:2G");
	CHECK_STR(s.settings[0].path, "proc/sys/vm/swappiness");
	CHECK_STR(s.settings[1].path, "sys/kernel/mm/ksm/run");
	CHECK(s.sock_account);
	place_spec_done(&s);
}

static void refuses(const char *text, const char *msg, const char *hint)
{
	struct place_spec s = { 0 };
	struct err e = { 0 };
	int r = parse(text, &s, &e);

	place_spec_done(&s);
	if (r >= 0)
		TAP_FAIL("\"%s\" was taken", text);
	CHECK_HAS(e.msg, msg);
	CHECK_HAS(e.hint, hint);
}

static void mistakes_are_told(void)
{
	refuses("depht=1", "no key of a placement", "depth");
	refuses("depth=-1", "depth", "");
	refuses("depth=65", "not from 0 to 64", "");
	refuses("groups=2", "need a level", "depth=1");
	refuses("groups=0,depth=1", "groups", "");
	refuses("spread=wide", "spread", "compact");
	refuses("fs=ntfs", "no file system", "xfs-loop");
	refuses("fs=tmpfs:12Q", "not a size", "");
	refuses("fs=tmpfsx", "no file system", "tmpfs");
	refuses("swap=zram", "wants a size", "");
	refuses("swap=disk", "no swap", "zram:SIZE");
	refuses("cpus=3-1", "cpus", "");
	refuses("cpus=", "empty", "");
	refuses("memory.max@3=1M,depth=2", "deeper than depth=2", "");
	refuses("memory.max@0=1M,depth=2", "not from 1", "");
	refuses("cgroup=root,depth=1", "excludes", "");
	refuses("cgroup-parent=a", "begins with", "");
	refuses("cgroup-parent=/a/../b", "\"..\"", "");
	refuses("vm.a/../b=1", "no name of a setting", "");
	refuses("/sys/../etc/passwd=1", "no name of a setting", "");
	refuses("dir=scratch", "begins with", "whole path");
	refuses("dir=/tmp/..", "\"..\"", "");
	refuses("memory.max=12Q,depth=1", "not a size", "\"max\"");
	refuses("memory.hihg=1M,depth=1", "no knob \"memory.hihg\"", "memory.high");
	refuses("memory.mx@1=1M,depth=1", "no knob \"memory.mx\"", "memory.max");
	refuses("cpu.max=,depth=1", "empty", "");
}

/* What a newer or patched kernel may have is left to it. */
static void unknown_knobs_and_paths_pass(void)
{
	struct place_spec s;
	struct err e = { 0 };

	CHECK_OK(parse("depth=1,memory.swap.tiers.max=zram 1M,memory.reclaim=1M swappiness=0,"
		       "memory.max=max,cgroup-parent=/a/b//,/sys/block/a.b/queue/nomerges=2,"
		       "/proc/sys/vm/swappiness=3",
		       &s, &e));
	CHECK_EQ(s.n_knobs, 3);
	CHECK_STR(s.knobs[0].file, "memory.swap.tiers.max");
	CHECK_STR(s.knobs[1].value, "1M swappiness=0");
	CHECK_STR(s.parent, "/a/b");
	CHECK_STR(s.settings[0].path, "sys/block/a.b/queue/nomerges");
	CHECK_STR(s.settings[1].path, "proc/sys/vm/swappiness");
	place_spec_done(&s);
}

static void knows_its_keys(void)
{
	CHECK(place_is_key("depth"));
	CHECK(place_is_key("memory.max"));
	CHECK(place_is_key("memory.low@2"));
	CHECK(place_is_key("vm.swappiness"));
	CHECK(place_is_key("/sys/kernel/mm/lru_gen/enabled"));
	CHECK(place_is_key("/proc/sys/vm/swappiness"));
	CHECK(!place_is_key("/etc/passwd"));
	CHECK(!place_is_key("tasks"));
	CHECK(!place_is_key("size"));
	CHECK_STR(place_nearest("memory.mx"), "memory.max");
	CHECK_STR(place_nearest("gruops"), "groups");
	CHECK(place_nearest("tasks") == NULL);
}

static struct place_facts host(void)
{
	static char controllers[] = "memory", start_path[] = "/x";
	struct place_facts f = {
		.version = CG_V1,
		.controllers = controllers,
		.start_path = start_path,
		.start_level = 1,
		.root = true,
		.may_make_groups = true,
		.mem_total_bytes = 8ull << 30,
		.mem_avail_bytes = 4ull << 30,
		.start_usage_bytes = 1 << 20,
	};

	num_set_add(&f.cpus, 0);
	num_set_add(&f.cpus, 1);
	num_set_add(&f.mems, 0);
	return f;
}

static void facts_travel(void)
{
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct place_facts f = host(), got;
	struct err e = { 0 };

	place_facts_format(&f, &kvs);
	CHECK_OK(place_facts_parse(&kvs, &got, &e));
	CHECK_EQ(got.version, CG_V1);
	CHECK_EQ(got.mem_avail_bytes, f.mem_avail_bytes);
	CHECK_STR(got.start_path, "/x");
	CHECK(got.root && got.may_make_groups);
	CHECK(num_set_within(&got.cpus, &f.cpus) && num_set_within(&f.cpus, &got.cpus));
	place_facts_done(&got);
	kvs_unset(&kvs, "mem_avail");
	CHECK(place_facts_parse(&kvs, &got, &e) < 0);
	CHECK_HAS(e.msg, "mem_avail");
}

/* Checks @text on @f with a footprint of 64M; @msg NULL: it must be taken. */
static void check(const struct place_facts *f, const char *text, bool can_reclaim,
		  const char *msg, const char *hint)
{
	struct place_spec s;
	struct err e = { 0 };
	int r;

	CHECK_OK(parse(text, &s, &e));
	r = place_check(f, &s, "tmpfs", 64u << 20, can_reclaim, &e);
	place_spec_done(&s);
	if (!msg && r < 0)
		TAP_FAIL("\"%s\" was refused: %s", text, e.msg);
	if (msg && r >= 0)
		TAP_FAIL("\"%s\" was taken", text);
	if (msg) {
		CHECK_HAS(e.msg, msg);
		CHECK_HAS(e.hint, hint);
	}
}

static void what_cannot_be_placed_is_refused(void)
{
	struct place_facts f = host();

	check(&f, "", false, NULL, NULL);
	check(&f, "depth=2,memory.max=64M", false, NULL, NULL);
	check(&f, "cpus=0-1", false, NULL, NULL);
	check(&f, "cpus=0-2", false, "cpus=0-2", "0-1");
	check(&f, "mems=1", false, "mems=1", "0");
	check(&f, "depth=1,memory.max=63M", false, "no swap to go to", "swap=zram");
	check(&f, "depth=1,memory.max=63M,fs=ext4-loop", true, NULL, NULL);
	/* files in memory have nowhere to go: what the default is here */
	check(&f, "depth=1,memory.max=63M", true, "the limit is 63M", "swap=zram");
	check(&f, "depth=1,memory.max=63M,dir=/var/tmp", true, NULL, NULL);
	check(&f, "depth=1,memory.max=63M,swap=zram:64M", true, NULL, NULL);
	check(&f, "depth=1,memory.max=63M,swap=zram:64M", false, NULL, NULL);
	check(&f, "depth=1,memory.max=63M,memory.swap.max=0,swap=zram:64M", false,
	      "no swap to go to", "memory.max");
	check(&f, "depth=1,memory.max=32M,swap=zram:16M", false, "only 16M of swap", "raise");
	check(&f, "depth=1,groups=2,memory.max=32M,swap=zram:32M", false, "only 16M", "swap=");
	check(&f, "depth=1,memory.max=32M,memory.swap.max=8M,swap=zram:1G", false, "only 8M", "");
	check(&f, "depth=2,groups=4,memory.max@1=128M", false, "no swap", "memory.max");
	/* a limit above the machine doesn't make it larger */
	check(&f, "depth=1,groups=100,memory.max=1G", false, "are available", "fewer");
	check(&f, "depth=1,groups=100,memory.max=1G,fs=xfs-loop", true, NULL, NULL);
	check(&f, "sock=on", false, "started in", "depth=1");
	check(&f, "depth=1,cpu.max=50000", false, "memory hierarchy of cgroup v1", "v2");
	check(&f, "depth=1,groups=100", false, "are available", "fewer");
	check(&f, "depth=1,memory.high=64M", false, "no counterpart on cgroup v1", "");
	check(&f, "memory.max=1G", false, "started in", "depth=1");
	f.version = CG_V2;
	check(&f, "depth=1,memory.high=64M", false, NULL, NULL);
	check(&f, "sock=on", false, NULL, NULL);
	check(&f, "depth=1,cpu.max=50000", false, "controller is not available", "memory");
	check(&f, "depth=1,memory.limit_in_bytes=1G", false, "memory.max on cgroup v2", "v1");
	f.swap_free_bytes = 1u << 30;
	check(&f, "depth=1,memory.max=16M", false, NULL, NULL);
}

static void missing_rights_are_told(void)
{
	struct place_facts f = host();

	f.root = false;
	check(&f, "fs=dir", false, NULL, NULL);
	check(&f, "fs=tmpfs", false, "only root", "fs=dir");
	check(&f, "swap=zram:1M", false, "only root", "run as root");
	check(&f, "vm.swappiness=1", false, "vm.swappiness", "run as root");
	check(&f, "cgroup=root", false, "root group", "run as root");
	f.may_make_groups = false;
	check(&f, "depth=1", false, "no right to make groups", "Delegate=yes");
	f.version = CG_V2;
	check(&f, "depth=0", false, "no right to make groups", "cgroup-parent");
	check(&f, "depth=0,cgroup-parent=/a", false, NULL, NULL);
	check(&f, "", false, NULL, NULL);
	f.version = CG_NONE;
	check(&f, "depth=1", false, "no memory controller", "leave depth");
	check(&f, "depth=0", false, NULL, NULL);
}

int main(void)
{
	TAP_RUN(reads_all_keys);
	TAP_RUN(mistakes_are_told);
	TAP_RUN(unknown_knobs_and_paths_pass);
	TAP_RUN(knows_its_keys);
	TAP_RUN(facts_travel);
	TAP_RUN(what_cannot_be_placed_is_refused);
	TAP_RUN(missing_rights_are_told);
	return tap_done();
}
