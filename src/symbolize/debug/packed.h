/* SPDX-License-Identifier: GPL-2.0 */
/* packed.h - an ELF file as it is installed: plain, compressed, or inside a bootable image */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_PACKED_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_PACKED_H

#include <libelf.h>

/** struct packed - @elf: the file; @memory: where it was unpacked to, NULL: libelf did */
struct packed {
	Elf *elf;
	void *memory;
	int fd;
};

/**
 * packed_open() - open and unpack: a module (.ko, .ko.xz, .ko.gz, .ko.zst), vmlinux, vmlinuz
 * @ret: set on success; packed_close()
 * Return: 0; -EINVAL if no ELF file is in it, or in a way that is not known; -ENOMEM; errno of
 * open().
 */
int packed_open(const char *path, struct packed *ret);

/** packed_close() - what belongs to the ELF file is gone then; zeroed is fine */
void packed_close(struct packed *packed);

#endif
