// SPDX-License-Identifier: GPL-2.0-or-later
/* What a target says about itself; read where the agent runs, checked where the tool runs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "place/place.h"
#include "sys/mem.h"
#include "sys/topo.h"

static bool writable_dir(int rootfd, const struct cg_env *env, const char *path)
{
	_cleanup_free_ char *dir = cg_dir(env, path);

	return faccessat(rootfd, dir + 1, W_OK | X_OK, AT_EACCESS) == 0;
}

static void read_groups(int rootfd, struct place_facts *f)
{
	struct cg_env env = { 0 };
	struct cg_scope_plan plan;
	struct cg_usage u;
	struct cg cg;

	f->start_usage_bytes = CG_UNKNOWN;
	if (cg_probe(rootfd, &env, NULL) < 0)
		return;
	f->version = env.memory.version;
	f->controllers = xstrdup(env.controllers);
	f->start_path = xstrdup(env.memory.start);
	if (f->version != CG_NONE && cg_open(&env, env.memory.start, &cg, NULL) == 0) {
		f->start_level = cg.level;
		if (cg_usage_read(&cg, &u, NULL) == 0)
			f->start_usage_bytes = u.current_bytes;
		cg_close(&cg);
	}
	if (f->version != CG_NONE && cg_scope_plan(&env, NULL, "x", &plan, NULL) == 0) {
		/* a group that doesn't exist yet is made beside the start group */
		f->may_make_groups = plan.way == CG_SCOPE_SIBLING ||
				     writable_dir(rootfd, &env, plan.base);
		cg_scope_plan_done(&plan);
	}
	cg_env_done(&env);
}

int place_facts_read(int rootfd, struct place_facts *ret, struct err *e)
{
	_cleanup_topo_ struct sys_topo topo = { 0 };
	struct place_facts f = { .root = geteuid() == 0 };
	struct sys_mem mem = { 0 };
	int r = sys_topo_read(rootfd, &topo, e);

	if (r == 0)
		r = sys_mem_read(rootfd, &mem, e);
	if (r < 0)
		return r;
	f.cpus = topo.allowed;
	f.mems = topo.allowed_mems;
	f.mem_total_bytes = mem.total_bytes;
	f.mem_avail_bytes = mem.avail_bytes;
	f.swap_free_bytes = mem.swap_free_bytes;
	read_groups(rootfd, &f);
	if (!f.controllers)
		f.controllers = xstrdup("");
	if (!f.start_path)
		f.start_path = xstrdup("");
	*ret = f;
	return 0;
}

void place_facts_done(struct place_facts *f)
{
	free(f->controllers);
	free(f->start_path);
	*f = (struct place_facts){ 0 };
}

static void set_u64(struct kvs *out, const char *key, uint64_t v)
{
	char number[24];

	(void)snprintf(number, sizeof(number), "%" PRIu64, v);
	kvs_set(out, key, number);
}

void place_facts_format(const struct place_facts *f, struct kvs *out)
{
	_cleanup_free_ char *cpus = num_set_format(&f->cpus);
	_cleanup_free_ char *mems = num_set_format(&f->mems);

	set_u64(out, "cgroup", (uint64_t)f->version);
	kvs_set(out, "controllers", f->controllers);
	kvs_set(out, "start_path", f->start_path);
	set_u64(out, "start_level", f->start_level);
	set_u64(out, "root", f->root);
	set_u64(out, "may_make_groups", f->may_make_groups);
	set_u64(out, "mem_total", f->mem_total_bytes);
	set_u64(out, "mem_avail", f->mem_avail_bytes);
	set_u64(out, "swap_free", f->swap_free_bytes);
	set_u64(out, "start_usage", f->start_usage_bytes);
	kvs_set(out, "cpus", cpus);
	kvs_set(out, "mems", mems);
}

static int need(const struct kvs *kvs, const char *key, const char **ret, struct err *e)
{
	*ret = kvs_get(kvs, key);
	return *ret ? 0 : err_set(e, -EPROTO, "the facts have no \"%s\"", key);
}

static int need_u64(const struct kvs *kvs, const char *key, uint64_t *ret, struct err *e)
{
	const char *val;
	int r = need(kvs, key, &val, e);

	return r < 0 ? r : num_u64(val, ret, e);
}

static int need_set(const struct kvs *kvs, const char *key, struct num_set *ret, struct err *e)
{
	const char *val;
	int r = need(kvs, key, &val, e);

	return r < 0 ? r : num_set_parse(val, ret, e);
}

int place_facts_parse(const struct kvs *kvs, struct place_facts *ret, struct err *e)
{
	struct place_facts f = { 0 };
	const char *controllers = "", *start_path = "";
	uint64_t version = 0, level = 0, root = 0, may = 0;
	const struct {
		const char *key;
		uint64_t *to;
	} numbers[] = {
		{ "cgroup", &version },		  { "start_level", &level },
		{ "root", &root },		  { "may_make_groups", &may },
		{ "mem_total", &f.mem_total_bytes }, { "mem_avail", &f.mem_avail_bytes },
		{ "swap_free", &f.swap_free_bytes }, { "start_usage", &f.start_usage_bytes },
	};
	int r = need(kvs, "controllers", &controllers, e);

	if (r == 0)
		r = need(kvs, "start_path", &start_path, e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(numbers); i++)
		r = need_u64(kvs, numbers[i].key, numbers[i].to, e);
	if (r == 0)
		r = need_set(kvs, "cpus", &f.cpus, e);
	if (r == 0)
		r = need_set(kvs, "mems", &f.mems, e);
	if (r == 0 && version > CG_V2)
		r = err_set(e, -EPROTO, "cgroup version %" PRIu64 " is unknown", version);
	if (r < 0)
		return err_wrap(e, r, "facts of the target");
	f.version = (enum cg_version)version;
	f.start_level = (unsigned)level;
	f.root = root != 0;
	f.may_make_groups = may != 0;
	f.controllers = xstrdup(controllers);
	f.start_path = xstrdup(start_path);
	*ret = f;
	return 0;
}
