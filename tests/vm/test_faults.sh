#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Guests that go wrong: each end has its name, the console's lines, and leaves nothing.
. "$(dirname "$0")/lib.sh"

fault=$MMGAUGE_BUILD/tests/vm/fault

# fault_in KERNEL KIND [GUEST]
fault_in() {
	need_kernel "$1"
	guests_in_own_folder
	run mmgauge boot "$1" -g "mem=256M,timeout=${3:-60s}" -- "$fault" "$2"
	expect_status 1
	expect_stdout "^about to: $2"
	expect_no_guests
}

panic() {
	fault_in "$old" panic
	expect_stderr '^mmgauge: the guest ended in: panic: Kernel panic - not syncing: '
	expect_stderr '^mmgauge: warning: console: Kernel panic'
}

panic_on_the_newer() {
	fault_in "$new" panic
	expect_stderr '^mmgauge: the guest ended in: panic: Kernel panic - not syncing: '
}

out_of_memory() {
	fault_in "$old" oom
	expect_stderr '^mmgauge: the guest ended in: out of memory: .*deadlocked on memory'
}

panic_on_oom() {
	fault_in "$new" oom-kill
	expect_stderr '^mmgauge: the guest ended in: out of memory: .*panic_on_oom'
}

powers_off_early() {
	fault_in "$old" power-off
	expect_stderr '^mmgauge: the guest ended in: power-off: '
}

resets() {
	fault_in "$old" reset
	expect_stderr '^mmgauge: the guest ended in: power-off: '
}

sleeps_for_ever() {
	fault_in "$old" sleep 8s
	expect_stderr '^mmgauge: the guest ended in: time-out'
}

spins_for_ever() {
	fault_in "$old" spin 8s
	expect_stderr '^mmgauge: the guest ended in: time-out'
}

programs_fail() {
	fault_in "$old" fail
	expect_stdout '^=== exited with status 3'
	expect_no_stderr
	fault_in "$old" abort
	expect_stdout '^=== was killed by signal 6'
}

program_that_is_not_static() {
	need_kernel "$old"
	run mmgauge boot "$old" -g timeout=60s -- /bin/true
	expect_status 1
	expect_stderr 'the guest ended in: failed set-up: mmgauge-init: could not run program "/bin/true"'
}

no_memory_for_the_guest() {
	need_kernel "$old"
	run sh -c "ulimit -v 2000000; exec mmgauge boot $old -g mem=512G,accel=tcg"
	expect_status 1
	expect_stderr 'QEMU failed: .*memory'
}

kernel_without_v1_is_refused() {
	need_kernel "$new"
	run mmgauge boot "$new" -g cgroup=v1
	expect_status 1
	expect_stderr 'was built without CONFIG_MEMCG_V1$'
	expect_no_stdout
}

controller_can_be_off() {
	need_kernel "$new"
	run mmgauge boot "$new" -g append=cgroup_disable=memory,accel=tcg
	expect_status 0
	expect_stdout '^guest.accel  *tcg$'
	expect_stdout '^cgroup  *v2$\|^cgroup  *none$'
	expect_not_stdout '^controllers .*memory'
}

interrupted() {
	need_kernel "$old"
	guests_in_own_folder
	mmgauge boot "$old" -- "$fault" sleep >out 2>err </dev/null &
	pid=$!
	for _ in $(seq 200); do
		! grep -q '^about to' out || break
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid || status=$?
	expect_eq "${status-0}" 1
	grep -q 'mmgauge: interrupted' err || fail "stderr: $(cat err)"
	expect_no_guests
}

killed() {
	need_kernel "$old"
	guests_in_own_folder
	mmgauge boot "$old" -- "$fault" sleep >out 2>err </dev/null &
	pid=$!
	for _ in $(seq 200); do
		! grep -q '^about to' out || break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	run mmgauge clean
	expect_status 0
	expect_stdout "guests/mmgauge-vm-$pid-1"
	expect_no_guests
}

for t in panic panic_on_the_newer out_of_memory panic_on_oom powers_off_early resets \
	sleeps_for_ever spins_for_ever programs_fail program_that_is_not_static \
	no_memory_for_the_guest kernel_without_v1_is_refused controller_can_be_off interrupted killed; do
	tap_run $t
done
tap_done
