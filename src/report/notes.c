// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"
#include "report/text.h"
#include "report/verdict.h"

#define NOTE_MAX (1u << 16)

/* Number of the note with this text, added when it is new. */
static size_t numbered(struct notes *l, const char *text)
{
	for (size_t i = 0; i < l->numbered.n; i++)
		if (strcmp(l->numbered.v[i], text) == 0)
			return i;
	strv_add(&l->numbered, text);
	return l->numbered.n - 1;
}

static void refer(struct notes *l, size_t note, int64_t case_id, size_t variant)
{
	for (size_t i = 0; i < l->n_refs; i++) {
		const struct note_ref *r = &l->refs[i];

		if (r->note == note && r->case_id == case_id && r->variant == variant)
			return;
	}
	if (l->n_refs == l->cap_refs) {
		l->cap_refs = l->cap_refs ? 2 * l->cap_refs : 32;
		l->refs = xrealloc(l->refs, l->cap_refs, sizeof(*l->refs));
	}
	l->refs[l->n_refs++] = (struct note_ref){ note, case_id, variant };
}

void notes_refs(const struct notes *l, int64_t case_id, size_t variant, struct str *out)
{
	for (size_t note = 0; note < l->numbered.n; note++) {
		bool hit = false;

		for (size_t i = 0; i < l->n_refs && !hit; i++) {
			const struct note_ref *r = &l->refs[i];

			hit = r->note == note && r->case_id == case_id &&
			      (variant == NO_VARIANT || r->variant == variant);
		}
		if (hit)
			str_addf(out, "[%zu]", note + 1);
	}
}

void notes_put(const struct notes *l, struct str *out)
{
	for (size_t i = 0; i < l->numbered.n; i++) {
		char lead[TEXT_NUM];

		(void)snprintf(lead, sizeof(lead), "[%zu] ", i + 1);
		text_wrap(out, lead, 4, l->numbered.v[i]);
	}
	for (size_t i = 0; i < l->general.n; i++)
		text_wrap(out, "", 2, l->general.v[i]);
}

void notes_done(struct notes *l)
{
	strv_done(&l->numbered);
	strv_done(&l->general);
	free(l->refs);
	*l = (struct notes){ 0 };
}

/*
 * Notes of runs, one footnote per kind and code: how many runs of which variant, and the first
 * of them as evidence.
 */
struct code {
	const char *kind, *code, *text;
	unsigned seq;	   /* of the run that @text is from */
	size_t *by_variant; /* runs */
	size_t runs;
	int64_t last_run; /* a run may say the same several times */
};

struct codes {
	struct code *v;
	size_t n;
};

static struct code *find_code(struct codes *l, const struct store_note *note, size_t n_variants)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i].kind, note->kind) && str_eq(l->v[i].code, note->code))
			return &l->v[i];
	l->v = xrealloc(l->v, l->n + 1, sizeof(*l->v));
	l->v[l->n] = (struct code){ .kind = note->kind,
				    .code = note->code,
				    .by_variant = xcalloc(n_variants, sizeof(size_t)) };
	return &l->v[l->n++];
}

static void count_note(struct codes *l, const struct report_input *in, const struct store_run *r,
		       const struct store_note *note)
{
	struct code *c = find_code(l, note, in->x.n_variants);
	size_t v = input_variant(in, r->variant);

	if (c->runs == 0) {
		c->text = note->text;
		c->seq = r->seq;
	}
	if ((c->runs && c->last_run == r->id) || v == NO_VARIANT)
		return;
	c->last_run = r->id;
	c->runs++;
	c->by_variant[v]++;
}

/* Every run that isn't good has a reason, if only that none was recorded. */
static const struct store_note *reasons(const struct store_run *r, size_t *ret_n)
{
	static const struct store_note unknown[] = {
		{ .kind = "untrustworthy", .code = "no_reason", .text = "no reason was recorded" },
		{ .kind = "error", .code = "no_reason", .text = "no reason was recorded" },
	};

	*ret_n = r->n_notes;
	if (input_run_good(r))
		return r->notes;
	for (size_t i = 0; i < r->n_notes; i++)
		if (!str_eq(r->notes[i].kind, "warning"))
			return r->notes;
	*ret_n = 1;
	return &unknown[str_eq(r->status, "failed")];
}

