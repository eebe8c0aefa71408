#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/lib.sh itself: expectations can fail, REQUIRE bites, nothing stays behind.
. "$(dirname "$0")/../cli/lib.sh"

# script TEXT: a test script with that function body t.
script() {
	mkdir -p tests/cli
	cp "$top/tests/cli/lib.sh" tests/cli/
	printf '. "$(dirname "$0")/lib.sh"\nt() {\n%s\n}\ntap_run t\ntap_done\n' "$1" >tests/cli/t.sh
	mkdir -p tmp
	run env TMPDIR="$PWD/tmp" ${2+"$2"} sh tests/cli/t.sh
	[ -z "$(ls tmp)" ] || fail "left: $(ls tmp)"
}

expectations_hold() {
	script 'run sh -c "echo a; echo b >&2; exit 3"
		expect_status 3
		expect_stdout "^a$"
		expect_stderr b
		expect_not_stdout b
		expect_width 1'
	expect_status 0
	expect_stdout '^ok 1 - t$'
	expect_stdout '^1..1$'
}

each_expectation_can_fail() {
	for line in 'expect_status 1' 'expect_stdout z' 'expect_stderr z' 'expect_not_stdout a' \
		'expect_not_stderr b' 'expect_no_stdout' 'expect_no_stderr' 'expect_eq 1 2' \
		'expect_width 0' 'false' 'expect_same_file /etc/passwd /etc/group' 'nosuchcommand'; do
		script "run sh -c 'echo a; echo b >&2'
			$line
			true"
		expect_status 1
		expect_stdout '^not ok 1 - t$'
	done
}

failure_shows_what_ran() {
	script 'run sh -c "echo some output"
		expect_status 9'
	expect_stdout '^# want status 9'
	expect_stdout '^# stdout: some output'
	expect_stdout '^# status: 0'
}

skip_and_require() {
	script 'skip "needs X"' REQUIRE=
	expect_status 0
	expect_stdout '^ok 1 - t # SKIP needs X$'
	script 'skip "needs X"' REQUIRE=1
	expect_status 1
	expect_stdout '^not ok 1 - t$'
	script 'skip "this machine has no X"' REQUIRE=1
	expect_status 0
	expect_stdout 'SKIP this machine has no X$'
}

for t in expectations_hold each_expectation_can_fail failure_shows_what_ran skip_and_require; do
	tap_run $t
done
tap_done
