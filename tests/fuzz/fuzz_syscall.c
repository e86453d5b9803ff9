// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_syscall - any call with any arguments and any blobs: a text of printable characters that
 * fits, and the same start of it in a buffer that is too small
 *
 * Input: struct syscall_event, cut anywhere.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "syscall/syscall.h"

static void require(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char whole[SYSCALL_TEXT_MAX], part[64];
	struct syscall_event call = {0};
	int len;

	memcpy(&call, data, size < sizeof(call) ? size : sizeof(call));
	len = syscall_format(&call, whole, sizeof(whole));
	require(len > 0 && len < SYSCALL_TEXT_MAX && strlen(whole) == (size_t)len);
	for (int i = 0; i < len; i++)
		require(whole[i] >= ' ' && whole[i] < 0x7f);
	require(whole[len - 1] == ')');
	require(syscall_format(&call, part, sizeof(part)) == len);
	require(!strncmp(whole, part, sizeof(part) - 1));
	require(strlen(part) == (size_t)(len < 63 ? len : 63));
	return 0;
}
