#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad luck: killed, crowded out, full, forbidden, answered by a stranger. One clear message, the
# right status, nothing left behind, nothing lost.
. "$(dirname "$0")/lib.sh"

quick="--time 100ms --warmup 10ms -q"

# Everything of ours that outlives processes, but what was there before: somebody else's.
leftovers() {
	things | grep -vxF -e "$before_us" || true
}

things() {
	find /sys/fs/cgroup -maxdepth 6 -type d -name '*mmgauge-*' 2>/dev/null
	grep -F mmgauge- /proc/mounts
	losetup -a 2>/dev/null | grep -F mmgauge-
	grep zram /proc/swaps
	find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'mmgauge-[0-9a-f]*-*' 2>/dev/null
	true
}

before_us=$(echo none; things)

wait_for() {
	n=0
	until eval "$1"; do
		n=$((n + 1))
		[ $n -lt 200 ] || fail "never came: $1"
		sleep 0.05
	done
}

killed_tool_leaves_nothing() {
	need_root
	need_program sqlite3
	mmgauge run page_fault2:size=4M \
		--variant a:depth=2,memory.max=32M,vm.swappiness=61 \
		--variant b:depth=3,groups=2,swap=zram:64M \
		--time 100ms --warmup 10ms -q --rounds 100 -o x.db >/dev/null 2>&1 </dev/null &
	pid=$!
	trap 'kill -9 $pid 2>/dev/null || true; mmgauge clean >/dev/null || true' EXIT
	wait_for '[ "$(sqlite3 x.db "select count(*) > 1 from v_samples" 2>/dev/null)" = 1 ]'
	before=$(sqlite3 x.db "select count(distinct seq) from v_samples")
	kill -9 $pid
	wait $pid 2>/dev/null || true
	# the agent sees the end of its pipe and takes everything back by itself
	wait_for '[ -z "$(leftovers | tee left)" ]' || { cat left; }
	[ "$(cat /proc/sys/vm/swappiness)" != 61 ] || fail "the setting was not put back"
	expect_eq "$(sqlite3 x.db 'pragma integrity_check')" ok
	[ "$(sqlite3 x.db "select count(distinct seq) from v_samples")" -ge "$before" ] ||
		fail "finished samples were lost"
	run mmgauge clean
	expect_status 0
}

killed_tool_and_agent_are_cleaned_up_after() {
	need_root
	mmgauge run page_fault2:size=4M --variant a:depth=2,vm.swappiness=61 \
		--time 5s --warmup 10ms -q --rounds 1 -o x.db >/dev/null 2>&1 </dev/null &
	pid=$!
	trap 'kill -9 $pid 2>/dev/null || true; mmgauge clean >/dev/null || true' EXIT
	wait_for '[ "$(cat /proc/sys/vm/swappiness)" = 61 ]'
	agent=$(cat /proc/$pid/task/$pid/children)
	kill -9 $pid $agent
	wait $pid 2>/dev/null || true
	expect_eq "$(cat /proc/sys/vm/swappiness)" 61
	run mmgauge clean
	expect_status 0
	expect_stdout 'swappiness'
	[ "$(cat /proc/sys/vm/swappiness)" != 61 ] || fail "the setting was not put back"
	expect_eq "$(leftovers)" ""
	run mmgauge clean
	expect_stdout 'nothing was left behind'
}

two_at_a_time_are_refused() {
	mmgauge run null --time 20s --rounds 1 -q -o x.db >/dev/null 2>&1 </dev/null &
	pid=$!
	trap 'kill -INT $pid 2>/dev/null || true' EXIT
	wait_for '[ -e x.db ]'
	run mmgauge run null $quick --rounds 1 -o y.db
	expect_status 1
	expect_stderr "another mmgauge is running (process $pid)"
	kill -INT $pid
	wait $pid || true
	trap - EXIT
}

# An agent in shell; the checksums are CRC-32 of what stands before " ~".
strange_agent() {
	mkdir bin
	cp "$(command -v mmgauge)" bin/mmgauge
	printf '#!/bin/sh\n%s\n' "$1" >bin/mmgauge-agent
	chmod +x bin/mmgauge-agent
	run bin/mmgauge run null $quick --rounds 1 -o x.db
	expect_status 1
	[ ! -e x.db ] || fail "a store was made"
}

agent_of_another_build_is_refused() {
	strange_agent 'echo "hello proto=1 build=deadbeef release=0 ~d7cc2572"; cat >/dev/null'
	expect_stderr 'the agent is of another build'
	expect_stderr 'hint: '
}

agent_that_breaks_off_is_told() {
	strange_agent 'printf "hello proto=1 bui"'
	expect_stderr 'cut off'
}

agent_that_speaks_garbage_is_told() {
	strange_agent 'echo "[ 12.3] BUG: unable to handle"; cat >/dev/null'
	expect_stderr 'damaged record'
}

