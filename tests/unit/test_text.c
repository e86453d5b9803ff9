// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"

#define TEXT_ADDR   0xffffffff9a000000u
#define MODULE_ADDR 0xffffffffc0201800u

/* A core file of two ranges: 3 pages, the middle one zero; and 100 bytes in mid-page. */
struct core_file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[3];
	uint8_t text[3 * 4096];
	uint8_t module[100];
};

static void fill_core(struct core_file *core)
{
	*core = (struct core_file){
		.ehdr = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_phoff = offsetof(struct core_file, phdrs),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 3},
		.phdrs = {{.p_type = PT_NOTE, .p_filesz = 8},
			  {.p_type = PT_LOAD,
			   .p_vaddr = MODULE_ADDR,
			   .p_offset = offsetof(struct core_file, module),
			   .p_filesz = 100},
			  {.p_type = PT_LOAD,
			   .p_vaddr = TEXT_ADDR,
			   .p_offset = offsetof(struct core_file, text),
			   .p_filesz = 3 * 4096}},
	};
	for (size_t i = 0; i < 4096; i++) {
		core->text[i] = (uint8_t)(i * 7 + 1);
		core->text[2 * 4096 + i] = 0x90;
	}
	for (size_t i = 0; i < 100; i++)
		core->module[i] = (uint8_t)i;
}

static int write_core(char *path, const struct core_file *core, size_t len)
{
	int fd;

	strcpy(path, "/tmp/lbrsnoop-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, core, len), (ssize_t)len);
	return fd;
}

static void live_read_copies_bytes(void **state)
{
	struct core_file core;
	struct text_source source;
	struct text *text = NULL;
	uint8_t buf[200];
	char path[64];

	(void)state;
	fill_core(&core);
	close(write_core(path, &core, sizeof(core)));
	assert_int_equal(text_live_open(path, &text), 0);
	source = text_source(text);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 5, buf, 200), 0);
	assert_memory_equal(buf, core.text + 5, 200);
	assert_int_equal(source.read(source.ctx, MODULE_ADDR + 90, buf, 10), 0);
	assert_memory_equal(buf, core.module + 90, 10);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 3 * 4096 - 1, buf, 1), 0);
	assert_int_equal(buf[0], 0x90);
	text_close(text);
	unlink(path);
}

#define LARGE_PAGES 40
#define HOLE_PAGE   30

/* A core file of one range of many pages, one of them zero; then 100 bytes more. */
struct large_core {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	uint8_t text[LARGE_PAGES * 4096 + 100];
};

static struct large_core large;

/* What is read at once is what is read byte by byte; up to the hole, and to the end. */
static void live_read_of_many_pages(void **state)
{
	static uint8_t buf[sizeof(large.text)];
	struct text_source source;
	struct text *text = NULL;
	struct core_file small;
	char path[] = "/tmp/lbrsnoop-test-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	fill_core(&small);
	large.ehdr = small.ehdr;
	large.ehdr.e_phoff = offsetof(struct large_core, phdr);
	large.ehdr.e_phnum = 1;
	large.phdr = (Elf64_Phdr){.p_type = PT_LOAD,
				  .p_vaddr = TEXT_ADDR,
				  .p_offset = offsetof(struct large_core, text),
				  .p_filesz = sizeof(large.text)};
	for (size_t i = 0; i < sizeof(large.text); i++)
		large.text[i] = i / 4096 == HOLE_PAGE ? 0 : (uint8_t)(i * 7 + i / 4096 + 1);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &large, sizeof(large)), (ssize_t)sizeof(large));
	close(fd);
	assert_int_equal(text_live_open(path, &text), 0);
	source = text_source(text);
	for (size_t from = 0; from < 2 * 4096; from += 1365) {
		size_t len = HOLE_PAGE * 4096 - from;

		assert_int_equal(source.read(source.ctx, TEXT_ADDR + from, buf, len), 0);
		assert_memory_equal(buf, large.text + from, len);
		assert_int_equal(source.read(source.ctx, TEXT_ADDR + from, buf, len + 1), -EFAULT);
		assert_int_equal(source.read(source.ctx, TEXT_ADDR + from, buf, len + 4096),
				 -EFAULT);
	}
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + HOLE_PAGE * 4096, buf, 9 * 4096),
			 -EFAULT);
	assert_int_equal(
		source.read(source.ctx, TEXT_ADDR + (HOLE_PAGE + 1) * 4096, buf, 9 * 4096 + 100),
		0);
	assert_memory_equal(buf, large.text + (HOLE_PAGE + 1) * 4096, 9 * 4096 + 100);
	assert_int_equal(
		source.read(source.ctx, TEXT_ADDR + (HOLE_PAGE + 1) * 4096, buf, 9 * 4096 + 101),
		-EFAULT);
	text_close(text);
	unlink(path);
}

