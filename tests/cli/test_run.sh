#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mmgauge run, compare, show, list as a user types them.
. "$(dirname "$0")/lib.sh"

quick="--time 100ms --warmup 10ms -q"

overview() {
	run mmgauge --help
	expect_status 0
	for c in run compare gate selfcheck show list export import clean; do
		expect_stdout "^  $c "
	done
	run mmgauge
	expect_status 2
	run mmgauge --version
	expect_stdout '^mmgauge [0-9.]*, build [0-9a-f]*,'
}

every_command_has_help_with_examples() {
	for c in run compare gate selfcheck show list export import clean; do
		run mmgauge $c --help
		expect_status 0
		expect_stdout '^usage: mmgauge '
		expect_stdout '^examples:'
		expect_no_stderr
	done
}

slips_get_a_hint() {
	run mmgauge rnu
	expect_status 2
	expect_stderr 'did you mean "run"'
	run mmgauge run --ronds 3 null
	expect_status 2
	expect_stderr 'did you mean "--rounds"'
	run mmgauge run page_falt1
	expect_status 2
	expect_stderr 'page_fault1'
	run mmgauge run null:taks=2
	expect_status 2
	expect_stderr 'tasks'
	run mmgauge run null --time 3
	expect_status 2
	expect_stderr 'not a time'
	for bad in '--rounds -1' '--rounds 0' '--seed 18446744073709551615' '--margin x'; do
		run mmgauge run null $bad
		expect_status 2
	done
	run mmgauge run
	expect_status 2
	expect_stderr 'nothing to run'
}

# Two stores, measured one after the other: variants of both in one table, nothing paired.
stores_are_joined() {
	for n in before after; do
		mmgauge run delay --variant base -r 4 --time 30ms --warmup 5ms -q -o $n.db >/dev/null
	done
	run mmgauge compare before.db after.db
	expect_status 0
	expect_stdout '(A) base: as it is; (B) base@after.db: as it is'
	expect_stdout 'measured apart'
	expect_stdout 'rank sum, without pairs'
	expect_stdout 'drift between'
	expect_stdout 'Part 2: .*'
	cp "$out" first
	run mmgauge compare before.db after.db
	cmp "$out" first || fail "not the same twice"
	run mmgauge compare --json before.db after.db
	expect_status 0
	run mmgauge compare -x 1 before.db after.db
	expect_status 2
	expect_stderr 'for a single store'
	run mmgauge compare before.db absent.db
	expect_status 1
	expect_stderr 'absent.db'
}

run_prints_what_compare_prints() {
	run mmgauge run null --variant a --variant b $quick --rounds 2 -o x.db
	expect_status 0
	cp "$out" first
	run mmgauge compare x.db
	expect_status 0
	expect_same_file "$out" "$PWD/first"
	expect_width 78
	run mmgauge compare x.db --full
	expect_status 0
	expect_width 78
}

samples_are_in_the_store() {
	need_program sqlite3
	run mmgauge run null:tasks=2 --variant a --variant b $quick --rounds 3 -o x.db
	expect_status 0
	expect_eq "$(sqlite3 x.db "select count(*) from v_samples where metric = 'ops_per_s'")" 6
	expect_eq "$(sqlite3 x.db "select count(distinct round) from v_samples")" 3
	# each variant is first and second about equally often: in the two first rounds once each
	expect_eq "$(sqlite3 x.db "select count(distinct variant) from v_samples where seq in (1, 3)")" 2
	expect_eq "$(sqlite3 x.db 'pragma integrity_check')" ok
}

a_second_run_appends() {
	run mmgauge run null $quick --rounds 1 -o x.db
	run mmgauge run delay $quick --rounds 1 -o x.db
	expect_status 0
	run mmgauge show --experiments x.db
	expect_status 0
	expect_eq "$(grep -c '^ *[12] ' "$out")" 2
	run mmgauge show x.db
	expect_stdout 'delay'
	run mmgauge show -x 1 x.db
	expect_stdout 'null'
}

json_is_json_and_csv_is_csv() {
	run mmgauge run null --variant a --variant b $quick --rounds 1 -o x.db
	run mmgauge compare --csv x.db
	expect_status 0
	expect_stdout ','
	run mmgauge compare --json x.db
	expect_status 0
	if command -v python3 >/dev/null; then
		python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$out" || fail "no JSON"
	fi
	run mmgauge compare --json --csv x.db
	expect_status 2
}

dry_run_runs_nothing() {
	run mmgauge run null:tasks=1..3 --variant a --variant b --rounds 10 --dry-run -o x.db
	expect_status 0
	expect_stdout '3 cases x 2 variants x 10 rounds = 60 runs'
	expect_stdout '10 rounds can decide them all'
	[ ! -e x.db ] || fail "a store was made"
	run mmgauge run null:tasks=1..3 --variant a --variant b --rounds 5 --dry-run
	expect_stdout '5 rounds can decide nothing'
}

plan_mistakes_have_a_place() {
	printf 'variants:\n  base: {depht: 0}\ncases:\n  - null: {}\n' >bad.yaml
	run mmgauge run ./bad.yaml
	expect_status 2
	expect_stderr 'bad.yaml:2:'
	expect_stderr 'depth'
	run mmgauge run ./absent.yaml
	expect_status 1
	expect_stderr 'absent.yaml'
}

