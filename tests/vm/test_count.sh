#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counting instructions: the same to the last digit, twice, in another experiment, on a busy host;
# a level of cgroups is seen on 6.12; what can't be counted is refused.
. "$(dirname "$0")/lib.sh"

counts() { # STORE: every counted value, exactly
	sqlite3 "$1" "SELECT variant, case_title, printf('%.17g', value) FROM v_samples
		WHERE metric = 'instructions_per_op' ORDER BY 1, 2, round"
}

the_same_to_the_last_digit() {
	need_kernel "$new"
	need_program sqlite3
	guests_in_own_folder
	cases='page_fault1:size=4M page_fault3:size=4M delay:steps=500'
	run mmgauge run $cases --count instructions --kernels "$new" -q -o one.db
	expect_status 0
	# a busy host makes no difference
	(while :; do :; done) &
	hog=$!
	trap 'kill $hog 2>/dev/null || :' EXIT
	run mmgauge run $cases --count instructions --kernels "$new" -q -o two.db
	kill "$hog"
	expect_status 0
	expect_no_guests
	counts one.db >one
	counts two.db >two
	expect_eq "$(wc -l <one)" 6
	cmp one two || fail "$(diff one two)"
	expect_eq "$(sqlite3 one.db "SELECT count(DISTINCT value) FROM v_samples
		WHERE metric = 'instructions_per_op'")" 3
	# 500 multiplications take two or three instructions each, and a call around them
	sqlite3 one.db "SELECT value BETWEEN 1000 AND 2000 FROM v_samples
		WHERE metric = 'instructions_per_op' AND case_title LIKE 'delay%'" >in
	expect_eq "$(sort -u in)" 1
}

levels_cost_what_they_cost() {
	need_kernel "$new"
	need_program sqlite3
	guests_in_own_folder
	thp=sys.kernel.mm.transparent_hugepage.enabled=never
	run mmgauge run page_fault1:size=4M --count instructions -q -o x.db \
		--variant "d1:target=vm,kernel=$new,depth=1,$thp" \
		--variant "d2:target=vm,kernel=$new,depth=2,$thp" \
		--variant "again:target=vm,kernel=$new,depth=1,$thp"
	expect_status 0
	run mmgauge compare --csv x.db
	expect_stdout 'd2,.*regressed'
	expect_stdout 'again,.*no change'
	# about forty instructions for a level, in one fault of a page
	sqlite3 x.db "SELECT (SELECT max(value) FROM v_samples WHERE variant = 'd2' AND
		metric = 'instructions_per_op') - (SELECT max(value) FROM v_samples
		WHERE variant = 'd1' AND metric = 'instructions_per_op') BETWEEN 20 AND 80" >in
	expect_eq "$(cat in)" 1
	run mmgauge compare x.db
	expect_stdout 'instructions counted over'
	expect_stdout 'Not seen: caches'
}

# The parts of a level, by function, add up to the difference that was counted without the plugin.
functions_behind_a_level() {
	need_kernel "$new"
	need_program sqlite3
	guests_in_own_folder
	thp=sys.kernel.mm.transparent_hugepage.enabled=never
	mmgauge run page_fault1:size=4M --count instructions -q -o x.db \
		--variant "d1:target=vm,kernel=$new,depth=1,$thp" \
		--variant "d8:target=vm,kernel=$new,depth=8,$thp" >/dev/null
	run mmgauge explain x.db
	expect_status 0
	expect_no_guests
	expect_width 78
	expect_stdout '^page_fault1 size=4M, d8 against d1$'
	# the walk up the tree, where the statistics of each level are counted
	expect_stdout '^__mod_memcg_lruvec_state .*+2[0-9][0-9]\.'
	counted=$(sqlite3 x.db "SELECT (SELECT max(value) FROM v_samples WHERE variant = 'd8' AND
		metric = 'instructions_per_op') - (SELECT max(value) FROM v_samples
		WHERE variant = 'd1' AND metric = 'instructions_per_op')")
	explained=$(awk '$1 == "total" { print $4 }' "$out")
	awk -v a="$counted" -v b="$explained" 'BEGIN { d = a - b; exit !(d < 1 && d > -1) }' ||
		fail "counted $counted, explained $explained"
	run mmgauge explain -n 3 x.db
	expect_stdout 'with less change'
	mmgauge run delay -r 2 --time 10ms -q -o t.db >/dev/null
	run mmgauge explain t.db
	expect_status 2
	expect_stderr 'only counts can be explained'
}

what_cannot_be_counted() {
	run mmgauge run delay --count instructions -o x.db
	expect_status 2
	expect_stderr 'in a virtual machine only'
	run mmgauge run delay --count cycles -o x.db
	expect_status 2
	expect_stderr '"cycles" can'
	need_kernel "$new"
	run mmgauge run delay --count instructions --kernels "$new" -g smp=2 -o x.db
	expect_status 2
	expect_stderr 'on one CPU'
}

# A snapshot that was cut is told, and nothing is left running.
damaged_snapshot() {
	need_kernel "$new"
	guests_in_own_folder
	cache=$PWD/cache
	mkdir -p "$cache/mmgauge"
	ln -s "${XDG_CACHE_HOME:-$HOME/.cache}/mmgauge/kernels" "$cache/mmgauge/kernels"
	XDG_CACHE_HOME=$cache
	export XDG_CACHE_HOME
	run mmgauge run delay --count instructions --kernels "$new" -q -o x.db
	expect_status 0
	for machine in "$cache"/mmgauge/snapshots/*/machine; do
		truncate -s 1M "$machine"
	done
	run mmgauge run delay --count instructions --kernels "$new" -q -o y.db
	[ "$status" -ne 0 ] || fail "a cut snapshot was run"
	expect_stderr 'guest of kernel\|QEMU'
	expect_no_guests
}

tap_run the_same_to_the_last_digit
tap_run levels_cost_what_they_cost
tap_run functions_behind_a_level
tap_run what_cannot_be_counted
tap_run damaged_snapshot
tap_done
