// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans as a whole: reading a file, jobs, the end. The way of a plan: doc, parse, expand. */
#include "plan/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fsx.h"
#include "plan/draft.h"
#include "target/target.h"

static void case_done(struct plan_case *c)
{
	kvs_done(&c->params);
	kvs_done(&c->fallback);
	kvs_done(&c->place);
	free(c->title);
	strv_done(&c->argv);
	strv_done(&c->prepare);
}

static void variant_done(struct plan_variant *v)
{
	free(v->name);
	free(v->target);
	kvs_done(&v->options);
	kvs_done(&v->place);
	kvs_done(&v->params);
	place_spec_done(&v->spec);
}

void plan_done(struct plan *p)
{
	for (size_t i = 0; i < p->n_variants; i++)
		variant_done(&p->variants[i]);
	for (size_t i = 0; i < p->n_cases; i++)
		case_done(&p->cases[i]);
	free(p->variants);
	free(p->cases);
	free(p->name);
	free(p->text);
	*p = (struct plan){ 0 };
}

/* "plans/quick.yaml" gives "quick". */
static char *name_of_file(const char *file)
{
	const char *base = strrchr(file, '/');
	const char *dot;

	base = base ? base + 1 : file;
	dot = strrchr(base, '.');
	return xstrndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

int plan_parse(const char *file, const char *text, unsigned n_cpus, struct plan *ret,
	       struct err *e)
{
	_cleanup_doc_ struct doc doc = { 0 };
	struct plan p = { 0 };
	int r;

	r = doc_read_yaml(file, text, &doc, e);
	if (r == 0)
		r = plan_from_doc(&doc, n_cpus, &p, e);
	if (r < 0)
		return r;
	p.text = xstrdup(text);
	if (!p.name)
		p.name = name_of_file(file);
	*ret = p;
	return 0;
}

int plan_read(const char *path, unsigned n_cpus, struct plan *ret, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(DOC_TEXT_MAX);
	int r = fsx_read(AT_FDCWD, path, &text, e);

	if (r < 0)
		return r;
	if (strlen(str_text(&text)) != text.len)
		return err_set(e, -EINVAL, "\"%s\" holds zero bytes: it is no plan", path);
	return plan_parse(path, str_text(&text), n_cpus, ret, e);
}

void plan_job_params(const struct plan_case *c, const struct plan_variant *v, struct kvs *ret)
{
	kvs_copy(ret, &c->params);
	kvs_copy(ret, &c->fallback);
	for (size_t i = 0; i < v->params.n; i++)
		if (draft_find_param(c->workload, v->params.v[i].key))
			kvs_set(ret, v->params.v[i].key, v->params.v[i].val);
}

void plan_job_place(const struct plan_case *c, const struct plan_variant *v, struct kvs *ret)
{
	kvs_copy(ret, &c->place);
	kvs_copy(ret, &v->place);
}

int plan_job_spec(const struct plan_case *c, const struct plan_variant *v, struct place_spec *ret,
		  struct err *e)
{
	_cleanup_kvs_ struct kvs place = { 0 };

	plan_job_place(c, v, &place);
	return place_parse(&place, ret, e);
}

void plan_variant_spec(const struct plan_variant *v, struct str *out)
{
	const struct kvs *parts[] = { &v->options, &v->place, &v->params };
	size_t start = out->len;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i]->n && out->len > start)
			str_addc(out, ',');
		kvs_format(parts[i], out);
	}
}

bool plan_boots(const struct plan *p)
{
	for (size_t i = 0; i < p->n_variants; i++)
		if (target_find(p->variants[i].target)->boot)
			return true;
	return false;
}
