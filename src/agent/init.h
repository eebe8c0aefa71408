/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent as the first process of a guest. It makes of a bare kernel what the agent expects of
 * a machine, starts the agent proper (or the programs of /job) as its child, carries what these
 * say out of the guest, and ends the guest. Between host and guest:
 *
 *	out	port 0xe9 (isa-debugcon): needs no driver; what was written before a crash is out
 *	in	ttyS1, raw
 *	end	port 0xf4 (isa-debug-exit): QEMU exits with 2 * code + 1
 *	console	ttyS0, the kernel's
 *
 * The kernel's command line says mmgauge.cgroup=v1 when that is wanted. /modules/NN-NAME.ko are
 * loaded in the order of their names. GUEST_COUNT_WORD on it: the machine is stopped through
 * pvpanic's port, for the host to keep, and when it goes on the records for the agent are read
 * from fw_cfg (GUEST_JOB_FILE) instead of ttyS1. /job has a program with its arguments on each
 * line; their output comes between lines "=== PROGRAM" and "=== exit STATUS".
 */
#ifndef AGENT_INIT_H
#define AGENT_INIT_H

/* Codes for the port 0xf4; 0 would make QEMU exit with 1, as it does when it can't start. */
enum {
	INIT_DONE = 0x10,   /* the agent or all programs ended well: QEMU's status is 33 */
	INIT_FAILED = 0x11, /* the machine could not be set up, the console says why: 35 */
	INIT_BAD = 0x12,    /* the agent or a program ended badly: 37 */
};

/* Does not return. */
__attribute__((noreturn)) void agent_init(void);

#endif
