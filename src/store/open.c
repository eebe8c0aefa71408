// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening and closing. While a writer is at work the journal is a write-ahead log, so that
 * readers (also a pager that sits on a query) never hold up a commit; on close the log is
 * folded in and the file is one file again, which opens from read-only places, too.
 *
 * The writer's lock is an open-file-description lock on a byte of the database that SQLite
 * doesn't use. SQLite's own locks are POSIX ones, which vanish when this process closes any
 * descriptor of the file: so readers never open it themselves, and the lock's descriptor
 * outlives the connection.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "store/sql.h"

#define LOCK_OFFSET (1ll << 40) /* SQLite uses 510 bytes from 2^30 */
#define BUSY_TIMEOUT_MS 10000

static void cleanup_store(struct store **s)
{
	store_close(*s);
}
#define _cleanup_store_ __attribute__((cleanup(cleanup_store)))

/* A path that SQLite can't take for a URI or a name with a meaning of its own. */
static char *plain_path(const char *path)
{
	return path[0] == '/' ? xstrdup(path) : xasprintf("./%s", path);
}

static int connect_db(struct store *s, const char *name, int flags, struct err *e)
{
	int rc = sqlite3_open_v2(name, &s->db,
				 flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (!s->db)
		return sql_refuse(s, e, -ENOMEM, "out of memory");
	if (rc != SQLITE_OK)
		return sql_error(s, rc, e);
	(void)sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return 0;
}

static void disconnect_db(struct store *s)
{
	for (size_t i = 0; i < s->n_cached; i++)
		(void)sqlite3_finalize(s->cache[i].st);
	s->n_cached = 0;
	(void)sqlite3_close(s->db);
	s->db = NULL;
}

static int check_regular(const struct store *s, const struct stat *st, struct err *e)
{
	if (S_ISDIR(st->st_mode))
		return sql_refuse(s, e, -EISDIR, "it is a directory");
	if (!S_ISREG(st->st_mode))
		return sql_refuse(s, e, -EINVAL, "it is not a regular file");
	return 0;
}

static int check_for_reading(struct store *s, struct err *e)
{
	int64_t version;
	int r = schema_check(s, &version, false, e);

	return r < 0 ? r : schema_read_old(s, version, e);
}

/* Percent-encodes all but what a URI path may hold as it is. */
static char *immutable_uri(const char *path)
{
	_cleanup_str_ struct str uri = STR_INIT(1 << 16);

	str_add(&uri, "file:");
	for (; *path; path++) {
		if (strchr("/._-", *path) || (*path >= '0' && *path <= '9') ||
		    (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z'))
			str_addc(&uri, *path);
		else
			str_addf(&uri, "%%%02X", (unsigned char)*path);
	}
	str_add(&uri, "?immutable=1");
	return xstrdup(str_text(&uri));
}

/*
 * A file that says "write-ahead log" without having one (a copy, or a writer that could not
 * tidy up) can't be opened where no files can be made, unless SQLite is told that it is still.
 */
static int open_immutable(struct store *s, const char *path, struct err *e)
{
	_cleanup_free_ char *wal = xasprintf("%s-wal", path);
	_cleanup_free_ char *uri = immutable_uri(path);
	struct stat st;
	int r;

	if (stat(wal, &st) == 0 && st.st_size > 0) {
		r = sql_refuse(s, e, -EACCES, "its last writer was killed and its log \"%s\" "
			       "can't be read here", wal);
		err_hint(e, "copy both files to a directory that you may write to");
		return r;
	}
	disconnect_db(s);
	r = connect_db(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, e);
	return r < 0 ? r : check_for_reading(s, e);
}

static int open_read(struct store *s, struct err *e)
{
	_cleanup_free_ char *path = plain_path(s->path);
	struct stat st;
	int r, rc;

	if (stat(path, &st) < 0) {
		int errnum = errno;

		r = sql_refuse(s, e, -errnum, "%s", strerrordesc_np(errnum));
		if (errnum == ENOENT)
			err_hint(e, "\"mmgauge run\" makes a store; -o names it");
		return r;
	}
	r = check_regular(s, &st, e);
	if (r < 0)
		return r;
	r = connect_db(s, path, SQLITE_OPEN_READONLY, e);
	if (r < 0)
		return r;
	r = check_for_reading(s, e);
	rc = sqlite3_errcode(s->db) & 0xff;
	if (r < 0 && (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY))
		return open_immutable(s, path, e);
	return r;
}

/* Who holds the lock is written in the store itself; a log lets us read beside the holder. */
static int refuse_second_writer(struct store *s, const char *path, struct err *e)
{
	int64_t pid = 0;
	int r;

	if (connect_db(s, path, SQLITE_OPEN_READONLY, NULL) < 0 ||
	    sql_value(s, "SELECT pid FROM writer", NULL, 0, &pid, NULL) <= 0)
		pid = 0;
	disconnect_db(s);
	if (pid)
		r = sql_refuse(s, e, -EBUSY, "another mmgauge (pid %" PRId64 ") is writing to it",
			       pid);
	else
		r = sql_refuse(s, e, -EBUSY, "another mmgauge is writing to it");
	err_hint(e, "wait for it to end, or name another store with -o");
	return r;
}

static int lock_file(struct store *s, const char *path, bool *ret_new, struct err *e)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_OFFSET, .l_len = 1
	};
	struct stat st;
	int r;

	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
	if (s->lock_fd < 0 || fstat(s->lock_fd, &st) < 0) {
		int errnum = errno;

		return sql_refuse(s, e, -errnum, "%s", strerrordesc_np(errnum));
	}
	r = check_regular(s, &st, e);
	if (r < 0)
		return r;
	if (fcntl(s->lock_fd, F_OFD_SETLK, &lock) < 0) {
		int errnum = errno;

		if (errnum == EAGAIN || errnum == EACCES)
			return refuse_second_writer(s, path, e);
		return sql_refuse(s, e, -errnum, "could not lock it: %s", strerrordesc_np(errnum));
	}
	/* again: the size may have changed while another had the lock */
	if (fstat(s->lock_fd, &st) < 0)
		return sql_refuse(s, e, -EIO, "%s", strerrordesc_np(errno));
	*ret_new = st.st_size == 0;
	return 0;
}

/*
 * A file system without shared memory maps keeps the rollback journal: slower, and readers then
 * hold up commits, but nothing is lost.
 */
static int start_log(struct store *s, struct err *e)
{
	int r = sql_script(s, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", e);

	if (r < 0)
		return r;
	(void)sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	r = sql_change(s, "INSERT INTO writer (id, pid) VALUES (1, ?1)"
			     " ON CONFLICT (id) DO UPDATE SET pid = excluded.pid",
			  SQL_ARGS(SQL_I(getpid())), e);
	s->opened_log = r >= 0;
	return r;
}

static int open_locked(struct store *s, const char *path, struct err *e)
{
	int64_t version = 0;
	sigset_t mask;
	int r = connect_db(s, path, SQLITE_OPEN_READWRITE, e);

	if (r < 0)
		return r;
	sql_hold_xfsz(&mask);
	r = schema_check(s, &version, true, e);
	if (r >= 0)
		r = schema_migrate(s, version, e);
	if (r >= 0)
		r = start_log(s, e);
	sql_release_xfsz(&mask);
	return r;
}

static int open_write(struct store *s, struct err *e)
{
	_cleanup_free_ char *path = plain_path(s->path);
	bool is_new = false;
	int r = lock_file(s, path, &is_new, e);

	if (r < 0)
		return r;
	r = open_locked(s, path, e);
	if (r < 0 && is_new) {
		disconnect_db(s);
		(void)unlink(path); /* under the lock: it was ours alone, and holds nothing */
	}
	return r;
}

/* With readers about, the log stays beside the file, and the next writer folds it in. */
static void fold_log(struct store *s)
{
	for (size_t i = 0; i < s->n_cached; i++)
		(void)sqlite3_reset(s->cache[i].st);
	(void)sqlite3_busy_timeout(s->db, 0);
	if (!sqlite3_get_autocommit(s->db))
		(void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	(void)sqlite3_exec(s->db, "DELETE FROM writer", NULL, NULL, NULL);
	(void)sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

int store_open(const char *path, enum store_mode mode, struct store **ret, struct err *e)
{
	_cleanup_store_ struct store *s = xcalloc(1, sizeof(*s));
	int r;

	s->lock_fd = -EBADF;
	s->path = xstrdup(path);
	s->task = "open store";
	s->writable = mode == STORE_WRITE;
	r = mode == STORE_WRITE ? open_write(s, e) : open_read(s, e);
	if (r < 0)
		return r;
	*ret = steal_ptr(&s);
	return 0;
}

int store_open_memory(struct store **ret, struct err *e)
{
	_cleanup_store_ struct store *s = xcalloc(1, sizeof(*s));
	int r;

	s->lock_fd = -EBADF;
	s->path = xstrdup("(memory)");
	s->task = "make store";
	s->writable = true;
	r = connect_db(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, e);
	if (r >= 0)
		r = schema_migrate(s, 0, e);
	if (r >= 0)
		r = sql_script(s, "PRAGMA foreign_keys = ON", e);
	if (r < 0)
		return r;
	*ret = steal_ptr(&s);
	return 0;
}

void store_close(struct store *s)
{
	sigset_t mask;

	if (!s)
		return;
	sql_hold_xfsz(&mask);
	if (s->opened_log)
		fold_log(s);
	disconnect_db(s);
	sql_release_xfsz(&mask);
	cleanup_close(&s->lock_fd);
	free(s->path);
	free(s);
}
