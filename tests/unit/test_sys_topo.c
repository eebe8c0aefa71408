// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <errno.h>
#include <sched.h>

#include "fixtures/fixture.h"
#include "sys/topo.h"

static struct err e;

static void four_nodes(void)
{
	_cleanup_close_ int root = fixture_open("synthetic-numa4");
	_cleanup_topo_ struct sys_topo t = { 0 };
	_cleanup_free_ char *online = NULL, *allowed = NULL, *mems = NULL, *node3 = NULL;

	CHECK_OK(sys_topo_read(root, &t, &e));
	CHECK_EQ(t.n_cpus, 15);
	CHECK_EQ(t.n_cores, 8);
	CHECK_EQ(t.n_nodes, 4);
	CHECK_EQ(num_set_count(&t.possible), 32);
	online = num_set_format(&t.online);
	CHECK_STR(online, "0-14");
	allowed = num_set_format(&t.allowed);
	CHECK_STR(allowed, "0-11,13"); /* 15 is allowed but offline */
	mems = num_set_format(&t.allowed_mems);
	CHECK_STR(mems, "0-2"); /* node 3 has no memory */
	CHECK_EQ(t.nodes[1].mem_total_bytes, 16ull << 30);
	CHECK_EQ(t.nodes[1].mem_free_bytes, 8ull << 30);
	CHECK_EQ(t.nodes[3].mem_total_bytes, 0);
	node3 = num_set_format(&t.nodes[3].cpus);
	CHECK_STR(node3, "6-7,14");
	CHECK_EQ(t.core_of[11], 3);
	CHECK_EQ(t.node_of[11], 1);
	CHECK_EQ(t.core_of[7], 7);
}

static void orders(void)
{
	static const struct {
		const char *among;
		enum sys_order how;
		const char *want;
	} cases[] = {
		{ "0-14", SYS_ORDER_COMPACT, "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7" },
		{ "0-14", SYS_ORDER_CORES, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14" },
		{ "0-14", SYS_ORDER_NODES, "0 2 4 6 1 3 5 7 8 10 12 14 9 11 13" },
		/* 8 is the first of its core here; the offline 15 is left out */
		{ "1,8-9,11,15", SYS_ORDER_COMPACT, "8 1 9 11" },
		{ "1,8-9,11,15", SYS_ORDER_CORES, "8 1 11 9" },
		{ "1,8-9,11,15", SYS_ORDER_NODES, "8 11 1 9" },
		{ "", SYS_ORDER_CORES, "" },
	};
	_cleanup_close_ int root = fixture_open("synthetic-numa4");
	_cleanup_topo_ struct sys_topo t = { 0 };
	static unsigned cpus[NUM_SET_MAX];

	CHECK_OK(sys_topo_read(root, &t, &e));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		_cleanup_str_ struct str got = STR_INIT(256);
		struct num_set among;
		size_t n;

		CHECK_OK(num_set_parse(cases[i].among, &among, &e));
		n = sys_topo_order(&t, &among, cases[i].how, cpus);
		for (size_t k = 0; k < n; k++)
			str_addf(&got, "%s%u", k ? " " : "", cpus[k]);
		CHECK_STR(str_text(&got), cases[i].want);
	}
}

static void captured_machine(void)
{
	_cleanup_close_ int root = fixture_open("hybrid-6.18");
	_cleanup_topo_ struct sys_topo t = { 0 };

	CHECK_OK(sys_topo_read(root, &t, &e));
	CHECK_EQ(t.n_cpus, 2);
	CHECK_EQ(t.n_cores, 2);
	CHECK_EQ(t.n_nodes, 1);
	CHECK(t.nodes[0].mem_total_bytes > 1u << 30);
}

static void without_numa(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("hybrid-6.18");
	_cleanup_topo_ struct sys_topo t = { 0 };

	CHECK(c.fd >= 0);
	CHECK_OK(fsx_remove_tree(c.fd, "sys/devices/system/node", &e));
	CHECK_OK(sys_topo_read(c.fd, &t, &e));
	CHECK_EQ(t.n_nodes, 1);
	CHECK_EQ(t.nodes[0].id, 0);
	CHECK_EQ(num_set_count(&t.nodes[0].cpus), 2);
	CHECK(t.nodes[0].mem_total_bytes > 1u << 30);
}

static void broken_files(void)
{
	_cleanup_fixture_ struct fixture_copy c = fixture_copy("synthetic-numa4");
	_cleanup_topo_ struct sys_topo t = { 0 };

	CHECK(c.fd >= 0);
	CHECK_OK(fsx_replace(c.fd, "sys/devices/system/cpu/online", "0-\n", &e));
	CHECK_EQ(sys_topo_read(c.fd, &t, &e), -EINVAL);
	CHECK_HAS(e.msg, "sys/devices/system/cpu/online");
	CHECK_OK(fsx_replace(c.fd, "sys/devices/system/cpu/online", "\n", &e));
	CHECK_EQ(sys_topo_read(c.fd, &t, &e), -EBADMSG);
	CHECK(t.core_of == NULL);
}

static void this_machine(void)
{
	_cleanup_close_ int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_topo_ struct sys_topo t = { 0 };
	cpu_set_t set;

	CHECK_OK(sys_topo_read(root, &t, &e));
	CHECK_EQ(num_set_count(&t.online), sysconf(_SC_NPROCESSORS_ONLN));
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
	CHECK_EQ(num_set_count(&t.allowed), CPU_COUNT(&set));
}

int main(void)
{
	TAP_RUN(four_nodes);
	TAP_RUN(orders);
	TAP_RUN(captured_machine);
	TAP_RUN(without_numa);
	TAP_RUN(broken_files);
	TAP_RUN(this_machine);
	return tap_done();
}
