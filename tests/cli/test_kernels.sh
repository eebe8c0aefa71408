#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# mmgauge kernels, as far as it goes without a network and without a kernel.
. "$(dirname "$0")/lib.sh"

XDG_CACHE_HOME=$tap_dir/cache
export XDG_CACHE_HOME

empty_cache_is_an_empty_list() {
	run mmgauge kernels
	expect_status 0
	expect_no_stdout
	expect_stderr 'no kernels in the cache'
}

says_what_it_can() {
	run mmgauge kernels fetsh x
	expect_status 2
	expect_stderr 'did you mean "fetch"?'
	run mmgauge kernels fetch
	expect_status 2
	run mmgauge kernels list x
	expect_status 2
	run mmgauge kernels --help
	expect_status 0
	expect_stdout 'fetch linux-image-cloud-amd64'
}

unknown_kernels_are_refused() {
	run mmgauge kernels show no-such-kernel
	expect_status 1
	expect_stderr 'there is no kernel "no-such-kernel"'
	expect_stderr 'hint: "mmgauge kernels fetch no-such-kernel"'
	run mmgauge kernels remove no-such-kernel
	expect_status 1
	run mmgauge kernels show "$MMGAUGE_BUILD/mmgauge"
	expect_status 1
	expect_stderr 'it is an ELF file'
}

names_are_no_options_of_apt() {
	for name in 'a b' '../x' '*' ''; do
		run mmgauge kernels fetch "$name"
		expect_status 2
	done
}

needs_a_place_for_the_cache() {
	unset XDG_CACHE_HOME
	HOME='' run mmgauge kernels
	expect_status 1
	expect_stderr 'no place for a cache'
}

tap_run empty_cache_is_an_empty_list
tap_run says_what_it_can
tap_run unknown_kernels_are_refused
tap_run names_are_no_options_of_apt
tap_run needs_a_place_for_the_cache
tap_done
