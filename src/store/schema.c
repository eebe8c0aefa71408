// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables, and what tells a store from other files. docs/store.md explains them column by
 * column; a change here is a new entry in migrations[] and a new STORE_SCHEMA_VERSION.
 */
#include "store/sql.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/store.h"

#define APPLICATION_ID 0x6d6d6761 /* "mmga" */

static const char schema_1[] =
	"CREATE TABLE experiments ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL,"
	" plan_text TEXT NOT NULL,"
	" plan_hash TEXT NOT NULL,"
	" command TEXT NOT NULL,"
	" run_order TEXT NOT NULL,"
	" seed TEXT NOT NULL,"
	" margin REAL NOT NULL,"
	" time_ns INTEGER NOT NULL,"
	" warmup_ns INTEGER NOT NULL,"
	" rounds_planned INTEGER NOT NULL,"
	" wall_start_ns INTEGER NOT NULL,"
	" tool TEXT NOT NULL,"
	" status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),"
	" skipped TEXT NOT NULL"
	") STRICT;"
	"CREATE TABLE variants ("
	" id INTEGER PRIMARY KEY,"
	" experiment INTEGER NOT NULL REFERENCES experiments,"
	" name TEXT NOT NULL,"
	" target TEXT NOT NULL,"
	" spec TEXT NOT NULL,"
	" UNIQUE (experiment, name)"
	") STRICT;"
	"CREATE TABLE cases ("
	" id INTEGER PRIMARY KEY,"
	" experiment INTEGER NOT NULL REFERENCES experiments,"
	" workload TEXT NOT NULL,"
	" revision INTEGER NOT NULL,"
	" params TEXT NOT NULL,"
	" title TEXT NOT NULL,"
	" op TEXT NOT NULL,"
	" is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1))"
	") STRICT;"
	"CREATE INDEX cases_of ON cases (experiment);"
	"CREATE TABLE metrics ("
	" id INTEGER PRIMARY KEY,"
	" case_id INTEGER NOT NULL REFERENCES cases,"
	" name TEXT NOT NULL,"
	" unit TEXT NOT NULL,"
	" higher_is_better INTEGER NOT NULL CHECK (higher_is_better IN (0, 1)),"
	" is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),"
	" help TEXT NOT NULL,"
	" UNIQUE (case_id, name)"
	") STRICT;"
	"CREATE TABLE boots ("
	" id INTEGER PRIMARY KEY,"
	" experiment INTEGER NOT NULL REFERENCES experiments,"
	" boot_id TEXT NOT NULL,"
	" kernel TEXT NOT NULL,"
	" machine TEXT NOT NULL,"
	" UNIQUE (experiment, boot_id)"
	") STRICT;"
	"CREATE TABLE env ("
	" id INTEGER PRIMARY KEY,"
	" experiment INTEGER NOT NULL REFERENCES experiments,"
	" variant INTEGER REFERENCES variants,"
	" wall_ns INTEGER NOT NULL,"
	" key TEXT NOT NULL,"
	" value TEXT NOT NULL"
	") STRICT;"
	"CREATE INDEX env_of ON env (experiment, variant, key);"
	"CREATE TABLE runs ("
	" id INTEGER PRIMARY KEY,"
	" experiment INTEGER NOT NULL REFERENCES experiments,"
	" variant INTEGER NOT NULL REFERENCES variants,"
	" case_id INTEGER NOT NULL REFERENCES cases,"
	" boot INTEGER NOT NULL REFERENCES boots,"
	" round INTEGER NOT NULL,"
	" seq INTEGER NOT NULL,"
	" repeat INTEGER NOT NULL,"
	" start_ns INTEGER NOT NULL,"
	" end_ns INTEGER NOT NULL,"
	" wall_ns INTEGER NOT NULL,"
	" status TEXT NOT NULL CHECK (status IN ('ok', 'untrustworthy', 'failed')),"
	" UNIQUE (case_id, variant, round, repeat)"
	") STRICT;"
	"CREATE INDEX runs_of ON runs (experiment);"
	/* read by metric, in the order of runs: exactly the order of this key */
	"CREATE TABLE samples ("
	" metric INTEGER NOT NULL REFERENCES metrics,"
	" run INTEGER NOT NULL REFERENCES runs,"
	" value REAL NOT NULL,"
	" PRIMARY KEY (metric, run)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE counter_names ("
	" id INTEGER PRIMARY KEY,"
	" read_where TEXT NOT NULL,"
	" name TEXT NOT NULL,"
	" unit TEXT NOT NULL,"
	" UNIQUE (name, read_where, unit)"
	") STRICT;"
	"CREATE TABLE counters ("
	" run INTEGER NOT NULL REFERENCES runs,"
	" pos INTEGER NOT NULL,"
	" counter INTEGER NOT NULL REFERENCES counter_names,"
	" value REAL NOT NULL,"
	" PRIMARY KEY (run, pos)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE placements ("
	" id INTEGER PRIMARY KEY,"
	" grp INTEGER NOT NULL,"
	" level INTEGER NOT NULL,"
	" path TEXT NOT NULL,"
	" knob TEXT NOT NULL,"
	" want TEXT NOT NULL,"
	" got TEXT NOT NULL,"
	" file TEXT NOT NULL,"
	" UNIQUE (path, knob, got, want, file, grp, level)"
	") STRICT;"
	"CREATE TABLE run_placements ("
	" run INTEGER NOT NULL REFERENCES runs,"
	" pos INTEGER NOT NULL,"
	" placement INTEGER NOT NULL REFERENCES placements,"
	" PRIMARY KEY (run, pos)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE notes ("
	" run INTEGER NOT NULL REFERENCES runs,"
	" pos INTEGER NOT NULL,"
	" kind TEXT NOT NULL CHECK (kind IN ('warning', 'untrustworthy', 'error')),"
	" code TEXT NOT NULL,"
	" text TEXT NOT NULL,"
	" PRIMARY KEY (run, pos)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE writer ("
	" id INTEGER PRIMARY KEY CHECK (id = 1),"
	" pid INTEGER NOT NULL"
	") STRICT;"
	"CREATE VIEW v_runs AS"
	" SELECT r.experiment, c.title AS case_title, v.name AS variant, r.round, r.seq, r.repeat,"
	"  r.status, datetime(r.wall_ns / 1000000000, 'unixepoch') AS started_utc,"
	"  (r.end_ns - r.start_ns) / 1e9 AS window_s, b.kernel, r.id AS run"
	" FROM runs r JOIN cases c ON c.id = r.case_id JOIN variants v ON v.id = r.variant"
	"  JOIN boots b ON b.id = r.boot;"
	"CREATE VIEW v_samples AS"
	" SELECT r.experiment, c.title AS case_title, v.name AS variant, r.round, r.seq, r.repeat,"
	"  m.name AS metric, s.value, m.unit, r.status, r.id AS run"
	" FROM samples s JOIN metrics m ON m.id = s.metric JOIN runs r ON r.id = s.run"
	"  JOIN cases c ON c.id = r.case_id JOIN variants v ON v.id = r.variant;"
	"CREATE VIEW v_counters AS"
	" SELECT r.experiment, c.title AS case_title, v.name AS variant, r.round, r.seq, r.repeat,"
	"  n.read_where, n.name AS counter, k.value, n.unit, r.status, r.id AS run"
	" FROM counters k JOIN counter_names n ON n.id = k.counter JOIN runs r ON r.id = k.run"
	"  JOIN cases c ON c.id = r.case_id JOIN variants v ON v.id = r.variant;"
	"CREATE VIEW v_placement AS"
	" SELECT r.experiment, c.title AS case_title, v.name AS variant, r.round, r.seq, r.repeat,"
	"  p.grp, p.level, p.path, p.knob, p.want, p.got, p.file, r.id AS run"
	" FROM run_placements k JOIN placements p ON p.id = k.placement JOIN runs r ON r.id = k.run"
	"  JOIN cases c ON c.id = r.case_id JOIN variants v ON v.id = r.variant;"
	"CREATE VIEW v_notes AS"
	" SELECT r.experiment, c.title AS case_title, v.name AS variant, r.round, r.seq, r.repeat,"
	"  n.kind, n.code, n.text, r.id AS run"
	" FROM notes n JOIN runs r ON r.id = n.run JOIN cases c ON c.id = r.case_id"
	"  JOIN variants v ON v.id = r.variant;"
	"CREATE VIEW v_env AS"
	" SELECT e.experiment, v.name AS variant, e.key, e.value,"
	"  datetime(e.wall_ns / 1000000000, 'unixepoch') AS seen_utc"
	" FROM env e LEFT JOIN variants v ON v.id = e.variant;";

