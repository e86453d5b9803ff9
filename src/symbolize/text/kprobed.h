/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kprobed.h - what stands under the kprobes of the running kernel
 *
 * A kprobe overwrites its instruction with INT3, or when it is optimized with a jump of 5 bytes.
 * Whoever armed it: kprobe_table[] (kernel/kprobes.c) has all of them, with the bytes that were
 * there before.
 */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_KPROBED_H
#define LBRSNOOP_SYMBOLIZE_TEXT_KPROBED_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

struct btf;
struct kprobed;

/**
 * kprobed_open() - know the kernel's kprobes from now on
 * @memory: the kernel's, as it is now: no read of it may be cached; in use until kprobed_close()
 * @table: address of kprobe_table; 0: not known
 * @btf: of the kernel, or NULL; not used later
 * Return: 0; -ENODATA if the kernel does not tell where they are; -ENOMEM.
 */
int kprobed_open(const struct text_source *memory, uint64_t table, const struct btf *btf,
		 struct kprobed **ret);

/** kprobed_renew() - look for new ones; called before text is read, which may end meanwhile */
void kprobed_renew(struct kprobed *kprobed);

/**
 * kprobed_put_back() - in @bytes, just read at @addr, restore what stands under kprobes
 * What cannot be known stays as it is in memory.
 */
void kprobed_put_back(struct kprobed *kprobed, uint64_t addr, void *bytes, size_t len);

/** kprobed_close() - free; NULL is fine */
void kprobed_close(struct kprobed *kprobed);

#endif
