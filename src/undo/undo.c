// SPDX-License-Identifier: GPL-2.0-or-later
/* The journal: append before the change, take back from the end. Next: kinds.c. */
#include "undo/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "undo/internal.h"
#include "wire/wire.h"

#define OPEN_TRIES 16
#define JOURNAL_MAX (16u << 20)
#define BACK "back" /* record: all entries from number a0 on were taken back */

struct undo {
	char *path;
	int fd; /* O_APPEND, flock'ed */
	struct entry *v;
	size_t n;
	bool rewritten; /* lines before the last BACK are no longer those of v */
};

char *undo_default_dir(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		return xstrdup("/run/mmgauge");
	if (runtime && *runtime == '/')
		return xasprintf("%s/mmgauge", runtime);
	return xasprintf("/tmp/mmgauge-%u", (unsigned)geteuid());
}

/* A folder that somebody else made in /tmp is a trap, not a place for our journal. */
static int make_dir(const char *dir, struct err *e)
{
	struct stat st;
	int r = fsx_mkdirs(AT_FDCWD, dir, 0700, e);

	if (r < 0)
		return r;
	if (lstat(dir, &st) < 0)
		return err_errno(e, errno, "could not look at \"%s\"", dir);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return err_set(e, -EPERM, "folder \"%s\" belongs to somebody else", dir);
	return 0;
}

static void undo_free(struct undo *u)
{
	for (size_t i = 0; i < u->n; i++)
		for (size_t k = 0; k < UNDO_ARGS_MAX; k++)
			free(u->v[i].arg[k]);
	if (u->fd >= 0)
		(void)close(u->fd);
	free(u->v);
	free(u->path);
	free(u);
}

/* -EAGAIN: a cleaner saw it before we had the lock, took it for a dead one and removed it. */
static int make_locked(const char *path, struct err *e)
{
	_cleanup_close_ int fd = -EBADF;
	struct stat st;

	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(e, errno, "could not make the journal \"%s\"", path);
	if (flock(fd, LOCK_EX) < 0 || fstat(fd, &st) < 0)
		return err_errno(e, errno, "could not lock \"%s\"", path);
	if (st.st_nlink == 0)
		return err_set(e, -EAGAIN, "the journal \"%s\" was cleaned away", path);
	return steal_fd(&fd);
}

int undo_open(const char *dir, const char *id, struct undo **ret, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/%s.journal", dir, id);
	struct undo *u;
	int r = make_dir(dir, e);

	if (r < 0)
		return r;
	r = -EAGAIN;
	for (int i = 0; r == -EAGAIN && i < OPEN_TRIES; i++)
		r = make_locked(path, e);
	if (r < 0)
		return r;
	u = xcalloc(1, sizeof(*u));
	u->path = steal_ptr(&path);
	u->fd = r;
	*ret = u;
	return 0;
}

void undo_after_fork(struct undo *u)
{
	if (u->fd >= 0)
		(void)close(u->fd);
	u->fd = -EBADF;
}

static void push(struct undo *u, const struct entry *en)
{
	u->v = xrealloc(u->v, u->n + 1, sizeof(*u->v));
	u->v[u->n++] = *en;
}

static void add_line(struct str *text, const struct entry *en)
{
	static const char *const keys[UNDO_ARGS_MAX] = { "a0", "a1" };

	wire_begin(text, en->kind->name);
	for (size_t i = 0; i < en->kind->n_args && i < UNDO_ARGS_MAX; i++)
		wire_add(text, keys[i], en->arg[i]);
	wire_end(text);
}

/*
 * Appends lines and waits until they are durable. Half a line must not stay: the next one would
 * be glued to it and be lost with it.
 */
static int append(struct undo *u, struct str *lines, off_t *ret_offset, struct err *e)
{
	off_t offset = lseek(u->fd, 0, SEEK_END);
	int r;

	if (offset < 0)
		return err_errno(e, errno, "could not write the journal \"%s\"", u->path);
	r = wire_send(u->fd, lines, e);
	if (r < 0)
		r = err_wrap(e, r, "journal \"%s\"", u->path);
	else if (fsync(u->fd) < 0)
		r = err_errno(e, errno, "could not sync the journal \"%s\"", u->path);
	if (r < 0)
		(void)!ftruncate(u->fd, offset);
	else
		*ret_offset = offset;
	return r;
}

