// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every ```sql block of docs/store.md is run by the sqlite3 shell on a sample store and must give
 * rows; with an argument the program only makes that store, to try queries on.
 */
#include "store_sample.h"

#include "base/spawn.h"

#define FENCE "```sql\n"

static int add_env(struct store *s, const struct sample *x, struct err *e)
{
	_cleanup_kvs_ struct kvs facts = { 0 };
	int r;

	kvs_set(&facts, "thp", "always");
	r = store_add_env(s, x->experiment, x->variant[0], &facts, e);
	kvs_set(&facts, "thp", "never");
	return r < 0 ? r : store_add_env(s, x->experiment, x->variant[0], &facts, e);
}

static int make_store(const char *db, struct err *e)
{
	_cleanup_store_ struct store *s = NULL;
	struct sample x;
	int r = store_open(db, STORE_WRITE, &s, e);

	if (r >= 0)
		r = sample_begin(s, &x, e);
	if (r >= 0)
		r = add_env(s, &x, e);
	return r < 0 ? r : sample_fill(s, &x, 3, e);
}

/* Cuts the next example off *@rest, in place; NULL at the end. */
static char *next_example(char **rest)
{
	char *begin = strstr(*rest, FENCE), *end;

	if (!begin)
		return NULL;
	begin += strlen(FENCE);
	end = strstr(begin, "\n```");
	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return begin;
}

static int run_sql(const char *db, const char *sql, struct str *out, struct err *e)
{
	return spawn_run((char *[]){ "sqlite3", "-bail", "-readonly", (char *)db, (char *)sql,
				     NULL }, out, e);
}

static void examples_of_the_document_run(void)
{
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str text = STR_INIT(1 << 20);
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	unsigned n = 0;
	char *rest, *sql;
	struct err e;

	if (spawn_run((char *[]){ "sqlite3", "-version", NULL }, NULL, NULL) < 0)
		SKIP("sqlite3 (the shell) is not installed");
	CHECK_OK(fsx_read(AT_FDCWD, "docs/store.md", &text, &e));
	CHECK_OK(make_store(t.db, &e));
	rest = text.buf;
	while ((sql = next_example(&rest))) {
		str_clear(&out);
		CHECK_OK(run_sql(t.db, sql, &out, &e));
		if (!out.len)
			TAP_FAIL("no rows from:\n# %s", sql);
		n++;
	}
	CHECK_EQ(n, 8);
}

static void views_give_names_and_values(void)
{
	static const struct {
		const char *sql, *want;
	} v[] = {
		{ "SELECT count(*) FROM v_samples", "24\n" },
		{ "SELECT variant, round, metric, value, unit, status FROM v_samples"
		  " WHERE seq = 3 AND metric = 'ops_per_s'",
		  "base|1|ops_per_s|1003.125|op/s|untrustworthy\n" },
		{ "SELECT case_title FROM v_samples WHERE seq = 3 LIMIT 1",
		  "page_fault1 tasks=2\n" },
		{ "SELECT read_where, counter, value, unit FROM v_counters WHERE seq = 2"
		  " AND read_where = 'group'", "group|usage|1000000.0|bytes\n" },
		{ "SELECT grp, level, path, knob, want, got, file FROM v_placement WHERE seq = 1"
		  " AND level = 2", "0|2|/a/b|memory.max|256M|268435456|memory.limit_in_bytes\n" },
		{ "SELECT seq, kind, code, text FROM v_notes",
		  "3|untrustworthy|steal|12 % steal time\n" },
		{ "SELECT started_utc, kernel FROM v_runs WHERE seq = 1",
		  "2023-11-14 22:13:20|6.1.0\n" },
		{ "SELECT variant, key, value FROM v_env", "base|thp|always\nbase|thp|never\n" },
		/* names are stored once, however many runs use them */
		{ "SELECT count(*) FROM counter_names", "2\n" },
		{ "SELECT count(*) FROM placements", "2\n" },
	};
	_cleanup_scratch_ struct scratch t = scratch_make();
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	struct err e;

	if (spawn_run((char *[]){ "sqlite3", "-version", NULL }, NULL, NULL) < 0)
		SKIP("sqlite3 (the shell) is not installed");
	CHECK_OK(make_store(t.db, &e));
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		str_clear(&out);
		CHECK_OK(run_sql(t.db, v[i].sql, &out, &e));
		CHECK_STR(str_text(&out), v[i].want);
	}
}

int main(int argc, char **argv)
{
	struct err e;

	if (argc > 1) {
		if (make_store(argv[1], &e) < 0) {
			fprintf(stderr, "%s\n", e.msg);
			return 1;
		}
		return 0;
	}
	TAP_RUN(examples_of_the_document_run);
	TAP_RUN(views_give_names_and_values);
	return tap_done();
}