/* A run may hold several values of a metric. */
static const char schema_2[] =
	"DROP VIEW v_samples;"
	"CREATE TABLE samples_2 ("
	" metric INTEGER NOT NULL REFERENCES metrics,"
	" run INTEGER NOT NULL REFERENCES runs,"
	" idx INTEGER NOT NULL,"
	" value REAL NOT NULL,"
	" PRIMARY KEY (metric, run, idx)"
	") STRICT, WITHOUT ROWID;"
	"INSERT INTO samples_2 SELECT metric, run, 0, value FROM samples ORDER BY metric, run;"
	"DROP TABLE samples;"
	"ALTER TABLE samples_2 RENAME TO samples;"
	"CREATE VIEW v_samples AS"
	" SELECT r.experiment, c.title AS case_title, v.name AS variant, r.round, r.seq, r.repeat,"
	"  m.name AS metric, s.idx, s.value, m.unit, r.status, r.id AS run"
	" FROM samples s JOIN metrics m ON m.id = s.metric JOIN runs r ON r.id = s.run"
	"  JOIN cases c ON c.id = r.case_id JOIN variants v ON v.id = r.variant;";

/* The noise floor of a case. */
static const char schema_3[] = "ALTER TABLE cases ADD COLUMN floor REAL NOT NULL DEFAULT 0;";

