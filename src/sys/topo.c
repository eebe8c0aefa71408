// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/topo.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"

#define CPU_DIR "sys/devices/system/cpu"
#define NODE_DIR "sys/devices/system/node"

static int read_set(int rootfd, const char *path, struct num_set *ret, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	int r = fsx_read_line(rootfd, path, &text, e);

	if (r < 0)
		return r;
	r = num_set_parse(text, ret, e);
	if (r < 0)
		return err_wrap(e, r, "file \"%s\"", path);
	return 0;
}

/* "Cpus_allowed_list:\t0-3" of proc/self/status. */
static int parse_allowed(const char *status, const char *key, struct num_set *ret, struct err *e)
{
	const char *line = strstr(status, key);
	_cleanup_free_ char *text = NULL;

	if (!line)
		return err_set(e, -EBADMSG, "file \"proc/self/status\" has no key \"%s\"", key);
	line += strlen(key);
	line += strspn(line, ": \t");
	text = xstrndup(line, strcspn(line, "\n"));
	return num_set_parse(text, ret, e);
}

static void set_and(struct num_set *a, const struct num_set *b)
{
	for (size_t i = 0; i < ARRAY_LEN(a->bits); i++)
		a->bits[i] &= b->bits[i];
}

static int read_sets(int rootfd, struct sys_topo *t, struct err *e)
{
	_cleanup_free_ char *status = NULL;
	int r = read_set(rootfd, CPU_DIR "/online", &t->online, e);

	if (r < 0)
		return r;
	if (num_set_count(&t->online) == 0)
		return err_set(e, -EBADMSG, "file \"" CPU_DIR "/online\" is empty");
	if (read_set(rootfd, CPU_DIR "/possible", &t->possible, NULL) < 0)
		t->possible = t->online;
	r = fsx_read_line(rootfd, "proc/self/status", &status, e);
	if (r == 0)
		r = parse_allowed(status, "Cpus_allowed_list", &t->allowed, e);
	if (r < 0)
		return r;
	set_and(&t->allowed, &t->online);
	/* absent in a kernel without cpusets: then every node is allowed */
	if (parse_allowed(status, "Mems_allowed_list", &t->allowed_mems, NULL) < 0)
		memset(&t->allowed_mems, 0xff, sizeof(t->allowed_mems));
	return 0;
}

/* Lowest online sibling; the file has had two names (core_cpus_list since 5.3). */
static unsigned read_core(int rootfd, const struct sys_topo *t, unsigned cpu)
{
	static const char *const names[] = { "core_cpus_list", "thread_siblings_list" };
	struct num_set siblings;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		_cleanup_free_ char *path =
			xasprintf(CPU_DIR "/cpu%u/topology/%s", cpu, names[i]);

		if (read_set(rootfd, path, &siblings, NULL) < 0)
			continue;
		set_and(&siblings, &t->online);
		return num_set_has(&siblings, cpu) ? (unsigned)num_set_nth(&siblings, 0) : cpu;
	}
	return cpu;
}

static void read_cores(int rootfd, struct sys_topo *t)
{
	t->n_cpus = num_set_nth(&t->online, num_set_count(&t->online) - 1) + 1;
	t->core_of = xcalloc(t->n_cpus, sizeof(*t->core_of));
	t->node_of = xcalloc(t->n_cpus, sizeof(*t->node_of));
	for (unsigned cpu = 0; cpu < t->n_cpus; cpu++) {
		t->core_of[cpu] = num_set_has(&t->online, cpu) ? read_core(rootfd, t, cpu) : cpu;
		if (num_set_has(&t->online, cpu) && t->core_of[cpu] == cpu)
			t->n_cores++;
	}
}

static uint64_t kib_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t kib;

	return at && fsx_key_u64(at, key, &kib) ? kib * 1024 : 0;
}

static int read_node(int rootfd, struct sys_topo *t, struct sys_node *n, struct err *e)
{
	_cleanup_free_ char *cpulist = xasprintf(NODE_DIR "/node%u/cpulist", n->id);
	_cleanup_free_ char *meminfo = xasprintf(NODE_DIR "/node%u/meminfo", n->id);
	_cleanup_free_ char *text = NULL;
	int r = read_set(rootfd, cpulist, &n->cpus, e);

	if (r == 0)
		r = fsx_read_line(rootfd, meminfo, &text, e);
	if (r < 0)
		return r;
	set_and(&n->cpus, &t->online);
	n->mem_total_bytes = kib_of(text, "MemTotal"); /* "Node 0 MemTotal:  1234 kB" */
	n->mem_free_bytes = kib_of(text, "MemFree");
	for (unsigned cpu = 0; cpu < t->n_cpus; cpu++) {
		if (num_set_has(&n->cpus, cpu))
			t->node_of[cpu] = n->id;
	}
	return 0;
}

