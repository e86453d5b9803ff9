// SPDX-License-Identifier: GPL-2.0
/* This program's own file, packed as modules and kernels are: the same ELF file comes out of each.
 */
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "../whole_file.h"
#include "symbolize/debug/packed.h"
#include "util/cleanup.h"

static char path[64];
static uint8_t *self;
static size_t self_len;

static void write_file(const void *begin, size_t begin_len, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(begin, 1, begin_len, file), begin_len);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void *zstd_of(const void *bytes, size_t len, size_t *ret_len)
{
	size_t room = ZSTD_compressBound(len);
	void *packed = malloc(room);

	assert_non_null(packed);
	*ret_len = ZSTD_compress(packed, room, bytes, len, 1);
	assert_false(ZSTD_isError(*ret_len));
	return packed;
}

static void check_is_self(void)
{
	struct packed packed = {};
	size_t len = 0;
	const char *raw;

	assert_int_equal(packed_open(path, &packed), 0);
	raw = elf_rawfile(packed.elf, &len);
	assert_non_null(raw);
	assert_int_equal(len, self_len);
	assert_memory_equal(raw, self, len);
	packed_close(&packed);
}

static void packed_open_plain_and_gzip(void **state)
{
	gzFile gz;

	(void)state;
	write_file("", 0, self, self_len);
	check_is_self();
	gz = gzopen(path, "wb1");
	assert_non_null(gz);
	assert_int_equal(gzwrite(gz, self, (unsigned int)self_len), (int)self_len);
	assert_int_equal(gzclose(gz), Z_OK);
	check_is_self();
}

static void packed_open_zstd(void **state)
{
	size_t len;
	_cleanup_free_ void *zstd = zstd_of(self, self_len, &len);

	(void)state;
	write_file("", 0, zstd, len);
	check_is_self();
	/* not all of it is there */
	write_file("", 0, zstd, len / 2);
	assert_int_equal(packed_open(path, &(struct packed){}), -EINVAL);
}

/* Documentation/arch/x86/boot.rst: two sectors of setup code, 100 bytes behind them the kernel */
static void packed_open_boot_image(void **state)
{
	static const uint32_t offset = 100, sectors = 2;
	uint8_t header[(sectors + 1) * 512 + offset];
	size_t len;
	_cleanup_free_ uint8_t *zstd = zstd_of(self, self_len, &len);
	uint32_t payload_len = (uint32_t)len + 4, size = (uint32_t)self_len;

	(void)state;
	memset(header, 0x90, sizeof(header));
	header[0x1f1] = (uint8_t)sectors;
	memcpy(header + 0x202, "HdrS", 4);
	memcpy(header + 0x248, &offset, 4);
	memcpy(header + 0x24c, &payload_len, 4);
	/* the size of the kernel ends the payload */
	zstd = realloc(zstd, payload_len);
	assert_non_null(zstd);
	memcpy(zstd + len, &size, 4);
	write_file(header, sizeof(header), zstd, payload_len);
	check_is_self();
	/* the payload would end behind the file */
	payload_len += 1000;
	memcpy(header + 0x24c, &payload_len, 4);
	write_file(header, sizeof(header), zstd, len);
	assert_int_equal(packed_open(path, &(struct packed){}), -EINVAL);
}

static void packed_open_no_elf_is_einval(void **state)
{
	static const char text[] = "this is text";
	size_t len;
	_cleanup_free_ void *zstd = zstd_of(text, sizeof(text), &len);
	struct packed packed = {};

	(void)state;
	write_file("", 0, text, sizeof(text));
	assert_int_equal(packed_open(path, &packed), -EINVAL);
	write_file("", 0, zstd, len);
	assert_int_equal(packed_open(path, &packed), -EINVAL);
	write_file("", 0, "", 0);
	assert_int_equal(packed_open(path, &packed), -EINVAL);
	assert_int_equal(packed_open("/", &packed), -EINVAL);
	assert_int_equal(packed_open("/nonexistent", &packed), -ENOENT);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(packed_open(path, &packed), -EINVAL);
	packed_close(&packed);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(path, "/tmp/lbrsnoop-test-XXXXXX");
	close(mkstemp(path));
	self = whole_file("/proc/self/exe", &self_len);
	return !self;
}

static int tear_down(void **state)
{
	(void)state;
	free(self);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_open_plain_and_gzip),
		cmocka_unit_test(packed_open_zstd),
		cmocka_unit_test(packed_open_boot_image),
		cmocka_unit_test(packed_open_no_elf_is_einval),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
