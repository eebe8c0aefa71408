// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/num.h"
#include "target/vm/vm.h"

#define CPUS_MAX 64
#define MEMORY_MIN (128ull << 20)
#define MEMORY_MAX (1ull << 40)
#define APPEND_MAX 1024 /* a kernel takes 2048 on x86, ours included */

const char *const vm_option_names[] = {
	"kernel", "smp", "mem", "append", "cgroup", "accel", "clock", "modules", "timeout", "count",
	"profile", NULL,
};

static int set_kernel(struct vm_options *o, const char *v, struct err *e)
{
	if (!*v)
		return err_set(e, -EINVAL, "no kernel is named");
	free(o->kernel);
	o->kernel = xstrdup(v);
	return 0;
}

static int set_cpus(struct vm_options *o, const char *v, struct err *e)
{
	uint64_t n;
	int r = num_u64(v, &n, e);

	if (r == 0 && (n < 1 || n > CPUS_MAX))
		r = err_set(e, -ERANGE, "a guest has 1 to %d CPUs, not %" PRIu64, CPUS_MAX, n);
	if (r == 0)
		o->cpus = (unsigned)n;
	return r;
}

static int set_memory(struct vm_options *o, const char *v, struct err *e)
{
	uint64_t n;
	int r = num_size(v, &n, e);

	if (r == 0 && (n < MEMORY_MIN || n > MEMORY_MAX || n % (1 << 20)))
		r = err_set(e, -ERANGE, "memory \"%s\" is not from 128M to 1T, in whole MiB", v);
	if (r == 0)
		o->memory_bytes = n;
	return r;
}

/* QEMU takes the line as one argument; the kernel cuts it where it pleases. */
static int set_append(struct vm_options *o, const char *v, struct err *e)
{
	if (strlen(v) > APPEND_MAX)
		return err_set(e, -E2BIG, "a command line has at most %d characters", APPEND_MAX);
	for (const char *p = v; *p; p++)
		if (*p < ' ' || *p > '~')
			return err_set(e, -EINVAL, "a command line is printable ASCII");
	free(o->append);
	o->append = xstrdup(v);
	return 0;
}

static int choose(const char *v, const char *const *words, size_t n, size_t *ret, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(v, words[i])) {
			*ret = i;
			return 0;
		}
	return err_set(e, -EINVAL, "\"%s\" is not one of %s, %s%s%s", v, words[0], words[1],
		       n > 2 ? ", " : "", n > 2 ? words[2] : "");
}

static int set_cgroup(struct vm_options *o, const char *v, struct err *e)
{
	static const char *const words[] = { "v2", "v1" };
	size_t i = 0;
	int r = choose(v, words, ARRAY_LEN(words), &i, e);

	o->cgroup_v1 = i == 1;
	return r;
}

static int set_accel(struct vm_options *o, const char *v, struct err *e)
{
	static const char *const words[] = { "auto", "kvm", "tcg" };
	size_t i = 0;
	int r = choose(v, words, ARRAY_LEN(words), &i, e);

	o->accel = (enum vm_accel)i;
	return r;
}

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static int set_clock(struct vm_options *o, const char *v, struct err *e)
{
	static const char *const words[] = { "host", "instructions" };
	size_t i = 0;
	int r = choose(v, words, ARRAY_LEN(words), &i, e);

	o->icount = i == 1;
	return r;
}

static int set_modules(struct vm_options *o, const char *v, struct err *e)
{
	_cleanup_free_ char *text = xstrdup(v);
	char *rest = text, *name;

	while ((name = str_cut(&rest, ","))) {
		if (!*name || name[strspn(name, NAME_CHARS)])
			return err_set(e, -EINVAL, "\"%s\" is no name of a module", name);
		strv_add(&o->modules, name);
	}
	return 0;
}

static int set_timeout(struct vm_options *o, const char *v, struct err *e)
{
	uint64_t ns;
	int r = num_duration(v, &ns, e);

	if (r == 0 && ns < NSEC_PER_SEC)
		r = err_set(e, -ERANGE, "a time-out of \"%s\" is below a second", v);
	if (r == 0)
		o->timeout_ns = ns;
	return r;
}

/* Set for all variants by the run's own key "count"; here it is only understood. */
static int set_count(struct vm_options *o, const char *v, struct err *e)
{
	if (!str_eq(v, "instructions"))
		return err_set(e, -EINVAL, "only \"instructions\" can be counted");
	o->count = true;
	return 0;
}

/* Asked for by "explain". */
static int set_profile(struct vm_options *o, const char *v, struct err *e)
{
	return num_bool(v, &o->profile, e);
}

static int (*const setters[])(struct vm_options *, const char *, struct err *) = {
	set_kernel, set_cpus,  set_memory,  set_append,	 set_cgroup,
	set_accel,  set_clock, set_modules, set_timeout, set_count,
	set_profile,
};

static int set_one(struct vm_options *o, const struct kv *kv, struct err *e)
{
	for (size_t i = 0; vm_option_names[i]; i++)
		if (str_eq(kv->key, vm_option_names[i])) {
			int r = setters[i](o, kv->val, e);

			return r < 0 ? err_wrap(e, r, "\"%s\"", kv->key) : 0;
		}
	return err_set(e, -EINVAL, "target \"vm\" has no option \"%s\"", kv->key);
}

int vm_options_parse(const struct kvs *options, struct vm_options *ret, struct err *e)
{
	int r = 0;

	*ret = (struct vm_options){
		.cpus = 1,
		.memory_bytes = 1ull << 30,
		.append = xstrdup(""),
		.timeout_ns = 600 * NSEC_PER_SEC,
	};
	for (size_t i = 0; r == 0 && options && i < options->n; i++)
		r = set_one(ret, &options->v[i], e);
	/* with more CPUs, 6.1 hangs when it starts the second (QEMU 7.2) */
	if (r == 0 && ret->icount && (ret->cpus > 1 || ret->accel == VM_ACCEL_KVM))
		r = err_set(e, -EINVAL, "\"clock=instructions\" is for one CPU and TCG");
	if (ret->icount)
		ret->accel = VM_ACCEL_TCG;
	if (r == 0 && !ret->kernel) {
		r = err_set(e, -EINVAL, "target \"vm\" wants a kernel");
		err_hint(e, "kernel=PATH, or a package that \"mmgauge kernels\" lists");
	}
	if (r == 0 && ret->count && ret->cpus != 1)
		r = err_set(e, -EINVAL, "instructions are counted on one CPU: smp=%u can't be",
			    ret->cpus);
	if (r == 0 && ret->count && ret->accel == VM_ACCEL_KVM)
		r = err_set(e, -EINVAL, "KVM can't count instructions: leave accel out");
	return r;
}

int vm_options_check(const struct kvs *options, struct err *e)
{
	struct vm_options o;
	int r = vm_options_parse(options, &o, e);

	vm_options_done(&o);
	return r;
}

void vm_options_done(struct vm_options *o)
{
	free(o->kernel);
	free(o->append);
	strv_done(&o->modules);
	*o = (struct vm_options){ 0 };
}