static void code_text(const struct code *c, const struct report_input *in, struct str *out)
{
	str_addf(out, "%s: %zu run%s ", c->code, c->runs, c->runs == 1 ? "" : "s");
	if (str_eq(c->kind, "untrustworthy"))
		str_add(out, "untrustworthy and not used ");
	else if (str_eq(c->kind, "error"))
		str_add(out, "failed ");
	for (size_t v = 0, n = 0; v < in->x.n_variants; v++)
		if (c->by_variant[v])
			str_addf(out, "%s%s %zu", n++ ? ", " : "(", in->x.variants[v].name,
				 c->by_variant[v]);
	str_addf(out, "); first, run %u: %s", c->seq, c->text ? c->text : "");
}

static void collect_runs(const struct report_input *in, struct notes *l)
{
	struct codes codes = { 0 };

	for (size_t i = 0; i < in->runs.n; i++) {
		size_t n;
		const struct store_note *note = reasons(&in->runs.v[i], &n);

		for (size_t k = 0; k < n; k++)
			count_note(&codes, in, &in->runs.v[i], &note[k]);
	}
	for (size_t c = 0; c < codes.n; c++) {
		_cleanup_str_ struct str text = STR_INIT(NOTE_MAX);

		code_text(&codes.v[c], in, &text);
		(void)numbered(l, str_text(&text));
	}
	for (size_t i = 0; i < in->runs.n; i++) {
		const struct store_run *r = &in->runs.v[i];
		size_t n;
		const struct store_note *note = reasons(r, &n);

		for (size_t k = 0; k < n; k++)
			refer(l, (size_t)(find_code(&codes, &note[k], in->x.n_variants) - codes.v),
			      r->case_id, input_variant(in, r->variant));
	}
	for (size_t c = 0; c < codes.n; c++)
		free(codes.v[c].by_variant);
	free(codes.v);
}

static char *plain(char *buf, double v)
{
	(void)snprintf(buf, TEXT_NUM, "%.3g", v);
	return buf;
}

/*
 * "0.0625 faults per operation, 65536 bytes per fault", for workloads that touch memory: without
 * it nobody can know what a fault was (THP, large folios). Nothing for others.
 */
static void fault_text(const struct report_input *in, const struct store_case *c, size_t v,
		       struct str *out)
{
	int64_t variant = in->x.variants[v].id;
	struct quartiles per_op, bytes;
	char a[TEXT_NUM];
	size_t n;

	if (!input_samples(in, c->id, variant, METRIC_FAULTS_PER_OP, &per_op, &n) ||
	    !input_samples(in, c->id, variant, METRIC_BYTES_PER_FAULT, &bytes, &n))
		return;
	str_addf(out, "%s faults per operation, %.0f bytes per fault", plain(a, per_op.median),
		 bytes.median);
}

static void collect_faults(const struct report_input *in, struct notes *l,
			   const struct store_case *c)
{
	_cleanup_str_ struct str text = STR_INIT(NOTE_MAX), first = STR_INIT(NOTE_MAX);
	bool same = true, any = false;
	size_t note;

	fault_text(in, c, 0, &first);
	for (size_t v = 0; v < in->x.n_variants; v++) {
		_cleanup_str_ struct str one = STR_INIT(NOTE_MAX);

		fault_text(in, c, v, &one);
		same = same && str_eq(str_text(&one), str_text(&first));
		if (!one.len)
			continue;
		str_addf(&text, "%s%s %s", any ? "; " : "", in->x.variants[v].name,
			 str_text(&one));
		any = true;
	}
	if (!any)
		return;
	note = numbered(l, str_text(same ? &first : &text));
	for (size_t v = 0; v < in->x.n_variants; v++)
		refer(l, note, c->id, v);
}

