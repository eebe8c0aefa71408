# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the tests that boot kernels share, beside tests/cli/lib.sh. The kernels are those that
# tools/fetch-kernels brings; without them, and without QEMU, a test is skipped.
. "$(dirname "$0")/../cli/lib.sh"

old=linux-image-cloud-amd64       # Debian 12's 6.1
new=linux-image-6.12-cloud-amd64

need_kernel() {
	need_program qemu-system-x86_64
	for kernel; do
		mmgauge kernels show "$kernel" >/dev/null 2>&1 ||
			skip "this machine has no kernel $kernel, and no network to fetch it"
	done
}

# A folder that vanishes with the test is where guests live, so that what they leave is seen.
guests_in_own_folder() {
	mkdir -p guests
	TMPDIR=$PWD/guests
	export TMPDIR
}

# No QEMU of ours runs, no folder of a guest is there.
expect_no_guests() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		left=$(ls guests)
		for cmdline in /proc/[0-9]*/cmdline; do
			! { tr '\0' ' ' <"$cmdline"; } 2>/dev/null |
				grep -q "^qemu-system-x86_64 .*$PWD/guests/" ||
				left="$left ${cmdline%/cmdline}"
		done
		[ -n "$left" ] || return 0
		sleep 0.5
	done
	fail "left: $left"
}
