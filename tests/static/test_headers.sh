#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone.
. "$(dirname "$0")/../cli/lib.sh"

headers_compile_alone() {
	run "$top/tools/check-headers"
	expect_no_stdout
	expect_status 0
}

tap_run headers_compile_alone
tap_done
