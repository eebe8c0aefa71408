// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels that are made here: an image with a header, a package, modules, a build tree. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fsx.h"
#include "base/str.h"
#include "kernel/initrd.h"
#include "kernel/kernel.h"

static struct err e;
static char dir[256]; /* of the running test, also where the cache is */

static void fresh_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(dir, sizeof(dir), "%s/mmgauge-kernel.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		abort();
	(void)setenv("XDG_CACHE_HOME", dir, 1);
	e = (struct err){ 0 };
}

static void drop_dir(const int *unused)
{
	(void)unused;
	(void)!fsx_remove_tree(AT_FDCWD, dir, NULL);
}
#define IN_FRESH_DIR _cleanup_(drop_dir) int in_dir_ = (fresh_dir(), 0)

static char *at(const char *path) /* static buffers, enough for one call */
{
	static char buf[4][512];
	static unsigned n;

	(void)snprintf(buf[n % 4], sizeof(buf[0]), "%s/%s", dir, path);
	return buf[n++ % 4];
}

static void put(const char *path, const void *data, size_t len)
{
	_cleanup_free_ char *full = xstrdup(at(path)), *folder = xstrdup(full);
	FILE *f;

	*strrchr(folder, '/') = '\0';
	if (fsx_mkdirs(AT_FDCWD, folder, 0755, NULL) < 0)
		abort();
	f = fopen(full, "w");
	if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0)
		abort();
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

#define IMAGE_LEN 0x1000

static void make_image(unsigned char *h, const char *banner)
{
	memset(h, 0, IMAGE_LEN);
	h[0x1f1] = 1;
	memcpy(h + 0x202, "HdrS", 4);
	h[0x206] = 0x0f;
	h[0x207] = 0x02;
	h[0x20e] = 0x00;
	h[0x20f] = 0x04; /* 0x400 + 0x200 */
	h[0x236] = 1;
	(void)snprintf((char *)h + 0x600, 256, "%s", banner);
}

static void put_image(const char *path, const char *banner)
{
	unsigned char h[IMAGE_LEN];

	make_image(h, banner);
	put(path, h, sizeof(h));
}

/* One member of an archive. */
static void add_member(struct archive *a, const char *name, const void *data, size_t len)
{
	struct archive_entry *en = archive_entry_new();

	archive_entry_set_pathname(en, name);
	archive_entry_set_mode(en, S_IFREG | 0644);
	archive_entry_set_size(en, (la_int64_t)len);
	if (archive_write_header(a, en) != ARCHIVE_OK ||
	    archive_write_data(a, data, len) != (la_ssize_t)len)
		abort();
	archive_entry_free(en);
}

struct member {
	const char *name;
	const void *data;
	size_t len;
};

static size_t make_tar(const struct member *m, size_t n, char *buf, size_t max)
{
	struct archive *a = archive_write_new();
	size_t used = 0;

	(void)archive_write_set_format_gnutar(a);
	(void)archive_write_add_filter_xz(a);
	if (archive_write_open_memory(a, buf, max, &used) != ARCHIVE_OK)
		abort();
	for (size_t i = 0; i < n; i++)
		add_member(a, m[i].name, m[i].data, m[i].len);
	if (archive_write_close(a) != ARCHIVE_OK)
		abort();
	(void)archive_write_free(a);
	return used;
}

static void put_deb(const char *path, const char *control, const struct member *m, size_t n)
{
	static char control_tar[65536], data_tar[65536];
	const struct member c = { "./control", control, strlen(control) };
	size_t control_len = make_tar(&c, 1, control_tar, sizeof(control_tar));
	size_t data_len = make_tar(m, n, data_tar, sizeof(data_tar));
	struct archive *a = archive_write_new();

	(void)archive_write_set_format_ar_svr4(a);
	if (archive_write_open_filename(a, at(path)) != ARCHIVE_OK)
		abort();
	add_member(a, "debian-binary", "2.0\n", 4);
	add_member(a, "control.tar.xz", control_tar, control_len);
	add_member(a, "data.tar.xz", data_tar, data_len);
	if (archive_write_close(a) != ARCHIVE_OK)
		abort();
	(void)archive_write_free(a);
}

