// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a guest said of itself, kept for the next time: placements are checked against it before
 * anything runs, and a boot only for that would double the wait for the first sample. The file is
 * what the agent sent; its name is a hash of all that makes the guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "build_id.h"
#include "kernel/kernel.h"
#include "target/target.h"
#include "target/vm/guest.h"
#include "target/vm/vm.h"
#include "wire/wire.h"

#define TEXT_MAX (1u << 20)

static int facts_path(const struct vm_guest_key *k, char **ret, struct err *e)
{
	_cleanup_free_ char *dir = kernel_cache_dir();
	_cleanup_str_ struct str text = STR_INIT(TEXT_MAX);
	char image[65], agent[65], all[65];
	int r = kernel_hash_file(k->image, image, e);

	if (r == 0)
		r = kernel_hash_file(k->agent, agent, e);
	if (r < 0)
		return r;
	if (!dir)
		return err_set(e, -ENOENT, "there is no place for a cache");
	str_addf(&text, "%s %s %s %s %u %" PRIu64 " %d %d %s", image, agent, k->qemu,
		 k->accel == GUEST_KVM ? "kvm" : "tcg", k->o->cpus, k->o->memory_bytes,
		 k->o->cgroup_v1, k->o->icount, k->o->append);
	for (size_t i = 0; i < k->o->modules.n; i++)
		str_addf(&text, " %s", k->o->modules.v[i]);
	kernel_hash_text(str_text(&text), all);
	*ret = xasprintf("%s/facts/%s", dir, all);
	return 0;
}

bool vm_facts_load(const struct vm_guest_key *k, struct target *t)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -EBADF, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct wire_reader in;
	bool ok;

	if (facts_path(k, &path, NULL) < 0)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	in = WIRE_READER(fd);
	ok = target_read_hello(t, &in, 0, NULL) == 0 &&
	     target_read_env(t, &in, null, 0, NULL) == 0;
	wire_reader_done(&in);
	if (!ok)
		kvs_done(&t->env);
	return ok;
}

void vm_facts_save(const struct vm_guest_key *k, const struct target *t)
{
	_cleanup_free_ char *path = NULL, *dir = NULL;
	_cleanup_str_ struct str out = STR_INIT(TEXT_MAX);
	_cleanup_kvs_ struct kvs facts = { 0 };

	if (facts_path(k, &path, NULL) < 0)
		return;
	place_facts_format(&t->facts, &facts);
	wire_begin(&out, "hello");
	wire_add_u64(&out, "proto", WIRE_PROTO);
	wire_add(&out, "build", BUILD_ID);
	for (size_t i = 0; i < facts.n; i++)
		wire_add(&out, facts.v[i].key, facts.v[i].val);
	wire_end(&out);
	for (size_t i = 0; i < t->env.n; i++) {
		wire_begin(&out, "fact");
		wire_add(&out, "key", t->env.v[i].key);
		wire_add(&out, "val", t->env.v[i].val);
		wire_end(&out);
	}
	wire_begin(&out, "done");
	wire_end(&out);
	dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	/* without a cache the next run boots once more */
	if (str_ok(&out) && fsx_mkdirs(AT_FDCWD, dir, 0755, NULL) == 0)
		(void)!fsx_replace(AT_FDCWD, path, str_text(&out), NULL);
}
