#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mmgauge gate: every exit status, and a git bisect run that finds its commit. Changes are of
# 50 % and more, so that no noise of a busy machine hides them.
. "$(dirname "$0")/lib.sh"

# contract FILE STEPS ROWS: variants that differ in the steps of delay.
contract() {
	cat >"$1" <<-END
		contract: steps
		run:
		  rounds: 12
		  time: 20ms
		  warmup: 2ms
		  variants:
		    base: {steps: 1000}
		    other: {steps: $2}
		  cases: [delay]
		rows:
	END
	printf '%s\n' "$3" >>"$1"
}

loss='  - {row: delay, no_loss_beyond: 30%}'

# A machine that is stolen from, or very busy, can make any single run undecided.
gate_until_told() {
	n=0
	run mmgauge gate "$@"
	while [ "$status" = 125 ] && [ $n -lt 20 ]; do
		n=$((n + 1))
		run mmgauge gate "$@"
	done
}

expect_failure_status() {
	[ "$status" -ge 128 ] || fail "want a status of 128 and above"
	expect_no_stdout
}

held() {
	contract c.yaml 1000 "$loss"
	gate_until_told c.yaml -q -o x.db
	expect_status 0
	expect_stdout '^contract steps: held'
	expect_stdout 'no loss beyond 30%.* held'
	expect_width 78
	cp "$out" first
	run mmgauge gate c.yaml x.db # a store says the same when it is judged again
	expect_status 0
	expect_same_file "$out" "$PWD/first"
	contract c.yaml 400 '  - {row: "*", gain_of_at_least: 20%}'
	gate_until_told c.yaml -q
	expect_status 0
}

broken() {
	contract c.yaml 4000 "$loss"
	gate_until_told c.yaml -q -o x.db
	expect_status 1
	expect_stdout '^contract steps: broken'
	expect_stdout 'beyond the bound with p'
	for claim in 'no_change_beyond: 30%' 'gain_of_at_least: 5%'; do
		printf 'rows: [{row: delay, %s}]\n' "$claim" >d.yaml
		run mmgauge gate d.yaml x.db
		expect_status 1
	done
	# seen from the other variant it is a gain
	printf 'base: other\nrows: [{row: delay, gain_of_at_least: 50%%}]\n' >d.yaml
	run mmgauge gate d.yaml x.db
	expect_status 0
}

cant_tell() {
	contract c.yaml 4000 "$loss"
	run mmgauge gate c.yaml -q --rounds 3 -o x.db
	expect_status 125
	expect_stdout "can't tell"
	expect_width 78
	printf 'rows: [{row: dely}, {row: delay, variant: othr}, {row: delay, metric: nope}]\n' >d.yaml
	run mmgauge gate d.yaml x.db
	expect_status 125
	expect_stdout 'no row is like "dely"; did you mean "delay"?'
	expect_stdout 'no variant "othr"'
	expect_stdout 'no metric "nope"'
	expect_width 78
	mmgauge run delay --time 20ms -r 3 -q -o one.db >/dev/null
	run mmgauge gate d.yaml one.db
	expect_status 125
}

# Marks are evidence: they are quoted.
untrustworthy_is_no_verdict() {
	need_program sqlite3
	contract c.yaml 4000 "$loss"
	gate_until_told c.yaml -q -o x.db
	expect_status 1
	last='experiment = (select max(id) from experiments)'
	sqlite3 x.db "update runs set status = 'untrustworthy' where $last;
		insert into notes(run, pos, kind, code, text)
		select id, 1000, 'untrustworthy', 'tested', 'as a test' from runs where $last"
	run mmgauge gate c.yaml x.db
	expect_status 125
	expect_stdout '12 of 12 samples of base'
	tr '\n' ' ' <"$out" >line
	grep -q '12 x *tested *("as *a *test")' line || fail "the evidence is missing"
}

