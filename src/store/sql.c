// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/sql.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/err.h"
#include "base/str.h"

int sql_refuse(const struct store *s, struct err *e, int code, const char *fmt, ...)
{
	char reason[240];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return err_set(e, code, "could not %s \"%s\": %s", s->task, s->path, reason);
}

#define HINT_SAFE "what was stored before is safe; \"--resume\" goes on from there"

/* sqlite3_system_errno() knows nothing of errors in a COMMIT; the file that failed does. */
static int system_errno(const struct store *s)
{
	static const int files[] = { SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER };
	int errnum = sqlite3_system_errno(s->db);

	for (size_t i = 0; errnum <= 0 && i < ARRAY_LEN(files); i++) {
		sqlite3_file *f = NULL;

		if (sqlite3_file_control(s->db, "main", files[i], (void *)&f) == SQLITE_OK && f &&
		    f->pMethods)
			(void)f->pMethods->xFileControl(f, SQLITE_FCNTL_LAST_ERRNO, &errnum);
	}
	return errnum;
}

static int refuse_io(const struct store *s, struct err *e)
{
	int errnum = system_errno(s);
	int r;

	if (errnum <= 0)
		return sql_refuse(s, e, -EIO, "%s", sqlite3_errmsg(s->db));
	r = sql_refuse(s, e, -errnum, "%s", strerrordesc_np(errnum));
	if (errnum == EFBIG)
		err_hint(e, "raise the file size limit (ulimit -f); " HINT_SAFE);
	else if (errnum == ENOSPC || errnum == EDQUOT)
		err_hint(e, "make room on that file system; " HINT_SAFE);
	return r;
}

int sql_error(const struct store *s, int rc, struct err *e)
{
	int r;

	switch (rc & 0xff) {
	case SQLITE_FULL:
		r = sql_refuse(s, e, -ENOSPC, "the disk is full");
		err_hint(e, "make room on that file system; " HINT_SAFE);
		return r;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return refuse_io(s, e);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		r = sql_refuse(s, e, -EBUSY, "another program is writing to it");
		err_hint(e, "end the other program (an open transaction of sqlite3?)");
		return r;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return sql_refuse(s, e, -EACCES, "%s", sqlite3_errmsg(s->db));
	case SQLITE_NOTADB:
		return sql_refuse(s, e, -EINVAL, "it is not an mmgauge store");
	case SQLITE_CORRUPT:
		r = sql_refuse(s, e, -EBADMSG, "it is damaged (%s)", sqlite3_errmsg(s->db));
		err_hint(e, "\"sqlite3 FILE .recover\" prints what can be saved");
		return r;
	case SQLITE_CONSTRAINT:
		return sql_refuse(s, e, -EINVAL, "%s", sqlite3_errmsg(s->db));
	case SQLITE_NOMEM:
		return sql_refuse(s, e, -ENOMEM, "out of memory");
	default:
		return sql_refuse(s, e, -EIO, "%s", sqlite3_errmsg(s->db));
	}
}

int sql_script(struct store *s, const char *text, struct err *e)
{
	int rc = sqlite3_exec(s->db, text, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : sql_error(s, rc, e);
}

static int cached(struct store *s, const char *text, sqlite3_stmt **ret, struct err *e)
{
	sqlite3_stmt *st;
	int rc;

	for (size_t i = 0; i < s->n_cached; i++) {
		if (s->cache[i].text == text) {
			*ret = s->cache[i].st;
			return 0;
		}
	}
	assert(s->n_cached < SQL_CACHE_MAX);
	rc = sqlite3_prepare_v3(s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);
	if (rc != SQLITE_OK)
		return sql_error(s, rc, e);
	s->cache[s->n_cached].text = text;
	s->cache[s->n_cached++].st = st;
	*ret = st;
	return 0;
}

static int bind(sqlite3_stmt *st, int i, const struct sql_arg *a)
{
	switch (a->type) {
	case SQLITE_INTEGER:
		return sqlite3_bind_int64(st, i, a->i);
	case SQLITE_FLOAT:
		return sqlite3_bind_double(st, i, a->d);
	case SQLITE_TEXT:
		/* the text outlives the step: the caller holds it until the statement is reset */
		return sqlite3_bind_text(st, i, a->t ? a->t : "", -1, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(st, i);
	}
}

int sql_start(struct store *s, const char *text, const struct sql_arg *args, size_t n,
	      sqlite3_stmt **ret, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int r = cached(s, text, &st, e);

	if (r < 0)
		return r;
	assert((size_t)sqlite3_bind_parameter_count(st) == n);
	for (size_t i = 0; i < n; i++) {
		int rc = bind(st, (int)i + 1, &args[i]);

		if (rc != SQLITE_OK)
			return sql_error(s, rc, e);
	}
	*ret = st;
	return 0;
}

int sql_step(struct store *s, sqlite3_stmt *st, struct err *e)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : sql_error(s, rc, e);
}

void sql_reset(sqlite3_stmt **st)
{
	if (!*st)
		return;
	(void)sqlite3_reset(*st); /* repeats the error of the step, which was reported */
	(void)sqlite3_clear_bindings(*st);
}

int sql_change(struct store *s, const char *text, const struct sql_arg *args, size_t n,
	       struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s, text, args, n, &st, e);

	if (r < 0)
		return r;
	r = sql_step(s, st, e);
	assert(r <= 0);
	return r < 0 ? r : sqlite3_changes(s->db);
}