static void rate_text(const struct judge_row *r, size_t v, double margin, struct str *out)
{
	const struct judge_effect *f = &r->effect[v];
	char a[TEXT_NUM], b[TEXT_NUM], c[TEXT_NUM];
	int n = text_decimals(margin);

	str_addf(out, "%s %s (%s .. %s, %s)", r->m->name, text_pct_signed(a, f->change, n),
		 text_pct_signed(b, f->lo, n), text_pct_signed(c, f->hi, n),
		 verdict_name(judge_verdict(f, margin, r->m->higher_is_better)));
}

/* The rates of a case that contradict each other, with their numbers. */
static void collect_disagree(const struct judge_table *t, struct notes *l, size_t row)
{
	const struct judge_row *r = &t->rows[row];

	for (size_t v = 1; r->disagree && v < t->x->n_variants; v++) {
		_cleanup_str_ struct str text = STR_INIT(NOTE_MAX);
		enum verdict mine;

		mine = judge_verdict(&r->effect[v], t->margin, r->m->higher_is_better);
		str_addf(&text, "the rates disagree: ");
		rate_text(r, v, t->margin, &text);
		for (size_t i = 0; i < t->n_rows; i++) {
			const struct judge_row *o = &t->rows[i];

			if (o == r || o->c->id != r->c->id || o->effect[v].n == 0 ||
			    judge_verdict(&o->effect[v], t->margin, o->m->higher_is_better) == mine)
				continue;
			str_add(&text, "; ");
			rate_text(o, v, t->margin, &text);
		}
		refer(l, numbered(l, str_text(&text)), r->c->id, v);
	}
}

static void general_lines(struct notes *l, const char *lead, const char *lines)
{
	char *copy = xstrdup(lines), *rest = copy, *line;

	while ((line = str_cut(&rest, "\n"))) {
		char *text;

		if (!*line)
			continue;
		text = xasprintf("%s%s", lead, line);
		strv_add(&l->general, text);
		free(text);
	}
	free(copy);
}

static __printf(2, 3) void general(struct notes *l, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strv_add(&l->general, text);
}

/* Largest number of pairs in a verdict of the table. */
static size_t rounds_in(const struct judge_table *t)
{
	size_t n = 0;

	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t v = 1; t->rows[r].m->primary && v < t->x->n_variants; v++)
			n = t->rows[r].effect[v].n > n ? t->rows[r].effect[v].n : n;
	return n;
}

static void collect_arithmetic(const struct judge_table *t, struct notes *l)
{
	size_t n = rounds_in(t);
	uint64_t can = judge_can_decide((unsigned)n);

	if (t->x->n_variants < 2)
		return;
	if (str_eq(t->x->order, STORE_ORDER_COUNTED))
		return;
	if (!str_eq(t->x->order, STORE_ORDER_BALANCED)) {
		if (n < JUDGE_MIN_UNPAIRED)
			general(l, "Only %zu value%s a side: no verdict below %d (a 95%% interval "
				"without pairs needs as many).", n, n == 1 ? "" : "s",
				JUDGE_MIN_UNPAIRED);
		return;
	}
	if (n < JUDGE_MIN_ROUNDS)
		general(l, "Only %zu round%s: no verdict below %d (a 95%% signed-rank interval "
			"needs as many).", n, n == 1 ? "" : "s", JUDGE_MIN_ROUNDS);
	else if (can < t->family)
		general(l, "%zu rounds can decide at most %" PRIu64 " comparison%s at 5%%; this "
			"table has %zu, for which %u rounds are needed. Inconclusive may mean "
			"just that.", n, can, can == 1 ? "" : "s", t->family,
			judge_rounds_for(t->family));
}

