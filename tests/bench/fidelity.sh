#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Workloads against the field's own programs; see bench_fidelity.c for the two variables.
MMGAUGE_AGENT=$MMGAUGE_BUILD/mmgauge-agent exec "$MMGAUGE_BUILD/tests/bench/bench_fidelity"
