#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# plain-only: QEMU loads the plugin, which is never built with a sanitizer
# The TCG plugin against a machine whose instructions are known: tests/fixtures/tcg/image.S.
. "$(dirname "$0")/lib.sh"

# build_image FLAGS...: ./image and its ./symbols, where "hidden" is missing and twin_a and twin_b
# have one name, as static functions do.
build_image() {
	need_program qemu-system-x86_64
	gcc "$@" -c -I"$top/src" -o image.o "$top/tests/fixtures/tcg/image.S"
	ld -n -T "$top/tests/fixtures/tcg/image.ld" -o image image.o
	nm -n -S image | awk 'NF == 4 && /^f/ && $4 != "hidden" {
		sub("_[ab]$", "", $4)
		print $1, $2, $4
	}' >symbols
}

# run_image QEMU-ARGS...: what the guest says goes to ./ticks.
run_image() {
	run timeout 60 qemu-system-x86_64 -nodefaults -no-user-config -accel tcg \
		-icount shift=0,sleep=off -cpu qemu64 -m 64M -display none -no-reboot \
		-kernel image -chardev file,id=dbg,path=ticks \
		-device isa-debugcon,iobase=0xe9,chardev=dbg \
		-device isa-debug-exit,iobase=0xf4,iosize=1 "$@"
}

counted() {
	run_image -plugin "file=$MMGAUGE_BUILD/mmgauge-tcg.so,symbols=symbols,out=profile" "$@"
}

expect_profile() {
	cat >wanted
	expect_same_file profile wanted
}

counts_every_instruction() {
	build_image
	counted
	expect_status 33
	expect_no_stderr
	# 4162: one instruction faulted and was started twice.
	expect_profile <<-'END'
		[window] 1 1
		[kernel] 3 0
		[user] 4 0
		asm_exc_page_fault 4 0
		fault 5 0
		locks 13 5
		loop_1000 4004 0
		main 12 0
		repeat 105 0
		twin 12 0
		[total] 4162 5
		[window] 2 0
		main 3 0
		twin 6 0
		[total] 9 0
		[window] 3 0
		[total] 0 0
		[window] 4 0
		main 6 0
		patched 6 1
		[total] 12 1
	END
}

# The guest's own clock: the total without the repeated instruction, and the 2 marks in window 2.
agrees_with_icount_and_leaves_it_alone() {
	build_image
	run_image
	expect_status 33
	mv ticks ticks.without
	printf '%016x\n' $((4162 - 1)) $((9 + 2)) 0 12 >wanted
	expect_same_file ticks.without wanted
	counted
	expect_status 33
	expect_same_file ticks ticks.without
}

without_symbols_the_kernel_is_one() {
	build_image
	run_image -plugin "file=$MMGAUGE_BUILD/mmgauge-tcg.so,out=profile"
	expect_status 33
	sed -n '1,4p' profile >first && mv first profile
	expect_profile <<-'END'
		[window] 1 0
		[kernel] 4158 5
		[user] 4 0
		[total] 4162 5
	END
}

says_what_does_not_match() {
	build_image -DSTRAY_END
	counted
	[ "$(sed -n 1,2p profile | tr '\n' ' ')" = "[error] end [window] 1 1 " ] ||
		fail "no word of the stray end: $(cat profile)"
	build_image -DOPEN
	counted
	[ "$(tail -n 2 profile | tr '\n' ' ')" = "[total] 0 0 [open] 1 " ] ||
		fail "no word of the open window: $(cat profile)"
}

refuses() { # TEXT QEMU-ARGS...
	want=$1
	shift
	run_image "$@"
	expect_status 1
	expect_stderr "$want"
}

refuses_bad_arguments() {
	build_image
	so=file=$MMGAUGE_BUILD/mmgauge-tcg.so
	refuses 'out=FILE is missing' -plugin "$so"
	refuses 'could not use "colour=red"' -plugin "$so,colour=red"
	refuses 'could not open "none"' -plugin "$so,symbols=none,out=profile"
	refuses 'could not write "no/where": No such file' -plugin "$so,out=no/where"
	refuses 'more than one CPU' -plugin "$so,out=profile" -smp 2
}

refuses_bad_symbols() {
	build_image
	so=file=$MMGAUGE_BUILD/mmgauge-tcg.so
	good='ffffffff80000000 10 fine'
	for bad in 'ffffffff8000000f 1 inside' 'ffffffff80000010 0 empty' '10 10 low' \
		'ffffffffffffffff 2 over' 'ffffffff80000010 1' 'ffffffff80000010 1 ' \
		'ffffffff80000010 1 a b' 'ffffffff80000010 1 [user]' 'ffffffff80000010  1 a' \
		'1ffffffff80000010 1 long' 'FFFFFFFF80000010 1 upper' ''; do
		printf '%s\n' "$good" "$bad" >bad
		refuses '"bad", line 2: ' -plugin "$so,symbols=bad,out=profile"
	done
	: >bad
	refuses 'no symbol' -plugin "$so,symbols=bad,out=profile"
}

full_disk_is_told() {
	[ -c /dev/full ] || skip "this machine has no /dev/full"
	build_image
	run_image -plugin "file=$MMGAUGE_BUILD/mmgauge-tcg.so,out=/dev/full"
	expect_stderr 'could not write "out": No space left'
}

tap_run counts_every_instruction
tap_run agrees_with_icount_and_leaves_it_alone
tap_run without_symbols_the_kernel_is_one
tap_run says_what_does_not_match
tap_run refuses_bad_arguments
tap_run refuses_bad_symbols
tap_run full_disk_is_told
tap_done
