// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCG plugin: instructions, and those that lock the bus, per kernel function between marks.
 *
 *	-plugin file=mmgauge-tcg.so,symbols=FILE,out=FILE
 *
 * symbols: lines "ADDRESS SIZE NAME" (both hex) of text symbols of the kernel half, rising, not
 * overlapping. Without the argument all of the kernel is one function.
 *
 * Marks are no-ops that a program executes in any mode: "nopl MAGIC(%rax,%rax,1)" with one of two
 * displacements. They need no address, driver or right, and do nothing on a real machine or
 * without the plugin. A window is open while more begins than ends were met, so overlapping ones
 * are one. Marks themselves are not counted.
 *
 * out: for each window, in the order in which they were closed, complete once it is there:
 *
 *	[window] NUMBER FAULTS
 *	FUNCTION INSTRUCTIONS LOCKED
 *	[total] INSTRUCTIONS LOCKED
 *
 * sorted by name (bytes), symbols of the same name added up, only what was executed. "[user]" is
 * the lower half of the address space, "[kernel]" an address of the upper half without symbol.
 * FAULTS counts entries to asm_exc_page_fault. An end without begin makes "[error] end". A line
 * "[open] N" ends the file when the machine stopped inside a window.
 *
 * An instruction is counted when it starts. One that faults starts again, and counts again, as a
 * repeated one counts for every repetition and once more for seeing that it is done: QEMU's
 * -icount counts the latter, too, but not the former.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/qemu-plugin.h"

#define MARK_BEGIN 0x42676d6du /* "mmgB", as base/mark.h has it */
#define MARK_END 0x45676d6du   /* "mmgE" */

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

struct symbol {
	uint64_t addr, size;
	const char *name;
	size_t slot; /* its counter: one for all symbols of that name */
};

struct count {
	uint64_t insns, locked;
};

static struct {
	struct symbol *v; /* by address */
	size_t n, cap;
	const char **names; /* one per slot, sorted */
	size_t n_slots;
	size_t user, kernel; /* slots */
	struct count *now;   /* since the start */
	struct count *begin; /* when the window was opened */
	uint64_t faults, faults_begin;
	unsigned window, depth;
	FILE *out;
	bool failed;
} plug;

static int fail(const char *what, const char *name, unsigned line, const char *why)
{
	if (line)
		(void)fprintf(stderr, "mmgauge-tcg: %s \"%s\", line %u: %s\n", what, name, line,
			      why);
	else
		(void)fprintf(stderr, "mmgauge-tcg: %s \"%s\": %s\n", what, name, why);
	return -1;
}

/* Hex number and the blank behind it; NULL when there is none or it is too long. */
static char *take_hex(char *s, uint64_t *ret)
{
	static const char hex[] = "0123456789abcdef";
	uint64_t v = 0;
	unsigned digits = 0;

	for (; *s && *s != ' '; s++, digits++) {
		const char *digit = strchr(hex, *s);

		if (!digit || digits == 16)
			return NULL;
		v = v << 4 | (uint64_t)(digit - hex);
	}
	if (digits == 0 || *s != ' ')
		return NULL;
	*ret = v;
	return s + 1;
}

static bool add_symbol(uint64_t addr, uint64_t size, const char *name)
{
	if (plug.n == plug.cap) {
		size_t cap = plug.cap ? 2 * plug.cap : 4096;
		struct symbol *v = reallocarray(plug.v, cap, sizeof(*v));

		if (!v)
			return false;
		plug.v = v;
		plug.cap = cap;
	}
	plug.v[plug.n] = (struct symbol){ .addr = addr, .size = size, .name = strdup(name) };
	return plug.v[plug.n++].name;
}

static const char *read_symbol(char *line)
{
	uint64_t addr, size, end = plug.n ? plug.v[plug.n - 1].addr + plug.v[plug.n - 1].size : 0;
	char *name = take_hex(line, &addr);

	name = name ? take_hex(name, &size) : NULL;
	if (!name || !*name || strpbrk(name, " \t") || *name == '[')
		return "not ADDRESS SIZE NAME";
	if (!(addr >> 63) || size == 0 || addr + size - 1 < addr)
		return "not in the kernel's half of the addresses";
	if (plug.n && (addr < end || end == 0))
		return "not behind the symbol before it";
	return add_symbol(addr, size, name) ? NULL : strerrordesc_np(ENOMEM);
}

