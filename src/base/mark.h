/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Begin and end of what is counted, told to the TCG plugin (plugin/mmgauge-tcg.c, which repeats
 * the numbers) by no-ops of an otherwise unused form. They cost one instruction each, which the
 * plugin leaves out, and mean nothing anywhere else: a program has them always. Windows that
 * overlap, of several tasks, are one: from the first begin to the last end.
 */
#ifndef BASE_MARK_H
#define BASE_MARK_H

#define MARK_BEGIN 0x42676d6d /* "mmgB" in memory */
#define MARK_END 0x45676d6d   /* "mmgE" */

#if !defined(__ASSEMBLER__) && defined(__x86_64__)
/* "memory": the compiler moves no access of the measured loop across. */
#define mark_(magic) __asm__ volatile("nopl %c0(%%rax,%%rax,1)" : : "i"(magic) : "memory")
static inline void mark_begin(void)
{
	mark_(MARK_BEGIN);
}
static inline void mark_end(void)
{
	mark_(MARK_END);
}
#elif !defined(__ASSEMBLER__)
static inline void mark_begin(void)
{
}
static inline void mark_end(void)
{
}
#endif

#endif
