// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hash of the raw data: SHA-256 over a text with one line a row, described in docs/store.md.
 * Ids stand for nothing outside their file, so rows name each other by names and by seq, and a
 * case by its number in the experiment (its cases have ids in a row): the same experiment in
 * another file has the same hash. Its status is left out: it changes and the data doesn't.
 */
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sha2.h>

#include "base/err.h"
#include "base/str.h"
#include "store/sql.h"

/* Each query gives the fields of its lines; ?1 is the experiment. */
static const struct {
	const char *table;
	const char *text;
} hashed[] = {
	{ "experiment",
	  "SELECT name, plan_text, plan_hash, command, run_order, seed, margin, time_ns,"
	  " warmup_ns, rounds_planned, wall_start_ns, tool, skipped FROM experiments"
	  " WHERE id = ?1" },
	{ "variant",
	  "SELECT name, target, spec FROM variants WHERE experiment = ?1 ORDER BY id" },
	{ "case",
	  "SELECT workload, revision, params, title, op, is_primary FROM cases"
	  " WHERE experiment = ?1 ORDER BY id" },
	{ "metric",
	  "SELECT c.id - (SELECT min(id) FROM cases WHERE experiment = ?1) + 1,"
	  " m.name, m.unit, m.higher_is_better, m.is_primary, m.help"
	  " FROM metrics m JOIN cases c ON c.id = m.case_id WHERE c.experiment = ?1"
	  " ORDER BY c.id, m.name" },
	{ "boot",
	  "SELECT boot_id, kernel, machine FROM boots WHERE experiment = ?1 ORDER BY id" },
	{ "env",
	  "SELECT coalesce(v.name, ''), e.key, e.value FROM env e"
	  " LEFT JOIN variants v ON v.id = e.variant WHERE e.id IN"
	  " (SELECT max(id) FROM env WHERE experiment = ?1 GROUP BY variant, key)"
	  " ORDER BY v.id, e.key" },
	{ "run",
	  "SELECT r.seq, r.repeat, r.case_id - (SELECT min(id) FROM cases"
	  " WHERE experiment = ?1) + 1, v.name, b.boot_id, r.round, r.start_ns, r.end_ns,"
	  " r.wall_ns, r.status FROM runs r JOIN variants v ON v.id = r.variant"
	  " JOIN boots b ON b.id = r.boot WHERE r.experiment = ?1 ORDER BY r.seq, r.id" },
	{ "sample",
	  "SELECT r.seq, m.name, p.idx, p.value FROM samples p JOIN runs r ON r.id = p.run"
	  " JOIN metrics m ON m.id = p.metric WHERE r.experiment = ?1"
	  " ORDER BY r.seq, r.id, m.name, p.idx" },
	{ "counter",
	  "SELECT r.seq, n.read_where, n.name, n.unit, k.value FROM runs r"
	  " JOIN counters k ON k.run = r.id JOIN counter_names n ON n.id = k.counter"
	  " WHERE r.experiment = ?1 ORDER BY r.seq, r.id, k.pos" },
	{ "placement",
	  "SELECT r.seq, p.grp, p.level, p.path, p.knob, p.want, p.got, p.file FROM runs r"
	  " JOIN run_placements k ON k.run = r.id JOIN placements p ON p.id = k.placement"
	  " WHERE r.experiment = ?1 ORDER BY r.seq, r.id, k.pos" },
	{ "note",
	  "SELECT r.seq, n.kind, n.code, n.text FROM runs r JOIN notes n ON n.run = r.id"
	  " WHERE r.experiment = ?1 ORDER BY r.seq, r.id, n.pos" },
};

static void hash_text(SHA2_CTX *sha, const char *t)
{
	SHA256Update(sha, (const uint8_t *)t, strlen(t));
}

/* Tab, newline and backslash as \t, \n and \\, so that no two sets of rows give one text. */
static void hash_field(SHA2_CTX *sha, const char *t)
{
	for (;;) {
		size_t plain = strcspn(t, "\t\n\\");

		SHA256Update(sha, (const uint8_t *)t, plain);
		t += plain;
		if (!*t)
			return;
		hash_text(sha, *t == '\t' ? "\\t" : *t == '\n' ? "\\n" : "\\\\");
		t++;
	}
}

static void hash_column(SHA2_CTX *sha, sqlite3_stmt *st, int col)
{
	char number[40];

	hash_text(sha, "\t");
	switch (sqlite3_column_type(st, col)) {
	case SQLITE_INTEGER:
		(void)snprintf(number, sizeof(number), "%" PRId64,
			       (int64_t)sqlite3_column_int64(st, col));
		hash_text(sha, number);
		break;
	case SQLITE_FLOAT:
		(void)snprintf(number, sizeof(number), "%.17g", sqlite3_column_double(st, col));
		hash_text(sha, number);
		break;
	default:
		hash_field(sha, sql_peek(st, col));
	}
}

static int hash_rows(struct store *s, SHA2_CTX *sha, const char *table, const char *text,
		     int64_t experiment, size_t *ret_n, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s, text, SQL_ARGS(SQL_I(experiment)), &st, e);
	size_t n = 0;

	for (; r >= 0 && (r = sql_step(s, st, e)) > 0; n++) {
		hash_text(sha, table);
		for (int i = 0; i < sqlite3_column_count(st); i++)
			hash_column(sha, st, i);
		hash_text(sha, "\n");
	}
	*ret_n = n;
	return r;
}

static void hash_end(SHA2_CTX *sha, char ret_hex[33])
{
	char hex[SHA256_DIGEST_STRING_LENGTH];

	(void)SHA256End(sha, hex);
	memcpy(ret_hex, hex, 32);
	ret_hex[32] = '\0';
}

int store_hash(struct store *s, int64_t experiment, char ret_hex[33], struct err *e)
{
	_cleanup_tx_ struct sql_tx tx = { 0 };
	SHA2_CTX sha;
	int r;

	s->task = "hash an experiment of";
	SHA256Init(&sha);
	r = sql_begin(s, SQL_TX_READ, &tx, e);
	for (size_t i = 0; r >= 0 && i < ARRAY_LEN(hashed); i++) {
		size_t n = 0;

		r = hash_rows(s, &sha, hashed[i].table, hashed[i].text, experiment, &n, e);
		if (r >= 0 && i == 0 && n == 0)
			return sql_refuse(s, e, -ENOENT, "there is no experiment %" PRId64,
					  experiment);
	}
	if (r < 0)
		return r;
	hash_end(&sha, ret_hex);
	return 0;
}

void store_hash_text(const char *text, char ret_hex[33])
{
	SHA2_CTX sha;

	SHA256Init(&sha);
	hash_text(&sha, text);
	hash_end(&sha, ret_hex);
}
