// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

/* Reading: one window is kept, all are checked. */
struct reader {
	struct profile now; /* names point into the text */
	size_t cap;
	unsigned window; /* that was begun last */
	bool open;
	bool wrong; /* the plugin met an end without begin */
	bool found;
	struct profile kept;
};

static void reader_done(struct reader *r)
{
	free(r->now.v);
	free(r->kept.v);
}

static bool number(const char *s, uint64_t *ret)
{
	return s && num_u64(s, ret, NULL) == 0;
}

static const char *begin_window(struct reader *r, const char *number_text, const char *faults)
{
	uint64_t n;

	if (r->open)
		return "a window inside a window";
	if (!number(number_text, &n) || n != (uint64_t)r->window + 1 ||
	    !number(faults, &r->now.faults))
		return "not [window] NUMBER FAULTS";
	r->window++;
	r->open = true;
	r->now.n = 0;
	r->now.insns = r->now.locked = 0;
	return NULL;
}

static bool add_up(uint64_t *sum, uint64_t v)
{
	return !__builtin_add_overflow(*sum, v, sum);
}

static const char *add_function(struct reader *r, const struct profile_fn *fn)
{
	struct profile *p = &r->now;

	if (!r->open)
		return "a function outside of windows";
	if (p->n && strcmp(p->v[p->n - 1].name, fn->name) >= 0)
		return "not sorted by name";
	if (fn->locked > fn->insns || !add_up(&p->insns, fn->insns) ||
	    !add_up(&p->locked, fn->locked))
		return "numbers that can't be";
	if (p->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 1024;
		p->v = xrealloc(p->v, r->cap, sizeof(*p->v));
	}
	p->v[p->n++] = *fn;
	return NULL;
}

static const char *end_window(struct reader *r, const struct profile_fn *total, unsigned wanted)
{
	if (!r->open)
		return "a total outside of windows";
	if (total->insns != r->now.insns || total->locked != r->now.locked)
		return "the parts don't add up to the total";
	r->open = false;
	if (wanted && wanted != r->window)
		return NULL;
	free(r->kept.v);
	r->kept = r->now;
	r->now = (struct profile){ 0 };
	r->cap = 0;
	r->found = true;
	return NULL;
}

static const char *read_line(struct reader *r, char *line, unsigned wanted)
{
	char *name = str_cut(&line, " "), *first = str_cut(&line, " "), *second = line;
	struct profile_fn fn = { .name = name };

	if (!name || !*name || !first)
		return "not FUNCTION INSTRUCTIONS LOCKED";
	if (str_eq(name, "[window]"))
		return begin_window(r, first, second);
	if (str_eq(name, "[error]")) {
		r->wrong = true;
		return NULL;
	}
	if (str_eq(name, "[open]")) { /* the machine stopped: this window is lost, not wrong */
		r->open = true;
		return NULL;
	}
	if (!number(first, &fn.insns) || !number(second, &fn.locked))
		return "not FUNCTION INSTRUCTIONS LOCKED";
	if (str_eq(name, "[total]"))
		return end_window(r, &fn, wanted);
	return add_function(r, &fn);
}

static int read_all(struct reader *r, char *text, unsigned wanted, struct err *e)
{
	size_t n = 0;
	char *line;

	for (char *rest = text; (line = str_cut(&rest, "\n"));) {
		const char *why;

		n++;
		if (!*line && !rest)
			break;
		why = read_line(r, line, wanted);
		if (why)
			return err_set(e, -EINVAL, "profile, line %zu: %s", n, why);
	}
	if (r->wrong)
		return err_set(e, -EINVAL, "profile: a window ended that had not begun");
	if (r->open && (!wanted || wanted > r->window))
		return err_set(e, -ENODATA, "profile: the last window was not closed");
	if (!r->found && wanted)
		return err_set(e, -ENODATA, "profile has no window %u, but %u", wanted, r->window);
	if (!r->found)
		return err_set(e, -ENODATA, "profile has no window: nothing was marked");
	return 0;
}

int profile_parse(const char *text, size_t len, unsigned window, struct profile *ret,
		  struct err *e)
{
	__attribute__((cleanup(reader_done))) struct reader r = { 0 };
	char *copy;
	int code;

	if (memchr(text, '\0', len))
		return err_set(e, -EINVAL, "profile holds a zero byte");
	copy = xstrndup(text, len);
	code = read_all(&r, copy, window, e);
	if (code < 0) {
		free(copy);
		return code;
	}
	*ret = r.kept;
	ret->text = copy;
	r.kept = (struct profile){ 0 };
	return 0;
}

void profile_done(struct profile *p)
{
	free(p->v);
	free(p->text);
	*p = (struct profile){ 0 };
}
