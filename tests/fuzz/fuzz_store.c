// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A damaged store must give rows or an error, never a crash. The input is a list of patches to a
 * sound store, four bytes each: three of an offset (it wraps) and the byte to put there.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "../unit/store_sample.h"

static struct {
	struct scratch dir; /* SQLite wants a name: a memfd has none */
	int fd;
	uint8_t *sound;
	size_t size;
} file;

static void make_sound(const char *db)
{
	_cleanup_store_ struct store *s = NULL;
	_cleanup_kvs_ struct kvs facts = { 0 };
	struct sample x;
	struct err e;

	kvs_set(&facts, "thp", "always");
	if (store_open(db, STORE_WRITE, &s, &e) < 0 || sample_begin(s, &x, &e) < 0 ||
	    store_add_env(s, x.experiment, x.variant[0], &facts, &e) < 0 ||
	    sample_fill(s, &x, 4, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		abort();
	}
}

static void unload(void)
{
	free(file.sound);
	scratch_done(&file.dir);
}

static void load(void)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);
	struct err e;

	file.dir = scratch_make();
	atexit(unload);
	make_sound(file.dir.db);
	if (fsx_read(AT_FDCWD, file.dir.db, &text, &e) < 0)
		abort();
	file.size = text.len;
	file.sound = xcalloc(1, text.len);
	memcpy(file.sound, str_text(&text), text.len);
	file.fd = open(file.dir.db, O_WRONLY | O_CLOEXEC);
	if (file.fd < 0)
		abort();
}

static size_t offset_of(const uint8_t *patch)
{
	return (size_t)(patch[0] | patch[1] << 8 | patch[2] << 16) % file.size;
}

static void put(size_t at, uint8_t byte)
{
	if (pwrite(file.fd, &byte, 1, (off_t)at) != 1)
		abort();
}

static size_t touch(const char *text)
{
	return strlen(text); /* NULL would end here */
}

static size_t touch_run(const struct store_run *r)
{
	size_t n = touch(r->status);

	for (size_t i = 0; i < r->n_counters; i++)
		n += touch(r->counters[i].where) + touch(r->counters[i].name) +
		     touch(r->counters[i].unit);
	for (size_t i = 0; i < r->n_places; i++)
		n += touch(r->places[i].path) + touch(r->places[i].key) + touch(r->places[i].got);
	for (size_t i = 0; i < r->n_notes; i++)
		n += touch(r->notes[i].kind) + touch(r->notes[i].text);
	return n;
}

/* Returns the number of samples. */
static size_t read_rows(struct store *s, const struct store_experiment *x)
{
	_cleanup_store_data_ struct store_data d = { 0 };
	_cleanup_runs_ struct store_runs runs = { 0 };
	char hex[33];

	if (store_read_data(s, x->id, &d, NULL) >= 0)
		for (size_t i = 0; i < d.n_series; i++)
			assert(store_data_find(&d, d.series[i].case_id, d.series[i].metric,
					       d.series[i].variant));
	if (store_read_runs(s, x->id, true, &runs, NULL) >= 0)
		for (size_t i = 0; i < runs.n; i++)
			assert(touch_run(&runs.v[i]) > 0 || !*runs.v[i].status);
	if (store_hash(s, x->id, hex, NULL) >= 0)
		assert(strlen(hex) == 32);
	return d.n_obs;
}

static size_t read_all(void)
{
	_cleanup_store_ struct store *s = NULL;
	_cleanup_experiment_ struct store_experiment x = { 0 };
	_cleanup_kvs_ struct kvs env = { 0 };
	struct store_boot *boots = NULL;
	size_t n = 0, n_obs;
	struct err e;
	int r = store_open(file.dir.db, STORE_READ, &s, &e);

	if (r < 0) {
		assert(e.code == r && e.msg[0]);
		return 0;
	}
	if (store_read_experiment(s, 0, &x, &e) < 0)
		return 0;
	for (size_t i = 0; i < x.n_metrics; i++)
		assert(touch(x.metrics[i].name) < file.size);
	n_obs = read_rows(s, &x);
	if (x.n_variants)
		(void)!store_read_env(s, x.id, x.variants[0].id, &env, NULL);
	if (store_read_boots(s, x.id, &boots, &n, NULL) >= 0)
		store_boots_done(boots, n);
	return n_obs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!file.sound) {
		load();
		assert(read_all() == 32); /* else all of this would test nothing */
	}
	for (size_t i = 0; i + 4 <= size; i += 4)
		put(offset_of(data + i), data[i + 3]);
	(void)read_all();
	for (size_t i = 0; i + 4 <= size; i += 4)
		put(offset_of(data + i), file.sound[offset_of(data + i)]);
	return 0;
}
