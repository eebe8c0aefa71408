#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Variants that are kernels: boots, order, store, and a case that takes its kernel down.
. "$(dirname "$0")/lib.sh"

sql() {
	sqlite3 x.db "$1"
}

kernels_side_by_side() {
	need_kernel "$old" "$new"
	need_program sqlite3
	guests_in_own_folder
	run mmgauge run null:tasks=2 page_fault1:size=2M --kernels "$old,$new" \
		-g mem=512M -p depth=2,memory.max=64M --rounds 2 --time 200ms --warmup 50ms -o x.db
	expect_status 0
	expect_no_guests
	expect_stdout '^(A) 6\.1\.'
	expect_stdout '6\.12\.[0-9].*: kernel='
	expect_stdout 'emulated by TCG\|KVM'
	# a boot for each round of a variant, all cases of a boot together
	expect_eq "$(sql 'select count(distinct boot_id) from boots')" 4
	expect_eq "$(sql "select count(*) from runs where status = 'failed'")" 0
	expect_eq "$(sql 'select count(*) from (select distinct boot, round, variant from runs)')" 4
	expect_eq "$(sql 'select group_concat(n) from
		(select count(*) n from runs group by boot order by min(seq))')" 2,2,2,2
	expect_eq "$(sql "select count(*) from boots where kernel like '6.1.%'")" 2
	expect_eq "$(sql "select count(*) from boots where kernel like '6.12.%'")" 2
	# which variant comes first alternates
	first=$(sql 'select variant from runs where round = 1 order by seq limit 1')
	second=$(sql 'select variant from runs where round = 2 order by seq limit 1')
	[ "$first" != "$second" ] || fail "the same variant is first in both rounds"
	# the placement was read back from the kernel of the guest
	expect_eq "$(sql "select distinct got from placements where knob = 'memory.max'")" 64M
}

# Exits with an out-of-memory panic: the run fails with its name, the next case boots afresh.
case_that_takes_the_kernel_down() {
	need_kernel "$old"
	need_program sqlite3
	guests_in_own_folder
	run mmgauge run null usemem:size=32M --variant "a:target=vm,kernel=$old,mem=512M" \
		-p vm.panic_on_oom=2,depth=1,memory.max=32M --rounds 2 --time 200ms --warmup 50ms \
		-o x.db
	expect_status 1
	expect_no_guests
	expect_stderr 'ended in: out of memory: Kernel panic'
	expect_eq "$(sql "select count(*) from runs r join cases c on c.id = r.case_id
		where c.workload = 'null' and r.status = 'ok'")" 2
	expect_eq "$(sql "select count(*) from runs where status = 'failed'")" 2
	run mmgauge show x.db
	expect_status 0
	expect_stdout 'out of memory'
	expect_stdout 'Kernel panic - not syncing'
}

case_that_takes_too_long() {
	need_kernel "$old"
	guests_in_own_folder
	run mmgauge run null --variant "a:target=vm,kernel=$old,mem=512M,timeout=20s" --rounds 1 \
		--time 60s -o x.db
	expect_status 1
	expect_stderr 'ended in: time-out'
	expect_no_guests
}

swap_in_a_guest() {
	need_kernel "$old" "$new"
	need_program sqlite3
	guests_in_own_folder
	run mmgauge run usemem:size=96M --kernels "$old,$new" -g mem=512M \
		-p depth=1,memory.max=64M,swap=zram:128M --rounds 1 -o x.db
	expect_status 0
	expect_eq "$(sql "select count(*) from runs where status = 'ok'")" 2
	expect_no_guests
}

killed_tool_leaves_nothing() {
	need_kernel "$old"
	need_root
	guests_in_own_folder
	mmgauge run null --variant "a:target=vm,kernel=$old,mem=512M" --rounds 50 --time 1s \
		-q -o x.db >/dev/null 2>&1 </dev/null &
	pid=$!
	for _ in $(seq 300); do
		[ "$(sqlite3 x.db 'select count(*) from runs' 2>/dev/null || echo 0)" = 0 ] || break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	run mmgauge clean
	expect_status 0
	expect_no_guests
}

unbootable_is_told_before_anything_runs() {
	need_kernel "$old"
	run mmgauge run null --variant a --variant "b:target=vm,kernel=$old,smp=2,cpus=3" -o x.db
	expect_status 2
	expect_stderr 'variant "b"'
	[ ! -e x.db ] || fail "a store was made"
	run mmgauge run null --variant "b:target=vm,kernel=$old,append=init=/none rdinit=/none" -o x.db
	expect_status 1
	expect_stderr 'ended in: panic: Kernel panic'
}

for t in kernels_side_by_side case_that_takes_the_kernel_down case_that_takes_too_long \
	swap_in_a_guest killed_tool_leaves_nothing unbootable_is_told_before_anything_runs; do
	tap_run $t
done
tap_done
