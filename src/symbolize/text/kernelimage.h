/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernelimage.h - the running kernel's text out of the files it was loaded from, where the live one
 * is out of reach
 */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_KERNELIMAGE_H
#define LBRSNOOP_SYMBOLIZE_TEXT_KERNELIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"

/**
 * struct kernel_image_options - all borrowed
 * @vmlinux: NULL: where distributions put it, as lines_open() finds it; else the bootable image
 * @debug_dir: searched first, or NULL
 * @symbols: of the running kernel, as long as the text is used
 * @modules: with those that are loaded; text_live_invalidate() looks for others
 */
struct kernel_image_options {
	const char *vmlinux;
	const char *debug_dir;
	struct symbols *symbols;
	bool modules;
};

/**
 * struct kernel_image - where the text is from
 * @path: of the kernel's file; free()
 * @modules: that are loaded; @modules_missing: of them, without a file of the same build
 */
struct kernel_image {
	char *path;
	size_t modules;
	size_t modules_missing;
};

/**
 * kernel_image_open() - text as it was built: nothing patched, no BPF programs
 * @ret: set on success
 * @ret_text: set on success; text_close()
 * Return: 0; -ENOENT if there is no file of this kernel; -ESTALE if @vmlinux is of another one;
 * -EINVAL if its code was stripped, or if the kernel does not say where it is; -ENOMEM.
 */
int kernel_image_open(const struct kernel_image_options *opts, struct kernel_image *ret,
		      struct text **ret_text);

#endif