static void live_read_outside_is_efault(void **state)
{
	struct core_file core;
	struct text_source source;
	struct text *text = NULL;
	uint8_t buf[16];
	char path[64];

	(void)state;
	fill_core(&core);
	close(write_core(path, &core, sizeof(core)));
	assert_int_equal(text_live_open(path, &text), 0);
	source = text_source(text);
	assert_int_equal(source.read(source.ctx, MODULE_ADDR + 90, buf, 11), -EFAULT);
	assert_int_equal(source.read(source.ctx, MODULE_ADDR - 1, buf, 2), -EFAULT);
	assert_int_equal(source.read(source.ctx, 0, buf, 1), -EFAULT);
	assert_int_equal(source.read(source.ctx, 0x401000, buf, 1), -EFAULT);
	assert_int_equal(source.read(source.ctx, UINT64_MAX - 3, buf, 16), -EFAULT);
	/* the zero page, also when only the end of the range reaches into it */
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 4096, buf, 1), -EFAULT);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 4090, buf, 8), -EFAULT);
	text_close(text);
	unlink(path);
}

static void live_invalidate_sees_patched_text(void **state)
{
	static const uint8_t patch = 0xcc;
	struct core_file core;
	struct text_source source;
	struct text *text = NULL;
	uint8_t byte;
	char path[64];
	int fd;

	(void)state;
	fill_core(&core);
	fd = write_core(path, &core, sizeof(core));
	assert_int_equal(text_live_open(path, &text), 0);
	source = text_source(text);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 1, &byte, 1), 0);
	assert_int_equal(byte, 8);
	assert_int_equal(pwrite(fd, &patch, 1, offsetof(struct core_file, text) + 1), 1);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 1, &byte, 1), 0);
	assert_int_equal(byte, 8);
	text_live_invalidate(text);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 1, &byte, 1), 0);
	assert_int_equal(byte, 0xcc);
	close(fd);
	text_close(text);
	unlink(path);
}

/* 300 pages on each side of 2 MiB: at the same place of a cache of 512, one after the other. */
#define FAR_PAGES 300
#define FAR_BYTES (2u << 20)

/* Text that is patched between two looks at one snapshot is the same in both. */
static void live_read_many_pages_keeps_what_was_read(void **state)
{
	struct core_file core;
	struct text_source source;
	struct text *text = NULL;
	uint8_t byte, patch = 0xcc;
	char path[64];
	int fd;

	(void)state;
	fill_core(&core);
	core.phdrs[2].p_filesz = 2 * (uint64_t)FAR_BYTES;
	fd = write_core(path, &core, sizeof(core));
	for (unsigned int page = 0; page < 1024; page++) {
		byte = (uint8_t)(page % 251 + 1);
		assert_int_equal(
			pwrite(fd, &byte, 1, (off_t)offsetof(struct core_file, text) + page * 4096),
			1);
	}
	assert_int_equal(ftruncate(fd, (off_t)offsetof(struct core_file, text) + 2 * FAR_BYTES), 0);
	assert_int_equal(text_live_open(path, &text), 0);
	source = text_source(text);
	for (unsigned int page = 0; page < FAR_PAGES / 2; page++) {
		assert_int_equal(source.read(source.ctx, TEXT_ADDR + page * 4096, &byte, 1), 0);
		assert_int_equal(
			source.read(source.ctx, TEXT_ADDR + FAR_BYTES + page * 4096, &byte, 1), 0);
	}
	for (unsigned int page = 0; page < 1024; page++)
		assert_int_equal(pwrite(fd, &patch, 1,
					(off_t)offsetof(struct core_file, text) + page * 4096),
				 1);
	for (unsigned int page = 0; page < FAR_PAGES / 2; page++) {
		assert_int_equal(source.read(source.ctx, TEXT_ADDR + page * 4096, &byte, 1), 0);
		assert_int_equal(byte, page % 251 + 1);
		assert_int_equal(
			source.read(source.ctx, TEXT_ADDR + FAR_BYTES + page * 4096, &byte, 1), 0);
		assert_int_equal(byte, (512 + page) % 251 + 1);
	}
	close(fd);
	text_close(text);
	unlink(path);
}

