// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"
#include "workload/workload.h"

#define THP_DIR "sys/kernel/mm/transparent_hugepage"

uint64_t fault_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

int fault_run(struct task *t, const struct fault_loop *l, struct err *e)
{
	size_t page = (size_t)fault_page_bytes();
	size_t bytes = (size_t)l->bytes;

	while (task_running(t)) {
		char *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, l->flags, l->fd, 0);

		if (mem == MAP_FAILED)
			return err_errno(e, errno, "could not map %zu bytes", bytes);
		for (size_t off = 0; off < bytes && task_in_pass(t); off += page) {
			*(volatile char *)&mem[off] = 0;
			task_count(t, 1);
		}
		if (munmap(mem, bytes) < 0)
			return err_errno(e, errno, "could not unmap %zu bytes", bytes);
	}
	t->touched_bytes = atomic_load_explicit(&t->ops, memory_order_relaxed) * page;
	return 0;
}

/* The word in brackets of a file like "always [madvise] never"; false when there is none. */
static bool read_choice(int rootfd, const char *path, char *word, size_t len)
{
	_cleanup_free_ char *line = NULL;
	const char *open, *close;

	if (fsx_read_line(rootfd, path, &line, NULL) < 0)
		return false;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close || (size_t)(close - open) > len)
		return false;
	(void)snprintf(word, len, "%.*s", (int)(close - open - 1), open + 1);
	return true;
}

static uint64_t pmd_bytes(int rootfd)
{
	uint64_t bytes;

	if (fsx_read_u64(rootfd, THP_DIR "/hpage_pmd_size", &bytes, NULL) == 0)
		return bytes;
	/* no such directory in a sysfs: a kernel without THP, and so without large folios */
	return fsx_exists(rootfd, "sys/kernel/mm") ? fault_page_bytes() : UINT64_MAX;
}

/* Size of folio that directory @name ("hugepages-64kB") switches on, or 0. */
static uint64_t enabled_bytes(int rootfd, const char *name, bool always)
{
	_cleanup_free_ char *path = xasprintf(THP_DIR "/%s/enabled", name);
	_cleanup_free_ char *number = xstrdup(name + strlen("hugepages-"));
	uint64_t kilobytes;
	char mode[16];

	number[strspn(number, "0123456789")] = '\0';
	if (!read_choice(rootfd, path, mode, sizeof(mode)) ||
	    num_u64(number, &kilobytes, NULL) < 0)
		return 0;
	if (strcmp(mode, "always") == 0 || (strcmp(mode, "inherit") == 0 && always))
		return kilobytes * 1024;
	return 0;
}

uint64_t fault_largest_anon_bytes(int rootfd)
{
	uint64_t largest = fault_page_bytes();
	bool always, per_size = false;
	const struct dirent *entry;
	char mode[16];
	DIR *dir;
	int fd;

	if (!read_choice(rootfd, THP_DIR "/enabled", mode, sizeof(mode)))
		return pmd_bytes(rootfd);
	always = strcmp(mode, "always") == 0;
	fd = fsx_open(rootfd, THP_DIR, O_RDONLY | O_DIRECTORY, NULL);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && (entry = readdir(dir))) {
		uint64_t bytes;

		if (!str_starts(entry->d_name, "hugepages-"))
			continue;
		per_size = true;
		bytes = enabled_bytes(rootfd, entry->d_name, always);
		largest = bytes > largest ? bytes : largest;
	}
	if (dir)
		(void)closedir(dir);
	else if (fd >= 0)
		(void)close(fd);
	/* COMPAT(6.7): one switch for the PMD size only; drop when that is below our baseline */
	return !per_size && always ? pmd_bytes(rootfd) : largest;
}

uint64_t fault_largest_file_bytes(int rootfd)
{
	return pmd_bytes(rootfd);
}

/* Faults of the start-up of a pass that no page stands for: page tables, stack, counters. */
#define SLACK_FAULTS 1000

int fault_at_least(const struct task *t, uint64_t pages, uint64_t largest_bytes, struct err *e)
{
	uint64_t faults = t->minflt + t->majflt;

	if (pages == 0)
		return err_set(e, -EIO, "it touched no page within the measured time");
	if (faults == 0 || faults < pages / (largest_bytes / fault_page_bytes()))
		return err_set(e, -EIO,
			       "it touched %" PRIu64 " new pages with %" PRIu64
			       " page faults: they were there already", pages, faults);
	return 0;
}

int fault_check(const struct task *t, uint64_t pages, uint64_t largest_bytes, struct err *e)
{
	uint64_t faults = t->minflt + t->majflt;

	if (pages && faults > pages + pages / 20 + SLACK_FAULTS && !FAULT_SHADOW)
		return err_set(e, -EIO,
			       "it took %" PRIu64 " page faults for %" PRIu64 " pages: "
			       "something else faulted", faults, pages);
	return fault_at_least(t, pages, largest_bytes, e);
}

static int verify(struct task *t, uint64_t (*largest)(int rootfd), struct err *e)
{
	_cleanup_close_ int root = fsx_open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, e);

	if (root < 0)
		return root;
	return fault_check(t, atomic_load_explicit(&t->ops, memory_order_relaxed), largest(root),
			   e);
}

int fault_verify_anon(struct task *t, struct err *e)
{
	return verify(t, fault_largest_anon_bytes, e);
}

int fault_verify_cow(struct task *t, struct err *e)
{
	return fault_check(t, atomic_load_explicit(&t->ops, memory_order_relaxed),
			   fault_page_bytes(), e);
}

int fault_verify_file(struct task *t, struct err *e)
{
	return verify(t, fault_largest_file_bytes, e);
}
