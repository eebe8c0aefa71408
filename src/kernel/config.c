// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel configurations: the text of a .config. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/kernel.h"

/* What stands after the line's "CONFIG_OPTION=", or NULL. */
static const char *find_value(const char *config, const char *option)
{
	_cleanup_free_ char *key = xasprintf("CONFIG_%s=", option);
	size_t len = strlen(key);

	for (const char *p = config; (p = strstr(p, key)); p += len)
		if (p == config || p[-1] == '\n')
			return p + len;
	return NULL;
}

bool kernel_knows(const struct kernel *k, const char *option)
{
	_cleanup_free_ char *unset = xasprintf("# CONFIG_%s is not set\n", option);

	return k->config && (find_value(k->config, option) || strstr(k->config, unset));
}

char *kernel_option(const struct kernel *k, const char *option)
{
	const char *v;
	size_t len;

	if (!k->config)
		return NULL;
	v = find_value(k->config, option);
	if (!v)
		return xstrdup("n");
	len = strcspn(v, "\n");
	if (len >= 2 && v[0] == '"' && v[len - 1] == '"')
		return xstrndup(v + 1, len - 2);
	return xstrndup(v, len);
}

static int lacks(const struct kernel *k, const char *option, const char *value, struct err *e)
{
	if (value[0] == 'm')
		return err_set(e, -ENOTSUP, "kernel \"%s\" has CONFIG_%s as a module only",
			       k->release, option);
	return err_set(e, -ENOTSUP, "kernel \"%s\" was built without CONFIG_%s", k->release,
		       option);
}

int kernel_require(const struct kernel *k, const char *const *options, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *v = kernel_option(k, options[i]);

		if (v && (str_eq(v, "n") || str_eq(v, "m")))
			return lacks(k, options[i], v, e);
	}
	return 0;
}

int kernel_require_cgroup_v1(const struct kernel *k, struct err *e)
{
	static const char *const before[] = { "MEMCG" }, *const since[] = { "MEMCG_V1" };

	if (!k->config)
		return 0;
	if (!kernel_knows(k, "MEMCG_V1"))
		return kernel_require(k, before, ARRAY_LEN(before), e);
	return kernel_require(k, since, ARRAY_LEN(since), e);
}
