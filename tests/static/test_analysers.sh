#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy and cppcheck have nothing to say.
. "$(dirname "$0")/../cli/lib.sh"

clang_tidy_is_clean() {
	need_program clang-tidy
	run "$top/tools/check-tidy"
	expect_no_stdout
	expect_status 0
}

cppcheck_is_clean() {
	need_program cppcheck
	run "$top/tools/check-cppcheck"
	expect_no_stderr
	expect_status 0
}

tap_run clang_tidy_is_clean
tap_run cppcheck_is_clean
tap_done
