// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "tap.h"

static void agrees_with_the_kernel(void)
{
	uint64_t before = clock_mono_ns();
	struct timespec ts;
	uint64_t kernel;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	kernel = (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
	CHECK(before <= kernel && kernel <= clock_mono_ns());
	CHECK(clock_wall_ns() / NSEC_PER_SEC >= 1700000000); /* after 2023 */
}

static void never_goes_back(void)
{
	uint64_t last = clock_mono_ns();

	for (int i = 0; i < 100000; i++) {
		uint64_t now = clock_mono_ns();

		CHECK(now >= last);
		last = now;
	}
}

static void cpu_clocks_count_work(void)
{
	uint64_t process = clock_process_cpu_ns(); /* first: it spans the thread's */
	uint64_t thread = clock_thread_cpu_ns();

	while (clock_thread_cpu_ns() - thread < 2 * NSEC_PER_MSEC)
		;
	CHECK(clock_process_cpu_ns() - process >= 2 * NSEC_PER_MSEC);
	CHECK(clock_process_cpu_ns() >= clock_thread_cpu_ns() - thread);
}

static void cpu_clocks_stand_while_asleep(void)
{
	uint64_t cpu = clock_thread_cpu_ns(), begin = clock_mono_ns();

	clock_sleep_until_ns(begin + 50 * NSEC_PER_MSEC);
	CHECK(clock_thread_cpu_ns() - cpu < clock_mono_ns() - begin);
}

static void sleeps_until_then(void)
{
	uint64_t then = clock_mono_ns() + 3 * NSEC_PER_MSEC;

	clock_sleep_until_ns(then);
	CHECK(clock_mono_ns() >= then);
	clock_sleep_until_ns(0);    /* the past: returns */
	clock_sleep_until_ns(then);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void signals_do_not_wake_it(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };
	uint64_t then = clock_mono_ns() + 20 * NSEC_PER_MSEC;

	CHECK_EQ(sigaction(SIGALRM, &sa, NULL), 0);
	CHECK_EQ(setitimer(ITIMER_REAL, &every, NULL), 0);
	clock_sleep_until_ns(then);
	CHECK_EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
	CHECK(clock_mono_ns() >= then);
	CHECK(alarms > 0);
}

int main(void)
{
	TAP_RUN(agrees_with_the_kernel);
	TAP_RUN(never_goes_back);
	TAP_RUN(cpu_clocks_count_work);
	TAP_RUN(cpu_clocks_stand_while_asleep);
	TAP_RUN(sleeps_until_then);
	TAP_RUN(signals_do_not_wake_it);
	return tap_done();
}
