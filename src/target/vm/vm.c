// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel of one's own in a virtual machine. A boot is a unit: every guest is a fresh QEMU, the
 * agent in it serves all cases of that boot, and a case that takes the kernel down is a failed
 * run with a name and the console's last lines.
 */
#include "target/vm/vm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "kernel/initrd.h"
#include "kernel/kernel.h"
#include "target/target.h"
#include "target/vm/count.h"
#include "target/vm/guest.h"
#include "wire/wire.h"

#define HELLO_TCG_NS (180 * NSEC_PER_SEC) /* three seconds, on a machine that does nothing else */
#define HELLO_KVM_NS (20 * NSEC_PER_SEC)
#define GUEST_JOURNAL "/run/mmgauge"

struct vm {
	struct vm_options o;
	struct kernel kernel;
	char *agent;	/* path on the host */
	char *build_id;
	char *qemu;	/* version */
	enum guest_accel accel;
	bool accel_tried;
	struct guest guest;
	struct wire_reader in;
	struct count count;
	char *plugin, *symbols; /* to count by function */
};

/* What a kernel must have built in, to get as far as the agent's greeting. */
static const char *const needed[] = {
	"64BIT", "BLK_DEV_INITRD", "BINFMT_ELF", "PROC_FS", "SYSFS", "TMPFS", "DEVTMPFS",
	"SERIAL_8250", "SERIAL_8250_CONSOLE", "CGROUPS",
};

static int check_kernel(const struct vm *vm, struct err *e)
{
	int r = kernel_require(&vm->kernel, needed, ARRAY_LEN(needed), e);

	if (r == 0 && vm->o.cgroup_v1)
		r = kernel_require_cgroup_v1(&vm->kernel, e);
	return r;
}

int vm_initrd(const struct kernel *k, const struct vm_options *o, const char *agent,
	      struct initrd *ret, struct err *e)
{
	int r = initrd_add_program(ret, "init", agent, e);

	if (r == 0)
		r = initrd_add_modules(ret, k, (const char *const *)o->modules.v, o->modules.n, e);
	return r;
}

static int describe(const struct vm *vm, enum guest_accel accel, struct initrd *i,
		    struct guest_spec *ret, struct err *e)
{
	*ret = (struct guest_spec){
		.kernel = &vm->kernel,
		.initrd = i,
		.cpus = vm->o.cpus,
		.memory_bytes = vm->o.memory_bytes,
		.cgroup_v1 = vm->o.cgroup_v1,
		.icount = vm->o.icount,
		.append = vm->o.append,
		.accel = accel,
		.count = vm->o.count,
		.job = "",
		.snapshot_fd = -1,
		.plugin = vm->symbols ? vm->plugin : NULL,
		.symbols = vm->symbols,
	};
	return vm_initrd(&vm->kernel, &vm->o, vm->agent, i, e);
}

static int start_guest(struct vm *vm, enum guest_accel accel, struct err *e)
{
	_cleanup_initrd_ struct initrd i = { 0 };
	struct guest_spec s;
	int r = describe(vm, accel, &i, &s, e);

	return r < 0 ? r : guest_start(&s, &vm->guest, e);
}

/* The kept machine goes on with @text as all that it will ever hear. */
static int wake_guest(struct vm *vm, const char *text, struct err *e)
{
	_cleanup_initrd_ struct initrd i = { 0 };
	struct guest_spec s;
	int r = describe(vm, GUEST_TCG, &i, &s, e);

	s.job = text;
	if (r == 0)
		r = count_start(&vm->count, &s, clock_mono_ns() + HELLO_TCG_NS, &vm->guest, e);
	if (r == 0)
		vm->in = WIRE_READER(vm->guest.qemu.out);
	return r;
}

static void stop_guest(struct vm *vm)
{
	guest_stop(&vm->guest);
	wire_reader_done(&vm->in);
}

