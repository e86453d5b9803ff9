/* SPDX-License-Identifier: GPL-2.0 */
/* btf_member.h - where things stand in the kernel's structs, by its BTF */
#ifndef LBRSNOOP_SYMBOLIZE_BTF_MEMBER_H
#define LBRSNOOP_SYMBOLIZE_BTF_MEMBER_H

#include <stdint.h>

struct btf;

/**
 * btf_member_at() - bytes from the start of struct @of to its member @name
 * Return: 0; -ENODATA if there is no such struct or member.
 */
int btf_member_at(const struct btf *btf, const char *of, const char *name, uint32_t *ret_at);

#endif
