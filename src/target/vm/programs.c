// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of the host in a guest: tests of what only a kernel of one's own can show. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "kernel/initrd.h"
#include "kernel/kernel.h"
#include "target/target.h"
#include "target/vm/guest.h"
#include "target/vm/vm.h"

/* Adds the program of a command as bin/NAME and its line to the job. */
static int add_command(struct initrd *i, const char *command, struct str *job, struct err *e)
{
	size_t len = strcspn(command, " ");
	_cleanup_free_ char *source = xstrndup(command, len), *to = NULL;
	const char *slash = strrchr(source, '/');

	if (strchr(command, '\n'))
		return err_set(e, -EINVAL, "a command for a guest is one line");
	to = xasprintf("bin/%s", slash ? slash + 1 : source);
	str_addf(job, "/%s%s\n", to, command + len);
	for (size_t k = 0; k < i->n; k++)
		if (str_eq(i->v[k].path, to))
			return 0;
	return initrd_add_program(i, to, source, e);
}

static int build(const struct kernel *k, const struct vm_options *o, const struct strv *commands,
		 struct initrd *i, struct err *e)
{
	_cleanup_str_ struct str job = STR_INIT(65536);
	_cleanup_free_ char *agent = NULL;
	int r = target_find_agent(&agent, e);

	if (r == 0)
		r = vm_initrd(k, o, agent, i, e);
	for (size_t c = 0; r == 0 && c < commands->n; c++)
		r = add_command(i, commands->v[c], &job, e);
	if (r == 0)
		initrd_add_text(i, "job", str_text(&job));
	return r;
}

/* Copies what the guest says; 0 at its end, -ETIMEDOUT, or -EINTR. */
static int copy_out(int from, int fd, int stop_fd, uint64_t deadline_ns, struct err *e)
{
	for (;;) {
		uint64_t now = clock_mono_ns();
		struct pollfd p[] = {
			{ .fd = from, .events = POLLIN },
			{ .fd = stop_fd, .events = POLLIN },
		};
		char buf[4096];
		ssize_t n;

		if (now >= deadline_ns)
			return -ETIMEDOUT;
		n = poll(p, ARRAY_LEN(p), (int)((deadline_ns - now) / NSEC_PER_MSEC % 1000000) + 1);
		if (n > 0 && p[1].revents)
			return err_set(e, -EINTR, "interrupted");
		if (n <= 0 || !p[0].revents)
			continue;
		n = read(from, buf, sizeof(buf));
		if (n == 0)
			return 0;
		if (n > 0 && write(fd, buf, (size_t)n) < 0)
			return err_errno(e, errno, "could not write what the guest says");
	}
}

static int run_with(struct guest_spec *s, const struct vm_options *o, int fd, int stop_fd,
		    struct guest_outcome *ret, struct err *e)
{
	struct guest g = GUEST_INIT;
	int r = guest_start(s, &g, e);

	if (r < 0)
		return r;
	r = copy_out(g.qemu.out, fd, stop_fd, clock_mono_ns() + o->timeout_ns, e);
	if (r < 0 && r != -ETIMEDOUT) {
		guest_stop(&g);
		return r;
	}
	guest_finish(&g, r == -ETIMEDOUT ? GUEST_TIMEOUT : GUEST_DONE, ret);
	return 0;
}

int vm_run_programs(const struct vm_options *o, const struct strv *commands, int fd, int stop_fd,
		    struct guest_outcome *ret, struct err *e)
{
	_cleanup_initrd_ struct initrd i = { 0 };
	_cleanup_kernel_ struct kernel k = { 0 };
	_cleanup_free_ char *qemu = NULL;
	struct guest_spec s = {
		.kernel = &k,
		.initrd = &i,
		.cpus = o->cpus,
		.memory_bytes = o->memory_bytes,
		.cgroup_v1 = o->cgroup_v1,
		.icount = o->icount,
		.append = o->append,
	};
	int r = guest_qemu_version(&qemu, e);

	if (r == 0)
		r = kernel_open(o->kernel, &k, e);
	if (r == 0 && o->cgroup_v1)
		r = kernel_require_cgroup_v1(&k, e);
	if (r == 0)
		r = build(&k, o, commands, &i, e);
	if (r < 0)
		return r;
	/* only a boot with the agent tells whether KVM works */
	if (o->accel == VM_ACCEL_KVM || (o->accel == VM_ACCEL_AUTO && guest_kvm_known(qemu) == 1))
		s.accel = GUEST_KVM;
	return run_with(&s, o, fd, stop_fd, ret, e);
}