#define CONTROL "Package: linux-image-9.9-test\nVersion: 9.9.1-2\nArchitecture: amd64\n"

static void put_good_deb(const char *path, const char *control)
{
	unsigned char image[IMAGE_LEN];
	const struct member m[] = {
		{ "./boot/vmlinuz-9.9-test", image, sizeof(image) },
		{ "./boot/config-9.9-test", "CONFIG_MEMCG=y\nCONFIG_HZ=250\n", 29 },
		{ "./lib/modules/9.9-test/kernel/a.ko", "\0depends=b_c\0", 13 },
		{ "./usr/lib/modules/9.9-test/kernel/b-c.ko", "\0depends=\0", 10 },
		{ "./boot/../../../../escape", "x", 1 },
		{ "./usr/share/doc/readme", "x", 1 },
	};

	make_image(image, "9.9-test (somebody) #1 SMP");
	put_deb(path, control, m, ARRAY_LEN(m));
}

static void an_image_says_what_it_is(void)
{
	IN_FRESH_DIR;
	_cleanup_kernel_ struct kernel k = { 0 };
	_cleanup_free_ char *memcg = NULL, *zram = NULL, *text = NULL;
	static const char *const fine[] = { "MEMCG" }, *const missing[] = { "MEMCG", "ZRAM" };

	put_image("boot/vmlinuz-1.2.3-x", "1.2.3-x (me@here) #7 SMP");
	put_text("boot/config-1.2.3-x", "CONFIG_MEMCG=y\n# CONFIG_MEMCG_V1 is not set\n"
					"CONFIG_ZRAM=m\nCONFIG_CC_VERSION_TEXT=\"gcc 12\"\n");
	put_text("lib/modules/1.2.3-x/modules.builtin", "kernel/fs/ext4/ext4.ko\n");
	CHECK_OK(kernel_open(at("boot/vmlinuz-1.2.3-x"), &k, &e));
	CHECK_STR(k.release, "1.2.3-x");
	CHECK_STR(k.banner, "1.2.3-x (me@here) #7 SMP");
	CHECK_STR(k.package, "");
	memcg = kernel_option(&k, "MEMCG");
	zram = kernel_option(&k, "XFS_FS");
	text = kernel_option(&k, "CC_VERSION_TEXT");
	CHECK_STR(memcg, "y");
	CHECK_STR(zram, "n");
	CHECK_STR(text, "gcc 12");
	CHECK(kernel_knows(&k, "MEMCG_V1"));
	CHECK(!kernel_knows(&k, "XFS_FS"));
	CHECK_OK(kernel_require(&k, fine, 1, &e));
	CHECK_EQ(kernel_require(&k, missing, 2, &e), -ENOTSUP);
	CHECK_STR(e.msg, "kernel \"1.2.3-x\" has CONFIG_ZRAM as a module only");
	CHECK_EQ(kernel_require_cgroup_v1(&k, &e), -ENOTSUP);
	CHECK_STR(e.msg, "kernel \"1.2.3-x\" was built without CONFIG_MEMCG_V1");
}

static void old_kernels_have_v1_with_memcg(void)
{
	IN_FRESH_DIR;
	_cleanup_kernel_ struct kernel k = { 0 };

	put_image("vmlinuz", "6.1.0 x");
	put_text("config", "CONFIG_MEMCG=y\n");
	CHECK_OK(kernel_open(at("vmlinuz"), &k, &e));
	CHECK_OK(kernel_require_cgroup_v1(&k, &e));
	free(k.config);
	k.config = NULL; /* nothing known: the boot will tell */
	CHECK_OK(kernel_require_cgroup_v1(&k, &e));
	CHECK(!kernel_option(&k, "MEMCG"));
}

