#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/adding-a-workload.md: its example is built into an agent of its own and runs.
. "$(dirname "$0")/lib.sh"

doc=$top/docs/adding-a-workload.md

# The Nth fenced block of C.
block() {
	awk -v want="$1" '
		/^```c$/ { n++; inside = 1; next }
		/^```$/ { inside = 0 }
		inside && n == want' "$doc"
}

# Objects are compiled exactly as the build did it: its command stands in .flags.
compile() {
	(cd "$top" && $cc "-I$dir/inc" $cflags -Wno-unused-command-line-argument -c "$1" -o "$2")
}

example() {
	dir=$PWD
	read -r cc cflags <"$MMGAUGE_BUILD/.flags"
	case $cc in
	*gcc) cflags="$cflags -Werror" ;;
	esac
	mkdir -p inc/workload
	block 1 >dontneed.c
	grep -q 'const struct workload workload_dontneed' dontneed.c || fail 'no example in the page'
	{
		cat "$top/src/workload/list.h"
		block 2
	} >inc/workload/list.h
	grep -q '^WORKLOAD(dontneed)$' inc/workload/list.h || fail 'no line for list.h in the page'
	for c in "$dir/dontneed.c" src/workload/table.c; do
		compile "$c" "$dir/$(basename "$c" .c).o" || fail "could not compile $c"
	done
	(cd "$top" && $cc $cflags "$MMGAUGE_BUILD"/obj/agent/*.o "$dir/dontneed.o" "$dir/table.o" \
		"$MMGAUGE_BUILD/libagent.a" -o "$dir/agent" -lm -pthread) || fail 'could not link'

	run ./agent --list
	expect_status 0
	expect_stdout '^dontneed .*MADV_DONTNEED'
	for mode in process thread; do
		run ./agent dontneed --tasks 2 --mode $mode --size 1M --time 50ms --warmup 10ms
		expect_status 0
		expect_stdout '^sample name=ops_per_s value=[1-9].* primary=1 '
		expect_stdout '^counter where=task/1 name=ops value=[1-9]'
		expect_stdout '^done '
		expect_no_stderr
	done
	run ./agent dontneed --sise 1M --time 50ms
	expect_status 1
	expect_stdout 'no%20parameter'
}

tap_run example
tap_done
