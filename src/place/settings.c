// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of the running kernel: sysctl and sysfs files, put back by the journal. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "place/internal.h"
#include "sys/mem.h"
#include "undo/undo.h"

/* As the file is written again: of "always [madvise] never" the word that is chosen. */
static int read_setting(const struct place *p, const char *path, char **ret, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	char chosen[256];
	int r = fsx_read_line(p->rootfd, path, &text, e);

	if (r < 0)
		return r;
	*ret = xstrdup(sys_chosen(text, chosen, sizeof(chosen)));
	return 0;
}

static int apply(struct place *p, const struct place_setting *s, struct err *e)
{
	_cleanup_free_ char *old = NULL, *now = NULL;
	_cleanup_free_ char *abs = xasprintf("/%s", s->path);
	int r = read_setting(p, s->path, &old, e);

	if (r == 0)
		r = undo_note_write(p->undo, abs, old, e);
	if (r == 0)
		r = fsx_write(p->rootfd, s->path, s->value, e);
	if (r == 0)
		r = read_setting(p, s->path, &now, e);
	if (r < 0 || !now)
		return err_wrap(e, r < 0 ? r : -EIO, "setting \"%s\"", s->key);
	place_record(p, 0, 0, "", s->key, s->value, now, abs);
	if (strcmp(now, s->value) == 0)
		return 0;
	return err_set(e, -EINVAL, "setting \"%s\" was set to %s but reads %s", s->key, s->value,
		       now);
}

int place_open_settings(struct place *p, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->spec->n_settings; i++)
		r = apply(p, &p->spec->settings[i], e);
	return r;
}