json() {
	need_program python3
	contract c.yaml 4000 "$loss"
	gate_until_told c.yaml -q --json
	expect_status 1
	python3 - "$out" <<-'END' || fail "not the JSON of docs/gate.md"
		import json, sys
		d = json.load(open(sys.argv[1]))
		assert d["schema"] == "mmgauge-gate" and d["version"] == 1
		assert d["ruling"] == "broken" and d["store"] is None and d["family"] == 1
		row, = d["rows"]
		assert row["ruling"] == "broken" and row["numbers"]["change"] < -0.3
		assert 6 <= row["numbers"]["n"] <= row["base_side"]["n"] <= 12
		assert row["claim"] == {"row": "delay", "kind": "no_loss_beyond", "margin": 0.3}
	END
}

mistakes_are_128() {
	contract c.yaml 1000 "$loss"
	echo 'rows: [{row: delay}]' >noplan.yaml
	for bad in '' --nonsense '--rounds 0 c.yaml' '--rounds x c.yaml' '--time 1 c.yaml' \
		'c.yaml a.db b.db' 'c.yaml a.db -o b.db' 'c.yaml -x 1' '--keep -o x.db c.yaml' \
		noplan.yaml '--budget c.yaml' '-Z c.yaml'; do
		# shellcheck disable=SC2086 # several words
		run mmgauge gate $bad
		expect_failure_status
		expect_status 128
	done
	run mmgauge gtae c.yaml # a slip in the command, too
	expect_status 128
	run mmgauge gate c.yaml --rouns 3
	expect_status 128
	expect_stderr 'did you mean "--rounds"'
	printf 'rows:\n  - row: delay\n    no_los_beyond: 2%%\n' >bad.yaml
	run mmgauge gate bad.yaml
	expect_status 128
	expect_stderr 'bad.yaml:3:5: .*did you mean "no_loss_beyond"'
	contract bad.yaml 1000 '  - {row: dlay}' # told before it runs
	run mmgauge gate bad.yaml
	expect_status 128
	expect_stderr 'bad.yaml:11:11: the plan has no case like "dlay"'
	contract bad.yaml 1000 '  - {row: delay, variant: othr}'
	run mmgauge gate bad.yaml
	expect_status 128
	sed -i 's/cases: .*/cases: [dely]/' bad.yaml
	run mmgauge gate bad.yaml
	expect_status 128
	expect_stderr 'bad.yaml:9:11: unknown workload'
}

failures_are_129() {
	contract c.yaml 1000 "$loss"
	run mmgauge gate absent.yaml
	expect_status 129
	expect_no_stdout
	run mmgauge gate c.yaml absent.db
	expect_status 129
	expect_stderr 'absent.db'
	echo 'this is no database, and long enough to be told from an empty one' >bad.db
	run mmgauge gate c.yaml bad.db
	expect_failure_status
	printf 'plan: absent.yaml\nrows: [{row: delay}]\n' >d.yaml
	run mmgauge gate d.yaml
	expect_status 129
	expect_stderr 'absent.yaml'
	printf 'base: bsae\nrows: [{row: delay}]\n' >d.yaml
	mmgauge run delay --variant base --variant o --time 10ms -r 1 -q -o x.db >/dev/null
	run mmgauge gate d.yaml x.db
	expect_status 129
	expect_stderr 'did you mean "base"'
	run mmgauge gate c.yaml -q -o /proc/none/x.db
	expect_failure_status
	run env TMPDIR=/proc/none mmgauge gate c.yaml -q
	expect_failure_status
	mkdir lone
	cp "$MMGAUGE_BUILD/mmgauge" lone
	run lone/mmgauge gate c.yaml -q
	expect_status 129
	expect_stderr 'mmgauge-agent'
	printf '#!/bin/sh\nexit 1\n' >lone/mmgauge-agent
	chmod +x lone/mmgauge-agent
	run lone/mmgauge gate c.yaml -q
	expect_failure_status
	status=0
	mmgauge gate d.yaml x.db >/dev/full 2>"$err" || status=$?
	[ "$status" -ge 128 ] || fail "a full disk looked like a ruling"
}

