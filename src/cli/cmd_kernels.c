// SPDX-License-Identifier: GPL-2.0-or-later
/* mmgauge kernels: fetch, list, show and remove kernels to boot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "base/num.h"
#include "cli/cli.h"
#include "kernel/kernel.h"

static const struct opt opts[] = {
	{ 0 },
};

/* What moves the cost of memory management, and debug options that drown it. */
static const char *const shown[] = {
	"MEMCG", "MEMCG_V1", "MEMCG_KMEM", "LRU_GEN", "LRU_GEN_ENABLED", "TRANSPARENT_HUGEPAGE",
	"PREEMPT_NONE", "PREEMPT_VOLUNTARY", "PREEMPT", "PREEMPT_LAZY", "PREEMPT_DYNAMIC",
	"PREEMPT_RT", "HZ", "PSI", "ZSWAP", "ZRAM",
};
static const char *const debug[] = {
	"DEBUG_VM", "DEBUG_PAGEALLOC", "KASAN", "KFENCE", "KCSAN", "KMSAN", "PROVE_LOCKING",
	"LOCK_STAT", "SLUB_DEBUG_ON", "PAGE_OWNER", "DEBUG_ATOMIC_SLEEP", "DEBUG_KMEMLEAK",
	"PAGE_TABLE_CHECK", "DEBUG_LIST", "FAULT_INJECTION",
};

#define LINE_MAX_WIDTH 78
#define INDENT 12

/* Options under a heading, those that the kernel knows; without "n" when @set_only. */
static void add_options(const struct kernel *k, const char *heading, const char *const *names,
			size_t n, bool set_only, struct str *out)
{
	size_t start = out->len;

	str_addf(out, "%-*s", INDENT - 1, heading);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *v = kernel_option(k, names[i]), *word = NULL;

		if (!kernel_knows(k, names[i]) || (set_only && str_eq(v, "n")))
			continue;
		word = xasprintf("%s=%s", names[i], v);
		if (out->len - start + 1 + strlen(word) > LINE_MAX_WIDTH) {
			str_addf(out, "\n%*s", INDENT - 1, "");
			start = out->len - INDENT + 1;
		}
		str_addf(out, " %s", word);
	}
	str_add(out, "\n");
}

static int show(const char *name, struct str *out, struct err *e)
{
	_cleanup_kernel_ struct kernel k = { 0 };
	_cleanup_free_ char *id = NULL, *config = NULL;
	struct err why = { 0 };
	int r = kernel_open(name, &k, e);

	if (r < 0)
		return r;
	if (kernel_image_look(k.image, &id, &config, &why) < 0)
		log_warn("%s", why.msg);
	if (!k.config)
		k.config = steal_ptr(&config);
	str_addf(out, "release     %s\n", k.release);
	str_addf(out, "banner      %s\n", k.banner);
	if (k.package[0])
		str_addf(out, "package     %s %s\n", k.package, k.package_version);
	str_addf(out, "build id    %s\n", id ? id : "unknown");
	str_addf(out, "image       %s\n", k.image);
	str_addf(out, "modules     %s\n", k.modules ? k.modules : "none");
	if (k.config) {
		add_options(&k, "options", shown, ARRAY_LEN(shown), false, out);
		add_options(&k, "debug", debug, ARRAY_LEN(debug), true, out);
	} else {
		str_add(out, "options     unknown: no configuration with the image\n");
	}
	return 0;
}

static void add_entry(const struct kernel_entry *en, struct str *out)
{
	_cleanup_kernel_ struct kernel k = { 0 };
	struct err why = { 0 };
	char size[16];

	if (kernel_open(en->name, &k, &why) < 0) {
		str_addf(out, "%-28s %-22s damaged: %s\n", en->package, en->version, why.msg);
		return;
	}
	str_addf(out, "%-30s %-20s %6sB", k.release, en->version,
		 num_fmt_si(size, sizeof(size), (double)en->bytes, 3));
	for (size_t i = 0; i < en->names.n; i++)
		if (!str_eq(en->names.v[i], en->package))
			str_addf(out, "  %s", en->names.v[i]);
	str_add(out, "\n");
}

static int list(struct str *out, struct err *e)
{
	_cleanup_kernel_entries_ struct kernel_entries l = { 0 };
	int r = kernel_cache_list(&l, e);

	for (size_t i = 0; r == 0 && i < l.n; i++)
		add_entry(&l.v[i], out);
	if (r == 0 && l.n == 0)
		log_info("no kernels in the cache: see \"mmgauge kernels --help\"");
	return r;
}

static int fetch(const char *name, struct str *out, struct err *e)
{
	_cleanup_free_ char *entry = NULL;
	int r = kernel_fetch(name, &entry, e);

	if (r == 0)
		str_addf(out, "%s\n", entry);
	return r;
}

static int remove_one(const char *name, struct str *out, struct err *e)
{
	(void)out;
	return kernel_cache_remove(name, e);
}

static const struct {
	const char *name;
	int (*fn)(const char *name, struct str *out, struct err *e);
} verbs[] = {
	{ "fetch", fetch },
	{ "show", show },
	{ "remove", remove_one },
};

static int unknown_verb(const char *word, struct err *e)
{
	const char *words[ARRAY_LEN(verbs) + 1] = { "list" };
	const char *near;
	int r = err_set(e, -EINVAL, "kernels can be listed, fetched, shown and removed, not \"%s\"",
			word);

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		words[i + 1] = verbs[i].name;
	near = str_nearest(word, words, ARRAY_LEN(words));
	if (near)
		err_hint(e, "did you mean \"%s\"?", near);
	return r;
}

static int kernels_main(int argc, char **argv, struct err *e)
{
	_cleanup_str_ struct str out = STR_INIT(1 << 20);
	const char *verb = argc ? argv[0] : "list";
	int r = 0;

	if (str_eq(verb, "list") && argc > 1)
		return err_set(e, -EINVAL, "\"list\" takes no name: \"mmgauge kernels show %s\"",
			       argv[1]);
	if (str_eq(verb, "list")) {
		r = list(&out, e);
		return r < 0 ? r : cli_print(&out, e);
	}
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		if (!str_eq(verb, verbs[i].name))
			continue;
		if (argc < 2)
			return err_set(e, -EINVAL, "\"%s\" wants names of kernels", verb);
		for (int k = 1; r == 0 && k < argc; k++)
			r = verbs[i].fn(argv[k], &out, e);
		/* what was done before a failure is told, too */
		if (r == 0 || out.len)
			r = cli_print(&out, r == 0 ? e : NULL) < 0 && r == 0 ? e->code : r;
		return r;
	}
	return unknown_verb(verb, e);
}

const struct cmd cmd_kernels = {
	.name = "kernels",
	.summary = "kernels to boot: fetch Debian's, list, show, remove",
	.synopsis = "[list] | fetch PACKAGE[=VERSION].. | show KERNEL.. | remove KERNEL..",
	.about = "A KERNEL is a bzImage, a .deb file, a build tree, a package that was fetched,\n"
		 "or its release. Packages come through apt, without root, into\n"
		 "$XDG_CACHE_HOME/mmgauge or ~/.cache/mmgauge. A metapackage gives the newest\n"
		 "build, and later names that build.\n",
	.examples = "  mmgauge kernels fetch linux-image-cloud-amd64 linux-image-6.12-cloud-amd64\n"
		    "  mmgauge kernels\n"
		    "  mmgauge kernels show linux-image-6.12-cloud-amd64\n"
		    "  mmgauge kernels remove linux-image-cloud-amd64\n",
	.opts = opts,
	.main = kernels_main,
};
