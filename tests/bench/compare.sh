#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How long a comparison of two million samples takes, and how much memory, in few and in many rows.
# They are made by SQL: what is measured is reading and judging.
PATH=$MMGAUGE_BUILD:$PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
status=0

fill() { # ROWS SAMPLES-A-SIDE, into bench.db
	rm -f bench.db
	mmgauge run null --rounds 1 --time 20ms -q -o bench.db >/dev/null || exit 1
	sqlite3 bench.db >/dev/null <<-EOF
	PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
	BEGIN;
	INSERT INTO experiments VALUES
	 (2, 'speed', '', '', '', 'imported', '0', 0.02, 0, 0, 0, 0, '', 'done', '');
	INSERT INTO variants VALUES (101, 2, 'a', 'local', ''), (102, 2, 'b', 'local', '');
	INSERT INTO boots VALUES (100, 2, '', '', '');
	WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < $1)
	 INSERT INTO cases SELECT 1000 + i, 2, 'x', 1, 'n=' || i, 'x n=' || i, 'op', 1 FROM c;
	INSERT INTO metrics SELECT id + 10000, id, 'ops', 'op/s', 1, 1, '' FROM cases
	 WHERE id > 1000;
	INSERT INTO runs SELECT 100000 + 2 * (c.id - 1000) + v.id, 2, v.id, c.id, 100, 1,
	 2 * (c.id - 1000) + v.id - 102, 0, 0, 0, 0, 'ok' FROM cases c, variants v
	 WHERE c.id > 1000 AND v.id > 100;
	WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < $2 - 1)
	 INSERT INTO samples SELECT r.case_id + 10000, r.id, s.i,
	  1000.0 + abs(random() % 1000000) / 1e4 + abs(random() % 1000000) / 1e4
	  FROM runs r, s WHERE r.id > 100000 ORDER BY 1, 2, 3;
	COMMIT;
	EOF
}

for rows in 10 200; do
	fill $rows $((1000000 / rows))
	# the middle of five: seconds and KiB
	for i in 1 2 3 4 5; do
		command time -f '%e %M' mmgauge compare bench.db 2>&1 >/dev/null
	done | sort -n | sed -n 3p >figures
	read -r seconds kib <figures
	verdict=$(awk -v s="$seconds" -v k="$kib" 'BEGIN { print s < 1 && k < 131072 ? "pass" : "FAIL" }')
	echo "$verdict  2e6 samples in $rows rows: $seconds s, $((kib / 1024)) MiB (below 1 s, 128 MiB)"
	[ "$verdict" = pass ] || status=1
done
exit $status
