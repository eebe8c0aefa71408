// SPDX-License-Identifier: GPL-2.0-or-later
/* fault KIND: what a guest must survive telling about. Runs as a program of a guest. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* Takes all memory there is, protected from the OOM killer: nothing is left to kill. */
static void eat_memory(void)
{
	put("/proc/self/oom_score_adj", "-1000");
	for (;;) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (p != MAP_FAILED)
			memset(p, 1, 1 << 20);
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	printf("about to: %s\n", kind);
	fflush(stdout);
	if (strcmp(kind, "panic") == 0) {
		put("/proc/sysrq-trigger", "c");
	} else if (strcmp(kind, "oom") == 0) {
		eat_memory();
	} else if (strcmp(kind, "oom-kill") == 0) {
		put("/proc/sys/vm/panic_on_oom", "2");
		for (;;)
			memset(malloc(1 << 20), 1, 1 << 20);
	} else if (strcmp(kind, "sleep") == 0) {
		pause();
	} else if (strcmp(kind, "spin") == 0) {
		for (;;)
			;
	} else if (strcmp(kind, "power-off") == 0) {
		reboot(RB_POWER_OFF);
	} else if (strcmp(kind, "reset") == 0) {
		reboot(RB_AUTOBOOT);
	} else if (strcmp(kind, "abort") == 0) {
		abort();
	} else if (strcmp(kind, "fail") == 0) {
		return 3;
	}
	return 0;
}
