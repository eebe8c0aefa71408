#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/run-one judges TAP: the test of the tests.
. "$(dirname "$0")/../cli/lib.sh"

# judge SHELL_TEXT: runs it as a test program; its verdict goes to stdout.
judge() {
	printf '#!/bin/sh\n%s\n' "$1" >prog
	chmod +x prog
	rm -rf r
	mkdir -p r/tmp
	TEST_TIMEOUT=${2:-60} "$top/tools/run-one" "$PWD/r" s ./prog 2>shown
	run cat r/s/prog.result
}

good_program() {
	judge 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
	expect_eq "$(cat "$out")" "pass 2"
}

failing_test_is_shown_with_its_output() {
	judge 'echo "# why"; echo "not ok 1 - a"; echo "ok 2 - b"; echo 1..2; echo oops >&2; exit 1'
	expect_stdout '^fail a$'
	expect_stdout '^pass 1$'
	grep -q '^# why' shown || fail "diagnostics not shown"
	grep -q '^oops' shown || fail "stderr not shown"
}

skips_are_kept_with_their_reason() {
	judge 'echo "ok 1 - a # SKIP this machine has no X"; echo 1..1'
	expect_stdout '^skip a: this machine has no X$'
	expect_stdout '^pass 0$'
	judge 'echo "1..0 # SKIP needs Y"'
	expect_stdout '^skip all of it: needs Y$'
}

dead_program_fails() {
	judge 'echo "ok 1 - a"; kill -SEGV $$'
	expect_stdout 'fail (program) killed by signal 11'
	judge 'echo "ok 1 - a"'
	expect_stdout 'fail (program) printed 0 plans'
	judge 'exit 3'
	expect_stdout 'fail (program) printed 0 plans, status 3'
}

wrong_count_fails() {
	judge 'echo 1..3; echo "ok 1 - a"; echo "ok 2 - b"'
	expect_stdout 'fail (program) planned 3 tests, ran 2'
	judge 'echo 1..1; echo "ok 1 - a"; echo "ok 2 - b"'
	expect_stdout 'fail (program) planned 1 tests, ran 2'
}

status_and_lines_must_agree() {
	judge 'echo "ok 1 - a"; echo 1..1; exit 1'
	expect_stdout 'fail (program) status 1 although no test failed'
	judge 'echo "not ok 1 - a"; echo 1..1'
	expect_stdout 'fail (program) status 0 although a test failed'
}

endless_program_fails() {
	judge 'echo "ok 1 - a"; exec sleep 100' 1
	expect_stdout 'fail (program) not done within 1 s'
}

leftover_file_fails() {
	judge 'touch "$TMPDIR/left"; echo "ok 1 - a"; echo 1..1'
	expect_stdout 'fail (program) left files behind: .*left'
	[ ! -e r/tmp/s.prog ] || fail "not removed"
}

runner_counts_and_fails() {
	run "$top/tools/run-tests" no-such-suite
	expect_status 1
	expect_eq "$(tail -n 1 "$out")" "0 passed, 1 failed, 0 skipped"
	rm -rf "$(sed -n 's/^FAILED (outputs in \(.*\)):$/\1/p' "$err")"
}

for t in good_program failing_test_is_shown_with_its_output skips_are_kept_with_their_reason \
	dead_program_fails wrong_count_fails status_and_lines_must_agree endless_program_fails \
	leftover_file_fails runner_counts_and_fails; do
	tap_run $t
done
tap_done
