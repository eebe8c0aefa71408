#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mmgauge selfcheck: what is run, what is printed of it, and that the figures fit each other. What
# they are depends on the machine and isn't tested.
. "$(dirname "$0")/lib.sh"

quick="-q --time 20ms --warmup 2ms"

# A run that failed or was stolen from may make it 1; nothing else may happen.
expect_done() {
	[ "$status" = 0 ] || [ "$status" = 1 ] || fail "want status 0 or 1"
}

prints_every_part() {
	run mmgauge selfcheck null $quick --trials 2 --rounds 6 -o x.db
	expect_done
	expect_stdout '^selfcheck of null: 2 trials of 6 rounds, 20ms a run, margin 2%'
	expect_stdout '^run, nothing differs: false verdicts  *[0-2] of [0-2] '
	expect_stdout '^run, delay with 5% more work: regressed  *[0-2] of [0-2] '
	expect_stdout '^computed, not run, 5% more work: regressed  *[0-2] of [0-2] '
	for m in 1m 5m 10m 30m; do
		expect_stdout "^ *$m  *[0-9][0-9]* "
	done
	for m in 1% 2% 5%; do
		expect_stdout "^ *$m  *[0-9>]"
	done
	expect_width 78
}

# The rounds of minutes are those of one minute times so many, and more of them see less.
figures_fit() {
	run mmgauge selfcheck delay $quick --trials 2 --rounds 6 -o x.db
	expect_done
	expect_not_stdout 'computed, not run'
	awk '
		$1 == "1m" { one = $2; last = $3 + 0 }
		$1 == "5m" || $1 == "10m" || $1 == "30m" {
			n++
			if ($2 < one * ($1 + 0) || $2 >= (one + 1) * ($1 + 0) || $3 + 0 > last)
				bad = bad " " $0
			last = $3 + 0
		}
		$1 == "1%" { find = $2 }
		$1 == "5%" { n++; if ($2 > find) bad = bad " " $0 }
		END { if (n != 4 || bad != "") { print "bad:" bad; exit 1 } }' "$out" ||
		fail "the figures don't fit"
}

# The same store holds what was counted: 2 variants, 2 cases; only delay differs, by its steps.
keeps_its_samples() {
	need_program sqlite3
	run mmgauge selfcheck null:tasks=2 $quick --trials 2 --rounds 6 --delta 10% -o x.db
	expect_done
	expect_stdout 'delay with 10% more work'
	expect_eq "$(sqlite3 x.db 'select count(*) from runs')" 48
	expect_eq "$(sqlite3 x.db 'select group_concat(name || ":" || spec, ";") from
		(select * from variants order by id)')" 'a:;b:steps=1100'
	run mmgauge compare x.db
	expect_status 0
	expect_stdout 'null'
	run mmgauge selfcheck delay:steps=500 $quick --trials 1 --rounds 6 --delta 10% -o y.db
	expect_eq "$(sqlite3 y.db 'select group_concat(name || ":" || spec, ";") from
		(select * from variants order by id)')" 'a:;b:;more:steps=550'
}

drops_its_samples() {
	mkdir tmp
	TMPDIR=$PWD/tmp run mmgauge selfcheck null $quick --trials 1 --rounds 6
	expect_done
	[ -z "$(ls tmp)" ] || fail "something was left"
}

programs_too() {
	printf '#!/bin/sh\ntrue\n' >prog
	chmod +x prog
	run mmgauge selfcheck $quick --trials 1 --rounds 6 -- ./prog
	expect_done
	expect_stdout '^selfcheck of exec'
	expect_stdout 'computed, not run'
}

interrupted_prints_what_there_is() {
	need_program sqlite3
	mmgauge selfcheck null $quick --trials 5000 --rounds 6 -o x.db >o 2>e </dev/null &
	pid=$!
	n=0
	until [ "$(sqlite3 x.db 'select count(*) > 20 from runs' 2>/dev/null)" = 1 ]; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "no sample came"
		sleep 0.05
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	expect_status 1
	grep -q 'of 5000 trials were done' o || fail "$(cat o e)"
}

budget_ends_it() {
	run mmgauge selfcheck null $quick --trials 5000 --rounds 6 --budget 2s
	expect_done
	expect_stdout 'of 5000 trials were done'
}

mistakes() {
	for bad in '--rounds 5' '--rounds 0' '--trials 0' '--delta 0' '--delta 200%' '--margin 0' \
		'null delay' 'null:tasks=1,2' 'nul' '--time 3' '--trials x' '--nonsense' \
		'delay:steps=3 --delta 1%' '--seed x'; do
		run mmgauge selfcheck -q $bad
		expect_status 2
		expect_no_stdout
	done
	run mmgauge selfcheck null $quick -o /proc/none/x.db
	expect_status 1
}

tap_run prints_every_part
tap_run figures_fit
tap_run keeps_its_samples
tap_run drops_its_samples
tap_run programs_too
tap_run interrupted_prints_what_there_is
tap_run budget_ends_it
tap_run mistakes
tap_done
