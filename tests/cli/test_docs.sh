#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every command that README, man page and --help show works as it stands. Runs are done as dry
# runs (they would take minutes), the rest for real, on a store made here.
. "$(dirname "$0")/lib.sh"

# Commands of a text: lines that begin with a program of ours, continued ones joined.
commands() {
	sed -e ':again' -e '/\\$/{N;s/ *\\\n */ /;b again' -e '}' "$1" |
		sed -n -e 's/^ *\(build\/\)\{0,1\}\(mmgauge\(-agent\)\{0,1\} [^#|]*\).*/\2/p' |
		sed -e 's/ *$//' -e 's/&& mmgauge.*//'
}

try_each() {
	mmgauge run null --variant base --variant deep --time 100ms --warmup 10ms --rounds 1 -q \
		-o mmgauge.db >/dev/null
	cp -r "$top/plans" .
	printf '#!/bin/sh\ntrue\n' >program
	cp program prog
	chmod +x program prog
	printf '%s\n' 'rows: [{row: "null"}]' 'run: {rounds: 1, time: 20ms, cases: ["null"],' \
		'  variants: {base: {}, deep: {}}}' >contract.yaml
	n=0
	while read -r line; do
		n=$((n + 1))
		case $line in
		*--kernels* | "mmgauge kernels "* | "mmgauge boot "*) continue ;; # tests/vm have them
		"mmgauge run "*) line="mmgauge run --dry-run ${line#mmgauge run }" ;;
		"mmgauge selfcheck "*) line="$line -q --trials 1 --rounds 6" ;;
		"mmgauge-agent "*) line="$line --time 200ms --warmup 10ms" ;;
		"mmgauge export "*) continue ;; # there is no sweep in this store: test_report_gnuplot
		"mmgauge COMMAND"* | "mmgauge clean") continue ;;
		esac
		eval "run $line"
		case $line/$status in
		"mmgauge gate "*/125) ;; # a round is too few to tell
		"mmgauge selfcheck "*/1) ;; # on a busy machine a run may fail
		*) expect_status 0 ;;
		esac
	done
	[ $n -ge "$1" ] || fail "only $n commands found"
}

readme_commands_work() {
	commands "$top/README.md" >list
	try_each 8 <list
}

help_examples_work() {
	for c in run compare gate report selfcheck show list export import clean; do
		mmgauge $c --help | sed '1,/^examples:/d' >help
		commands help
	done >list
	for n in before after; do # what examples of comparing take for granted
		mmgauge run delay -r 4 --time 20ms -q -o $n.db >/dev/null
	done
	for k in before after; do
		echo 'a 1' >$k.log
	done
	for k in vanilla lru; do
		mkdir -p work/log/5.9-$k/iter-0/sysbench/logs
		cp "$top/tests/fixtures/import/sysbench.txt" \
			work/log/5.9-$k/iter-0/sysbench/logs/sysbench-raw-4-1
	done
	printf 'ops base 100 1 10\nops patched 103 1 10\n' >posted.txt
	try_each 8 <list
}

agent_help_examples_work() {
	mmgauge-agent --help | sed '1,/^examples:/d' >help
	commands help >list
	need_root
	try_each 2 <list
}

man_page_holds_options_and_workloads() {
	[ -s "$MMGAUGE_BUILD/mmgauge.1" ] || fail "no man page was built"
	for word in 'skip\\-unplaceable' page_fault1 createdelete 'SH EXIT STATUS'; do
		grep -q "$word" "$MMGAUGE_BUILD/mmgauge.1" || fail "the man page lacks $word"
	done
	! grep -q '@GENERATED@' "$MMGAUGE_BUILD/mmgauge.1" || fail "parts are missing"
	command -v groff >/dev/null || skip "this machine has no groff"
	warnings=$(groff -man -Tascii -ww "$MMGAUGE_BUILD/mmgauge.1" 2>&1 >/dev/null)
	expect_eq "$warnings" ""
}

linked_files_exist() {
	for f in README.md CONTRIBUTING.md docs/*.md; do
		for link in $(sed -n 's/.*](\([^)#:]*\)[^)]*).*/\1/p' "$top/$f" 2>/dev/null); do
			[ -e "$top/$(dirname "$f")/$link" ] || fail "$f links to $link"
		done
	done
}

tap_run readme_commands_work
tap_run help_examples_work
tap_run agent_help_examples_work
tap_run man_page_holds_options_and_workloads
tap_run linked_files_exist
tap_done
