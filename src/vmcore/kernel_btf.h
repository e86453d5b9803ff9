/* SPDX-License-Identifier: GPL-2.0 */
/* kernel_btf.h - the BTF of a dead kernel, out of its dump */
#ifndef LBRSNOOP_VMCORE_KERNEL_BTF_H
#define LBRSNOOP_VMCORE_KERNEL_BTF_H

#include <stdint.h>

#include "vmcore/vmcore.h"

struct btf;

/**
 * kernel_btf_read() - the BTF of the kernel image
 * @start, @stop: addresses of __start_BTF and __stop_BTF; 0 if unknown
 * @ret_btf: set on success; kernel_btf_free()
 * Return: 0; -ENODATA if there is none; -EFAULT if pages of it are not in the dump; -EBADMSG if it
 * makes no sense; -ENOMEM.
 */
int kernel_btf_read(struct dump *dump, uint64_t start, uint64_t stop, struct btf **ret_btf);

/** kernel_btf_free() - for _cleanup_() */
void kernel_btf_free(struct btf **btf);

#endif
