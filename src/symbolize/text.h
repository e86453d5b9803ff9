/* SPDX-License-Identifier: GPL-2.0 */
/* text.h - instruction bytes of the running kernel, or of its image */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_H
#define LBRSNOOP_SYMBOLIZE_TEXT_H

#include <stdint.h>

#include "snapshot/snapshot.h"

struct text;

/**
 * text_live_open() - text as it is in memory: alternatives, static branches and ftrace patched,
 * modules and BPF programs included
 * @path: NULL for /proc/kcore, or another ELF core file
 * @ret_text: set on success; free with text_close()
 * Return: 0; -EPERM if lockdown (confidentiality) forbids it; -EACCES if we lack CAP_SYS_RAWIO
 * or may not read the file; -ENOENT if there is none (kernel without CONFIG_PROC_KCORE);
 * -EINVAL if it is no ELF core; -ENOMEM.
 */
int text_live_open(const char *path, struct text **ret_text);

/**
 * text_live_info() - VMCOREINFO of the running kernel, which its core file has as a note
 * @ret_info: set on success: lines of KEY=VALUE; free()
 * Return: 0; -ENOENT if it has none, or cannot be read; -ENOMEM.
 */
int text_live_info(const struct text *text, char **ret_info);

/**
 * text_image_open() - text as it was built: nothing patched, no modules, no BPF programs
 * @path: vmlinux; sections whose bytes were stripped to a debug file are not there
 * @kaslr_offset: run-time minus link-time address
 * @ret_text: set on success; free with text_close()
 * Return: 0; -ENOENT; -EINVAL if it is no ELF file or has no text; -ENOMEM; errno of open().
 */
int text_image_open(const char *path, uint64_t kaslr_offset, struct text **ret_text);

/** text_close() - free; NULL is fine */
void text_close(struct text *text);

/**
 * text_live_invalidate() - forget what was read
 * Text is patched at run time: call it once for each snapshot, before the first read for it.
 * Cheap; NULL is fine.
 */
void text_live_invalidate(struct text *text);

/**
 * text_source() - as the rest of the tool reads it
 * Return: source that is valid until text_close(). Reads fail with -EFAULT where there is no
 * range, or (live) where the whole page is zero, which is how /proc/kcore gives unmapped memory.
 */
struct text_source text_source(struct text *text);

/** struct text_fallback - two sources as one */
struct text_fallback {
	struct text_source first;
	struct text_source second;
};

/**
 * text_fallback_source() - read from the second what the first has not
 * @fallback: borrowed as long as the source is used
 */
struct text_source text_fallback_source(struct text_fallback *fallback);

#endif