/* A guest that said something wrong, or nothing any more: which kind of end is it? */
static enum guest_end forced_by(int code)
{
	return code == -ETIMEDOUT ? GUEST_TIMEOUT : code == -EPROTO ? GUEST_GARBLED : GUEST_DONE;
}

/* The guest's end as an error: "the guest ended in a panic: …; its console: …". */
static int fail_of(const struct vm *vm, const struct guest_outcome *o, const struct err *why,
		   struct err *e)
{
	const char *text = o->text[0] ? o->text : why->msg;
	int r = err_set(e, o->end == GUEST_TIMEOUT ? -ETIMEDOUT : -EIO,
			"the guest of kernel \"%s\" ended in: %s: %s", vm->kernel.release,
			guest_end_name(o->end), text);

	if (o->console.n && !o->text[0])
		err_hint(e, "last on its console: %s", o->console.v[o->console.n - 1]);
	return r;
}

/* Takes the guest's words up to its environment. */
static int greet(struct target *t, struct vm *vm, uint64_t patience_ns, struct err *e)
{
	uint64_t deadline = clock_mono_ns() + patience_ns;
	int r;

	vm->in = WIRE_READER(vm->guest.qemu.out);
	kvs_done(&t->env);
	r = target_read_hello(t, &vm->in, deadline, e);
	return r < 0 ? r : target_read_env(t, &vm->in, vm->o.count ? -1 : vm->guest.qemu.in,
					   deadline, e);
}

static void set_env(struct target *t, const struct vm *vm);

/* The snapshot, made if need be, and what the machine in it says about itself. */
static int open_count(struct target *t, struct vm *vm, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(4096);
	_cleanup_initrd_ struct initrd i = { 0 };
	struct guest_spec s;
	int r = describe(vm, GUEST_TCG, &i, &s, e);

	target_write_ahead(NULL, NULL, &text);
	if (r == 0)
		r = count_prepare(&vm->count, &s, vm->qemu, clock_mono_ns() + HELLO_TCG_NS, e);
	if (r == 0 && vm->o.profile)
		r = target_find_plugin(&vm->plugin, e);
	if (r == 0 && vm->o.profile)
		r = count_symbols(&vm->count, &s, clock_mono_ns() + HELLO_TCG_NS, &vm->symbols, e);
	if (r == 0)
		r = wake_guest(vm, str_text(&text), e);
	if (r == 0)
		r = greet(t, vm, HELLO_TCG_NS, e);
	stop_guest(vm);
	if (r == 0)
		set_env(t, vm);
	return r;
}

/* One boot with this accelerator; the guest is gone when it fails. */
static int try_boot(struct target *t, struct vm *vm, enum guest_accel accel, struct err *e)
{
	uint64_t patience = accel == GUEST_KVM ? HELLO_KVM_NS : HELLO_TCG_NS;
	_cleanup_guest_outcome_ struct guest_outcome o = { 0 };
	struct err why = { 0 };
	int r = start_guest(vm, accel, e);

	if (r < 0)
		return r;
	if (patience > vm->o.timeout_ns)
		patience = vm->o.timeout_ns;
	r = greet(t, vm, patience, &why);
	if (r == 0)
		return 0;
	guest_finish(&vm->guest, forced_by(r), &o);
	stop_guest(vm);
	if (o.end == GUEST_DONE || o.end == GUEST_GARBLED) {
		if (e)
			*e = why; /* it told: another build */
		return r;
	}
	return fail_of(vm, &o, &why, e);
}

/* KVM when it was seen to work, or is seen to work now. */
static int boot_somehow(struct target *t, struct vm *vm, struct err *e)
{
	int known = vm->accel_tried || vm->o.accel != VM_ACCEL_AUTO ? 0 : guest_kvm_known(vm->qemu);
	int r;

	if (vm->o.accel == VM_ACCEL_KVM || known == 1)
		vm->accel = GUEST_KVM;
	if (known == -1) {
		log_info("trying whether KVM runs a guest here (once)");
		if (try_boot(t, vm, GUEST_KVM, NULL) == 0) {
			vm->accel = GUEST_KVM;
			vm->accel_tried = true;
			guest_kvm_note(vm->qemu, true);
			return 0;
		}
	}
	r = try_boot(t, vm, vm->accel, e);
	if (r == 0 && known == -1)
		guest_kvm_note(vm->qemu, false); /* TCG ran the same guest */
	vm->accel_tried = true;
	return r;
}

