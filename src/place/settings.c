// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of the running kernel: sysctl and sysfs files, put back by the journal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "place/internal.h"
#include "sys/mem.h"
#include "undo/undo.h"

/* Tables such as "4096\t16384" are written and compared with single blanks. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p != ' ' && *p != '\t')
			*to++ = *p;
		else if (to > text && p[1] && p[1] != ' ' && p[1] != '\t')
			*to++ = ' ';
	}
	*to = '\0';
}

/* As the file is written again: of "always [madvise] never" the word that is chosen. */
static int read_setting(const struct place *p, const char *path, char **ret, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	char chosen[256];
	int r = fsx_read_line(p->rootfd, path, &text, e);

	if (r < 0)
		return r;
	*ret = xstrdup(sys_chosen(text, chosen, sizeof(chosen)));
	squeeze(*ret);
	return 0;
}

/*
 * Setting one of a pair zeroes the other, and 0 can't be written back to the one that was not in
 * force: what must be put back is the one that was (mm/page-writeback.c, mm/util.c).
 */
static const char *const pairs[][2] = {
	{ "proc/sys/vm/dirty_bytes", "proc/sys/vm/dirty_ratio" },
	{ "proc/sys/vm/dirty_background_bytes", "proc/sys/vm/dirty_background_ratio" },
	{ "proc/sys/vm/overcommit_kbytes", "proc/sys/vm/overcommit_ratio" },
};

static const char *other_of_pair(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		for (size_t k = 0; k < 2; k++)
			if (strcmp(pairs[i][k], path) == 0)
				return pairs[i][1 - k];
	return NULL;
}

static int note_old(struct place *p, const char *path, struct err *e)
{
	_cleanup_free_ char *old = NULL, *abs = NULL;
	const char *other = other_of_pair(path);
	int r = read_setting(p, path, &old, e);

	if (r == 0 && other && strcmp(old, "0") == 0) {
		free(steal_ptr(&old));
		path = other;
		r = read_setting(p, path, &old, e);
	}
	if (r < 0)
		return r;
	abs = xasprintf("/%s", path);
	return undo_note_write(p->undo, abs, old, e);
}

static int apply(struct place *p, const struct place_setting *s, struct err *e)
{
	_cleanup_free_ char *now = NULL, *want = xstrdup(s->value);
	_cleanup_free_ char *abs = xasprintf("/%s", s->path);
	int r = note_old(p, s->path, e);

	if (r == 0)
		r = fsx_write(p->rootfd, s->path, s->value, e);
	if (r == 0)
		r = read_setting(p, s->path, &now, e);
	if (r < 0 || !now) {
		r = err_wrap(e, r < 0 ? r : -EIO, "setting \"%s\"", s->key);
		if (r == -ENOENT)
			err_hint(e, "this kernel doesn't have it, or it is spelled otherwise");
		return r;
	}
	squeeze(want);
	place_record(p, 0, 0, "", s->key, s->value, now, abs)->kind = RECORD_SETTING;
	if (strcmp(now, want) == 0)
		return 0;
	(void)err_set(e, -EINVAL, "setting \"%s\" was set to %s but reads %s", s->key, s->value,
		      now);
	err_hint(e, "give the value as the kernel prints it");
	return -EINVAL;
}

int place_reread_setting(const struct place *p, const struct place_record *rec, char **ret,
			 struct err *e)
{
	return read_setting(p, rec->file + 1, ret, e);
}

int place_open_settings(struct place *p, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->spec->n_settings; i++)
		r = apply(p, &p->spec->settings[i], e);
	return r;
}
