// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

#define PAGE 4096u
#define RANK_DATA 4

/* A line, before sizes are known. */
struct raw {
	uint64_t addr;
	const char *name;
	char type;
};

struct raws {
	struct raw *v;
	size_t n, cap;
	bool hidden; /* no address but 0 so far */
};

static void raws_done(struct raws *r)
{
	free(r->v);
}

static bool take_hex(char **rest, uint64_t *ret)
{
	char *field = str_cut(rest, " "), *end = field;
	uint64_t v = 0;

	if (!field || !*field || strlen(field) > 16)
		return false;
	for (; *end; end++) {
		static const char hex[] = "0123456789abcdef";
		const char *digit = strchr(hex, *end);

		if (!digit)
			return false;
		v = v << 4 | (uint64_t)(digit - hex);
	}
	*ret = v;
	return true;
}

static bool plain_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (*p <= ' ' || *p == 0x7f)
			return false;
	return *name && *name != '['; /* the plugin's own lines begin so */
}

/* Fills @ret; its name points into @line. */
static bool read_line(char *line, struct raw *ret)
{
	char *rest = line, *type, *name;

	if (!take_hex(&rest, &ret->addr))
		return false;
	type = str_cut(&rest, " ");
	name = str_cut(&rest, " \t"); /* "NAME\t[MODULE]" */
	if (!type || strlen(type) != 1 || !name || !plain_name(name))
		return false;
	ret->type = *type;
	ret->name = name;
	return true;
}

static void raws_add(struct raws *r, const struct raw *raw)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 4096;
		r->v = xrealloc(r->v, r->cap, sizeof(*r->v));
	}
	r->v[r->n++] = *raw;
}

/* Cuts @text up; the names stay in it. */
static int read_lines(char *text, struct raws *ret, struct err *e)
{
	struct raw raw;
	size_t n = 0;
	char *line;

	ret->hidden = true;
	for (char *rest = text; (line = str_cut(&rest, "\n"));) {
		n++;
		if (!*line)
			continue;
		if (!read_line(line, &raw))
			return err_set(e, -EINVAL, "symbols, line %zu: not ADDRESS TYPE NAME", n);
		ret->hidden = ret->hidden && raw.addr == 0;
		if (raw.addr >> 63)
			raws_add(ret, &raw);
	}
	return 0;
}

static int rank(char type)
{
	static const char best_first[] = "TtWw";
	const char *at = strchr(best_first, type);

	return at ? (int)(at - best_first) : RANK_DATA;
}

/* By address; of one address the name to keep first. */
static int by_address(const void *pa, const void *pb)
{
	const struct raw *a = pa, *b = pb;
	bool la = *a->name == '_', lb = *b->name == '_';
	size_t na = strlen(a->name), nb = strlen(b->name);

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (rank(a->type) != rank(b->type))
		return rank(a->type) - rank(b->type);
	if (la != lb)
		return la - lb;
	if (na != nb)
		return na < nb ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* First address behind symbol @i that is another's; the end of its page when it is the last. */
static uint64_t end_of(const struct raws *r, size_t i)
{
	size_t next = i + 1;

	while (next < r->n && r->v[next].addr == r->v[i].addr)
		next++;
	return next < r->n ? r->v[next].addr - 1 : r->v[i].addr | (PAGE - 1);
}

static void keep_text(const struct raws *r, struct kernel_symbols *ret)
{
	ret->v = xcalloc(r->n + 1, sizeof(*ret->v));
	for (size_t i = 0; i < r->n; i++) {
		const struct raw *raw = &r->v[i];

		if (rank(raw->type) == RANK_DATA || (i && raw->addr == r->v[i - 1].addr))
			continue;
		ret->v[ret->n++] = (struct kernel_symbol){
			.addr = raw->addr,
			.size = end_of(r, i) - raw->addr + 1,
			.name = raw->name,
		};
	}
}

int kernel_symbols_parse(const char *text, size_t len, struct kernel_symbols *ret, struct err *e)
{
	_cleanup_kernel_symbols_ struct kernel_symbols s = { 0 };
	_cleanup_(raws_done) struct raws r = { 0 };
	int code;

	if (memchr(text, '\0', len))
		return err_set(e, -EINVAL, "symbols hold a zero byte");
	s.names = xstrndup(text, len);
	code = read_lines(s.names, &r, e);
	if (code < 0)
		return code;
	if (r.n == 0 && r.hidden && len > 0) {
		err_set(e, -EPERM, "symbols have no addresses");
		err_hint(e, "read /proc/kallsyms as root, with kernel.kptr_restrict = 0 or 1");
		return -EPERM;
	}
	if (r.n)
		qsort(r.v, r.n, sizeof(*r.v), by_address);
	keep_text(&r, &s);
	if (s.n == 0)
		return err_set(e, -ENODATA, "symbols hold no function of the kernel");
	*ret = s;
	s = (struct kernel_symbols){ 0 };
	return 0;
}

void kernel_symbols_done(struct kernel_symbols *s)
{
	free(s->v);
	free(s->names);
	*s = (struct kernel_symbols){ 0 };
}

const struct kernel_symbol *kernel_symbols_find(const struct kernel_symbols *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) { /* the first symbol behind @addr */
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr - s->v[lo - 1].addr < s->v[lo - 1].size ? &s->v[lo - 1] : NULL;
}

void kernel_symbols_format(const struct kernel_symbols *s, struct str *out)
{
	for (size_t i = 0; i < s->n; i++)
		str_addf(out, "%016" PRIx64 " %" PRIx64 " %s\n", s->v[i].addr, s->v[i].size,
			 s->v[i].name);
}