static void set_env(struct target *t, const struct vm *vm)
{
	_cleanup_free_ char *cpus = xasprintf("%u", vm->o.cpus);
	char mem[24];

	kvs_set(&t->env, "guest.accel", vm->accel == GUEST_KVM ? "kvm" : "tcg");
	kvs_set(&t->env, "guest.qemu", vm->qemu);
	kvs_set(&t->env, "guest.cpus", cpus);
	kvs_set(&t->env, "guest.memory", num_fmt_size(mem, sizeof(mem), vm->o.memory_bytes));
	kvs_set(&t->env, "guest.append", vm->o.append);
	kvs_set(&t->env, "guest.clock", vm->o.icount ? "instructions" : "host");
	if (vm->o.count) {
		kvs_set(&t->env, "guest.count", vm->count.flags);
		kvs_set(&t->env, "guest.snapshot", vm->count.key);
	}
	if (vm->build_id)
		kvs_set(&t->env, "kernel.build_id", vm->build_id);
	if (vm->kernel.package[0])
		kvs_set(&t->env, "kernel.package", vm->kernel.package);
	if (vm->kernel.package_version[0])
		kvs_set(&t->env, "kernel.package_version", vm->kernel.package_version);
}

static int vm_boot(struct target *t, struct err *e)
{
	struct vm *vm = t->priv;
	int r;

	if (vm->o.count)
		return 0; /* every case starts from the snapshot */
	stop_guest(vm);
	r = boot_somehow(t, vm, e);
	if (r == 0)
		set_env(t, vm);
	return r;
}

/* Facts of such a guest: of one that ran before, or of a boot for them. */
static int find_facts(struct target *t, struct vm *vm, struct err *e)
{
	struct vm_guest_key k = {
		.image = vm->kernel.image,
		.agent = vm->agent,
		.qemu = vm->qemu,
		.o = &vm->o,
	};
	int kvm = vm->o.accel == VM_ACCEL_AUTO ? guest_kvm_known(vm->qemu) :
						 vm->o.accel == VM_ACCEL_KVM;
	int r;

	k.accel = kvm == 1 ? GUEST_KVM : GUEST_TCG;
	if (kvm >= 0 && vm_facts_load(&k, t))
		return 0;
	r = vm_boot(t, e);
	if (r < 0)
		return r;
	k.accel = (int)vm->accel;
	vm_facts_save(&k, t);
	return 0;
}

static int find_parts(struct vm *vm, struct err *e)
{
	_cleanup_free_ char *config = NULL;
	int r = guest_qemu_version(&vm->qemu, e);

	if (r == 0)
		r = target_find_agent(&vm->agent, e);
	if (r == 0)
		r = kernel_open(vm->o.kernel, &vm->kernel, e);
	if (r < 0)
		return r;
	/* a build id is for the record: a payload that can't be unpacked has none */
	(void)!kernel_image_look(vm->kernel.image, &vm->build_id, &config, NULL);
	if (!vm->kernel.config)
		vm->kernel.config = steal_ptr(&config);
	return check_kernel(vm, e);
}

static int vm_open(struct target *t, const struct kvs *options, struct err *e)
{
	struct vm *vm = xcalloc(1, sizeof(*vm));
	int r;

	vm->guest = GUEST_INIT;
	vm->in = WIRE_READER(-EBADF);
	t->priv = vm;
	r = vm_options_parse(options, &vm->o, e);
	if (r == 0)
		r = find_parts(vm, e);
	if (r == 0 && vm->o.count)
		return open_count(t, vm, e);
	if (r == 0)
		r = find_facts(t, vm, e);
	stop_guest(vm);
	return r;
}