/* What is no kernel for us is refused, and says what it is. */
static void other_files_are_refused(void)
{
	IN_FRESH_DIR;
	struct kernel k;
	char arm[128] = { 0 }, elf[128] = "\177ELF";
	unsigned char old[IMAGE_LEN];

	memcpy(arm + 56, "ARM\x64", 4);
	put("arm", arm, sizeof(arm));
	put("elf", elf, sizeof(elf));
	put_text("text", "hello\n");
	make_image(old, "2.4 x");
	old[0x236] = 0;
	put("old", old, sizeof(old));
	CHECK_EQ(kernel_open(at("arm"), &k, &e), -ENOEXEC);
	CHECK_HAS(e.msg, "arm64");
	CHECK_EQ(kernel_open(at("elf"), &k, &e), -ENOEXEC);
	CHECK_HAS(e.msg, "vmlinux");
	CHECK_EQ(kernel_open(at("text"), &k, &e), -ENOEXEC);
	CHECK_HAS(e.hint, "bzImage");
	CHECK_EQ(kernel_open(at("old"), &k, &e), -ENOEXEC);
	CHECK_HAS(e.msg, "32-bit");
	CHECK_EQ(kernel_open(at("nothing"), &k, &e), -ENOENT);
	CHECK_EQ(kernel_open("linux-image-nothing", &k, &e), -ENOENT);
	CHECK_HAS(e.hint, "mmgauge kernels fetch linux-image-nothing");
}

static void a_build_tree_is_a_kernel(void)
{
	IN_FRESH_DIR;
	_cleanup_kernel_ struct kernel k = { 0 };
	_cleanup_strv_ struct strv paths = { 0 };
	struct kernel none;

	put_text("empty/Makefile", "");
	CHECK_EQ(kernel_open(at("empty"), &none, &e), -ENOENT);
	CHECK_HAS(e.msg, "arch/x86/boot/bzImage");
	put_image("tree/arch/x86/boot/bzImage", "6.13.0-rc1+ (me) #1");
	put_text("tree/.config", "CONFIG_MEMCG=y\n");
	put("tree/drivers/block/loop.ko", "\0depends=\0", 10);
	CHECK_OK(kernel_open(at("tree"), &k, &e));
	CHECK_STR(k.release, "6.13.0-rc1+");
	CHECK(kernel_knows(&k, "MEMCG"));
	CHECK_OK(kernel_module(&k, "loop", &paths, &e));
	CHECK_EQ(paths.n, 1);
	CHECK_STR(paths.v[0], "drivers/block/loop.ko");
}

static void a_package_is_unpacked_once_and_found_by_its_names(void)
{
	IN_FRESH_DIR;
	static const char *const names[] = { "linux-image-9.9-test", "9.9-test", "meta",
					     "linux-image-9.9-test_9.9.1-2" };
	_cleanup_kernel_entries_ struct kernel_entries l = { 0 };
	_cleanup_free_ char *name = NULL, *again = NULL;
	struct kernel k;

	put_good_deb("k.deb", CONTROL);
	CHECK_OK(kernel_unpack(at("k.deb"), "meta", &name, &e));
	CHECK_STR(name, "linux-image-9.9-test_9.9.1-2");
	CHECK_OK(kernel_unpack(at("k.deb"), NULL, &again, &e));
	CHECK_STR(again, name);
	CHECK_OK(kernel_cache_list(&l, &e));
	CHECK_EQ(l.n, 1);
	CHECK_STR(l.v[0].version, "9.9.1-2");
	CHECK(l.v[0].bytes > IMAGE_LEN);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CHECK_OK(kernel_open(names[i], &k, &e));
		CHECK_STR(k.release, "9.9-test");
		CHECK_STR(k.package, "linux-image-9.9-test");
		CHECK_STR(k.package_version, "9.9.1-2");
		kernel_done(&k);
	}
	CHECK_OK(kernel_open(at("k.deb"), &k, &e));
	kernel_done(&k);
	CHECK(!fsx_exists(AT_FDCWD, at("escape")));
	CHECK(!fsx_exists(AT_FDCWD, at("mmgauge/escape")));
	CHECK_OK(kernel_cache_remove("meta", &e));
	CHECK_EQ(kernel_open("meta", &k, &e), -ENOENT);
	CHECK_EQ(kernel_cache_remove("meta", &e), -ENOENT);
}

