/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the environment record; sys/env.c alone includes this. */
#ifndef SYS_ENV_MORE_H
#define SYS_ENV_MORE_H

struct kvs;

/* Sets @key to the text of @path, when there is one. */
void sys_env_file(int rootfd, const char *key, const char *path, struct kvs *ret);
/* Mitigations, governors and frequencies, THP sizes, idle states, zram devices. */
void sys_env_dirs(int rootfd, struct kvs *ret);
/* meminfo, cpuinfo, swaps, mountinfo, zoneinfo. */
void sys_env_texts(int rootfd, struct kvs *ret);
/* Build id and configuration. */
void sys_env_kernel(int rootfd, struct kvs *ret);

#endif