static int read_symbols(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	const char *why = NULL;
	size_t cap = 0;
	unsigned n = 0;
	ssize_t len;

	if (!f)
		return fail("could not open", path, 0, strerrordesc_np(errno));
	while (!why && (len = getline(&line, &cap, f)) > 0) {
		n++;
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		why = read_symbol(line);
	}
	free(line);
	if (!why && ferror(f)) {
		why = strerrordesc_np(errno);
		n = 0;
	}
	(void)fclose(f);
	if (!why && plug.n == 0) {
		why = "no symbol in it";
		n = 0;
	}
	return why ? fail("could not read", path, n, why) : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t slot_of(const char *name)
{
	const char **p = bsearch(&name, plug.names, plug.n_slots, sizeof(name), by_name);

	return (size_t)(p - plug.names);
}

/* One slot for each name: the output comes out sorted and without repetition. */
static int make_slots(void)
{
	size_t n = plug.n + 2, last = 0;

	plug.names = calloc(n, sizeof(*plug.names));
	plug.now = calloc(n, sizeof(*plug.now));
	plug.begin = calloc(n, sizeof(*plug.begin));
	if (!plug.names || !plug.now || !plug.begin)
		return fail("could not make", "counters", 0, strerrordesc_np(ENOMEM));
	for (size_t i = 0; i < plug.n; i++)
		plug.names[i] = plug.v[i].name;
	plug.names[plug.n] = "[user]";
	plug.names[plug.n + 1] = "[kernel]";
	qsort(plug.names, n, sizeof(*plug.names), by_name);
	for (size_t i = 1; i < n; i++)
		if (strcmp(plug.names[i], plug.names[last]) != 0)
			plug.names[++last] = plug.names[i];
	plug.n_slots = last + 1;
	for (size_t i = 0; i < plug.n; i++)
		plug.v[i].slot = slot_of(plug.v[i].name);
	plug.user = slot_of("[user]");
	plug.kernel = slot_of("[kernel]");
	return 0;
}

static const struct symbol *find_symbol(uint64_t addr)
{
	size_t lo = 0, hi = plug.n;

	while (lo < hi) { /* the first symbol behind @addr */
		size_t mid = lo + (hi - lo) / 2;

		if (plug.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr - plug.v[lo - 1].addr < plug.v[lo - 1].size ? &plug.v[lo - 1] : NULL;
}

static bool is_prefix(unsigned char byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: /* segments */
	case 0x66: case 0x67: /* sizes */
	case 0xf2: case 0xf3: case 0xf0: /* repeat, lock */
		return true;
	default:
		return false;
	}
}

/*
 * Legacy prefixes may come in any order; REX is only one directly before the opcode. XCHG with
 * memory locks without a prefix. In 16 and 32 bit code REX bytes are instructions of one byte, so
 * nothing follows them.
 */
static bool is_locked(const unsigned char *code, size_t len)
{
	size_t i = 0;

	for (; i < len && is_prefix(code[i]); i++)
		if (code[i] == 0xf0)
			return true;
	if (i + 1 < len && (code[i] & 0xf0) == 0x40)
		i++;
	return i + 1 < len && (code[i] == 0x86 || code[i] == 0x87) && code[i + 1] < 0xc0;
}

/* nopl DISPLACEMENT(%rax,%rax,1): 0f 1f 84 00 and 32 bits. */
static uint32_t mark_of(const unsigned char *code, size_t len)
{
	uint32_t magic;

	if (len != 8 || memcmp(code, "\x0f\x1f\x84", 4) != 0)
		return 0;
	memcpy(&magic, code + 4, 4);
	return magic == MARK_BEGIN || magic == MARK_END ? magic : 0;
}

/* A full disk is seen by the missing total; it must not be taken for a slow guest. */
static void flush_out(void)
{
	if ((fflush(plug.out) != 0 || ferror(plug.out)) && !plug.failed) {
		(void)fail("could not write", "out", 0, strerrordesc_np(errno));
		plug.failed = true;
	}
}

static void on_fault(unsigned vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
	plug.faults++;
}

static void on_begin(unsigned vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
	if (plug.depth++)
		return;
	memcpy(plug.begin, plug.now, plug.n_slots * sizeof(*plug.now));
	plug.faults_begin = plug.faults;
}

static void on_end(unsigned vcpu, void *unused)
{
	struct count sum = { 0 };

	(void)vcpu;
	(void)unused;
	if (plug.depth == 0) {
		(void)fprintf(plug.out, "[error] end\n");
		flush_out();
		return;
	}
	if (--plug.depth)
		return;
	(void)fprintf(plug.out, "[window] %u %" PRIu64 "\n", ++plug.window,
		      plug.faults - plug.faults_begin);
	for (size_t i = 0; i < plug.n_slots; i++) {
		uint64_t insns = plug.now[i].insns - plug.begin[i].insns;
		uint64_t locked = plug.now[i].locked - plug.begin[i].locked;

		sum.insns += insns;
		sum.locked += locked;
		if (insns)
			(void)fprintf(plug.out, "%s %" PRIu64 " %" PRIu64 "\n", plug.names[i],
				      insns, locked);
	}
	(void)fprintf(plug.out, "[total] %" PRIu64 " %" PRIu64 "\n", sum.insns, sum.locked);
	flush_out();
}

static void on_insn(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_cb_t cb)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void add_one(struct qemu_plugin_insn *insn, uint64_t *counter)
{
	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, counter, 1);
}

static void count_insn(struct qemu_plugin_insn *insn)
{
	const unsigned char *code = qemu_plugin_insn_data(insn);
	size_t len = qemu_plugin_insn_size(insn);
	uint64_t addr = qemu_plugin_insn_vaddr(insn);
	uint32_t mark = mark_of(code, len);
	const struct symbol *s;
	size_t slot;

	if (mark) {
		on_insn(insn, mark == MARK_BEGIN ? on_begin : on_end);
		return;
	}
	s = addr >> 63 ? find_symbol(addr) : NULL;
	if (s)
		slot = s->slot;
	else
		slot = addr >> 63 ? plug.kernel : plug.user;
	if (s && s->addr == addr && strcmp(s->name, "asm_exc_page_fault") == 0)
		on_insn(insn, on_fault);
	add_one(insn, &plug.now[slot].insns);
	if (is_locked(code, len))
		add_one(insn, &plug.now[slot].locked);
}

/*
 * Each instruction counts for itself, not its block at once: a block is left where one faults.
 * Code is decoded when it is translated, which is again after it was patched.
 */
static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++)
		count_insn(qemu_plugin_tb_get_insn(tb, i));
}