static int open_core(const struct core_file *core, size_t len)
{
	struct text *text = NULL;
	char path[64];
	int err;

	close(write_core(path, core, len));
	err = text_live_open(path, &text);
	text_close(text);
	unlink(path);
	return err;
}

static void live_open_bad_file_is_refused(void **state)
{
	struct core_file core;
	struct text *text = NULL;

	(void)state;
	assert_int_equal(text_live_open("/nonexistent", &text), -ENOENT);
	assert_null(text);
	fill_core(&core);
	assert_int_equal(open_core(&core, 20), -EINVAL);
	assert_int_equal(open_core(&core, sizeof(Elf64_Ehdr) + 60), -EINVAL);
	core.ehdr.e_phoff = UINT64_MAX - 8;
	assert_int_equal(open_core(&core, sizeof(core)), -EINVAL);
	fill_core(&core);
	core.ehdr.e_phnum = 1;
	assert_int_equal(open_core(&core, sizeof(core)), -EINVAL);
	fill_core(&core);
	core.phdrs[1].p_vaddr = UINT64_MAX - 10;
	core.phdrs[2].p_offset = INT64_MAX;
	assert_int_equal(open_core(&core, sizeof(core)), -EINVAL);
}

static void live_read_beyond_file_is_efault(void **state)
{
	struct core_file core;
	struct text_source source;
	struct text *text = NULL;
	char path[64];
	uint8_t byte;

	(void)state;
	fill_core(&core);
	close(write_core(path, &core, sizeof(core) - 101));
	assert_int_equal(text_live_open(path, &text), 0);
	source = text_source(text);
	assert_int_equal(source.read(source.ctx, MODULE_ADDR, &byte, 1), -EFAULT);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR, &byte, 1), 0);
	text_close(text);
	unlink(path);
}

static void image_read_finds_own_code(void **state)
{
	const uint64_t offset = 0x1000000;
	struct symbols *syms = NULL;
	struct text_source source;
	struct text *text = NULL;
	struct symbol sym;
	uint8_t buf[32];

	(void)state;
	assert_int_equal(symbols_open_elf("/proc/self/exe", offset, &syms), 0);
	assert_int_equal(symbols_by_name(syms, "", "text_image_open", 0, &sym), 0);
	assert_int_equal(text_image_open("/proc/self/exe", offset, &text), 0);
	source = text_source(text);
	assert_int_equal(source.read(source.ctx, sym.addr, buf, sizeof(buf)), 0);
	assert_memory_equal(buf, (const void *)(uintptr_t)text_image_open, sizeof(buf));
	assert_int_equal(source.read(source.ctx, offset, buf, 1), -EFAULT);
	text_close(text);
	symbols_close(syms);
	assert_int_equal(text_image_open("/etc/passwd", 0, &text), -EINVAL);
	assert_int_equal(text_image_open("/nonexistent", 0, &text), -ENOENT);
}

/* Text of the running kernel: a function starts with ENDBR64 or the ftrace NOP, and never with 0.
 */
