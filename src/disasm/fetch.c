// SPDX-License-Identifier: GPL-2.0
#include "disasm/fetch.h"

#include <errno.h>

int insn_fetch(const struct text_source *text, uint64_t addr, uint8_t bytes[INSN_LEN_MAX],
	       struct insn *ret)
{
	size_t len = text->read ? INSN_LEN_MAX : 0;

	/* The end of the text may be nearer than the longest instruction. */
	while (len && text->read(text->ctx, addr, bytes, len))
		len--;
	return len ? insn_decode(bytes, len, addr, ret) : -EFAULT;
}