# A program that always fails says nothing about the commit.
failed_runs_are_129() {
	cat >c.yaml <<-'END'
		run:
		  rounds: 6
		  variants: {base: {}, other: {cpus: 0}}
		  cases: [{exec: {argv: [/bin/false]}}]
		rows: [{row: exec}]
	END
	gate_until_told c.yaml -q -o x.db
	expect_status 129
	expect_stderr 'all runs of a row failed'
	run mmgauge gate c.yaml x.db # of a store: no data
	expect_status 125
	expect_stdout 'runs of base failed'
}

interrupted_is_130() {
	need_program sqlite3
	contract c.yaml 1000 "$loss"
	mmgauge gate c.yaml -q --rounds 4000 -o x.db >o 2>e </dev/null &
	pid=$!
	n=0
	until [ "$(sqlite3 x.db 'select count(*) > 0 from v_samples' 2>/dev/null)" = 1 ]; do
		n=$((n + 1))
		[ $n -lt 400 ] || fail "no sample came"
		sleep 0.05
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	expect_status 130
	[ ! -s o ] || fail "it judged what it had"
}

stores_are_dropped_or_kept() {
	mkdir tmp
	TMPDIR=$PWD/tmp
	export TMPDIR
	contract c.yaml 1000 "$loss"
	gate_until_told c.yaml -q
	expect_status 0
	[ -z "$(ls tmp)" ] || fail "something was left: $(ls tmp)"
	gate_until_told c.yaml --keep
	expect_status 0
	expect_stderr "the store is $PWD/tmp/"
	kept=$(sed -n 's/.*the store is //p' "$err")
	run mmgauge gate c.yaml "$kept"
	expect_status 0
}

# Commits of a program's cost: the sixth makes it four times as slow, the others change nothing
# that matters. Rulings are of real runs; whatever fails stops the bisection.
bisect_finds_the_commit() {
	need_program git
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
	GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t
	GIT_COMMITTER_EMAIL=t@example.org HOME=$PWD
	export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM HOME GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
	export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
	git init -q repo
	n=0
	for steps in 1000 1010 990 1000 1005 4000 4010 3990 4000; do
		n=$((n + 1))
		echo "$steps" >repo/steps
		git -C repo add steps
		git -C repo commit -q -m "commit $n: $steps steps"
		git -C repo tag "c$n"
	done
	contract template.yaml STEPS "$loss"
	cat >judge.sh <<-END
		sed "s/STEPS/\$(cat steps)/" $PWD/template.yaml >$PWD/now.yaml || exit 128
		for try in 1 2 3 4 5 6 7 8 9; do
			status=0
			mmgauge gate -q $PWD/now.yaml || status=\$?
			[ \$status = 125 ] || exit \$status
		done
		exit 125
	END
	cd repo
	git bisect start c9 c1 >/dev/null
	run git bisect run sh ../judge.sh
	expect_status 0
	expect_eq "$(git rev-parse refs/bisect/bad)" "$(git rev-parse c6^0)"
	expect_stdout 'is the first bad commit'
	# a mistake convicts nobody: bisect stops
	git bisect reset c9 >/dev/null 2>&1
	git bisect start c9 c1 >/dev/null
	run git bisect run mmgauge gate --nonsense
	[ "$status" != 0 ] || fail "bisect went on"
	expect_not_stdout 'is the first bad commit'
	expect_eq "$(git rev-parse refs/bisect/bad)" "$(git rev-parse c9^0)"
}

tap_run held
tap_run broken
tap_run cant_tell
tap_run untrustworthy_is_no_verdict
tap_run json
tap_run mistakes_are_128
tap_run failures_are_129
tap_run failed_runs_are_129
tap_run interrupted_is_130
tap_run stores_are_dropped_or_kept
tap_run bisect_finds_the_commit
tap_done
