// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"

#define THP "sys/kernel/mm/transparent_hugepage/"

char *sys_chosen(const char *text, char *buf, size_t len)
{
	const char *from = strchr(text, '[');
	size_t n = from ? strcspn(from + 1, "]\n") : strcspn(text, "\n");

	(void)snprintf(buf, len, "%.*s", (int)n, from ? from + 1 : text);
	return buf;
}

static void read_chosen(int rootfd, const char *path, char *buf, size_t len)
{
	_cleanup_free_ char *text = NULL;

	buf[0] = '\0';
	if (fsx_read_line(rootfd, path, &text, NULL) == 0)
		(void)sys_chosen(text, buf, len);
}

int sys_mem_read(int rootfd, struct sys_mem *ret, struct err *e)
{
	struct sys_mem m = { .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE) };
	const struct {
		const char *key;
		uint64_t *bytes;
	} fields[] = {
		{ "MemTotal", &m.total_bytes },	      { "MemAvailable", &m.avail_bytes },
		{ "MemFree", &m.free_bytes },	      { "SwapTotal", &m.swap_total_bytes },
		{ "SwapFree", &m.swap_free_bytes },
	};
	_cleanup_free_ char *text = NULL;
	int r = fsx_read_line(rootfd, "proc/meminfo", &text, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		uint64_t kib;

		if (!fsx_key_u64(text, fields[i].key, &kib))
			return err_set(e, -EBADMSG, "file \"proc/meminfo\" has no key \"%s\"",
				       fields[i].key);
		*fields[i].bytes = kib * 1024;
	}
	if (fsx_read_u64(rootfd, THP "hpage_pmd_size", &m.thp_bytes, NULL) < 0)
		m.thp_bytes = 0;
	read_chosen(rootfd, THP "enabled", m.thp_enabled, sizeof(m.thp_enabled));
	read_chosen(rootfd, THP "defrag", m.thp_defrag, sizeof(m.thp_defrag));
	read_chosen(rootfd, THP "shmem_enabled", m.thp_shmem, sizeof(m.thp_shmem));
	*ret = m;
	return 0;
}
