// SPDX-License-Identifier: GPL-2.0
#include "vmcore/kernel_btf.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/btf.h>

#include "util/cleanup.h"

#define BTF_BYTES_MAX (64u << 20)

void kernel_btf_free(struct btf **btf)
{
	btf__free(*btf);
}

int kernel_btf_read(struct dump *dump, uint64_t start, uint64_t stop, struct btf **ret_btf)
{
	uint64_t bytes = stop - start;
	_cleanup_free_ void *data = NULL;

	if (!start || !stop)
		return -ENODATA;
	if (stop < start || bytes > BTF_BYTES_MAX)
		return -EBADMSG;
	data = malloc(bytes);
	if (!data)
		return -ENOMEM;
	if (dump_read(dump, start, data, bytes))
		return -EFAULT;
	*ret_btf = btf__new(data, (uint32_t)bytes);
	return *ret_btf ? 0 : errno == ENOMEM ? -ENOMEM : -EBADMSG;
}
