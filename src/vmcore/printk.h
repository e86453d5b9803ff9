/* SPDX-License-Identifier: GPL-2.0 */
/* printk.h - the kernel's log, out of a dump: what dmesg would have shown */
#ifndef LBRSNOOP_VMCORE_PRINTK_H
#define LBRSNOOP_VMCORE_PRINTK_H

#include <stddef.h>
#include <stdint.h>

#include "vmcore/vmcore.h"

/**
 * typedef printk_fn - one message
 * @ts_ns: local_clock() when it was said, since boot
 * @text: may hold control characters; NUL-terminated; NULL: it is not in the dump
 * Return: 0; non-zero ends printk_tail(), which returns it.
 */
typedef int printk_fn(uint64_t seq, uint64_t ts_ns, const char *text, void *ctx);

/**
 * printk_tail() - the last messages, oldest first
 * @max: so many
 * Return: 0; -ENODATA if the log's place is not told (no VMCOREINFO, or Linux before 5.10);
 * -EFAULT if its pages are not in the dump; -EBADMSG if it makes no sense; what @fn returned.
 */
int printk_tail(struct dump *dump, uint32_t max, printk_fn *fn, void *ctx);

#endif