/* A kernel without CONFIG_NUMA has no node directory. */
static int read_flat(int rootfd, struct sys_topo *t, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	int r = fsx_read_line(rootfd, "proc/meminfo", &text, e);

	if (r < 0)
		return r;
	t->n_nodes = 1;
	t->nodes = xcalloc(1, sizeof(*t->nodes));
	t->nodes[0].cpus = t->online;
	t->nodes[0].mem_total_bytes = kib_of(text, "MemTotal");
	t->nodes[0].mem_free_bytes = kib_of(text, "MemFree");
	return 0;
}

static int read_nodes(int rootfd, struct sys_topo *t, struct err *e)
{
	struct num_set ids, present = { 0 };
	int r = read_set(rootfd, NODE_DIR "/online", &ids, e);

	if (r == -ENOENT) {
		r = read_flat(rootfd, t, e);
	} else if (r == 0) {
		t->n_nodes = num_set_count(&ids);
		t->nodes = xcalloc(t->n_nodes, sizeof(*t->nodes));
		for (size_t i = 0; r == 0 && i < t->n_nodes; i++) {
			t->nodes[i].id = (unsigned)num_set_nth(&ids, i);
			r = read_node(rootfd, t, &t->nodes[i], e);
		}
	}
	for (size_t i = 0; r == 0 && i < t->n_nodes; i++) {
		if (t->nodes[i].mem_total_bytes)
			num_set_add(&present, t->nodes[i].id);
	}
	set_and(&t->allowed_mems, &present);
	return r;
}

int sys_topo_read(int rootfd, struct sys_topo *ret, struct err *e)
{
	struct sys_topo t = { 0 };
	int r = read_sets(rootfd, &t, e);

	if (r == 0) {
		read_cores(rootfd, &t);
		r = read_nodes(rootfd, &t, e);
	}
	if (r < 0) {
		sys_topo_done(&t);
		return err_wrap(e, r, "could not read the topology");
	}
	*ret = t;
	return 0;
}

void sys_topo_done(struct sys_topo *t)
{
	free(t->core_of);
	free(t->node_of);
	free(t->nodes);
	*t = (struct sys_topo){ 0 };
}

/* A CPU with its sort keys, most significant first. */
struct ranked {
	unsigned key[4];
	unsigned cpu;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	for (size_t i = 0; i < ARRAY_LEN(x->key); i++) {
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	}
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void set_keys(const struct sys_topo *t, enum sys_order how, unsigned rank,
		     struct ranked *r)
{
	unsigned node = t->node_of[r->cpu], core = t->core_of[r->cpu];

	r->key[0] = how == SYS_ORDER_COMPACT ? node : how == SYS_ORDER_CORES ? rank : 0;
	r->key[1] = how == SYS_ORDER_COMPACT ? core : node;
	r->key[2] = how == SYS_ORDER_COMPACT ? 0 : how == SYS_ORDER_CORES ? core : rank;
	r->key[3] = how == SYS_ORDER_NODES ? core : 0;
}

/* From "by node" to "nodes take turns": the place within the node becomes the first key. */
static void take_turns(const struct sys_topo *t, struct ranked *v, size_t n)
{
	unsigned turn = 0;

	for (size_t i = 0; i < n; i++) {
		turn = i && t->node_of[v[i].cpu] == t->node_of[v[i - 1].cpu] ? turn + 1 : 0;
		v[i].key[0] = turn;
	}
	qsort(v, n, sizeof(*v), compare);
}

size_t sys_topo_order(const struct sys_topo *t, const struct num_set *among, enum sys_order how,
		      unsigned *ret_cpus)
{
	_cleanup_free_ struct ranked *v = xcalloc(t->n_cpus + 1, sizeof(*v));
	_cleanup_free_ unsigned *rank = xcalloc(t->n_cpus + 1, sizeof(*rank)); /* [core] */
	size_t n = 0;

	for (unsigned cpu = 0; cpu < t->n_cpus; cpu++) {
		if (!num_set_has(among, cpu) || !num_set_has(&t->online, cpu))
			continue;
		v[n].cpu = cpu;
		set_keys(t, how, rank[t->core_of[cpu]]++, &v[n]);
		n++;
	}
	qsort(v, n, sizeof(*v), compare);
	if (how == SYS_ORDER_NODES)
		take_turns(t, v, n);
	for (size_t i = 0; i < n; i++)
		ret_cpus[i] = v[i].cpu;
	return n;
}
