// SPDX-License-Identifier: GPL-2.0-or-later
/* How a guest ended, from QEMU's exit status and what stands on the guest's console. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/spawn.h"
#include "base/str.h"
#include "target/vm/guest.h"

/* 2 * code + 1, codes of agent/init.h */
enum { STATUS_RESET = 0, STATUS_QEMU = 1, STATUS_DONE = 33, STATUS_FAILED = 35, STATUS_BAD = 37 };

#define CONSOLE_LINES 12
#define LINE_MAX_LEN 200

const char *guest_end_name(enum guest_end end)
{
	switch (end) {
	case GUEST_DONE:
		return "done";
	case GUEST_BAD:
		return "failure";
	case GUEST_INIT_FAILED:
		return "failed set-up";
	case GUEST_PANIC:
		return "panic";
	case GUEST_OOPS:
		return "oops";
	case GUEST_HANG:
		return "hang";
	case GUEST_OOM:
		return "out of memory";
	case GUEST_TIMEOUT:
		return "time-out";
	case GUEST_OFF:
		return "power-off";
	case GUEST_GARBLED:
		return "garbled channel";
	case GUEST_QEMU:
		return "QEMU failed";
	}
	return "";
}

void guest_outcome_done(struct guest_outcome *o)
{
	free(o->text);
	strv_done(&o->console);
	*o = (struct guest_outcome){ 0 };
}

/* After the kernel's time stamp: "[    2.532120] Kernel panic". */
static const char *skip_stamp(const char *line, size_t len)
{
	const char *end = len && line[0] == '[' ? memchr(line, ']', len) : NULL;

	return end && end[1] == ' ' ? end + 2 : line;
}

/* A line as text of ours: without stamp, carriage return and what is no printable ASCII. */
static char *clean_line(const char *line, size_t len)
{
	const char *from = skip_stamp(line, len);
	char *text;

	len -= (size_t)(from - line);
	text = xstrndup(from, len < LINE_MAX_LEN ? len : LINE_MAX_LEN);
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = *p == '\r' || *p == '\t' ? ' ' : '?';
	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	return text;
}

static const char *find_last(const char *text, const char *mark)
{
	const char *found = NULL;

	for (const char *p = text; (p = strstr(p, mark)); p++)
		found = p;
	return found;
}

/* The last line that holds @mark, from the mark on, cleaned; NULL when there is none. */
static char *find_line(const char *console, const char *mark)
{
	const char *found = find_last(console, mark);

	return found ? clean_line(found, strcspn(found, "\n")) : NULL;
}

/* The first lines of @text. */
static void add_lines(const char *text, struct strv *ret)
{
	while (*text && ret->n < CONSOLE_LINES) {
		size_t len = strcspn(text, "\n");
		_cleanup_free_ char *line = clean_line(text, len);

		if (*line)
			strv_add(ret, line);
		text += len + (text[len] == '\n');
	}
}

static void last_lines(const char *console, struct strv *ret)
{
	size_t len = strlen(console), n = 0;
	const char *start = console + len;

	while (start > console && n < CONSOLE_LINES) {
		start--;
		n += *start == '\n' && start[1] != '\0';
		if (n == CONSOLE_LINES)
			start++;
	}
	add_lines(start, ret);
}

/*
 * From the line on that says what happened: a panic prints registers and a trace after it, which
 * would fill the last lines.
 */
static void telling_lines(const char *console, const struct guest_outcome *o, struct strv *ret)
{
	const char *at = o->text[0] ? find_last(console, o->text) : NULL;

	if (!at) {
		last_lines(console, ret);
		return;
	}
	while (at > console && at[-1] != '\n')
		at--;
	add_lines(at, ret);
}

static bool has_any(const char *text, const char *const *marks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, marks[i]))
			return true;
	return false;
}

/* What stands behind a panic: the message itself, or the fault before it. */
static void judge_panic(const char *console, char *panic, struct guest_outcome *o)
{
	static const char *const hang[] = { "softlockup", "soft lockup", "hung_task",
					    "hard LOCKUP", "Hard LOCKUP" };
	static const char *const oom[] = { "out of memory", "Out of memory", "panic_on_oom",
					   "deadlocked on memory" };
	static const char *const faults[] = { "BUG: ", "Oops: ", "general protection fault",
					      "kernel BUG at ", "stack segment: ",
					      "divide error: " };
	bool fatal = strstr(panic, "Fatal exception") != NULL;

	o->end = GUEST_PANIC;
	o->text = panic;
	if (has_any(panic, hang, ARRAY_LEN(hang)))
		o->end = GUEST_HANG;
	else if (has_any(panic, oom, ARRAY_LEN(oom)) ||
		 (strstr(panic, "Attempted to kill init") && strstr(console, "Out of memory: ")))
		o->end = GUEST_OOM;
	for (size_t i = 0; fatal && o->end == GUEST_PANIC && i < ARRAY_LEN(faults); i++) {
		char *line = find_line(console, faults[i]);

		if (!line)
			continue;
		free(o->text);
		o->text = line;
		o->end = GUEST_OOPS;
	}
}

static void judge_reset(const char *console, struct guest_outcome *o)
{
	char *panic = find_line(console, "Kernel panic - not syncing: ");

	if (panic) {
		judge_panic(console, panic, o);
		return;
	}
	o->end = GUEST_OFF;
	o->text = xstrdup("the guest was reset or powered off before it was done");
}

static char *last_message(const char *messages)
{
	_cleanup_strv_ struct strv lines = { 0 };

	last_lines(messages, &lines);
	return xstrdup(lines.n ? lines.v[lines.n - 1] : "it said nothing");
}

static void judge_exit(int status, const char *messages, const char *console,
		       struct guest_outcome *o)
{
	char how[80];

	if (WIFEXITED(status)) {
		switch (WEXITSTATUS(status)) {
		case STATUS_DONE:
			return;
		case STATUS_BAD:
			o->end = GUEST_BAD;
			o->text = find_line(console, "mmgauge-init: ");
			return;
		case STATUS_FAILED:
			o->end = GUEST_INIT_FAILED;
			o->text = find_line(console, "mmgauge-init: ");
			return;
		case STATUS_RESET:
			judge_reset(console, o);
			return;
		}
	}
	o->end = GUEST_QEMU;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_QEMU)
		o->text = last_message(messages);
	else
		o->text = xasprintf("QEMU %s", spawn_describe(status, how, sizeof(how)));
}

void guest_judge(int status, enum guest_end forced, const char *messages, const char *console,
		 struct guest_outcome *ret)
{
	struct guest_outcome o = { .end = forced };

	if (forced == GUEST_DONE)
		judge_exit(status, messages, console, &o);
	if (!o.text)
		o.text = xstrdup("");
	telling_lines(console, &o, &o.console);
	*ret = o;
}