static bool vm_is_up(const struct target *t)
{
	const struct vm *vm = t->priv;

	return vm->o.count || guest_is_up(&vm->guest);
}

static void add_note(struct target_result *res, const char *kind, const char *code,
		     const char *text)
{
	res->notes = xrealloc(res->notes, res->n_notes + 1, sizeof(*res->notes));
	res->notes[res->n_notes++] = (struct target_note){
		.kind = xstrdup(kind),
		.code = xstrdup(code),
		.text = xstrdup(text),
	};
}

/* A run that took the guest down: how, and the last lines of its console. */
static void result_of(const struct vm *vm, const struct guest_outcome *o, const struct err *why,
		      struct target_result *ret)
{
	_cleanup_free_ char *code = xasprintf("guest_%s", guest_end_name(o->end));
	struct err e = { 0 };
	int r = fail_of(vm, o, why, &e);

	for (char *p = code; *p; p++)
		if (*p == ' ' || *p == '-')
			*p = '_';
	*ret = (struct target_result){
		.status = xstrdup("failed"),
		.hint = xstrdup(e.hint),
		.failure = r,
	};
	add_note(ret, "error", code, e.msg);
	for (size_t i = 0; i < o->console.n; i++)
		add_note(ret, "warning", "console", o->console.v[i]);
}

static int run_counted(struct target *t, struct vm *vm, const struct target_job *job,
		       struct target_result *ret, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	uint64_t deadline = clock_mono_ns() + vm->o.timeout_ns;
	int r;

	target_write_ahead(job, GUEST_JOURNAL, &text);
	r = wake_guest(vm, str_text(&text), e);
	if (r == 0)
		r = target_read_hello(t, &vm->in, deadline, e);
	if (r == 0)
		r = target_do_job(&vm->in, -1, job, GUEST_JOURNAL, deadline, ret, e);
	if (r == 0 && vm->o.profile) {
		r = guest_read_profile(&vm->guest, &ret->profile, e);
		if (r < 0)
			target_result_done(ret);
	}
	return r;
}

static int vm_run(struct target *t, const struct target_job *job, struct target_result *ret,
		  struct err *e)
{
	_cleanup_guest_outcome_ struct guest_outcome o = { 0 };
	struct vm *vm = t->priv;
	struct err why = { 0 };
	int r;

	if (vm->o.count)
		r = run_counted(t, vm, job, ret, &why);
	else if (!guest_is_up(&vm->guest))
		return err_set(e, -ENODEV, "the guest of kernel \"%s\" is down", vm->o.kernel);
	else
		r = target_do_job(&vm->in, vm->guest.qemu.in, job, GUEST_JOURNAL,
				  clock_mono_ns() + vm->o.timeout_ns, ret, &why);
	if (r == 0 && vm->o.count)
		stop_guest(vm);
	if (r == 0)
		return 0;
	if (r == -EINTR) {
		*e = why;
		stop_guest(vm);
		return r;
	}
	guest_finish(&vm->guest, forced_by(r), &o);
	stop_guest(vm);
	result_of(vm, &o, &why, ret);
	return 0;
}

static void vm_close(struct target *t)
{
	struct vm *vm = t->priv;

	if (!vm)
		return;
	stop_guest(vm);
	kernel_done(&vm->kernel);
	count_done(&vm->count);
	free(vm->plugin);
	free(vm->symbols);
	vm_options_done(&vm->o);
	free(vm->agent);
	free(vm->build_id);
	free(vm->qemu);
	free(vm);
	t->priv = NULL;
}

const struct target_ops target_vm = {
	.name = "vm",
	.summary = "a kernel of its own, booted in QEMU",
	.options = vm_option_names,
	.check = vm_options_check,
	.open = vm_open,
	.run = vm_run,
	.close = vm_close,
	.boot = vm_boot,
	.is_up = vm_is_up,
};