unplaceable_is_refused_before_anything_runs() {
	run mmgauge run null --variant a --variant b:cpus=4000 $quick --rounds 1 -o x.db
	[ "$status" != 0 ] || fail "it ran"
	expect_stderr 'variant "b"'
	[ ! -e x.db ] || fail "a store was made"
	run mmgauge run null --variant a --variant b:cpus=4000 --skip-unplaceable $quick \
		--rounds 1 -o x.db
	expect_status 0
	expect_stdout 'b'
	expect_stdout '4000'
}

resume_goes_on() {
	need_program sqlite3
	mmgauge run null --variant a --variant b $quick --rounds 40 \
		-o x.db >/dev/null 2>interrupted </dev/null &
	pid=$!
	n=0
	until [ "$(sqlite3 x.db 'select count(distinct seq) > 2 from v_samples' 2>/dev/null)" = 1 ]; do
		n=$((n + 1))
		[ $n -lt 200 ] || fail "no sample came"
		sleep 0.05
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	expect_status 1
	kept=$(sqlite3 x.db "select count(*) from v_samples where metric = 'ops_per_s'")
	[ "$kept" -ge 2 ] || fail "nothing was kept"
	run mmgauge run null --variant a --variant b $quick --rounds 12 -o x.db --resume
	expect_status 0
	expect_eq "$(sqlite3 x.db "select count(*) from v_samples where metric = 'ops_per_s'")" \
		$((kept > 24 ? kept : 24))
	expect_eq "$(sqlite3 x.db "select count(*) - count(distinct seq) from v_samples
		where metric = 'ops_per_s'")" 0
	run mmgauge run null --variant a --variant b $quick --rounds 12 -o x.db --resume
	expect_status 2
	expect_stderr 'complete'
}

groups_are_made_below_a_parent() {
	need_root
	need_program sqlite3
	[ -d /sys/fs/cgroup/memory ] || skip "this machine has no cgroup v1 memory hierarchy"
	mkdir /sys/fs/cgroup/memory/gauge-test-parent
	trap 'rmdir /sys/fs/cgroup/memory/gauge-test-parent' EXIT
	run mmgauge run null --variant a:depth=2 --cgroup-parent /gauge-test-parent $quick \
		--rounds 1 -o x.db
	expect_status 0
	expect_eq "$(sqlite3 x.db "select count(*) from v_placement
		where path like '/gauge-test-parent/mmgauge-%/l2'")" 1
}

lists_workloads() {
	run mmgauge list
	expect_status 0
	for w in null delay page_fault1 page_fault2 page_fault3 createdelete readtwice \
		anon_touch usemem exec; do
		expect_stdout "^$w "
	done
	run mmgauge list page_fault1
	expect_stdout 'operation  one page touched'
	expect_stdout '^  size '
	run mmgauge list page_fault9
	expect_status 2
}

programs_are_workloads() {
	run mmgauge run --variant a --variant b $quick --rounds 1 -o x.db -- true
	expect_status 0
	run mmgauge show x.db
	expect_stdout 'elapsed_s='
	run mmgauge run $quick --rounds 1 -o x.db -- sh -c 'echo oops >&2; exit 3'
	expect_status 1
	run mmgauge show x.db
	expect_stdout 'status 3'
	run mmgauge run $quick --rounds 1 -o x.db -- ./there-is-no-such-program
	expect_status 1
}

# The shell below does not wait for its child: wait4 misses it, its group doesn't.
descendants_are_counted_by_their_group() {
	need_root
	need_program sqlite3
	run mmgauge run $quick --rounds 1 -o x.db --variant a:depth=1 -- sh -c \
		'rm -f end; sh -c "i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done; echo >end; sleep 60.731" & until [ -e end ]; do sleep 0.02; done'
	expect_status 0
	group=$(sqlite3 x.db "select value from v_samples where metric = 'cpu_s'")
	waited=$(sqlite3 x.db "select sum(value) from v_samples where metric in ('user_s', 'system_s')")
	[ "$(echo "$group > 1.5 * $waited" | awk '{ print ($1 > 1.5 * $5) }')" = 1 ] ||
		fail "group: $group s, waited for: $waited s"
	run mmgauge show x.db
	expect_stdout 'left_running'
	expect_eq "$(pgrep -fx 'sleep 60.731')" ""
}

decimal_commas_change_nothing() {
	LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 run mmgauge run null --time 0.05s --warmup 0.01s -q \
		--rounds 1 -o x.db
	expect_status 0
	run mmgauge show x.db
	expect_stdout 'ops_per_s=[0-9]*\.[0-9]*'
}

tap_run overview
tap_run every_command_has_help_with_examples
tap_run slips_get_a_hint
tap_run stores_are_joined
tap_run run_prints_what_compare_prints
tap_run samples_are_in_the_store
tap_run a_second_run_appends
tap_run json_is_json_and_csv_is_csv
tap_run dry_run_runs_nothing
tap_run plan_mistakes_have_a_place
tap_run unplaceable_is_refused_before_anything_runs
tap_run resume_goes_on
tap_run groups_are_made_below_a_parent
tap_run lists_workloads
tap_run programs_are_workloads
tap_run descendants_are_counted_by_their_group
tap_run decimal_commas_change_nothing
tap_done