/* What lets a reader, who can't migrate, use an older version as if it were the newest. */
static const char read_schema_1[] =
	"CREATE TEMP VIEW samples AS SELECT metric, run, 0 AS idx, value FROM main.samples";
static const char read_schema_2[] =
	"CREATE TEMP VIEW cases AS SELECT *, 0.0 AS floor FROM main.cases";

/* migrations[v] makes version v + 1 out of version v. */
static const char *const migrations[] = { schema_1, schema_2, schema_3 };
_Static_assert(ARRAY_LEN(migrations) == STORE_SCHEMA_VERSION, "one migration a version");

int schema_migrate(struct store *s, int64_t version, struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	char stamp[96];
	int r;

	if (version == STORE_SCHEMA_VERSION)
		return 0;
	r = sql_begin(s, SQL_TX_WRITE, &tx, e);
	if (r < 0)
		return r;
	for (size_t v = (size_t)version; v < ARRAY_LEN(migrations); v++) {
		r = sql_script(s, migrations[v], e);
		if (r < 0)
			return r;
	}
	(void)snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		       APPLICATION_ID, STORE_SCHEMA_VERSION);
	r = sql_script(s, stamp, e);
	return r < 0 ? r : sql_commit(&tx, e);
}

int schema_read_old(struct store *s, int64_t version, struct err *e)
{
	int r = version < 2 ? sql_script(s, read_schema_1, e) : 0;

	return r < 0 || version > 2 ? r : sql_script(s, read_schema_2, e);
}

/* Nothing in it and no mark of anyone: new, or its maker was killed before it was done. */
static int is_empty(struct store *s, bool *ret, struct err *e)
{
	int64_t n = 0;
	int r = sql_value(s, "SELECT count(*) FROM sqlite_schema", NULL, 0, &n, e);

	if (r < 0)
		return r;
	*ret = n == 0;
	return 0;
}

int schema_check(struct store *s, int64_t *ret_version, bool empty_is_fine, struct err *e)
{
	int64_t id = 0, version = 0;
	bool empty = false;
	int r = sql_value(s, "PRAGMA application_id", NULL, 0, &id, e);

	if (r >= 0)
		r = sql_value(s, "PRAGMA user_version", NULL, 0, &version, e);
	if (r >= 0 && id == 0 && version == 0)
		r = is_empty(s, &empty, e);
	if (r < 0)
		return r;
	if (empty && empty_is_fine) {
		*ret_version = 0;
		return 0;
	}
	if (empty)
		return sql_refuse(s, e, -EINVAL, "it is empty, not an mmgauge store");
	if (id != APPLICATION_ID)
		return sql_refuse(s, e, -EINVAL,
				  "it is a database of another program, not an mmgauge store");
	if (version > STORE_SCHEMA_VERSION)
		return sql_refuse(s, e, -EINVAL,
				  "it was made by a newer mmgauge (schema %" PRId64
				  ", this one knows up to %d)",
				  version, STORE_SCHEMA_VERSION);
	if (version < 1)
		return sql_refuse(s, e, -EINVAL, "its schema version is %" PRId64, version);
	*ret_version = version;
	return 0;
}