/* A metapackage that is fetched again leads to the newer kernel; the older keeps its own name. */
static void a_name_moves_on(void)
{
	IN_FRESH_DIR;
	_cleanup_free_ char *one = NULL, *two = NULL;
	_cleanup_kernel_ struct kernel k = { 0 };
	struct kernel none;

	put_good_deb("1.deb", CONTROL);
	put_good_deb("2.deb", "Package: linux-image-9.9-test\nVersion: 9.9.2-1\n"
			      "Architecture: amd64\n");
	CHECK_OK(kernel_unpack(at("1.deb"), "meta", &one, &e));
	CHECK_OK(kernel_unpack(at("2.deb"), "meta", &two, &e));
	CHECK_OK(kernel_open("meta", &k, &e));
	CHECK_STR(k.package_version, "9.9.2-1");
	CHECK_EQ(kernel_open("9.9-test", &none, &e), -EINVAL);
	CHECK_HAS(e.msg, "may be \"linux-image-9.9-test_9.9.1-2\" or");
}

static void bad_packages_are_refused(void)
{
	IN_FRESH_DIR;
	const struct member readme = { "./usr/share/doc/readme", "x", 1 };
	_cleanup_kernel_entries_ struct kernel_entries l = { 0 };
	char *name;

	put_good_deb("arm.deb", "Package: linux-image-arm\nVersion: 1\nArchitecture: arm64\n");
	put_deb("meta.deb", CONTROL, &readme, 1);
	put_good_deb("cut.deb", CONTROL);
	put_good_deb("evil.deb", "Package: ../../x\nVersion: 1\nArchitecture: amd64\n");
	CHECK_EQ(truncate(at("cut.deb"), 700), 0);
	put_text("text.deb", "no archive\n");
	CHECK_EQ(kernel_unpack(at("arm.deb"), NULL, &name, &e), -ENOEXEC);
	CHECK_HAS(e.msg, "is for arm64");
	CHECK_EQ(kernel_unpack(at("meta.deb"), NULL, &name, &e), -ENOEXEC);
	CHECK_HAS(e.msg, "holds no kernel");
	CHECK_EQ(kernel_unpack(at("evil.deb"), NULL, &name, &e), -ENOEXEC);
	CHECK(kernel_unpack(at("cut.deb"), NULL, &name, &e) < 0);
	CHECK(kernel_unpack(at("text.deb"), NULL, &name, &e) < 0);
	CHECK(kernel_unpack(at("none.deb"), NULL, &name, &e) < 0);
	CHECK_OK(kernel_cache_list(&l, &e));
	CHECK_EQ(l.n, 0);
}

static void what_a_killed_unpacking_left_goes(void)
{
	IN_FRESH_DIR;
	_cleanup_free_ char *name = NULL;

	put_text("mmgauge/kernels/.new-dead/boot/x", "x");
	put_good_deb("k.deb", CONTROL);
	CHECK_OK(kernel_unpack(at("k.deb"), NULL, &name, &e));
	CHECK(!fsx_exists(AT_FDCWD, at("mmgauge/kernels/.new-dead")));
}

static void modules_come_with_what_they_need(void)
{
	IN_FRESH_DIR;
	_cleanup_strv_ struct strv paths = { 0 };
	_cleanup_kernel_ struct kernel k = { 0 };

	put_good_deb("k.deb", CONTROL);
	CHECK_OK(kernel_open(at("k.deb"), &k, &e));
	CHECK_OK(kernel_module(&k, "a", &paths, &e));
	CHECK_EQ(paths.n, 2);
	CHECK_STR(paths.v[0], "kernel/b-c.ko");
	CHECK_STR(paths.v[1], "kernel/a.ko");
	CHECK_OK(kernel_module(&k, "b_c", &paths, &e)); /* there already */
	CHECK_EQ(paths.n, 2);
	CHECK_EQ(kernel_module(&k, "zram", &paths, &e), -ENOENT);
	CHECK_HAS(e.msg, "has no module \"zram\"");
}

