/* SPDX-License-Identifier: GPL-2.0 */
/* text.h - instruction bytes of the running kernel, or of its image */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_TEXT_H
#define LBRSNOOP_SYMBOLIZE_TEXT_TEXT_H

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

/** text_live_why() - what text_live_open() failed with, in words */
const char *text_live_why(int err);

struct btf;
struct symbols;

/**
 * text_live_hide_probes() - read live text as if no kprobe were armed and no function traced
 * @symbols: of the kernel; in use until text_close()
 * @btf: of the kernel, or NULL
 * Return: 0; -ENODATA if the kernel does not tell where kprobes are, which then stay in the text;
 * -ENOMEM.
 */
int text_live_hide_probes(struct text *text, const struct symbols *symbols, const struct btf *btf);

/**
 * text_image_open() - text as it was built: nothing patched, no modules, no BPF programs
 * @path: vmlinux; sections whose bytes were stripped to a debug file are not there
 * @kaslr_offset: run-time minus link-time address
 * @ret_text: set on success; free with text_close()
 * Return: 0; -ENOENT; -EINVAL if it is no ELF file or has no text; -ENOMEM; errno of open().
 */
int text_image_open(const char *path, uint64_t kaslr_offset, struct text **ret_text);

/**
 * struct text_teller - who knows text that text_tell() is told
 * @renew: text_live_invalidate() was called: what has changed may be told anew
 * @end: text_close() was called
 */
struct text_teller {
	void (*renew)(struct text *text, void *ctx);
	void (*end)(void *ctx);
	void *ctx;
};

/**
 * text_told_open() - text that is told piece by piece
 * @ret_text: set on success; free with text_close(). Nothing stands in it yet
 * Return: 0; -ENOMEM, or another negative errno.
 */
int text_told_open(const struct text_teller *teller, struct text **ret_text);

/**
 * text_tell() - these bytes stand there
 * Return: 0; -EINVAL if it is not told, or of too many pieces; -ENOMEM; errno of writing.
 */
int text_tell(struct text *text, uint64_t addr, const void *bytes, size_t len);

/** text_told() - how many bytes were told */
uint64_t text_told(const struct text *text);

/** text_untell() - forget all but the first @told bytes that were told, whole pieces */
void text_untell(struct text *text, uint64_t told);

/** text_close() - free; NULL is fine */
void text_close(struct text *text);

/** text_drop_pages() - forget what was read, and give back its memory: nothing is read for some
 * time */
void text_drop_pages(struct text *text);

/**
 * text_live_invalidate() - forget what was read
 * Text is patched at run time: call it once for each snapshot, before the first read for it.
 * Cheap if it is live; NULL is fine.
 */
void text_live_invalidate(struct text *text);

/**
 * text_source() - as the rest of the tool reads it
 * Return: source that is valid until text_close(). Reads fail with -EFAULT where there is no
 * range, or (live) where the whole page is zero, which is how /proc/kcore gives unmapped memory.
 */
struct text_source text_source(struct text *text);

#endif
