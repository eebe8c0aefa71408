#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML report, in a browser: it renders, asks for nothing, and its links lead somewhere.
# plain-only: the browser is what takes the time; the report itself is in unit-asan
. "$(dirname "$0")/lib.sh"

# r.db, measured once; waits while somebody else on this machine measures.
make_store() {
	need_program sqlite3
	tries=0
	until [ -e "$tap_dir/r.db" ]; do
		run mmgauge run delay -p tasks=1,2 --variant base --variant odd --rounds 2 \
			--time 20ms --warmup 1ms -q -o r.db
		if [ "$status" = 0 ]; then
			sqlite3 r.db "UPDATE variants SET name = 'odd<b>&\"' WHERE name = 'odd'"
			mv r.db "$tap_dir/r.db"
		elif grep -q 'another mmgauge is running' "$err" && [ $tries -lt 60 ]; then
			tries=$((tries + 1))
			sleep 1
		else
			fail "could not measure"
		fi
	done
	cp "$tap_dir/r.db" .
}

# browse OPTIONS...: Chromium without network, its profile in this directory.
browse() {
	need_program chromium
	offline=
	unshare -n true 2>/dev/null && offline='unshare -n'
	$offline timeout 120 chromium --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-background-networking --disable-component-update \
		--user-data-dir="$PWD/profile" --host-resolver-rules='MAP * ~NOTFOUND' "$@" \
		2>browser.err
}

same_store_same_bytes() {
	make_store
	run mmgauge report r.db -o a.html
	expect_status 0
	expect_no_stdout
	echo old >b.html
	run mmgauge report r.db -o b.html
	expect_status 0
	expect_same_file b.html a.html
	[ "$(echo ./*)" = "./a.html ./b.html ./r.db" ] || fail "something was left: $(echo ./*)"
}

wrong_use_is_told() {
	run mmgauge report r.db
	expect_status 2
	expect_stderr 'where to write'
	run mmgauge report none.db -o a.html
	expect_status 1
	[ ! -e a.html ] || fail "a report of nothing was written"
	make_store
	run mmgauge report r.db -o none/a.html
	expect_status 1
	expect_stderr 'none/a.html'
}

links_lead_somewhere() {
	make_store
	mmgauge report r.db -o a.html
	grep -o 'href="[^"]*"' a.html | sort -u >hrefs
	[ "$(wc -l <hrefs)" -ge 10 ] || fail "hardly any links"
	! grep -v 'href="#' hrefs >out || fail "leaves the file: $(cat out)"
	! grep -iE '(src|srcset|data|action|poster)=|url\(|@import|<script|<link|https?:' a.html ||
		fail "the file fetches something"
	grep -o ' id="[^"]*"' a.html | sort >ids
	expect_eq "$(uniq -d ids)" ""
	sed 's/href="#\(.*\)"/ id="\1"/' hrefs | sort -u >wanted
	sort -u ids >have
	expect_eq "$(comm -23 wanted have)" ""
	for row in 0 1; do # of the table: to its section, to its records, and back
		grep -q "href=\"#row-$row\"" a.html && grep -q "href=\"#raw-$row\"" a.html ||
			fail "row $row has no links"
	done
}

browser_reads_every_row() {
	need_program chromium
	make_store
	mmgauge report r.db -o a.html
	browse --log-net-log=net.json --dump-dom "file://$PWD/a.html" >dom ||
		fail "chromium: $(cat browser.err)"
	grep -q '<h2>Verdicts</h2>' dom || fail "not rendered: $(head -c 300 dom)"
	for row in 0 1; do
		grep -q "<section id=\"row-$row\">" dom || fail "row $row is not there"
		grep -q "<details id=\"raw-$row\">" dom || fail "records of row $row are not there"
	done
	# what the parser made of it: the same elements as were written, no more
	for tag in table tr td svg path a section details; do
		expect_eq "$tag $(grep -o "<$tag[ >]" dom | wc -l)" \
			"$tag $(grep -o "<$tag[ >]" a.html | wc -l)"
	done
	! grep -q '<b>' dom || fail "a name became markup"
	[ -s net.json ] || fail "chromium left no log of its requests"
	! grep -oE '"url":"(https?|ftp|wss?):[^"]*"' net.json | grep -vE 'google|gvt1' >asked ||
		fail "asked for: $(cat asked)"
}

browser_paints_it() {
	need_program chromium
	make_store
	mmgauge report r.db -o a.html
	printf '<!DOCTYPE html><title>blank</title>' >blank.html
	for width in 360 1400; do
		for page in a blank; do
			browse --hide-scrollbars --window-size=$width,900 \
				--screenshot="$PWD/$page.png" "file://$PWD/$page.html" >/dev/null ||
				fail "chromium: $(cat browser.err)"
		done
		# compressed, a page with text and marks is many times a blank one
		[ "$(wc -c <a.png)" -gt $(($(wc -c <blank.png) * 4)) ] || fail "a blank page"
	done
}

tap_run same_store_same_bytes
tap_run wrong_use_is_told
tap_run links_lead_somewhere
tap_run browser_reads_every_row
tap_run browser_paints_it
tap_done
