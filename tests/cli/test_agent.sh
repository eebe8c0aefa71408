#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mmgauge-agent: by itself, and spoken to in its protocol.
. "$(dirname "$0")/lib.sh"

# A record with its checksum: CRC-32 stands in the trailer that gzip writes.
rec() {
	crc=$(printf '%s' "$1" | gzip -nc | tail -c 8 | head -c 4 | od -An -tx1 | tr -d ' \n')
	crc=$(printf '%s' "$crc" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/')
	printf '%s ~%s\n' "$1" "$crc"
}

job="params=tasks=2 place= journal=$tap_dir/journal time_ns=50000000 warmup_ns=10000000 ready_ns=5000000000 seed=1"

# Values that differ from run to run, and what a machine may or may not tell, are masked.
mask() {
	sed -e 's/ ~[0-9a-f]*$//' -e 's/value=[^ ]*/value=V/' -e 's/_ns=[0-9]*/_ns=N/g' \
		-e 's/status=\(ok\|untrustworthy\)/status=S/' -e '/^hello/s/ .*//' -e '/^note/d' -e '/^place/d' -e '/where=group/d' \
		-e '/where=machine/d' "$out" |
		grep -v 'ops_per_machine_cpu_s\|name=bytes'
}

# As run, with a file for standard input.
run_with() {
	input=$1
	shift
	ran="$* <$input"
	status=0
	cat "$input" | "$@" >"$out" 2>"$err" || status=$?
}

alone() {
	run mmgauge-agent null --tasks 2 --time 50ms --warmup 10ms
	expect_status 0
	expect_stdout '^counter where=task/1 name=ops value=[0-9]* unit=op ~[0-9a-f]*$'
	expect_stdout '^sample name=ops_per_s '
	expect_stdout '^done .* status=\(ok\|untrustworthy\) '
	expect_no_stderr
}

usage() {
	run mmgauge-agent
	expect_status 2
	run mmgauge-agent --help
	expect_status 0
	expect_stdout 'mmgauge-agent page_fault1 --tasks 2 --time 3s'
	run mmgauge-agent --version
	expect_stdout 'protocol 1'
	run mmgauge-agent --list
	expect_stdout '^page_fault1 '
	run mmgauge-agent null --time 3
	expect_status 2
	run mmgauge-agent null --taks 3 --time 10ms
	expect_status 1
	expect_stdout '^error .*tasks'
	run mmgauge-agent nul --time 10ms
	expect_stdout 'did%20you%20mean%20"null"'
}

transcript() {
	(
		rec "job id=t-1 workload=null $job"
		sleep 0.3
		rec "go at_ns=0"
		sleep 1
		rec "quit"
	) | mmgauge-agent --wire >"$out" 2>"$err"
	mask >got
	[ -z "${UPDATE_GOLDEN-}" ] || cp got "$top/tests/golden/agent-null.txt"
	expect_same_file got "$top/tests/golden/agent-null.txt"
}

one_agent_serves_many_jobs() {
	(
		for i in 1 2 3; do
			rec "job id=t-$i workload=null $job"
			sleep 0.2
			rec "go at_ns=0"
			sleep 0.5
		done
	) | mmgauge-agent --wire >"$out" 2>"$err"
	expect_eq "$(grep -c '^done .*status=' "$out")" 3
}

every_cut_is_noticed() {
	rec "job id=t-1 workload=null $job" >whole
	bytes=$(wc -c <whole)
	for cut in 1 2 7 20 60 $((bytes - 9)) $((bytes - 2)) $((bytes - 1)); do
		head -c "$cut" whole >part
		run_with part mmgauge-agent --wire
		expect_status 1
		expect_stderr 'cut off'
		expect_not_stdout '^ready'
	done
	sed 's/tasks=2/tasks=3/' whole >part
	run_with part mmgauge-agent --wire
	expect_status 1
	expect_stderr 'damaged record (checksum)'
	rec "dance" >part
	run_with part mmgauge-agent --wire
	expect_status 1
	expect_stderr 'unknown record'
}

end_of_pipe_ends_a_running_job() {
	need_root
	(
		rec "job id=eof-$$ workload=null params= place=depth=2,vm.swappiness=61 journal=$PWD/j time_ns=60000000000 warmup_ns=0 ready_ns=5000000000 seed=1"
		sleep 0.4
		rec "go at_ns=0"
		sleep 0.4
	) | mmgauge-agent --wire >"$out" 2>"$err"
	expect_stdout '^error .*called%20off'
	expect_stdout '^done id=eof-'
	[ "$(cat /proc/sys/vm/swappiness)" != 61 ] || fail "the setting was not put back"
	expect_eq "$(find /sys/fs/cgroup -maxdepth 6 -name "mmgauge-eof-$$*" 2>/dev/null)" ""
	expect_eq "$(ls j)" ""
}

tap_run alone
tap_run usage
tap_run transcript
tap_run one_agent_serves_many_jobs
tap_run every_cut_is_noticed
tap_run end_of_pipe_ends_a_running_job
tap_done
