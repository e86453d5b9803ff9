/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unpatched.h - the kernel's text without the kprobes that we have armed
 *
 * A kprobe puts a breakpoint instruction where it stands, and an optimized one a jump of five
 * bytes (Documentation/trace/kprobes.rst). Who looks for an instruction that is watched would not
 * find it. So the bytes are kept before a kprobe is armed, and reads get these.
 */
#ifndef LBRSNOOP_WHY_RUN_UNPATCHED_H
#define LBRSNOOP_WHY_RUN_UNPATCHED_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

#define UNPATCHED_BYTES 5

/** struct unpatched_bytes - @len of them, as they were at @addr */
struct unpatched_bytes {
	uint64_t addr;
	uint8_t len;
	uint8_t bytes[UNPATCHED_BYTES];
};

/** struct unpatched - @text: as it is now; free with unpatched_forget() */
struct unpatched {
	struct text_source text;
	struct unpatched_bytes *items;
	size_t count;
};

/**
 * unpatched_keep() - a kprobe will be armed at @addr
 * Text that cannot be read is left as it is. Return: 0 or -ENOMEM.
 */
int unpatched_keep(struct unpatched *unpatched, uint64_t addr);

/** unpatched_forget() - the kprobes are gone */
void unpatched_forget(struct unpatched *unpatched);

/** unpatched_source() - reads of it; @unpatched is borrowed */
struct text_source unpatched_source(struct unpatched *unpatched);

#endif
