/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to store/: the handle, statements with typed arguments, transactions, and the one
 * place where SQLite's result codes become messages. Nothing outside includes <sqlite3.h>.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

#define SQL_CACHE_MAX 64 /* statements in the sources of store/, with room */

struct store {
	sqlite3 *db;
	char *path;
	const char *task; /* "store a run in": completes "could not … PATH" */
	int lock_fd;	  /* holds the writer's lock; -EBADF for readers */
	bool writable;
	bool opened_log; /* as the writer: to be tidied up on close */
	size_t n_cached;
	struct {
		const char *text; /* compared by address: every caller has its own literal */
		sqlite3_stmt *st;
	} cache[SQL_CACHE_MAX];
};

struct sql_arg {
	int type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_NULL */
	int64_t i;
	double d;
	const char *t;
};
#define SQL_I(v) ((struct sql_arg){ .type = SQLITE_INTEGER, .i = (int64_t)(v) })
#define SQL_D(v) ((struct sql_arg){ .type = SQLITE_FLOAT, .d = (v) })
#define SQL_T(v) ((struct sql_arg){ .type = SQLITE_TEXT, .t = (v) }) /* NULL is stored as "" */
/* An id; 0 stands for none. */
#define SQL_ID(v) ((struct sql_arg){ .type = (v) ? SQLITE_INTEGER : SQLITE_NULL, .i = (v) })

/* "could not TASK "PATH": REASON"; @code is a negative errno and is returned. */
int sql_refuse(const struct store *s, struct err *e, int code, const char *fmt, ...)
	__printf(4, 5);
/* The same for a result code of SQLite that was just seen, with a hint where there is one. */
int sql_error(const struct store *s, int rc, struct err *e);

/* Runs statements that give no rows. */
__must_check int sql_script(struct store *s, const char *text, struct err *e);

/*
 * A statement with its arguments bound, owned by the store's cache. End it with sql_reset
 * (_cleanup_reset_), else it keeps a lock.
 */
__must_check int sql_start(struct store *s, const char *text, const struct sql_arg *args,
			   size_t n, sqlite3_stmt **ret, struct err *e);
/* 1: there is a row; 0: no more rows. */
__must_check int sql_step(struct store *s, sqlite3_stmt *st, struct err *e);
void sql_reset(sqlite3_stmt **st);
#define _cleanup_reset_ __attribute__((cleanup(sql_reset)))

/* Runs a statement to its end; returns the number of rows that it changed. */
__must_check int sql_change(struct store *s, const char *text, const struct sql_arg *args,
			    size_t n, struct err *e);
/* First column of the first row; returns 1, or 0 when there is no row. */
__must_check int sql_value(struct store *s, const char *text, const struct sql_arg *args,
			   size_t n, int64_t *ret, struct err *e);

#define SQL_ARGS(...)                           \
	(const struct sql_arg[]){ __VA_ARGS__ }, \
		sizeof((struct sql_arg[]){ __VA_ARGS__ }) / sizeof(struct sql_arg)

char *sql_text(sqlite3_stmt *st, int col); /* malloc'd, never NULL */
const char *sql_peek(sqlite3_stmt *st, int col); /* the same, until the next step */
uint64_t sql_u64(sqlite3_stmt *st, int col);
unsigned sql_uint(sqlite3_stmt *st, int col);

/*
 * A transaction that is rolled back at the end of its scope unless committed. Inside another
 * one (a batch) it is a savepoint. SIGXFSZ is held off meanwhile: a file size limit is an error
 * to report, not a reason to die, and ignoring the signal would be inherited by programs.
 */
enum sql_tx_mode { SQL_TX_READ, SQL_TX_WRITE };
struct sql_tx {
	struct store *s; /* NULL: none open */
	bool nested;
	sigset_t mask;
};
__must_check int sql_begin(struct store *s, enum sql_tx_mode mode, struct sql_tx *tx,
			   struct err *e);
__must_check int sql_commit(struct sql_tx *tx, struct err *e);
void sql_tx_done(struct sql_tx *tx);
#define _cleanup_tx_ __attribute__((cleanup(sql_tx_done)))

void sql_hold_xfsz(sigset_t *ret_mask);
void sql_release_xfsz(const sigset_t *mask);

/* Makes an empty database (@version 0) or an older store one of the current version. */
__must_check int schema_migrate(struct store *s, int64_t version, struct err *e);
/* Lets this connection, which can't change the file, read an older store as if it were new. */
__must_check int schema_read_old(struct store *s, int64_t version, struct err *e);
/* Refuses what is no store or a newer one; an empty database is version 0 where that is fine. */
__must_check int schema_check(struct store *s, int64_t *ret_version, bool empty_is_fine,
			      struct err *e);

#endif