static void modules_that_need_each_other_end(void)
{
	IN_FRESH_DIR;
	_cleanup_strv_ struct strv paths = { 0 };
	_cleanup_kernel_ struct kernel k = { 0 };

	put_image("tree/arch/x86/boot/bzImage", "6 x");
	put("tree/a.ko", "\0depends=b\0", 11);
	put("tree/b.ko", "\0depends=a\0", 11);
	CHECK_OK(kernel_open(at("tree"), &k, &e));
	CHECK_EQ(kernel_module(&k, "a", &paths, &e), -ELOOP);
}

static void write_initrd(const struct kernel *k, const char *path, const char *text)
{
	static const char *const modules[] = { "a" };
	_cleanup_initrd_ struct initrd i = { 0 };

	initrd_add_text(&i, "etc/deep/job", text);
	CHECK_OK(initrd_add_program(&i, "init", "/proc/self/exe", &e));
	CHECK_OK(initrd_add_modules(&i, k, modules, 1, &e));
	CHECK_OK(initrd_write(&i, path, &e));
}

static void an_initramfs_is_reproducible(void)
{
	IN_FRESH_DIR;
	_cleanup_kernel_ struct kernel k = { 0 };
	_cleanup_str_ struct str list = STR_INIT(4096);
	char a[65], b[65], c[65];
	struct archive *ar = archive_read_new();
	struct archive_entry *en;

	put_good_deb("k.deb", CONTROL);
	CHECK_OK(kernel_open(at("k.deb"), &k, &e));
	write_initrd(&k, at("one"), "x");
	write_initrd(&k, at("two"), "x");
	write_initrd(&k, at("three"), "y");
	CHECK_OK(kernel_hash_file(at("one"), a, &e));
	CHECK_OK(kernel_hash_file(at("two"), b, &e));
	CHECK_OK(kernel_hash_file(at("three"), c, &e));
	CHECK_STR(a, b);
	CHECK(strcmp(a, c) != 0);
	(void)archive_read_support_format_cpio(ar);
	CHECK_EQ(archive_read_open_filename(ar, at("one"), 65536), ARCHIVE_OK);
	while (archive_read_next_header(ar, &en) == ARCHIVE_OK) {
		CHECK_EQ(archive_entry_mtime(en), 0);
		str_addf(&list, "%s ", archive_entry_pathname(en));
	}
	(void)archive_read_free(ar);
	CHECK_STR(str_text(&list), "etc etc/deep etc/deep/job init modules modules/00-b-c.ko "
				   "modules/01-a.ko ");
}

/* Symbols are cut off, and the program still runs. */
static void programs_are_stripped(void)
{
	IN_FRESH_DIR;
	_cleanup_initrd_ struct initrd i = { 0 };
	struct stat st;

	CHECK_OK(initrd_add_program(&i, "init", "/proc/self/exe", &e));
	CHECK_EQ(stat("/proc/self/exe", &st), 0);
	CHECK(i.v[0].data.len < (size_t)st.st_size);
	put("init", i.v[0].data.buf, i.v[0].data.len);
	CHECK_EQ(chmod(at("init"), 0755), 0);
	CHECK_EQ(access(at("init"), X_OK), 0);
	if (!getenv("MMGAUGE_STRIPPED")) {
		_cleanup_free_ char *command = xasprintf("MMGAUGE_STRIPPED=1 %s | grep -q '^1..1$'",
							 at("init"));

		CHECK_EQ(system(command), 0);
	}
}

int main(void)
{
	if (getenv("MMGAUGE_STRIPPED")) { /* run by the last test */
		TAP_RUN(old_kernels_have_v1_with_memcg);
		return tap_done();
	}
	TAP_RUN(an_image_says_what_it_is);
	TAP_RUN(old_kernels_have_v1_with_memcg);
	TAP_RUN(other_files_are_refused);
	TAP_RUN(a_build_tree_is_a_kernel);
	TAP_RUN(a_package_is_unpacked_once_and_found_by_its_names);
	TAP_RUN(a_name_moves_on);
	TAP_RUN(bad_packages_are_refused);
	TAP_RUN(what_a_killed_unpacking_left_goes);
	TAP_RUN(modules_come_with_what_they_need);
	TAP_RUN(modules_that_need_each_other_end);
	TAP_RUN(an_initramfs_is_reproducible);
	TAP_RUN(programs_are_stripped);
	return tap_done();
}
