#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Target vm as far as it goes without a kernel: an image that is only a header, and programs that
# stand in for QEMU. tests/vm boot real ones.
. "$(dirname "$0")/lib.sh"

XDG_CACHE_HOME=$tap_dir/cache
export XDG_CACHE_HOME

# make_image FILE: a setup header with a version and a 64-bit entry, and no kernel behind it.
make_image() {
	{
		head -c 497 /dev/zero && printf '\001'
		head -c 16 /dev/zero && printf 'HdrS\017\002'
		head -c 6 /dev/zero && printf '\000\004'
		head -c 38 /dev/zero && printf '\001'
		head -c 969 /dev/zero && printf '9.9-test (me) #1 SMP'
		head -c 2048 /dev/zero
	} >"$1"
}

# qemu BODY: a stand-in, first in PATH.
qemu() {
	mkdir -p bin tmp
	{
		echo '#!/bin/sh'
		echo 'case $1 in --version) echo "QEMU emulator version ${FAKE_VERSION-7.2.1}"; exit;; esac'
		echo 'for word; do case $word in file:*) console=${word#file:};; esac; done'
		echo "$1"
	} >bin/qemu-system-x86_64
	chmod +x bin/qemu-system-x86_64
	PATH=$PWD/bin:$PATH
	TMPDIR=$PWD/tmp
	export PATH TMPDIR
	make_image vmlinuz
}

boot() {
	run mmgauge boot vmlinuz -g accel=tcg,timeout=20s "$@"
}

expect_nothing_left() {
	expect_eq "$(ls tmp)" ""
}

no_qemu() {
	make_image vmlinuz
	mkdir empty
	PATH=$MMGAUGE_BUILD:$PWD/empty run "$(command -v mmgauge)" boot vmlinuz
	expect_status 1
	expect_stderr 'could not run program "qemu-system-x86_64": No such file'
	expect_stderr 'hint: .*install qemu-system-x86'
}

old_qemu() {
	qemu 'exit 0'
	FAKE_VERSION=4.2.0 boot
	expect_status 1
	expect_stderr 'QEMU 4 is too old'
	FAKE_VERSION=unknown boot
	expect_status 1
	expect_stderr 'could not tell the version'
}

qemu_that_cannot_start() {
	qemu 'echo "qemu: cannot set up guest memory: Cannot allocate memory" >&2; exit 1'
	boot
	expect_status 1
	expect_stderr 'ended in: QEMU failed: qemu: cannot set up guest memory'
	expect_nothing_left
}

qemu_that_dies() {
	qemu 'kill -ABRT $$'
	boot
	expect_status 1
	expect_stderr 'ended in: QEMU failed: QEMU was killed by signal 6'
	expect_nothing_left
}

guest_that_panics_at_boot() {
	qemu 'printf "[ 1.0] booting\r\n[ 2.0] Kernel panic - not syncing: VFS: no root\r\n" >$console'
	boot
	expect_status 1
	expect_stderr 'kernel "9.9-test" ended in: panic: Kernel panic - not syncing: VFS: no root$'
	expect_nothing_left
}

guest_that_talks_nonsense() {
	qemu 'echo "this is no record"; exec sleep 60'
	boot
	expect_status 1
	expect_stderr 'damaged record'
	expect_nothing_left
}

guest_that_is_cut_short() {
	qemu 'printf "hello proto=1 build"'
	boot
	expect_status 1
	expect_nothing_left
}

guest_that_says_nothing() {
	qemu 'exec sleep 60'
	run mmgauge boot vmlinuz -g accel=tcg,timeout=1s
	expect_status 1
	expect_stderr 'ended in: time-out'
	expect_nothing_left
}

programs_end_badly() {
	qemu 'echo "=== /bin/prog"; echo out; exit 37'
	boot -- "$MMGAUGE_BUILD/mmgauge-agent" --list
	expect_status 1
	expect_stdout '^out$'
	expect_nothing_left
	qemu 'exit 33'
	boot -- "$MMGAUGE_BUILD/mmgauge-agent" --list
	expect_status 0
	boot -- ./no-such-program
	expect_status 1
	expect_stderr 'could not open "./no-such-program"'
}

runs_are_refused_before_they_begin() {
	qemu 'exit 1'
	run mmgauge run null --variant a --variant b:target=vm,kernel=nothing --rounds 1 -o x.db
	expect_status 1
	expect_stderr 'there is no kernel "nothing"'
	run mmgauge run null --variant b:target=vm -o x.db
	expect_status 2
	expect_stderr 'target "vm" wants a kernel'
	run mmgauge run null --kernels vmlinuz --variant a -o x.db
	expect_status 2
	run mmgauge run null -g smp=2 -o x.db
	expect_status 2
	expect_stderr 'is for the kernels of "--kernels"'
	run mmgauge run null --kernels vmlinuz -g smp=none -o x.db
	expect_status 2
	[ ! -e x.db ] || fail "a store was made"
}

# The same kernel twice, and no workload: the usual ones.
kernels_become_variants() {
	qemu 'exit 1'
	run mmgauge run --kernels vmlinuz,vmlinuz -g mem=512M --dry-run
	expect_status 0
	expect_stdout '^  9.9-test  *kernel=vmlinuz,mem=512M on vm$'
	expect_stdout '^  9.9-test.2  *kernel=vmlinuz,mem=512M on vm$'
	expect_stdout '^  page_fault3$'
}

for t in no_qemu old_qemu qemu_that_cannot_start qemu_that_dies guest_that_panics_at_boot \
	guest_that_talks_nonsense guest_that_is_cut_short guest_that_says_nothing programs_end_badly \
	runs_are_refused_before_they_begin kernels_become_variants; do
	tap_run $t
done
tap_done
