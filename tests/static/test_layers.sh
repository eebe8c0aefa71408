#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The include table holds for the tree, and the check sees what it is there to see.
. "$(dirname "$0")/../cli/lib.sh"

tree_keeps_layers() {
	run "$top/tools/check-layers"
	expect_no_stdout
	expect_status 0
}

# A tree of one offender: FILE CONTENT.
offender() {
	mkdir -p tools "src/$(dirname "$1")"
	cp "$top/tools/layers" tools/
	printf '%s\n' "$2" >"src/$1"
	run "$top/tools/check-layers" .
}

upward_include_is_seen() {
	offender base/x.c '#include "cgroup/cgroup.h"'
	expect_status 1
	expect_stdout '^src/base/x.c:1: base may not include cgroup'
}

permitted_include_is_not() {
	offender place/x.c '#include "cgroup/cgroup.h"'
	expect_status 0
	offender cli/x.c '#include "store/store.h"'
	expect_status 0
}

library_out_of_place_is_seen() {
	offender judge/x.c '#include <sqlite3.h>'
	expect_status 1
	expect_stdout '<sqlite3.h> belongs in store/ only'
	rm -r src
	offender stats/hist.c '#include <Rmath.h>'
	expect_status 1
	rm -r src
	offender stats/dist.c '#include <Rmath.h>'
	expect_status 0
}

unknown_layer_is_seen() {
	offender util/x.c '/* nothing */'
	expect_status 1
	expect_stdout 'layer "util" is not in tools/layers'
}

bare_name_is_seen() {
	offender base/x.c '#include "err.h"'
	expect_status 1
}

tap_run tree_keeps_layers
tap_run upward_include_is_seen
tap_run permitted_include_is_not
tap_run library_out_of_place_is_seen
tap_run unknown_layer_is_seen
tap_run bare_name_is_seen
tap_done
