/* SPDX-License-Identifier: GPL-2.0 */
/* bpf_arrays.h - memory-mapped BPF array maps of a dead kernel, by its own list of maps */
#ifndef LBRSNOOP_VMCORE_BPF_ARRAYS_H
#define LBRSNOOP_VMCORE_BPF_ARRAYS_H

#include <stdint.h>

#include "vmcore/vmcore.h"

/**
 * typedef bpf_array_fn - one map
 * @values: kernel virtual address of its first value, page-aligned
 * Return: 0; non-zero ends bpf_arrays_visit(), which returns it.
 */
typedef int bpf_array_fn(uint64_t values, uint32_t entries, void *ctx);

/**
 * bpf_arrays_visit() - array maps (BPF_F_MMAPABLE) of a name, with values of @value_bytes
 * What the dump holds is not trusted: @values may be any address.
 * Return: 0 if the whole list was seen; -ENODATA if the dump does not tell where it is (no
 * VMCOREINFO, no KALLSYMS_ALL, no BTF, no BPF); -EFAULT if pages of it are not in the dump;
 * -EBADMSG if it makes no sense; -ENOMEM; what @fn returned.
 */
int bpf_arrays_visit(struct dump *dump, const char *name, uint32_t value_bytes, bpf_array_fn *fn,
		     void *ctx);

#endif