/* Which experiments a joined table is made of. */
static void collect_parts(const struct report_input *in, struct notes *l)
{
	for (size_t p = 0; p < in->n_parts; p++) {
		const struct report_input *part = &in->parts[p];
		const struct store_boot *b = part->n_boots ? &part->boots[0] : NULL;
		char day[TEXT_NUM];

		general(l, "Part %zu: \"%s\" of %s%s%.*s%s%s.", p + 1, part->x.name,
			text_day(day, part->x.wall_start_ns), b ? ", Linux " : "",
			b ? (int)strcspn(b->kernel, " ") : 0, b ? b->kernel : "", b ? ", " : "",
			b ? b->machine : "");
	}
}

/* What the lack of pairs, of boots, or of runs means for a reader. */
static void collect_unpaired(const struct judge_table *t, struct notes *l)
{
	bool unpaired = false, by_sample = false, single = false;

	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t v = 1; t->rows[r].m->primary && v < t->x->n_variants; v++) {
			const struct judge_effect *f = &t->rows[r].effect[v];

			unpaired = unpaired || (f->unpaired && f->n);
			by_sample = by_sample || (f->by_sample && f->n);
			single = single || (f->single_boot && f->n);
		}
	}
	if (unpaired && str_eq(t->x->order, STORE_ORDER_IMPORTED))
		general(l, "Imported: nothing is known of order and boots. Intervals hold if the "
			"values are independent; drift and a difference between boots would count "
			"as a change.");
	else if (unpaired)
		general(l, "The variants were measured apart: nothing is paired, so drift between "
			"the measurements counts as a change.");
	if (by_sample)
		general(l, "n counts values within one run: how much runs differ is unknown.");
	if (single)
		general(l, "Single boots compared: numbers hold for these two boots, there is no "
			"verdict about the kernels.");
}

/* What a count means, and what it can't see. */
static void collect_counted(const struct report_input *in, struct notes *l)
{
	const char *flags = input_env(in, 0, "guest.count");

	if (!str_eq(in->x.order, STORE_ORDER_COUNTED))
		return;
	general(l, "Counted: every run starts from the same kept machine, so one value is all "
		"there is; a run that differs is said to. A change counts as one above the noise "
		"floor, what a trivially different image of the same kernel would move: 0.02%% "
		"for faults, 0.7%% where tasks sleep (defaults, not measured here).");
	general(l, "Not seen: caches, TLB, waiting for locks, several CPUs, work that comes later "
		"than the window; rep and locked instructions count as one.");
	if (flags)
		general(l, "Guest: %s", flags);
}

static void collect_exact(const struct judge_table *t, struct notes *l)
{
	size_t exact = 0;

	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t v = 1; t->rows[r].m->primary && v < t->x->n_variants; v++)
			exact += t->rows[r].effect[v].exact;
	if (exact)
		general(l, "%zu comparison%s without spread on either side: decided by arithmetic.",
			exact, exact == 1 ? "" : "s");
}

static void collect_table(const struct judge_table *t, const struct report_input *in,
			  struct notes *l)
{
	size_t exploratory = 0;

	for (size_t r = 0; r < t->n_rows; r++)
		exploratory += t->rows[r].m->primary && !t->rows[r].c->primary_row;
	if (!str_eq(in->x.status, "done"))
		general(l, "The experiment is not complete: %s.", in->x.status);
	if (in->x.skipped && *in->x.skipped)
		general_lines(l, "Skipped, could not be placed: ", in->x.skipped);
	collect_parts(in, l);
	collect_unpaired(t, l);
	collect_arithmetic(t, l);
	collect_counted(in, l);
	if (!str_eq(in->x.order, STORE_ORDER_COUNTED))
		collect_exact(t, l);
	if (exploratory && t->x->n_variants > 1)
		general(l, "%zu exploratory row%s: outside the family of verdicts, not corrected "
			"for their number.", exploratory, exploratory == 1 ? "" : "s");
}

void notes_collect(const struct judge_table *t, const struct report_input *in, struct notes *ret)
{
	struct notes l = { 0 };

	collect_runs(in, &l);
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!t->rows[r].m->primary)
			continue;
		collect_faults(in, &l, t->rows[r].c);
		collect_disagree(t, &l, r);
	}
	collect_table(t, in, &l);
	*ret = l;
}