static int note(struct undo *u, const char *kind, const char *a0, const char *a1, struct err *e)
{
	struct entry en = { .kind = undo_kind(kind), .arg = { xstrdup(a0), xstrdup(a1) } };
	_cleanup_str_ struct str line = STR_INIT(WIRE_LINE_MAX);
	int r;

	add_line(&line, &en);
	r = append(u, &line, &en.offset, e);
	if (r == 0) {
		push(u, &en);
		return 0;
	}
	free(en.arg[0]);
	free(en.arg[1]);
	return r;
}

int undo_note_rmdir_cgroup(struct undo *u, const char *abs_dir, struct err *e)
{
	return note(u, "group", abs_dir, NULL, e);
}

int undo_note_umount(struct undo *u, const char *mount_point, struct err *e)
{
	return note(u, "mount", mount_point, NULL, e);
}

int undo_note_loop(struct undo *u, const char *loop_dev, const char *backing, struct err *e)
{
	return note(u, "loop", loop_dev, backing, e);
}

int undo_note_swapoff(struct undo *u, const char *dev, struct err *e)
{
	return note(u, "swap", dev, NULL, e);
}

int undo_note_zram(struct undo *u, unsigned dev, int hot_added, struct err *e)
{
	char number[16];

	(void)snprintf(number, sizeof(number), "%u", dev);
	return note(u, "zram", number, hot_added ? "1" : "0", e);
}

int undo_note_write(struct undo *u, const char *file, const char *old_value, struct err *e)
{
	return note(u, "write", file, old_value, e);
}

int undo_note_unlink(struct undo *u, const char *file, struct err *e)
{
	return note(u, "file", file, NULL, e);
}

int undo_note_rmtree(struct undo *u, const char *dir, struct err *e)
{
	return note(u, "tree", dir, NULL, e);
}

int undo_note_rmdir(struct undo *u, const char *dir, struct err *e)
{
	return note(u, "dir", dir, NULL, e);
}

int undo_note_kill(struct undo *u, pid_t pid, uint64_t start_time, struct err *e)
{
	char number[16], start[24];

	(void)snprintf(number, sizeof(number), "%d", (int)pid);
	(void)snprintf(start, sizeof(start), "%" PRIu64, start_time);
	return note(u, "process", number, start, e);
}

int undo_note_move_procs(struct undo *u, const char *from, const char *to, struct err *e)
{
	return note(u, "procs", from, to, e);
}

size_t undo_mark(const struct undo *u)
{
	return u->n;
}

typedef void report_fn(const char *what, const struct err *e, void *arg);

static void tell(report_fn *report, void *arg, const struct entry *en, const struct err *why)
{
	_cleanup_free_ char *what = xasprintf("%s %s", en->kind->did, en->arg[0]);

	if (report)
		report(what, why, arg);
}

/*
 * What could not be taken back stays, so that a cleaner can try again. One write says that all
 * from  on was taken back and lists the rest anew: a crash at any point loses nothing.
 */
static int keep_failed(struct undo *u, struct undo *failed, struct err *e)
{
	_cleanup_str_ struct str lines = STR_INIT(JOURNAL_MAX);
	off_t offset = 0;
	int r;

	str_addc(&lines, '\n'); /* after a line that was cut off */
	wire_begin(&lines, BACK);
	wire_add_u64(&lines, "a0", u->n);
	wire_end(&lines);
	for (size_t i = failed->n; i-- > 0;)
		add_line(&lines, &failed->v[i]);
	r = append(u, &lines, &offset, e);
	u->rewritten = true;
	while (failed->n) {
		struct entry *en = &failed->v[--failed->n];

		en->offset = offset;
		push(u, en);
	}
	return r;
}

/* Takes entries back from the end down to ; what fails stays. Returns the first error. */
static int replay(struct undo *u, size_t mark, report_fn *report, void *arg, struct err *e)
{
	struct undo failed = { .fd = -EBADF };
	off_t end = mark < u->n ? u->v[mark].offset : -1;
	int r = 0;

	for (; u->n > mark; u->n--) {
		struct entry *en = &u->v[u->n - 1];
		struct err why = { 0 };

		if (en->kind->take_back(en->arg, &why) == 0) {
			tell(report, arg, en, NULL);
			free(en->arg[0]);
			free(en->arg[1]);
			continue;
		}
		tell(report, arg, en, &why);
		push(&failed, en);
		if (r == 0) {
			r = why.code;
			if (e)
				*e = why;
		}
	}
	if (failed.n || (u->rewritten && mark > 0))
		(void)!keep_failed(u, &failed, NULL);
	else if (end >= 0 && ftruncate(u->fd, mark ? end : 0) < 0 && r == 0)
		r = err_errno(e, errno, "could not shorten the journal \"%s\"", u->path);
	free(failed.v);
	return r;
}

