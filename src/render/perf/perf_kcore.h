/* SPDX-License-Identifier: GPL-2.0 */
/* perf_kcore.h - symbols and text as perf finds them in kcore_dir; internal to perf_data.c */
#ifndef LBRSNOOP_RENDER_PERF_PERF_KCORE_H
#define LBRSNOOP_RENDER_PERF_PERF_KCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "capfile/meta.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/textstore.h"

/*
 * The kernel image lies within so many bytes of _text, modules beyond (KERNEL_IMAGE_SIZE of
 * arch/x86/include/asm/page_64_types.h is 1 GiB with KASLR, but no image has half of it).
 */
#define PERF_KCORE_IMAGE_MAX (512u << 20)

/**
 * perf_kcore_write() - make DIR/kcore_dir/kallsyms, modules and kcore
 * @one_map: all text in one stretch. perf replaces its map of the kernel when it first looks into
 *           it, and looks for that first address in what stands in its place: in the kernel image,
 *           unless this makes it all of the text.
 * @ret_end: end of the stretch with the kernel image; 0 if there is none
 * Return: 0; negative errno.
 */
int perf_kcore_write(const char *dir, const struct capfile_meta *meta, struct symbols *symbols,
		     struct textstore *text, bool one_map, uint64_t *ret_end);

#endif
