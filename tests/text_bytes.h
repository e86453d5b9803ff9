/* SPDX-License-Identifier: GPL-2.0 */
/* text_bytes.h - code written by hand as the kernel's text, for test programs */
#ifndef LBRSNOOP_TESTS_TEXT_BYTES_H
#define LBRSNOOP_TESTS_TEXT_BYTES_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

/** struct text_bytes - @len of @bytes, at @base: the ctx of a struct text_source */
struct text_bytes {
	uint64_t base;
	const uint8_t *bytes;
	size_t len;
};

/** text_bytes_read() - the read of a struct text_source */
static inline int text_bytes_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct text_bytes *code = ctx;

	if (addr < code->base || addr - code->base > code->len ||
	    len > code->len - (addr - code->base))
		return -EFAULT;
	memcpy(buf, code->bytes + (addr - code->base), len);
	return 0;
}

#endif