int undo_back_to(struct undo *u, size_t mark, struct err *e)
{
	return replay(u, mark, NULL, NULL, e);
}

static int finish(struct undo *u, report_fn *report, void *arg, struct err *e)
{
	int r = replay(u, 0, report, arg, e);

	if (r == 0 && unlink(u->path) < 0 && errno != ENOENT)
		r = err_errno(e, errno, "could not remove the journal \"%s\"", u->path);
	undo_free(u);
	return r;
}

int undo_close(struct undo *u, struct err *e)
{
	return u ? finish(u, NULL, NULL, e) : 0;
}

static void drop_from(struct undo *u, uint64_t n)
{
	while (u->n > n) {
		struct entry *en = &u->v[--u->n];

		for (size_t k = 0; k < UNDO_ARGS_MAX; k++)
			free(en->arg[k]);
	}
}

/* Takes one line of a journal into . */
static int load_line(struct undo *u, char *line)
{
	struct wire_rec r;
	struct entry en = { 0 };
	uint64_t back;

	if (wire_parse(line, &r, NULL) < 0)
		return -EPROTO;
	if (strcmp(r.kind, BACK) == 0) {
		if (wire_need_u64(&r, "a0", &back, NULL) < 0)
			return -EPROTO;
		drop_from(u, back);
		return 0;
	}
	en.kind = undo_kind(r.kind);
	if (!en.kind || r.n != en.kind->n_args)
		return -EPROTO;
	for (size_t i = 0; i < r.n; i++)
		en.arg[i] = xstrdup(r.f[i].val);
	push(u, &en);
	return 0;
}

static void tell_damage(const char *path, const char *what, report_fn *report, void *arg)
{
	struct err why;

	(void)err_set(&why, -EPROTO, "%s", what);
	if (report)
		report(path, &why, arg);
}

/*
 * Reads what a dead owner left. A line that is not whole was never followed by its change: it was
 * being written when the owner died.
 */
static int load(struct undo *u, report_fn *report, void *arg, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(JOURNAL_MAX);
	int r = fsx_read(AT_FDCWD, u->path, &text, e);
	char *rest = text.buf, *line;

	if (r < 0)
		return r;
	if (strlen(str_text(&text)) < text.len)
		tell_damage(u->path, "what stands after a zero byte is passed over", report, arg);
	while ((line = str_cut(&rest, "\n"))) {
		if (*line && load_line(u, line) < 0)
			tell_damage(u->path, "a line that was cut off is passed over", report,
				    arg);
	}
	return 0;
}

/* Returns 1 when the journal was replayed, 0 when its owner lives or it is gone. */
static int clean_one(const char *path, report_fn *report, void *arg, struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	struct undo *u;
	struct stat st;
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(e, errno, "could not open \"%s\"", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 0;
	if (fstat(fd, &st) < 0 || st.st_nlink == 0 || st.st_uid != geteuid())
		return 0;
	u = xcalloc(1, sizeof(*u));
	u->fd = steal_fd(&fd);
	u->path = xstrdup(path);
	r = load(u, report, arg, e);
	if (r < 0) {
		undo_free(u);
		return r;
	}
	r = finish(u, report, arg, e);
	return r < 0 ? r : 1;
}

int undo_clean(const char *dir, report_fn *report, void *arg, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int n = 0, r = 0;

	if (!d)
		return errno == ENOENT ? 0 : err_errno(e, errno, "could not read \"%s\"", dir);
	while ((de = readdir(d))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, de->d_name);
		size_t len = strlen(de->d_name);
		struct err why = { 0 };
		int one;

		if (len < 9 || strcmp(de->d_name + len - 8, ".journal") != 0)
			continue;
		one = clean_one(path, report, arg, &why);
		n += one > 0;
		if (one < 0 && r == 0) {
			r = one;
			if (e)
				*e = why;
		}
	}
	(void)closedir(d);
	return r < 0 ? r : n;
}