static void live_read_running_kernel(void **state)
{
	struct symbols *syms = NULL;
	struct text_source source;
	struct text *text = NULL;
	struct symbol sym;
	uint8_t buf[64], zero[64] = {0};
	int err = text_live_open(NULL, &text);

	(void)state;
	if (err || symbols_open(NULL, &syms)) {
		print_message("skipped: /proc/kcore: %s\n", strerror(-err));
		text_close(text);
		skip();
	}
	source = text_source(text);
	assert_int_equal(symbols_by_name(syms, "", "vfs_read", 0, &sym), 0);
	assert_int_equal(source.read(source.ctx, sym.addr, buf, sizeof(buf)), 0);
	assert_memory_not_equal(buf, zero, sizeof(buf));
	assert_int_equal(source.read(source.ctx, 0xffff700000000000, buf, 1), -EFAULT);
	symbols_close(syms);
	text_close(text);
}

/* struct teller - @text: told anew when it is renewed; @ended: by text_close() */
struct teller {
	uint8_t byte;
	unsigned int ended;
	uint64_t kept;
};

static void tell_anew(struct text *text, void *ctx)
{
	struct teller *teller = ctx;

	text_untell(text, teller->kept);
	assert_int_equal(text_tell(text, MODULE_ADDR, &teller->byte, 1), 0);
}

static void end_teller(void *ctx)
{
	((struct teller *)ctx)->ended++;
}

static void told_read_what_was_told_last(void **state)
{
	struct teller told = {.byte = 7};
	const struct text_teller teller = {.renew = tell_anew, .end = end_teller, .ctx = &told};
	static const uint8_t first[] = {1, 2, 3, 4}, second[] = {5, 6, 7, 8};
	struct text_source source;
	struct text *text = NULL;
	uint8_t buf[4];

	(void)state;
	assert_int_equal(text_told_open(&teller, &text), 0);
	source = text_source(text);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR, buf, 1), -EFAULT);
	/* not in the order of their addresses */
	assert_int_equal(text_tell(text, TEXT_ADDR + 4096, second, 4), 0);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 4096, buf, 4), 0);
	assert_memory_equal(buf, second, 4);
	assert_int_equal(text_tell(text, TEXT_ADDR, first, 4), 0);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR, buf, 4), 0);
	assert_memory_equal(buf, first, 4);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR + 4096, buf, 4), 0);
	assert_memory_equal(buf, second, 4);
	told.kept = text_told(text);
	assert_int_equal(told.kept, 8);
	text_live_invalidate(text);
	assert_int_equal(source.read(source.ctx, MODULE_ADDR, buf, 1), 0);
	assert_int_equal(buf[0], 7);
	told.byte = 9;
	text_live_invalidate(text);
	assert_int_equal(source.read(source.ctx, MODULE_ADDR, buf, 1), 0);
	assert_int_equal(buf[0], 9);
	assert_int_equal(source.read(source.ctx, TEXT_ADDR, buf, 4), 0);
	text_close(text);
	assert_int_equal(told.ended, 1);
}

static void tell_live_is_einval(void **state)
{
	struct core_file core;
	struct text *text = NULL;
	char path[64];

	(void)state;
	fill_core(&core);
	close(write_core(path, &core, sizeof(core)));
	assert_int_equal(text_live_open(path, &text), 0);
	assert_int_equal(text_tell(text, TEXT_ADDR, "x", 1), -EINVAL);
	text_close(text);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_read_copies_bytes),
		cmocka_unit_test(live_read_of_many_pages),
		cmocka_unit_test(live_read_outside_is_efault),
		cmocka_unit_test(live_invalidate_sees_patched_text),
		cmocka_unit_test(live_read_many_pages_keeps_what_was_read),
		cmocka_unit_test(live_open_bad_file_is_refused),
		cmocka_unit_test(live_read_beyond_file_is_efault),
		cmocka_unit_test(image_read_finds_own_code),
		cmocka_unit_test(live_read_running_kernel),
		cmocka_unit_test(told_read_what_was_told_last),
		cmocka_unit_test(tell_live_is_einval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
