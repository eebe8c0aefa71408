// SPDX-License-Identifier: GPL-2.0-or-later
/* anon_touch and usemem: what is touched, in which order, how much, and what verify() refuses. */
#include "tap.h"
#include "workload_rig.h"

#include <sys/mman.h>

#include "workload/fault.h"

#define RUN_NS (30 * NSEC_PER_MSEC)

static int run(struct rig *r, const char *name, const char *settings, struct err *e)
{
	int ret = rig_init(r, name, settings, "/tmp", e);

	if (ret == 0)
		ret = rig_start(r, e);
	return ret < 0 ? ret : rig_measure(r, RUN_NS, e);
}

/* First member of the private state of anon_touch. */
static char *memory_of(const struct rig *r)
{
	return *(char **)r->task.priv;
}

static void anon_touch_keeps_to_its_working_set(void)
{
	static const char *const settings[] = {
		"size=1M", "size=1M,order=random", "size=1M,access=read",
		"size=1M,access=read,order=random,populate=populate",
	};

	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		_cleanup_rig_ struct rig r = { 0 };
		unsigned char in[256] = { 0 };
		struct err e = { 0 };
		size_t n = 0;

		CHECK_OK(run(&r, "anon_touch", settings[i], &e));
		CHECK(atomic_load(&r.task.ops) >= 256);
		CHECK(r.task.minflt < 200 || FAULT_SHADOW); /* nothing is new: no fault a page */
		CHECK_OK(rig_verify(&r, &e));
		CHECK_EQ(mincore(memory_of(&r), 1 << 20, in), 0);
		for (size_t k = 0; k < (1 << 20) / fault_page_bytes(); k++)
			n += in[k] & 1;
		CHECK_EQ(n, (1 << 20) / fault_page_bytes());
	}
}

static void anon_touch_pages_differ(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };
	uint64_t a, b;

	CHECK_OK(run(&r, "anon_touch", "size=64K", &e));
	memcpy(&a, memory_of(&r), sizeof(a));
	memcpy(&b, memory_of(&r) + fault_page_bytes(), sizeof(b));
	CHECK(a != b && a != 0 && b != 0);
}

static void anon_touch_notices_lost_memory(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "anon_touch", "size=64K", &e));
	CHECK_OK(rig_verify(&r, &e));
	CHECK_EQ(madvise(memory_of(&r) + fault_page_bytes(), fault_page_bytes(), MADV_DONTNEED), 0);
	CHECK(rig_verify(&r, &e) < 0);
	CHECK_HAS(e.msg, "page 1 of task 0 lost what was written to it");
}

static void usemem_counts_what_it_accesses(void)
{
	const struct {
		const char *settings;
		uint64_t ops, warm, touched_pages;
	} cases[] = {
		{ "size=1M", 256, 256, 256 },
		{ "size=1M,step=8", 131072, 131072, 256 },
		{ "size=1M,step=64K", 16, 16, 16 },
		{ "size=1M,passes=40", 10240, 512, 256 },
		{ "size=1M,order=random,step=8", 131072, 131072, 0 },
		{ "size=1M,step=512K,populate=populate", 2, 2, 256 },
		{ "size=1M,access=read", 256, 256, 256 },
	};

	if (fault_page_bytes() != 4096)
		SKIP("this machine has pages of another size");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		_cleanup_rig_ struct rig r = { 0 };
		struct err e = { 0 };

		CHECK_OK(run(&r, "usemem", cases[i].settings, &e));
		CHECK_EQ(atomic_load(&r.task.ops), cases[i].ops);
		CHECK_EQ(r.warm_ops, cases[i].warm);
		CHECK_EQ(r.task.bytes, 8 * cases[i].ops);
		CHECK_EQ(r.task.touched_bytes, 4096 * cases[i].touched_pages);
		CHECK(r.task.metric[0] > 0);
		CHECK_OK(rig_verify(&r, &e));
		r.task.minflt = r.task.majflt = 0;
		CHECK(rig_verify(&r, &e) < 0);
	}
}

/* 4096 draws among 256 pages leave none out but with probability 256 * e^-16. */
static void random_walk_reaches_every_page(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(run(&r, "usemem", "size=1M,step=256,order=random", &e));
	CHECK_EQ(atomic_load(&r.task.ops), 4096);
	CHECK_OK(rig_verify(&r, &e));
	r.task.minflt = 10; /* enough for a kernel with THP only */
	r.task.majflt = 0;
	if (rig_verify(&r, &e) == 0)
		SKIP("this machine maps more than a page by one fault");
	CHECK_HAS(e.msg, "touched 256 new pages with 10 page faults");
}

static void usemem_stopped_early_is_no_result(void)
{
	_cleanup_rig_ struct rig r = { 0 };
	struct err e = { 0 };

	CHECK_OK(rig_init(&r, "usemem", "size=1M,step=8,passes=1000000", "/tmp", &e));
	CHECK_OK(rig_start(&r, &e));
	CHECK_OK(rig_run(&r, RUN_NS, PHASE_STOP, &e));
	CHECK(rig_verify(&r, &e) < 0);
	CHECK_HAS(e.msg, "of 131072000000 accesses");
}

static void usemem_refuses_odd_steps(void)
{
	_cleanup_rig_ struct rig r = { 0 }, s = { 0 };
	struct err e = { 0 };

	CHECK_EQ(rig_init(&r, "usemem", "step=12", "/tmp", &e), -EINVAL);
	CHECK_HAS(e.msg, "step 12 is no multiple of 8");
	CHECK_EQ(rig_init(&s, "usemem", "step=1M,size=64K", "/tmp", &e), -EINVAL);
	CHECK_HAS(e.msg, "step 1M is larger than size 64K");
}

int main(void)
{
	rig_min_ops = 300; /* more than once round */
	TAP_RUN(anon_touch_keeps_to_its_working_set);
	TAP_RUN(anon_touch_pages_differ);
	TAP_RUN(anon_touch_notices_lost_memory);
	TAP_RUN(usemem_counts_what_it_accesses);
	TAP_RUN(random_walk_reaches_every_page);
	TAP_RUN(usemem_stopped_early_is_no_result);
	TAP_RUN(usemem_refuses_odd_steps);
	return tap_done();
}
