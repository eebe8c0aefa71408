#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the instrument costs and what it sees.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
MMGAUGE_AGENT=$MMGAUGE_BUILD/mmgauge-agent MMGAUGE_TOOL=$MMGAUGE_BUILD/mmgauge \
	MMGAUGE_BARE_LOOP=$MMGAUGE_BUILD/tests/bench/bare_loop \
	"$MMGAUGE_BUILD/tests/bench/bench_instrument"
