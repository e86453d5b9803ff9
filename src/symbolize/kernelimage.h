/* SPDX-License-Identifier: GPL-2.0 */
/* kernelimage.h - the running kernel's text out of its vmlinux, where the live one is out of reach
 */
#ifndef LBRSNOOP_SYMBOLIZE_KERNELIMAGE_H
#define LBRSNOOP_SYMBOLIZE_KERNELIMAGE_H

#include <stdint.h>

#include "symbolize/text.h"

/**
 * kernel_image_open() - text as it was built: nothing patched, no modules, no BPF programs
 * @vmlinux: NULL: where distributions put it, as lines_open() finds it
 * @debug_dir: searched first, or NULL
 * @stext: where the kernel's _stext is now; 0 is an error, it must be known
 * @ret_path: set on success; free()
 * @ret_text: set on success; text_close()
 * Return: 0; -ENOENT if there is none; -ESTALE if @vmlinux is of another kernel; -EINVAL if its
 * code was stripped, or has no _stext; -ENOMEM.
 */
int kernel_image_open(const char *vmlinux, const char *debug_dir, uint64_t stext, char **ret_path,
		      struct text **ret_text);

#endif
