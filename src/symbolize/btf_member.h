/* SPDX-License-Identifier: GPL-2.0 */
/* btf_member.h - where things stand in the kernel's structs, by its BTF */
#ifndef LBRSNOOP_SYMBOLIZE_BTF_MEMBER_H
#define LBRSNOOP_SYMBOLIZE_BTF_MEMBER_H

#include <stddef.h>
#include <stdint.h>

struct btf;

/**
 * btf_member_at() - bytes from the start of struct @of to its member @name
 * Return: 0; -ENODATA if there is no such struct or member.
 */
int btf_member_at(const struct btf *btf, const char *of, const char *name, uint32_t *ret_at);

/** struct btf_member_row - the arguments of btf_member_at() */
struct btf_member_row {
	const char *of, *name;
	uint32_t *ret_at;
};

/**
 * btf_members_at() - btf_member_at() of several
 * Each struct is searched for among all types of the kernel: those of one stand together.
 * Return: 0; -ENODATA if there is one that is not there.
 */
int btf_members_at(const struct btf *btf, const struct btf_member_row *rows, size_t count);

#endif
