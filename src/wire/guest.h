/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that host and first process of a guest share beside the records; see agent/init.h. */
#ifndef WIRE_GUEST_H
#define WIRE_GUEST_H

/* On the kernel's command line: keep the machine before the job, which is then in fw_cfg. */
#define GUEST_COUNT_WORD "mmgauge.count"
/* The records for the agent, as a file of fw_cfg. */
#define GUEST_JOB_FILE "opt/mmgauge/job"
/* What it holds when the host wants /proc/kallsyms on the channel instead, and then the end. */
#define GUEST_JOB_SYMBOLS "symbols\n"

#endif
