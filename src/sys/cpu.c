// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/cpu.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/num.h"
#include "base/str.h"

/* Columns of the line "cpu", see proc_stat(5). Guest time is in user already. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_COLUMNS };

static int parse_total(char *line, uint64_t *columns, struct err *e)
{
	for (int i = 0; i < N_COLUMNS; i++) {
		char *field = str_cut(&line, " ");
		int r;

		while (field && !*field) /* "cpu" has two blanks after it */
			field = str_cut(&line, " ");
		if (!field)
			return err_set(e, -EBADMSG, "file \"proc/stat\" has only %d columns", i);
		r = num_u64(field, &columns[i], e);
		if (r < 0)
			return err_wrap(e, r, "file \"proc/stat\"");
	}
	return 0;
}

int sys_cpu_read(int rootfd, struct sys_cpu *ret, struct err *e)
{
	_cleanup_str_ struct str text = STR_INIT(FSX_TEXT_MAX);
	uint64_t c[N_COLUMNS] = { 0 }, tick_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct sys_cpu cpu = { 0 };
	bool seen = false;
	char *rest, *line;
	int r = fsx_read(rootfd, "proc/stat", &text, e);

	if (r < 0)
		return r;
	rest = text.buf;
	while ((line = str_cut(&rest, "\n"))) {
		if (str_starts(line, "cpu ")) {
			r = parse_total(line + strlen("cpu "), c, e);
			if (r < 0)
				return r;
			seen = true;
		} else if (str_starts(line, "cpu") && isdigit((unsigned char)line[3])) {
			cpu.n++;
		}
	}
	if (!seen)
		return err_set(e, -EBADMSG, "file \"proc/stat\" has no line \"cpu\"");
	cpu.busy_ns = (c[USER] + c[NICE] + c[SYSTEM] + c[IRQ] + c[SOFTIRQ]) * tick_ns;
	cpu.idle_ns = (c[IDLE] + c[IOWAIT]) * tick_ns;
	cpu.steal_ns = c[STEAL] * tick_ns;
	*ret = cpu;
	return 0;
}
