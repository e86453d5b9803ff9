/* SPDX-License-Identifier: GPL-2.0 */
/* ksym_read.h - what the readers of the kernel's tables need of its memory; internal to tables/ */
#ifndef LBRSNOOP_SYMBOLIZE_TABLES_KSYM_READ_H
#define LBRSNOOP_SYMBOLIZE_TABLES_KSYM_READ_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

/* KSYM_NAME_LEN since Linux 6.1 */
#define KSYM_NAME_BYTES 512

/** ksym_read() - Return: 0, or -EFAULT. */
int ksym_read(const struct text_source *memory, uint64_t addr, void *buf, size_t len);

/**
 * ksym_read_name() - a string up to its NUL; the bytes behind it need not be there
 * @room: of @name, in bytes
 * Return: 0; -EFAULT; -EBADMSG if it is empty, longer, or has blanks or unprintable characters.
 */
int ksym_read_name(const struct text_source *memory, uint64_t addr, char *name, size_t room,
		   size_t *ret_len);

#endif
