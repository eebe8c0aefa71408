#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent runs anywhere Linux boots.
. "$(dirname "$0")/../cli/lib.sh"

agent_is_static_small_and_libc_only() {
	run "$top/tools/check-agent" "$MMGAUGE_BUILD/mmgauge-agent"
	expect_no_stdout
	expect_status 0
}

# The check itself: a dynamic program that holds sqlite must not pass.
host_tool_would_not_pass() {
	run "$top/tools/check-agent" "$MMGAUGE_BUILD/mmgauge"
	expect_status 1
	expect_stdout 'needs shared libraries'
	expect_stdout 'has a program interpreter'
}

tap_run agent_is_static_small_and_libc_only
tap_run host_tool_would_not_pass
tap_done
