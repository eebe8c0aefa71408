// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file format of x86 kernels: Documentation/arch/x86/boot.rst. The setup header stands at
 * 0x1f1; a boot protocol of 2.08 (Linux 2.6.26) and above says where the compressed vmlinux is.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/internal.h"
#include "kernel/kernel.h"

#define HEADER_MAX 4096
#define IMAGE_MAX (256u << 20)
#define VMLINUX_MAX (1024u << 20)

#define AT_SETUP_SECTS 0x1f1
#define AT_MAGIC 0x202	      /* "HdrS" */
#define AT_PROTOCOL 0x206
#define AT_VERSION 0x20e      /* offset of the banner, less 0x200 */
#define AT_XLOADFLAGS 0x236   /* bit 0: has a 64-bit entry point */
#define AT_PAYLOAD_OFFSET 0x248
#define AT_PAYLOAD_LENGTH 0x24c

static unsigned get16(const unsigned char *p)
{
	return (unsigned)p[0] | (unsigned)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

/* Says what it is instead, when that is known: the mistake is often the wrong file of a build. */
static int not_a_kernel(const char *image, const unsigned char *h, size_t n, struct err *e)
{
	const char *what = "it has no header of an x86 boot image";
	int r;

	if (n >= 64 && memcmp(h + 56, "ARM\x64", 4) == 0)
		what = "it is a kernel for arm64, and only x86-64 can be booted";
	else if (n >= 64 && memcmp(h + 0x30, "RISCV", 5) == 0)
		what = "it is a kernel for RISC-V, and only x86-64 can be booted";
	else if (n >= 4 && memcmp(h, ELFMAG, SELFMAG) == 0)
		what = "it is an ELF file, perhaps the vmlinux beside the image";
	else if (n >= 4 && get32(h) == 0x016f2818)
		what = "it is a kernel for 32-bit ARM, and only x86-64 can be booted";
	r = err_set(e, -ENOEXEC, "\"%s\" is no kernel that can be booted: %s", image, what);
	err_hint(e, "name a bzImage (arch/x86/boot/bzImage, /boot/vmlinuz-RELEASE), a Debian "
		    "package or a build tree");
	return r;
}

static int read_header(const char *image, unsigned char *h, size_t *ret_n, struct err *e)
{
	_cleanup_close_ int fd = open(image, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return err_errno(e, errno, "could not open kernel \"%s\"", image);
	n = pread(fd, h, HEADER_MAX, 0);
	if (n < 0)
		return err_errno(e, errno, "could not read kernel \"%s\"", image);
	*ret_n = (size_t)n;
	if (n < 0x260 || memcmp(h + AT_MAGIC, "HdrS", 4) != 0 || get16(h + AT_PROTOCOL) < 0x208)
		return not_a_kernel(image, h, (size_t)n, e);
	if (get16(h + AT_PROTOCOL) >= 0x20c && !(h[AT_XLOADFLAGS] & 1))
		return err_set(e, -ENOEXEC, "kernel \"%s\" is for 32-bit machines", image);
	return 0;
}

int kernel_image_banner(const char *image, char **ret_banner, struct err *e)
{
	unsigned char h[HEADER_MAX + 1] = { 0 };
	_cleanup_close_ int fd = -EBADF;
	char text[512] = "";
	size_t n, at;
	int r = read_header(image, h, &n, e);

	if (r < 0)
		return r;
	at = get16(h + AT_VERSION) + 0x200u;
	fd = open(image, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, text, sizeof(text) - 1, (off_t)at) <= 0 || !text[0])
		return err_set(e, -ENOEXEC, "kernel \"%s\" names no version", image);
	*ret_banner = xstrdup(text);
	return 0;
}

/* The build id in the ELF notes that begin at @p, malloc'd, or NULL. */
static char *find_build_id(const char *p, size_t len)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		_cleanup_str_ struct str hex = STR_INIT(256);
		Elf64_Nhdr nh;
		size_t name, desc, all;

		memcpy(&nh, p, sizeof(nh));
		name = ((size_t)nh.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)nh.n_descsz + 3) & ~(size_t)3;
		all = sizeof(nh) + name + desc;
		if (all > len)
			return NULL;
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 && nh.n_descsz <= 64 &&
		    memcmp(p + sizeof(nh), "GNU", 4) == 0) {
			const char *id = p + sizeof(nh) + name;

			for (size_t i = 0; i < nh.n_descsz; i++)
				str_addf(&hex, "%02x", (unsigned char)id[i]);
			return xstrdup(str_text(&hex));
		}
		p += all;
		len -= all;
	}
	return NULL;
}

static char *build_id_of(const struct str *elf)
{
	Elf64_Ehdr eh;

	if (elf->len < sizeof(eh))
		return NULL;
	memcpy(&eh, elf->buf, sizeof(eh));
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	for (size_t i = 0; i < eh.e_phnum; i++) {
		size_t at = eh.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr ph;

		if (at > elf->len || elf->len - at < sizeof(ph))
			return NULL;
		memcpy(&ph, elf->buf + at, sizeof(ph));
		if (ph.p_type == PT_NOTE && ph.p_offset < elf->len &&
		    ph.p_filesz <= elf->len - ph.p_offset)
			return find_build_id(elf->buf + ph.p_offset, ph.p_filesz);
	}
	return NULL;
}

/* IKCONFIG stands between two marks, compressed by gzip. */
static char *config_of(const struct str *elf)
{
	const char *from = memmem(elf->buf, elf->len, "IKCFG_ST\037\213", 10);
	_cleanup_str_ struct str text = STR_INIT(4u << 20);
	const char *end;

	if (!from)
		return NULL;
	from += 8;
	end = memmem(from, elf->len - (size_t)(from - elf->buf), "IKCFG_ED", 8);
	if (!end || kernel_decompress(from, (size_t)(end - from), "IKCONFIG", &text, NULL) < 0)
		return NULL;
	return xstrdup(str_text(&text));
}

int kernel_image_look(const char *image, char **ret_build_id, char **ret_config, struct err *e)
{
	_cleanup_str_ struct str file = STR_INIT(IMAGE_MAX), elf = STR_INIT(VMLINUX_MAX);
	unsigned char h[HEADER_MAX + 1] = { 0 };
	size_t n, at, len;
	int r = read_header(image, h, &n, e);

	if (r == 0)
		r = kernel_read_file(image, &file, e);
	if (r < 0)
		return r;
	at = ((h[AT_SETUP_SECTS] ? h[AT_SETUP_SECTS] : 4u) + 1u) * 512u +
	     get32(h + AT_PAYLOAD_OFFSET);
	len = get32(h + AT_PAYLOAD_LENGTH);
	if (at > file.len || len > file.len - at)
		return err_set(e, -ENOEXEC, "kernel \"%s\" is cut short", image);
	r = kernel_decompress(file.buf + at, len, image, &elf, e);
	if (r < 0)
		return r;
	if (elf.len < SELFMAG || memcmp(elf.buf, ELFMAG, SELFMAG) != 0)
		return err_set(e, -ENOTSUP, "the payload of kernel \"%s\" is compressed in a way "
					    "that can't be read here", image);
	*ret_build_id = build_id_of(&elf);
	*ret_config = config_of(&elf);
	return 0;
}
