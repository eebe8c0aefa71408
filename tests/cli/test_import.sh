#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mmgauge import and export --text.
. "$(dirname "$0")/lib.sh"

golden=$top/tests/golden/mmtests

# The real tool's tables, through import: all sets but the one with a text among its samples.
golden_tables_come_back() {
	n=0
	for dir in "$golden"/*/; do
		set=$(basename "$dir")
		[ -e "$dir/direction" ] && [ "$set" != l-nan ] || continue
		i=0
		args=
		while read -r kernel || [ -n "$kernel" ]; do
			i=$((i + 1))
			args="$args $kernel=$dir/in-$i.tsv"
		done <"$dir/kernels"
		rm -f s.db
		mmgauge import "--$(cat "$dir/direction")" $args -o s.db 2>/dev/null
		mmgauge compare --style mmtests s.db >table
		cmp table "$dir/out-classic.txt" || fail "$set differs"
		n=$((n + 1))
	done
	[ $n -ge 25 ] || fail "only $n golden sets"
}

logs() { # two runs of a variant, @1: transactions a second
	for run in 1 2 3 4 5; do
		sed "s/(2235.31 per/($1$run.5 per/" "$top/tests/fixtures/import/sysbench.txt" \
			>"$2-$run.log"
	done
}

runs_of_two_variants() {
	logs 22 base
	logs 11 slow
	run mmgauge import $(ls base-*.log | sed 's/^/base=/') $(ls slow-*.log | sed 's/^/slow=/') \
		-o s.db
	expect_status 0
	run mmgauge compare s.db
	expect_status 0
	expect_stdout 'regressed'
	expect_stdout 'imported: order and boots unknown'
	run sqlite3 s.db 'SELECT count(*), count(DISTINCT round) FROM v_samples
		WHERE metric = "transactions_per_s"'
	expect_stdout '^10|5$'
}

mmtests_folders() {
	for k in a b; do
		mkdir -p $k/iter-0/sysbench/logs $k/iter-1/sysbench/logs $k/iter-0/wis-pf/logs
		for i in 0 1; do
			cp "$top/tests/fixtures/import/sysbench.txt" \
				$k/iter-$i/sysbench/logs/sysbench-raw-4-1
		done
		cp "$top/tests/fixtures/import/wis.txt" \
			$k/iter-0/wis-pf/logs/wis-page_fault1-processes-2.log
		cp "$top/tests/fixtures/import/netperf-udp.txt" \
			$k/iter-0/wis-pf/logs/UDP_STREAM-1024.1
		touch $k/iter-0/sysbench/logs/mmtests.log.gz
	done
	run mmgauge import a=a b=b -o s.db
	expect_status 0
	run sqlite3 s.db "SELECT case_title, count(*) FROM v_samples WHERE metric IN
		('transactions_per_s', 'ops_per_s', 'throughput') GROUP BY 1 ORDER BY 1"
	expect_stdout '^netperf UDP_STREAM 1024|2$'
	expect_stdout '^page_fault1 processes 2|6$'
	expect_stdout '^sysbench 4|4$'
	mkdir empty
	run mmgauge import e=empty -o e.db
	expect_status 1
	expect_stderr 'no logs of mmtests'
}

a_failed_run_is_an_outcome() {
	logs 22 base
	echo 'FATAL: no server' >base-6.log
	mmgauge import --format sysbench $(ls base-*.log | sed 's/^/base=/') -o s.db
	run mmgauge show s.db
	expect_stdout 'no server'
	run sqlite3 s.db "SELECT status, count(*) FROM runs GROUP BY 1 ORDER BY 1"
	expect_stdout '^failed|1$'
	expect_stdout '^ok|5$'
}

nothing_of_a_bad_import() {
	logs 22 base
	echo 'transactions: none' >bad.log
	run mmgauge import --format sysbench base=base-1.log base=bad.log -o s.db
	expect_status 2
	expect_stderr 'bad.log:1: no rate'
	run sqlite3 s.db 'SELECT count(*) FROM experiments'
	expect_stdout '^0$'
	run mmgauge import base-1.log -o s.db
	expect_status 2
	expect_stderr 'which variant'
	run mmgauge import --format nonsense a=base-1.log -o s.db
	expect_status 2
	expect_stderr 'no format "nonsense"'
	echo hello >hello
	run mmgauge import a=hello -o s.db
	expect_status 2
	expect_stderr 'of no format that is known'
	run mmgauge import a=absent -o s.db
	expect_status 1
}

# Out, in, out again: the same bytes; and the same reports.
text_goes_round() {
	mmgauge run delay null --variant a --variant b:depth=0 -r 6 --time 10ms --warmup 1ms -q \
		-o one.db >/dev/null
	mmgauge export --text one.db >one.txt
	mmgauge import one.txt -o two.db
	mmgauge export --text two.db >two.txt
	cmp one.txt two.txt || fail "the text differs"
	for style in "" --full --json --csv; do
		mmgauge compare $style one.db >a
		mmgauge compare $style two.db >b
		mmgauge compare $style one.txt >c
		cmp a b || fail "compare $style differs after import"
		cmp a c || fail "compare $style of the text differs"
	done
	mmgauge compare one.txt two.db >joined
	grep -q 'measured apart' joined || fail "a text and a store don't join"
}

damaged_texts_are_refused() {
	mmgauge run null -r 2 --time 10ms --warmup 1ms -q -o one.db >/dev/null
	mmgauge export --text one.db >one.txt
	sed '$d' one.txt >cut.txt
	run mmgauge import cut.txt -o s.db
	expect_status 1
	expect_stderr 'the end is missing'
	sed '/^sample/{x;s/^/x/;/^x$/{x;d};x}' one.txt >less.txt
	run mmgauge import less.txt -o s.db
	expect_stderr 'lines are missing'
	sed 's/^sample metric=1/sample metric=2/' one.txt >changed.txt
	run mmgauge import changed.txt -o s.db
	expect_status 1
	expect_stderr 'changed.txt:'
	run mmgauge compare cut.txt
	expect_status 1
	run sqlite3 s.db 'SELECT count(*) FROM experiments'
	expect_stdout '^0$'
}

tap_run golden_tables_come_back
tap_run runs_of_two_variants
tap_run mmtests_folders
tap_run a_failed_run_is_an_outcome
tap_run nothing_of_a_bad_import
tap_run text_goes_round
tap_run damaged_texts_are_refused
tap_done
