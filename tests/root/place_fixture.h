/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes placements for the tests of place/, each under an id and with a journal of its own. */
#ifndef TESTS_ROOT_PLACE_FIXTURE_H
#define TESTS_ROOT_PLACE_FIXTURE_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/kv.h"
#include "base/num.h"
#include "base/str.h"
#include "cgroup/cgroup.h"
#include "place/place.h"
#include "tap.h"
#include "undo/undo.h"

static char fixture_base[64];
static char journals[80];
static int rootfd;
static struct place_facts facts;
static struct undo *unmade; /* of a test that failed before it took back what it made */

struct made {
	struct place_spec spec;
	struct undo *undo;
	struct place *place;
	char id[40];
};

/* A failed test must not leave the machine changed, nor the next tests another machine. */
static inline void take_back_unmade(void)
{
	struct err e = { 0 };

	if (undo_close(unmade, &e) < 0)
		printf("# could not take back what a failed test left: %s\n", e.msg);
	unmade = NULL;
}

static inline int make(struct made *m, const char *text, const char *default_fs, struct err *e)
{
	static unsigned serial;
	_cleanup_kvs_ struct kvs kvs = { 0 };
	int r = kvs_parse(text, &kvs, e);

	*m = (struct made){ 0 };
	take_back_unmade();
	snprintf(m->id, sizeof(m->id), "t%d-%u", (int)getpid(), serial++);
	if (r == 0)
		r = place_parse(&kvs, &m->spec, e);
	if (r == 0)
		r = undo_open(journals, m->id, &m->undo, e);
	unmade = m->undo;
	if (r == 0)
		r = place_open(rootfd, &m->spec, default_fs, m->id, m->undo, &m->place, e);
	return r;
}

static inline int unmake(struct made *m, struct err *e)
{
	int r = place_close(m->place, e);

	unmade = NULL;
	if (undo_close(m->undo, r < 0 ? NULL : e) < 0 && r == 0)
		r = e->code;
	place_spec_done(&m->spec);
	*m = (struct made){ 0 };
	return r;
}

static inline bool file_has(const char *path, const char *text)
{
	_cleanup_str_ struct str all = STR_INIT(4u << 20);

	return fsx_read(rootfd, path, &all, NULL) == 0 && strstr(str_text(&all), text);
}

struct facts_seen {
	char text[8000];
};

static inline void see(const struct place_fact *f, void *arg)
{
	struct facts_seen *s = arg;
	size_t len = strlen(s->text);

	snprintf(s->text + len, sizeof(s->text) - len, "%u:%u:%s:%s:%s:%s\n", f->group, f->level,
		 f->path, f->key, f->want, f->got);
}

static inline bool group_exists(const char *path)
{
	_cleanup_cg_env_ struct cg_env env = { 0 };
	struct cg cg;

	if (cg_probe(rootfd, &env, NULL) < 0 || cg_open(&env, path, &cg, NULL) < 0)
		return false;
	cg_close(&cg);
	return true;
}

/* As a job of a guest: nothing is there but this program. */
static inline bool in_guest(void)
{
	return access("/job", F_OK) == 0;
}

#define NEED_GROUPS                                                              \
	do {                                                                     \
		if (facts.version == CG_NONE || !facts.may_make_groups)          \
			SKIP("no right to make memory cgroups");                 \
	} while (0)
#define NEED_ROOT                                  \
	do {                                       \
		if (!facts.root)                   \
			SKIP("needs root");        \
	} while (0)

static inline int place_fixture_open(void)
{
	struct err e = { 0 };

	rootfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(fixture_base, sizeof(fixture_base), "/tmp/mmgauge-test-place-XXXXXX");
	if (rootfd < 0 || !mkdtemp(fixture_base) || place_facts_read(rootfd, &facts, &e) < 0) {
		fprintf(stderr, "# %s\n", e.msg);
		return -1;
	}
	snprintf(journals, sizeof(journals), "%s/journals", fixture_base);
	return 0;
}

static inline int place_fixture_close(void)
{
	take_back_unmade();
	place_facts_done(&facts);
	close(rootfd);
	return fsx_remove_tree(AT_FDCWD, fixture_base, NULL);
}

#endif
