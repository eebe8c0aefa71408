#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests of tests/root, unchanged, as the job of a guest: cgroup v2 on both kernels, v1 on the
# older. Each of their tests is one of ours: "6.12 v2 test_cgroup: name".
. "$(dirname "$0")/lib.sh"

n=0
failed=0

# The TAP of all programs of a guest as one.
renumber() { # LABEL
	awk -v label="$1" -v n="$n" '
		/^=== \/bin\// { program = substr($2, 6); planned = -1; seen = 0; next }
		/^=== / { # "exited with status 0", and all that was planned
			done = $0 == "=== exited with status 0" && planned == seen
			printf "%sok %d - %s %s: (program) %s\n", done ? "" : "not ", ++n, label,
				program, done ? "done" : substr($0, 5) ", " seen " of " planned
			program = ""
			next
		}
		/^1\.\./ { planned = substr($0, 4) + 0; next }
		/^(not )?ok / {
			seen++
			bad = /^not / ? "not " : ""
			sub(/^(not )?ok [0-9]+ - /, "")
			printf "%sok %d - %s %s: %s\n", bad, ++n, label, program, $0
			next
		}
		/^#/ { print }
		END {
			if (program != "")
				printf "not ok %d - %s %s: the guest ended in it\n", ++n, label,
					program
		}'
}

root_tests() { # LABEL KERNEL GUEST
	out=$tap_dir/out
	(
		need_kernel "$2"
		set --  "$@" --
		for source in "$top"/tests/root/test_*.c; do
			set -- "$@" --program "$MMGAUGE_BUILD/tests/root/$(basename "$source" .c)"
		done
		kernel=$2 guest=$3
		shift 4
		mmgauge boot "$kernel" -g "$guest,timeout=8m" "$@"
	) >"$out" 2>"$out.err"
	status=$?
	if [ $status = 77 ]; then
		n=$((n + 1))
		echo "ok $n - $1 # SKIP $(cat "$tap_dir/skip")"
		return
	fi
	renumber "$1" <"$out" >"$out.tap"
	cat "$out.tap"
	n=$(grep -c '^\(not \)\?ok ' "$out.tap" | awk -v n="$n" '{ print n + $1 }')
	# a status that no line above explains
	if [ $status -gt 1 ] || grep -q '^mmgauge: ' "$out.err" || [ ! -s "$out.tap" ]; then
		n=$((n + 1))
		echo "not ok $n - $1: mmgauge boot, status $status"
		sed 's/^/# /' "$out.err"
	fi
	! grep -q '^not ok ' "$out.tap" || failed=1
}

# By the clock of instructions no test sees how busy the host is.
guest=mem=2G,clock=instructions,modules=zram,loop
root_tests "6.1 v2" "$old" $guest
root_tests "6.12 v2" "$new" $guest
root_tests "6.1 v1" "$old" $guest,cgroup=v1
echo "1..$n"
exit $failed
