// SPDX-License-Identifier: GPL-2.0-or-later
/* Parameters of a workload: the only parser of them, on the host and in the agent. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "workload/workload.h"

const char *const workload_modes[] = { "process", "thread", NULL };

static size_t count_specs(const struct param_spec *spec)
{
	size_t n = 0;

	while (spec && spec[n].name)
		n++;
	return n;
}

static const struct param_value *find(const struct params *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->spec[i].name, name) == 0)
			return &p->v[i];
	return NULL;
}

uint64_t params_u64(const struct params *p, const char *name)
{
	const struct param_value *v = find(p, name);

	assert(v);
	return v->u;
}

const char *params_text(const struct params *p, const char *name)
{
	const struct param_value *v = find(p, name);

	assert(v);
	return v->text;
}

bool params_have(const struct params *p, const char *name)
{
	return find(p, name) != NULL;
}

/* Text of a number of @spec's type; @buf holds at least 24 bytes. */
static const char *format_number(const struct param_spec *spec, uint64_t u, char *buf, size_t len)
{
	if (spec->type == PARAM_SIZE)
		return num_fmt_size(buf, len, u);
	if (spec->type == PARAM_DURATION)
		return num_fmt_duration(buf, len, u);
	(void)snprintf(buf, len, "%" PRIu64, u);
	return buf;
}

static int check_range(const struct param_spec *spec, uint64_t u, const char *text, struct err *e)
{
	char lo[32], hi[32];

	if (u >= spec->min && (!spec->max || u <= spec->max))
		return 0;
	format_number(spec, spec->min, lo, sizeof(lo));
	if (!spec->max)
		return err_set(e, -ERANGE, "\"%s\" is below %s", text, lo);
	return err_set(e, -ERANGE, "\"%s\" is not within %s to %s", text, lo,
		       format_number(spec, spec->max, hi, sizeof(hi)));
}

static int parse_choice(const struct param_spec *spec, const char *text, uint64_t *ret_u,
			struct err *e)
{
	_cleanup_str_ struct str words = STR_INIT(1000);
	const char *near;
	size_t n = 0;

	for (; spec->choices[n]; n++) {
		if (strcmp(spec->choices[n], text) == 0) {
			*ret_u = n;
			return 0;
		}
		str_addf(&words, n ? ", %s" : "%s", spec->choices[n]);
	}
	near = str_nearest(text, spec->choices, n);
	err_set(e, -EINVAL, "\"%s\" is none of %s", text, str_text(&words));
	if (near)
		err_hint(e, "did you mean \"%s\"?", near);
	return -EINVAL;
}

static int parse_text(const struct param_spec *spec, const char *text, uint64_t *ret_u,
		      struct err *e)
{
	*ret_u = strlen(text);
	if (*ret_u >= spec->min && (!spec->max || *ret_u <= spec->max))
		return 0;
	return err_set(e, -ERANGE, "a text of %" PRIu64 " bytes is %s", *ret_u,
		       *ret_u < spec->min ? "too short" : "too long");
}

static int parse_number(const struct param_spec *spec, const char *text, uint64_t *ret_u,
			struct err *e)
{
	bool yes = false;
	int r = -EINVAL;

	switch (spec->type) {
	case PARAM_U64:
		r = num_u64(text, ret_u, e);
		break;
	case PARAM_SIZE:
		r = num_size(text, ret_u, e);
		break;
	case PARAM_DURATION:
		r = num_duration(text, ret_u, e);
		break;
	case PARAM_BOOL:
		r = num_bool(text, &yes, e);
		if (r == 0)
			*ret_u = yes;
		return r;
	case PARAM_CHOICE:
		return parse_choice(spec, text, ret_u, e);
	case PARAM_TEXT:
		return parse_text(spec, text, ret_u, e);
	}
	return r < 0 ? r : check_range(spec, *ret_u, text, e);
}

static int parse_value(const struct param_spec *spec, const char *text, struct param_value *ret,
		       struct err *e)
{
	char buf[32];
	int r = parse_number(spec, text, &ret->u, e);

	if (r < 0)
		return err_wrap(e, r, "parameter \"%s\"", spec->name);
	if (spec->type == PARAM_BOOL)
		text = ret->u ? "yes" : "no";
	else if (spec->type != PARAM_TEXT && spec->type != PARAM_CHOICE)
		text = format_number(spec, ret->u, buf, sizeof(buf));
	ret->text = xstrdup(text);
	return 0;
}

static int unknown_param(const struct workload *w, const char *key, size_t n, struct err *e)
{
	const char **names = xcalloc(n, sizeof(*names));
	const char *near;

	for (size_t i = 0; i < n; i++)
		names[i] = w->params[i].name;
	near = str_nearest(key, names, n);
	free(names);
	err_set(e, -EINVAL, "workload \"%s\" has no parameter \"%s\"", w->name, key);
	if (near)
		err_hint(e, "did you mean \"%s\"?", near);
	else
		err_hint(e, "\"mmgauge list %s\" shows its parameters", w->name);
	return -EINVAL;
}

static int check_keys(const struct workload *w, const struct kvs *kvs, size_t n, struct err *e)
{
	for (size_t k = 0; k < kvs->n; k++) {
		size_t i = 0;

		while (i < n && strcmp(w->params[i].name, kvs->v[k].key) != 0)
			i++;
		if (i == n)
			return unknown_param(w, kvs->v[k].key, n, e);
	}
	return 0;
}

int params_parse(const struct workload *w, const struct kvs *kvs, struct params *ret,
		 struct err *e)
{
	size_t n = count_specs(w->params);
	struct params p = { .spec = w->params, .n = n, .v = xcalloc(n, sizeof(*p.v)) };
	int r = check_keys(w, kvs, n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *given = kvs_get(kvs, w->params[i].name);

		r = parse_value(&w->params[i], given ? given : w->params[i].def, &p.v[i], e);
	}
	if (r == 0 && w->check)
		r = w->check(&p, e);
	if (r < 0) {
		params_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}

void params_done(struct params *p)
{
	for (size_t i = 0; p->v && i < p->n; i++)
		free(p->v[i].text);
	free(p->v);
	*p = (struct params){ 0 };
}

void params_format(const struct params *p, struct str *out)
{
	_cleanup_kvs_ struct kvs all = { 0 };

	for (size_t i = 0; i < p->n; i++)
		kvs_set(&all, p->spec[i].name, p->v[i].text);
	kvs_format(&all, out);
}