absent_agent_is_told() {
	mkdir bin
	cp "$(command -v mmgauge)" bin/mmgauge
	run bin/mmgauge run null $quick --rounds 1 -o x.db
	expect_status 1
	expect_stderr 'could not find the program mmgauge-agent'
	expect_stderr 'MMGAUGE_AGENT'
}

oom_is_named() {
	need_root
	run mmgauge run anon_touch:size=64M --variant a:depth=1,memory.max=16M $quick --rounds 1 \
		-o x.db
	expect_status 1
	expect_stderr 'limit'
	run mmgauge run -q --rounds 1 -o x.db --variant a:depth=1,memory.max=8M -- \
		sh -c 'x=$(head -c 60000000 /dev/zero | tr "\\0" x); echo ${#x}'
	expect_status 1
	# the program or, with a sanitizer's memory, the task itself
	expect_stderr 'OOM killer.* in group ".*mmgauge-.*(limit 8M)'
	expect_eq "$(leftovers)" ""
}

full_disk_keeps_what_there_was() {
	need_root
	mkdir small
	mount -t tmpfs -o size=400k mmgauge-test small
	trap 'umount small' EXIT
	run mmgauge run null $quick --time 20ms --rounds 200 -o small/x.db
	expect_status 1
	expect_stderr 'full'
	rm -f small/*journal
	run mmgauge show small/x.db
	expect_status 0
	expect_stdout 'ops_per_s='
}

full_directory_is_told() {
	need_root
	run mmgauge run page_fault2:size=4M --variant a:fs=tmpfs:1M $quick --rounds 1 -o x.db
	expect_status 1
	expect_stderr 'room for 1 MiB'
	run mmgauge run createdelete:size=4M --variant a:fs=tmpfs:1M $quick --rounds 1 -o x.db
	expect_status 1
	expect_stderr 'room for 1 MiB'
	expect_eq "$(leftovers)" ""
}

store_that_is_none_is_refused() {
	echo 'this is no store' >x.db
	run mmgauge run null $quick --rounds 1 -o x.db
	expect_status 2
	expect_stderr 'not an mmgauge store'
	expect_eq "$(cat x.db)" 'this is no store'
	run mmgauge compare absent.db
	expect_status 1
	expect_stderr 'absent.db'
	[ ! -e absent.db ] || fail "compare made a store"
}

# Runs the rest of the arguments as a user without any right.
as_nobody() {
	# not below the tests' own folder: that is closed to others
	[ -n "${open_dir-}" ] || open_dir=$(mktemp -d /tmp/mmgauge-nobody.XXXXXX)
	trap 'rm -rf "$open_dir" /tmp/mmgauge-65534' EXIT
	cd "$open_dir"
	chmod 777 .
	cp -r "$MMGAUGE_BUILD"/mmgauge "$MMGAUGE_BUILD"/mmgauge-agent .
	chmod 755 mmgauge mmgauge-agent
	run setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR \
		TMPDIR="$PWD" HOME="$PWD" "$@"
}

no_rights_are_told() {
	need_root
	need_program setpriv
	as_nobody ./mmgauge run null $quick --rounds 1 -o x.db
	expect_status 0
	as_nobody ./mmgauge run null --variant a:depth=1 $quick --rounds 1 -o y.db
	[ "$status" != 0 ] || fail "it ran"
	expect_stderr 'hint: '
	as_nobody ./mmgauge run null --variant a:vm.swappiness=61 $quick --rounds 1 -o y.db
	[ "$status" != 0 ] || fail "it ran"
	expect_stderr 'swappiness'
}

low_ulimits_are_told() {
	need_root
	need_program setpriv
	as_nobody prlimit --nproc=4 ./mmgauge run null:tasks=64 $quick --rounds 1 -o x.db
	expect_status 1
	expect_stderr 'could not start'
	as_nobody prlimit --nofile=32 ./mmgauge run null:tasks=64 $quick --rounds 1 -o x.db
	expect_status 1
	expect_stderr 'ulimit -n'
}

program_killed_by_a_signal_is_an_outcome() {
	run mmgauge run -q --rounds 1 -o x.db -- sh -c 'kill -SEGV $$'
	expect_status 1
	expect_stderr 'killed by signal 11'
}

same_group_again() {
	need_root
	for i in 1 2; do
		run mmgauge run page_fault1:size=2M --variant a:depth=3,memory.max=32M $quick \
			--rounds 2 -o x.db
		expect_status 0
	done
	expect_eq "$(leftovers)" ""
}

tap_run killed_tool_leaves_nothing
tap_run killed_tool_and_agent_are_cleaned_up_after
tap_run two_at_a_time_are_refused
tap_run agent_of_another_build_is_refused
tap_run agent_that_breaks_off_is_told
tap_run agent_that_speaks_garbage_is_told
tap_run absent_agent_is_told
tap_run oom_is_named
tap_run full_disk_keeps_what_there_was
tap_run full_directory_is_told
tap_run store_that_is_none_is_refused
tap_run no_rights_are_told
tap_run low_ulimits_are_told
tap_run program_killed_by_a_signal_is_an_outcome
tap_run same_group_again
tap_done
