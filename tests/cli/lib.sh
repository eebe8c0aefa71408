# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell tests, the twin of tests/tap.h. A script sources this file, defines functions and names
# them:
#
#	. "$(dirname "$0")/lib.sh"
#	shows_version() {
#		run mmgauge --version
#		expect_status 0
#		expect_stdout '^mmgauge [0-9]'
#		expect_no_stderr
#	}
#	tap_run shows_version
#	tap_done
#
# Each function runs in a subshell under set -e, in an empty directory of its own that vanishes afterwards; the
# first failed expectation shows what happened and ends it. The programs are found through
# $MMGAUGE_BUILD (default: build); $top is the source tree. Cleaning up after a failure goes into
# a trap: trap 'mmgauge clean' EXIT.
#
# skip "this machine has no XFS": see tap.h for what $REQUIRE does to other reasons.

top=$(cd "$(dirname "$0")/../.." && pwd)
MMGAUGE_BUILD=${MMGAUGE_BUILD:-$top/build}
PATH=$MMGAUGE_BUILD:$PATH:/usr/sbin:/sbin
export MMGAUGE_BUILD PATH
unset MMGAUGE_AGENT

tap_n=0
tap_failed=0
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/mmgauge-cli.XXXXXX") || exit 1
trap 'rm -rf --one-file-system "$tap_dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Every word on a line of its own, as diagnostics.
diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

fail() {
	diag "$*"
	if [ -n "${ran-}" ]; then
		diag "command: $ran"
		diag "status: $status"
		sed 's/^/# stdout: /' "$out" | head -n 60
		sed 's/^/# stderr: /' "$err" | head -n 60
	fi
	exit 1
}

skip() {
	printf '%s\n' "$*" >"$tap_dir/skip"
	exit 77
}

# run COMMAND...: stdout in the file $out, stderr in $err, exit status in $status.
run() {
	ran=$*
	status=0
	"$@" >"$out" 2>"$err" </dev/null || status=$?
}

expect_status() {
	[ "$status" = "$1" ] || fail "want status $1"
}

# Basic regular expressions that must match a line, as for grep.
expect_stdout() {
	grep -q -e "$1" "$out" || fail "stdout has no line like: $1"
}

expect_stderr() {
	grep -q -e "$1" "$err" || fail "stderr has no line like: $1"
}

expect_not_stdout() {
	! grep -q -e "$1" "$out" || fail "stdout has a line like: $1"
}

expect_not_stderr() {
	! grep -q -e "$1" "$err" || fail "stderr has a line like: $1"
}

expect_no_stdout() {
	[ ! -s "$out" ] || fail "stdout should be empty"
}

expect_no_stderr() {
	[ ! -s "$err" ] || fail "stderr should be empty"
}

# expect_eq GOT WANT
expect_eq() {
	[ "$1" = "$2" ] || fail "got \"$1\", want \"$2\""
}

# expect_same_file GOT WANT
expect_same_file() {
	cmp -s "$1" "$2" || {
		diff -u "$2" "$1" | head -n 60 | sed 's/^/# /'
		fail "$1 differs from $2"
	}
}

# Nothing on stdout is wider than that many columns.
expect_width() {
	wide=$(awk -v max="$1" 'length($0) > max' "$out" | head -n 1)
	[ -z "$wide" ] || fail "wider than $1 columns: $wide"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need_program() {
	command -v "$1" >/dev/null 2>&1 || skip "needs the program $1 (tools/setup installs it)"
}

tap_run() {
	tap_n=$((tap_n + 1))
	rm -f "$tap_dir/skip"
	mkdir "$tap_dir/$tap_n" "$tap_dir/io"
	(
		trap - EXIT
		out=$tap_dir/io/stdout err=$tap_dir/io/stderr ran=
		: >"$out"
		: >"$err"
		cd "$tap_dir/$tap_n" || exit 1
		set -e
		"$1"
	)
	tap_status=$?
	rm -rf --one-file-system "${tap_dir:?}/$tap_n" "$tap_dir/io"
	if [ $tap_status = 77 ] && [ -s "$tap_dir/skip" ]; then
		tap_reason=$(cat "$tap_dir/skip")
		if [ -n "${REQUIRE-}" ] && [ "${tap_reason#this machine}" = "$tap_reason" ]; then
			diag "skipped although \$REQUIRE is set: $tap_reason"
			tap_status=1
		fi
	fi
	case $tap_status in
	0) echo "ok $tap_n - $1" ;;
	77) echo "ok $tap_n - $1 # SKIP $tap_reason" ;;
	*)
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $1"
		;;
	esac
}

tap_done() {
	echo "1..$tap_n"
	[ $tap_failed = 0 ]
	exit
}
