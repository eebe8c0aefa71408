// SPDX-License-Identifier: GPL-2.0-or-later
/* For the commands that run plans: how they were called, signals, stores for a while. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/log.h"
#include "cli/cli.h"

static void quote_word(const char *word, struct str *out)
{
	bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789-_=:,./%+@*") == strlen(word);

	if (plain) {
		str_add(out, word);
		return;
	}
	str_addc(out, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			str_add(out, "'\\''");
		else
			str_addc(out, *p);
	}
	str_addc(out, '\'');
}

void cli_command_line(struct str *out)
{
	_cleanup_str_ struct str cmdline = STR_INIT(1 << 20);
	char *p, *end;

	/* what was typed, not what was parsed: getopt may have reordered argv */
	str_add(out, "mmgauge");
	if (fsx_read(AT_FDCWD, "/proc/self/cmdline", &cmdline, NULL) < 0 || !cmdline.len)
		return;
	end = cmdline.buf + cmdline.len;
	for (p = cmdline.buf + strlen(cmdline.buf) + 1; p < end; p += strlen(p) + 1) {
		str_addc(out, ' ');
		quote_word(p, out);
	}
}

int cli_stop_signals(struct err *e)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t set;
	int fd;

	/* a shell starts background jobs with SIGINT ignored, and ignored signals are lost even
	 * to a signalfd; SIGHUP is left as it is, for nohup */
	(void)sigaction(SIGINT, &dfl, NULL);
	(void)sigaction(SIGTERM, &dfl, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_errno(e, errno, "could not make a signalfd") : fd;
}

int cli_temp_make(struct cli_temp *ret, struct err *e)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): read before there are threads */
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/mmgauge-store.XXXXXX", tmp && *tmp ? tmp : "/tmp");

	if (!mkdtemp(dir)) {
		int r = err_errno(e, errno, "could not make the folder \"%s\"", dir);

		free(dir);
		return r;
	}
	*ret = (struct cli_temp){ .dir = dir, .path = xasprintf("%s/mmgauge.db", dir) };
	return 0;
}

void cli_temp_drop(struct cli_temp *t)
{
	struct err e = { 0 };

	if (t->dir && !t->keep && fsx_remove_tree(AT_FDCWD, t->dir, &e) < 0)
		log_warn("%s", e.msg);
	free(t->dir);
	free(t->path);
	*t = (struct cli_temp){ 0 };
}
