/* SPDX-License-Identifier: GPL-2.0 */
/* build_id.h - which build a kernel, a module or a file is: the linker's NT_GNU_BUILD_ID note */
#ifndef LBRSNOOP_SYMBOLIZE_BUILD_ID_H
#define LBRSNOOP_SYMBOLIZE_BUILD_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64

/** struct build_id - @len is 0 if it is not known */
struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	size_t len;
};

/** build_id_of_kernel() - of the running kernel; empty if it does not tell */
void build_id_of_kernel(struct build_id *ret_id);

/** build_id_of_module() - of a module that is loaded now; empty if it is not */
void build_id_of_module(const char *module, struct build_id *ret_id);

/** build_id_of_file() - of an ELF file; empty if it has none */
void build_id_of_file(const char *path, struct build_id *ret_id);

/** build_id_of_elf() - of an ELF file that is open; empty if it has none */
void build_id_of_elf(Elf *elf, struct build_id *ret_id);

/**
 * build_id_text() - in hexadecimal, "unknown" if it is empty
 * @buf: 2 * BUILD_ID_MAX + 1 bytes
 * Return: @buf.
 */
const char *build_id_text(const struct build_id *id, char *buf);

/** build_id_differ() - both are known, and not the same */
bool build_id_differ(const struct build_id *a, const struct build_id *b);

/**
 * build_id_parse() - from lower-case hexadecimal, as build_id_text() writes it
 * @text: "" is an empty one
 * Return: false if it is no such text, or a longer one than there is; @ret_id is as it was then.
 */
bool build_id_parse(const char *text, struct build_id *ret_id);

#endif
