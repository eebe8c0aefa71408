/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to place/: a placement that has been made. */
#ifndef PLACE_INTERNAL_H
#define PLACE_INTERNAL_H

#include "place/place.h"
#include "sys/topo.h"

enum place_record_kind {
	RECORD_FIXED,	/* known since it was made */
	RECORD_KNOB,	/* of a group of ours: read back whenever it is asked for */
	RECORD_SETTING, /* the same, of the machine; file is its path */
};

/* A knob or setting as it was asked for and read back; strings are owned. */
struct place_record {
	enum place_record_kind kind;
	unsigned group, level;
	char *path, *key, *want, *got, *file;
};

struct place {
	int rootfd;
	const struct place_spec *spec; /* borrowed */
	struct undo *undo;
	size_t mark;	 /* of the journal before we began */
	const char *id;	 /* borrowed */

	struct cg_env env;
	bool have_env;
	struct cg_scope scope;
	bool have_scope;
	struct cg *made;  /* groups that we made, parents before children */
	size_t n_made;
	struct cg own;	  /* depth 0: the start or root group, when it can be read */
	bool have_own;
	size_t *leaf;	  /* index into made, one per group */
	size_t *limited;  /* indexes into made of groups with a limit of their own */
	size_t n_limited;

	char *dir;	  /* work directory */
	int dirfd;
	unsigned *cpus;	  /* in the order in which tasks take them */
	size_t n_cpus;

	struct place_record *records;
	size_t n_records;
};

/* Keeps copies; RECORD_FIXED. The pointer holds until the next one. */
struct place_record *place_record(struct place *p, unsigned group, unsigned level,
				  const char *path, const char *key, const char *want,
				  const char *got, const char *file);
/* What the kernel says now; *@ret is malloc'd. */
__must_check int place_reread_knob(const struct place *p, const struct place_record *rec,
				   char **ret, struct err *e); /* group.c */
__must_check int place_reread_setting(const struct place *p, const struct place_record *rec,
				      char **ret, struct err *e); /* settings.c */

__must_check int place_open_groups(struct place *p, struct err *e); /* group.c */
__must_check int place_open_dir(struct place *p, const char *default_fs, struct err *e); /* fs.c */
__must_check int place_open_swap(struct place *p, struct err *e);	/* swap.c */
__must_check int place_open_settings(struct place *p, struct err *e);	/* settings.c */
__must_check int place_open_cpus(struct place *p, struct err *e);	/* cpu.c */
__must_check int place_bind_mems(const struct place *p, struct err *e);

#endif
