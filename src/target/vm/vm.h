/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target vm: its options, and running programs in a guest without a case. */
#ifndef TARGET_VM_VM_H
#define TARGET_VM_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/kv.h"
#include "base/str.h"

struct err;
struct initrd;
struct kernel;
struct guest_outcome;

enum vm_accel { VM_ACCEL_AUTO, VM_ACCEL_KVM, VM_ACCEL_TCG };

/*
 * Keys: kernel (see kernel/kernel.h), smp (CPUs, 1), mem (1G), append (to the kernel's command
 * line), cgroup (v1 or v2), accel (auto, kvm, tcg), clock (host, instructions), modules (names, by
 * comma), timeout (of a case and all else that is waited for, 10m).
 */
struct vm_options {
	char *kernel;
	unsigned cpus;
	uint64_t memory_bytes;
	char *append;
	bool cgroup_v1;
	enum vm_accel accel;
	bool icount; /* the guest's time is its instructions, a nanosecond each */
	struct strv modules;
	uint64_t timeout_ns;
	bool count; /* instructions, from a snapshot: count.h */
	bool profile; /* and by function */
};
extern const char *const vm_option_names[];
__must_check int vm_options_check(const struct kvs *options, struct err *e);
/* Ended with vm_options_done, also after a failure. */
__must_check int vm_options_parse(const struct kvs *options, struct vm_options *ret,
				  struct err *e);
void vm_options_done(struct vm_options *o);

/* What every guest has: the agent as /init, and modules. */
__must_check int vm_initrd(const struct kernel *k, const struct vm_options *o, const char *agent,
			   struct initrd *ret, struct err *e);

/*
 * Boots and runs programs (static ones: nothing else is in the guest) instead of a case, one
 * after the other; @commands are paths on the host with arguments that hold no blanks. What
 * they print goes to @fd as it comes, between lines "=== PROGRAM" and "=== exited with status N".
 * *@ret tells how the guest ended, GUEST_DONE when all succeeded.
 */
__must_check int vm_run_programs(const struct vm_options *o, const struct strv *commands, int fd,
				 int stop_fd, struct guest_outcome *ret, struct err *e);

/* All that decides what a guest says of itself. */
struct vm_guest_key {
	const char *image, *agent, *qemu;
	int accel; /* enum guest_accel */
	const struct vm_options *o;
};
struct target;
/* facts.c: facts and environment of a guest like this that ran before; false: there are none. */
bool vm_facts_load(const struct vm_guest_key *k, struct target *t);
void vm_facts_save(const struct vm_guest_key *k, const struct target *t);

#endif
