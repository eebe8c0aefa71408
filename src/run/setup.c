// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything before the first run: lock, targets, placement checks, the experiment's rows. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/log.h"
#include "base/rng.h"
#include "build_id.h"
#include "run/internal.h"
#include "undo/undo.h"

static int lock_holder(struct err *e, const char *path)
{
	_cleanup_free_ char *pid = NULL;
	int r;

	(void)!fsx_read_line(AT_FDCWD, path, &pid, NULL);
	r = err_set(e, -EBUSY, "another mmgauge is running (process %s)", pid ? pid : "unknown");
	err_hint(e, "two at a time would measure each other: wait for it, or end it with Ctrl-C");
	return r;
}

int run_lock(struct run *r, struct err *e)
{
	_cleanup_free_ char *dir = undo_default_dir();
	_cleanup_free_ char *path = xasprintf("%s/run.lock", dir);
	_cleanup_close_ int fd = -EBADF;
	int rc = fsx_mkdirs(AT_FDCWD, dir, 0700, e);

	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_errno(e, errno, "could not open \"%s\"", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? lock_holder(e, path) :
					      err_errno(e, errno, "could not lock \"%s\"", path);
	(void)!ftruncate(fd, 0);
	(void)!dprintf(fd, "%d\n", (int)getpid());
	r->lock_fd = steal_fd(&fd);
	return 0;
}

/* The placement of every case of a variant against the facts of its target. */
static int check_variant(const struct run *r, const struct plan_variant *v,
			 const struct target *t, struct err *e)
{
	for (size_t i = 0; i < r->plan->n_cases; i++) {
		const struct plan_case *c = &r->plan->cases[i];
		const struct workload *w = c->workload;
		_cleanup_kvs_ struct kvs params = { 0 }, place = { 0 };
		struct place_spec spec = { 0 };
		struct params parsed = { 0 };
		int rc;

		plan_job_params(c, v, &params);
		plan_job_place(c, v, &place);
		rc = params_parse(w, &params, &parsed, e);
		if (rc == 0)
			rc = place_parse(&place, &spec, e);
		if (rc == 0)
			rc = place_check(&t->facts, &spec, workload_default_fs(w),
					 w->footprint_bytes ? w->footprint_bytes(&parsed) : 0,
					 w->can_reclaim, e);
		if (rc == 0)
			rc = place_check_needs(&t->facts, &spec,
					       &(struct place_needs){
						       .root = w->needs & NEED_ROOT,
						       .real_cache = w->needs & NEED_REAL_CACHE,
						       .swap = w->needs & NEED_SWAP,
						       .memcg = w->needs & NEED_MEMCG,
						       .default_fs = workload_default_fs(w),
					       },
					       e);
		params_done(&parsed);
		place_spec_done(&spec);
		if (rc < 0)
			return err_wrap(e, rc, "variant \"%s\", case \"%s\"", v->name, c->title);
	}
	return 0;
}

static void skip_variant(struct run *r, const struct plan_variant *v, const struct err *why)
{
	char *all = xasprintf("%s%s: %s\n", r->x.skipped ? r->x.skipped : "", v->name, why->msg);

	log_warn("variant left out: %s", why->msg);
	free(r->x.skipped);
	r->x.skipped = all;
}

/* Options of the target, with the modules that its cases need. */
static void target_options(const struct run *r, const struct plan_variant *v, struct kvs *ret)
{
	bool swap = kvs_get(&v->place, "swap") != NULL;
	const char *modules = kvs_get(&v->options, "modules");
	_cleanup_free_ char *all = NULL;

	for (size_t i = 0; i < r->plan->n_cases; i++)
		swap = swap || kvs_get(&r->plan->cases[i].place, "swap");
	kvs_copy(ret, &v->options);
	if (r->plan->count)
		kvs_set(ret, "count", "instructions");
	if (r->profile)
		kvs_set(ret, "profile", "yes");
	if (!swap || !target_has_option(target_find(v->target), "modules"))
		return;
	all = xasprintf("%s%szram", modules ? modules : "", modules ? "," : "");
	kvs_set(ret, "modules", all);
}

static int open_variant(struct run *r, size_t i, struct err *e)
{
	const struct plan_variant *v = &r->plan->variants[i];
	struct target *t = &r->targets[r->n_variants];
	_cleanup_kvs_ struct kvs options = { 0 };
	int rc;

	if (r->plan->count && !target_has_option(target_find(v->target), "count")) {
		rc = err_set(e, -EINVAL, "variant \"%s\": instructions are counted in a virtual "
			     "machine only", v->name);
		err_hint(e, "use --kernels, or target=vm and kernel= in the variant");
		return rc;
	}
	target_options(r, v, &options);
	rc = target_open(t, v->target, &options, e);

	if (rc == 0)
		rc = check_variant(r, v, t, e);
	if (rc == 0) {
		r->variants[r->n_variants++] = i;
		r->by_boot = r->by_boot || target_boots(t);
		return 0;
	}
	target_close(t);
	if (!r->opts->skip_unplaceable)
		return rc;
	skip_variant(r, v, e);
	return 0;
}

int run_open_targets(struct run *r, struct err *e)
{
	size_t n = r->plan->n_variants;

	r->targets = xcalloc(n, sizeof(*r->targets));
	r->variants = xcalloc(n, sizeof(*r->variants));
	for (size_t i = 0; i < n; i++) {
		int rc = open_variant(r, i, e);

		if (rc < 0)
			return rc;
	}
	if (!r->n_variants)
		return err_wrap(e, -EINVAL, "none of the variants can be placed");
	r->pairs = xcalloc(r->plan->n_cases * r->n_variants, sizeof(*r->pairs));
	return 0;
}

char *run_case_params(const struct plan *p, const struct plan_case *c)
{
	_cleanup_str_ struct str all = STR_INIT(1 << 17), out = STR_INIT(1 << 17);
	_cleanup_kvs_ struct kvs kvs = { 0 };
	struct params parsed = { 0 };

	if (params_parse(c->workload, &c->params, &parsed, NULL) == 0)
		params_format(&parsed, &all);
	params_done(&parsed);
	if (kvs_parse(str_text(&all), &kvs, NULL) < 0 || kvs.n == 0)
		kvs_copy(&kvs, &c->params);
	for (size_t i = 0; i < p->n_variants; i++)
		for (size_t k = 0; k < p->variants[i].params.n; k++)
			kvs_unset(&kvs, p->variants[i].params.v[k].key);
	kvs_format(&kvs, &out);
	return xstrdup(str_text(&out));
}

static void fill_variants(struct run *r)
{
	struct store_experiment *x = &r->x;

	x->n_variants = r->n_variants;
	x->variants = xcalloc(x->n_variants, sizeof(*x->variants));
	for (size_t i = 0; i < x->n_variants; i++) {
		const struct plan_variant *v = &r->plan->variants[r->variants[i]];
		_cleanup_str_ struct str spec = STR_INIT(1 << 16);

		plan_variant_spec(v, &spec);
		x->variants[i] = (struct store_variant){
			.name = xstrdup(v->name),
			.target = xstrdup(v->target),
			.spec = xstrdup(str_text(&spec)),
		};
	}
}

/*
 * How much a trivially different image of the same kernel moves a count: what 14 of them did,
 * until the floor of a case is measured. Paths through the scheduler react more.
 */
#define FLOOR_FAULT 0.0002
#define FLOOR_SLEEP 0.007

static double count_floor(const struct workload *w)
{
	return w->sleeps ? FLOOR_SLEEP : FLOOR_FAULT;
}

static void fill_cases(struct run *r)
{
	struct store_experiment *x = &r->x;

	x->n_cases = r->plan->n_cases;
	x->cases = xcalloc(x->n_cases, sizeof(*x->cases));
	for (size_t i = 0; i < x->n_cases; i++) {
		const struct plan_case *c = &r->plan->cases[i];

		x->cases[i] = (struct store_case){
			.workload = xstrdup(c->workload->name),
			.revision = c->workload->revision,
			.params = run_case_params(r->plan, c),
			.title = xstrdup(c->title),
			.op = xstrdup(c->workload->op),
			.primary_row = c->primary,
			.floor = r->plan->count ? count_floor(c->workload) : 0,
		};
	}
}

/* A drawn seed is put in, right after "mmgauge run": run again, it gives the same order. */
static char *command_with_seed(const char *command, uint64_t seed)
{
	const char *after = command + strcspn(command, " ");

	after += *after == ' ';
	after += strcspn(after, " ");
	if (!seed)
		return xstrdup(command);
	return xasprintf("%.*s --seed %" PRIu64 "%s", (int)(after - command), command, seed, after);
}

static void fill_experiment(struct run *r, const char *hash)
{
	const struct plan *p = r->plan;
	struct store_experiment *x = &r->x;

	x->name = xstrdup(p->name);
	x->plan_text = xstrdup(p->text);
	x->plan_hash = xstrdup(hash);
	x->order = xstrdup(p->count ? STORE_ORDER_COUNTED : STORE_ORDER_BALANCED);
	/* counts of two experiments are to be the same: one seed for all of them */
	x->seed = p->seed ? p->seed : p->count ? 1 : rng_fresh_seed();
	x->command = command_with_seed(r->opts->command, p->seed ? 0 : x->seed);
	x->margin = p->margin;
	x->time_ns = p->time_ns;
	x->warmup_ns = p->warmup_ns;
	x->rounds_planned = p->rounds;
	x->wall_start_ns = (int64_t)clock_wall_ns();
	x->tool = xasprintf("mmgauge %s, build %s, agent build %s", BUILD_VERSION, BUILD_ID,
			    r->targets[0].build);
	x->status = xstrdup("running");
	if (!x->skipped)
		x->skipped = xstrdup("");
	fill_variants(r);
	fill_cases(r);
}

static const char *fact(const struct target *t, const char *key)
{
	const char *val = kvs_get(&t->env, key);

	return val ? val : "";
}

/* "AMD EPYC", or what a guest is made of: its times are not those of the machine. */
static char *machine_of(const struct target *t)
{
	const char *accel = fact(t, "guest.accel");

	if (!accel[0])
		return xstrdup(fact(t, "cpuinfo.model_name"));
	return xasprintf("guest with %s CPU%s, %s, %s", fact(t, "guest.cpus"),
			 str_eq(fact(t, "guest.cpus"), "1") ? "" : "s", fact(t, "guest.memory"),
			 str_eq(accel, "kvm") ? "KVM" : "emulated by TCG");
}

/* The boot that the target is in, and its environment as the target tells them. */
static int add_boot(struct run *r, size_t i, struct err *e)
{
	const struct target *t = &r->targets[i];
	_cleanup_free_ char *boot_id = xstrdup(fact(t, "boot_id"));
	_cleanup_free_ char *kernel = xasprintf("%s %s", fact(t, "kernel.release"),
						fact(t, "kernel.version"));
	_cleanup_free_ char *machine = machine_of(t);
	struct store_boot b = {
		.experiment = r->x.id,
		.boot_id = boot_id,
		.kernel = kernel,
		.machine = machine,
	};
	int rc = store_add_boot(r->store, &b, e);

	if (rc == 0)
		rc = store_add_env(r->store, r->x.id, r->x.variants[i].id, &t->env, e);
	r->boots[i] = rc == 0 ? b.id : 0;
	return rc;
}

/* What failed to boot is a failed run, and every run has a boot. */
static int add_no_boot(struct run *r, size_t i, struct err *e)
{
	_cleanup_free_ char *id = xasprintf("none of %s", r->x.variants[i].name);
	struct store_boot b = {
		.experiment = r->x.id,
		.boot_id = id,
		.kernel = (char[]){ "did not boot" },
		.machine = (char[]){ "" },
	};
	int rc = store_add_boot(r->store, &b, e);

	r->boots[i] = rc == 0 ? b.id : 0;
	return rc;
}

int run_boot(struct run *r, size_t variant_i, struct err *e)
{
	struct err late = { 0 };
	int rc = target_boot(&r->targets[variant_i], e);

	if (rc == 0)
		return add_boot(r, variant_i, e);
	if (add_no_boot(r, variant_i, &late) < 0) {
		*e = late;
		return late.code;
	}
	return rc;
}

/* Boots that run already: those of this machine. */
static int add_boots(struct run *r, struct err *e)
{
	int rc = 0;

	r->boots = xcalloc(r->n_variants, sizeof(*r->boots));
	for (size_t i = 0; rc == 0 && i < r->n_variants; i++)
		if (!target_boots(&r->targets[i]))
			rc = add_boot(r, i, e);
	return rc;
}

/* The last experiment, if it is this plan on this boot and was not finished. */
static int find_resumable(struct run *r, const char *hash, struct err *e)
{
	struct store_boot *boots = NULL;
	size_t n = 0;
	bool same_boot = false;
	int rc = store_read_experiment(r->store, 0, &r->x, e);

	if (rc == 0 && !str_eq(r->x.plan_hash, hash))
		rc = err_set(e, -EINVAL, "the last experiment of \"%s\" has another plan",
			     r->opts->store_path);
	if (rc == 0 && str_eq(r->x.status, "done"))
		rc = err_set(e, -EINVAL, "the last experiment of \"%s\" is complete",
			     r->opts->store_path);
	if (rc == 0 && (r->x.time_ns != r->plan->time_ns || r->x.warmup_ns != r->plan->warmup_ns))
		rc = err_set(e, -EINVAL, "--time or --warmup differ from those of the start");
	if (rc == 0 && r->x.n_variants != r->n_variants)
		rc = err_set(e, -EINVAL, "other variants can be placed now than at the start");
	if (rc == 0)
		rc = store_read_boots(r->store, r->x.id, &boots, &n, e);
	same_boot = r->by_boot; /* every round has boots of its own */
	for (size_t i = 0; rc == 0 && i < n; i++)
		same_boot = same_boot || str_eq(boots[i].boot_id, fact(&r->targets[0], "boot_id"));
	if (rc == 0 && !same_boot)
		rc = err_set(e, -EINVAL, "the machine was rebooted since the experiment began");
	store_boots_done(boots, n);
	if (rc < 0) {
		rc = err_wrap(e, rc, "could not resume");
		err_hint(e, "run without --resume to begin a new experiment");
	}
	return rc;
}

int run_open_store(struct run *r, struct err *e)
{
	_cleanup_free_ char *skipped = r->x.skipped;
	char hash[33];
	int rc = store_open(r->opts->store_path, STORE_WRITE, &r->store, e);

	if (rc < 0)
		return rc;
	store_hash_text(r->plan->text, hash);
	if (r->opts->resume) {
		r->x = (struct store_experiment){ 0 };
		rc = find_resumable(r, hash, e);
		if (rc == 0)
			rc = store_set_status(r->store, r->x.id, "running", e);
	} else {
		skipped = NULL; /* owned by the experiment */
		fill_experiment(r, hash);
		rc = store_add_experiment(r->store, &r->x, e);
	}
	if (rc == 0)
		rc = add_boots(r, e);
	r->out.experiment = rc == 0 ? r->x.id : 0;
	return rc;
}

void run_done(struct run *r)
{
	size_t pairs = r->pairs ? r->plan->n_cases * r->n_variants : 0;

	for (size_t i = 0; i < r->n_variants; i++)
		target_close(&r->targets[i]);
	for (size_t i = 0; i < pairs; i++)
		free(r->pairs[i].values);
	for (size_t i = 0; i < r->n_metrics; i++)
		free(r->metrics[i].name);
	free(r->metrics);
	free(r->pairs);
	free(r->targets);
	free(r->variants);
	free(r->boots);
	free(r->id);
	store_close(r->store);
	store_experiment_done(&r->x);
	if (r->lock_fd >= 0)
		(void)close(r->lock_fd);
}