static void on_end_of_run(qemu_plugin_id_t id, void *unused)
{
	(void)id;
	(void)unused;
	if (plug.depth)
		(void)fprintf(plug.out, "[open] %u\n", plug.depth);
	flush_out();
	(void)fclose(plug.out);
}

static const char *value_of(const char *arg, const char *key)
{
	size_t len = strlen(key);

	return strncmp(arg, key, len) == 0 && arg[len] == '=' ? arg + len + 1 : NULL;
}

static int check_machine(const struct qemu_plugin_info *info)
{
	if (info->version.min > QEMU_PLUGIN_API || info->version.cur < QEMU_PLUGIN_API)
		return fail("could not use", "QEMU's plugin interface", 0, "it isn't of version 1");
	if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
		return fail("could not count on", info->target_name, 0, "only qemu-system-x86_64");
	if (info->system.max_vcpus != 1) /* counters are added to without locks */
		return fail("could not count on", "this machine", 0, "it has more than one CPU");
	return 0;
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
			char **argv)
{
	const char *symbols = NULL, *out = NULL, *value;

	if (check_machine(info) < 0)
		return -1;
	for (int i = 0; i < argc; i++) {
		if ((value = value_of(argv[i], "symbols")))
			symbols = value;
		else if ((value = value_of(argv[i], "out")))
			out = value;
		else
			return fail("could not use", argv[i], 0, "only symbols=FILE and out=FILE");
	}
	if (!out)
		return fail("could not count", "instructions", 0, "out=FILE is missing");
	if ((symbols && read_symbols(symbols) < 0) || make_slots() < 0)
		return -1;
	plug.out = fopen(out, "we");
	if (!plug.out)
		return fail("could not write", out, 0, strerrordesc_np(errno));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_end_of_run, NULL);
	return 0;
}
