/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One QEMU with one kernel: started, watched, ended. The other side is agent/init.c; what it
 * says comes out of qemu.out, what it hears goes into qemu.in. Nothing outlives the tool: QEMU
 * dies with it, the folder of the guest is in the undo journal.
 */
#ifndef TARGET_VM_GUEST_H
#define TARGET_VM_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/spawn.h"
#include "base/str.h"

struct err;
struct initrd;
struct kernel;
struct undo;

enum guest_accel { GUEST_TCG, GUEST_KVM };

struct guest_spec {
	const struct kernel *kernel;
	struct initrd *initrd;
	unsigned cpus;
	uint64_t memory_bytes;
	bool cgroup_v1;
	bool icount; /* TCG, one CPU: time passes by instructions, and jumps over idleness */
	const char *append; /* to the kernel's command line; "" */
	enum guest_accel accel;
	/*
	 * Counting: TCG with a clock that counts instructions, everything pinned, the machine's
	 * protocol on a socket (qmp_open(guest_qmp_path)). @job holds the agent's records;
	 * @snapshot_fd (or -1: boot) is the kept machine that goes on.
	 */
	bool count;
	const char *job; /* text */
	int snapshot_fd;
	const char *plugin, *symbols; /* count by function: the plugin, its symbols; or NULL */
};

struct guest {
	struct spawn qemu;
	char *dir;	   /* console, messages of QEMU, initramfs */
	struct undo *undo; /* of dir */
	uint64_t initrd_bytes;
};
#define GUEST_INIT ((struct guest){ .qemu = SPAWN_INIT })

/* -ENOENT when there is no QEMU. What becomes of the guest is known by its words, or its end. */
__must_check int guest_start(const struct guest_spec *s, struct guest *ret, struct err *e);
/*
 * What decides how a counting guest runs, beside its kernel and initramfs: flags and the kernel's
 * command line, as text; malloc'd.
 */
char *guest_count_flags(const struct guest_spec *s);
char *guest_qmp_path(const struct guest *g); /* malloc'd */
/*
 * Waits for the end of a counting guest whose words have ended, and reads what the plugin wrote,
 * malloc'd; the guest is then ended by guest_stop.
 */
__must_check int guest_read_profile(struct guest *g, char **ret, struct err *e);
bool guest_is_up(const struct guest *g); /* started and not ended by us */
/* Ends it at once and removes its folder. Fine on GUEST_INIT and a second time. */
void guest_stop(struct guest *g);

/* How a guest ended. */
enum guest_end {
	GUEST_DONE,	   /* the agent, or all programs, ended well */
	GUEST_BAD,	   /* one of them didn't */
	GUEST_INIT_FAILED, /* the machine could not be set up inside */
	GUEST_PANIC,
	GUEST_OOPS,	   /* a fault in the kernel, which panics then: nothing counts after it */
	GUEST_HANG,	   /* the kernel itself found that something hangs */
	GUEST_OOM,	   /* no memory left for anything */
	GUEST_TIMEOUT,	   /* not done in time, and killed */
	GUEST_OFF,	   /* powered off or reset without a word */
	GUEST_GARBLED,	   /* said what is no record, and was killed */
	GUEST_QEMU,	   /* QEMU could not start or died */
};
const char *guest_end_name(enum guest_end end); /* "panic", "time-out" */

struct guest_outcome {
	enum guest_end end;
	char *text;	     /* one line, why; "" */
	struct strv console; /* last lines of the guest's console */
};
void guest_outcome_done(struct guest_outcome *o);
#define _cleanup_guest_outcome_ __attribute__((cleanup(guest_outcome_done)))

/*
 * Waits for the end of a guest whose words have ended, a few seconds; or kills it when @forced
 * says why (GUEST_TIMEOUT, GUEST_GARBLED; GUEST_DONE: not forced). Reads how it went, stops it.
 */
void guest_finish(struct guest *g, enum guest_end forced, struct guest_outcome *ret);
/* The reading alone: QEMU's wait status, its messages, the guest's console. */
void guest_judge(int status, enum guest_end forced, const char *messages, const char *console,
		 struct guest_outcome *ret);

/* "7.2.22"; -ENOENT with a hint when there is no QEMU, -ENOTSUP when it is too old. */
__must_check int guest_qemu_version(char **ret, struct err *e);
/*
 * Does KVM run a guest? 1 yes, 0 no, -1: not known yet. Remembered in the cache for this host
 * kernel and QEMU by guest_kvm_note, which is called after a boot was tried.
 */
int guest_kvm_known(const char *qemu_version);
void guest_kvm_note(const char *qemu_version, bool works);

#endif