int sql_value(struct store *s, const char *text, const struct sql_arg *args, size_t n,
	      int64_t *ret, struct err *e)
{
	_cleanup_reset_ sqlite3_stmt *st = NULL;
	int r = sql_start(s, text, args, n, &st, e);

	if (r < 0)
		return r;
	r = sql_step(s, st, e);
	if (r > 0)
		*ret = sqlite3_column_int64(st, 0);
	return r;
}

const char *sql_peek(sqlite3_stmt *st, int col)
{
	const char *t = (const char *)sqlite3_column_text(st, col);

	return t ? t : ""; /* NULL only when the file is damaged */
}

char *sql_text(sqlite3_stmt *st, int col)
{
	return xstrdup(sql_peek(st, col));
}

uint64_t sql_u64(sqlite3_stmt *st, int col)
{
	return (uint64_t)sqlite3_column_int64(st, col);
}

unsigned sql_uint(sqlite3_stmt *st, int col)
{
	return (unsigned)sqlite3_column_int64(st, col);
}

void sql_hold_xfsz(sigset_t *ret_mask)
{
	sigset_t xfsz;

	(void)sigemptyset(&xfsz);
	(void)sigaddset(&xfsz, SIGXFSZ);
	(void)pthread_sigmask(SIG_BLOCK, &xfsz, ret_mask);
}

void sql_release_xfsz(const sigset_t *mask)
{
	static const struct timespec now;
	sigset_t xfsz;

	(void)sigemptyset(&xfsz);
	(void)sigaddset(&xfsz, SIGXFSZ);
	if (!sigismember(mask, SIGXFSZ))
		while (sigtimedwait(&xfsz, NULL, &now) > 0)
			;
	(void)pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* SQLite would go on writing to a file without a name; all of it would be lost. */
static int check_still_there(const struct store *s, struct err *e)
{
	struct stat st;

	if (fstat(s->lock_fd, &st) == 0 && st.st_nlink == 0)
		return sql_refuse(s, e, -ESTALE, "the file was removed while it was in use");
	return 0;
}

int sql_begin(struct store *s, enum sql_tx_mode mode, struct sql_tx *tx, struct err *e)
{
	bool nested = !sqlite3_get_autocommit(s->db);
	const char *text = nested		? "SAVEPOINT tx"
			   : mode == SQL_TX_WRITE ? "BEGIN IMMEDIATE"
						  : "BEGIN";
	int r;

	if (mode == SQL_TX_WRITE) {
		if (!s->writable)
			return sql_refuse(s, e, -EBADF, "it was opened for reading");
		r = check_still_there(s, e);
		if (r < 0)
			return r;
	}
	sql_hold_xfsz(&tx->mask);
	r = sql_script(s, text, e);
	if (r < 0) {
		sql_release_xfsz(&tx->mask);
		return r;
	}
	tx->nested = nested;
	tx->s = s;
	return 0;
}

int sql_commit(struct sql_tx *tx, struct err *e)
{
	int r = sql_script(tx->s, tx->nested ? "RELEASE tx" : "COMMIT", e);

	if (r < 0)
		return r; /* rolled back by sql_tx_done */
	sql_release_xfsz(&tx->mask);
	tx->s = NULL;
	return 0;
}

void sql_tx_done(struct sql_tx *tx)
{
	if (!tx->s)
		return;
	/* fails when SQLite rolled back by itself (disk full), which is as good */
	(void)sqlite3_exec(tx->s->db, tx->nested ? "ROLLBACK TO tx; RELEASE tx" : "ROLLBACK", NULL,
			   NULL, NULL);
	sql_release_xfsz(&tx->mask);
	tx->s = NULL;
}
