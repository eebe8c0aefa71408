/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other programs: an argument vector, never a shell. The child dies with its parent
 * (PR_SET_PDEATHSIG; with the thread that started it), is watched by a pidfd, and gets LC_ALL=C,
 * an empty signal mask and the default SIGPIPE.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

#include "base/compiler.h"

struct err;
struct rusage;
struct str;

struct spawn {
	pid_t pid;  /* 0: none */
	int pidfd;  /* readable when it has ended */
	int in;	    /* its stdin (write end), or -EBADF */
	int out;    /* its stdout (read end), or -EBADF */
};
#define SPAWN_INIT ((struct spawn){ .pidfd = -EBADF, .in = -EBADF, .out = -EBADF })

enum {
	SPAWN_PIPE_IN = 1,    /* else /dev/null */
	SPAWN_PIPE_OUT = 2,   /* else inherited */
	SPAWN_ERR_TO_OUT = 4, /* stderr goes where stdout goes */
	SPAWN_OUT_NULL = 8,   /* stdout to /dev/null */
	SPAWN_OUTLIVE = 32,   /* not killed with its parent: it sees the end of its pipe itself */
	SPAWN_OWN_GROUP = 16, /* a process group of its own: a Ctrl-C of the terminal spares it */
};

/*
 * Starts @argv[0] (searched in PATH when it has no slash). A program that can't be executed is
 * reported here, not as exit status 127. On success the caller owns *@ret and ends it with
 * spawn_wait or spawn_done.
 */
__must_check int spawn_start(char *const argv[], unsigned flags, struct spawn *ret, struct err *e);
/* As spawn_start, with stderr to the descriptor @err_fd, which stays the caller's. */
__must_check int spawn_start_err(char *const argv[], unsigned flags, int err_fd,
				 struct spawn *ret, struct err *e);

/* Waits for the end; *@ret_status as of waitpid(2). *@s is finished, also on failure. */
__must_check int spawn_wait(struct spawn *s, int *ret_status, struct err *e);

/* As spawn_wait; also what the program used, with those of its children that it reaped. */
__must_check int spawn_wait4(struct spawn *s, int *ret_status, struct rusage *ret_ru,
			     struct err *e);

/* Kills (SIGKILL) and reaps when it still runs; closes all. Fine on SPAWN_INIT. */
void spawn_done(struct spawn *s);

/*
 * Runs a program to its end and collects stdout and stderr in @output (may be NULL). Exit
 * status other than 0 is an error whose message holds the last line the program wrote.
 */
__must_check int spawn_run(char *const argv[], struct str *output, struct err *e);

/* "exited with status 3", "was killed by signal 9 (Killed)"; returns @buf. */
char *spawn_describe(int status, char *buf, size_t len);

#endif
