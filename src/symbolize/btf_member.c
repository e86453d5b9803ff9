// SPDX-License-Identifier: GPL-2.0
#include "symbolize/btf_member.h"

#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

static const struct btf_type *find_struct(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
}

static int find_member(const struct btf *btf, const struct btf_type *type, const char *name,
		       uint32_t *ret_at)
{
	for (uint32_t i = 0; type && i < btf_vlen(type); i++) {
		const char *member = btf__name_by_offset(btf, btf_members(type)[i].name_off);

		if (!member || strcmp(member, name))
			continue;
		*ret_at = btf_member_bit_offset(type, i) / 8;
		return 0;
	}
	return -ENODATA;
}

int btf_member_at(const struct btf *btf, const char *of, const char *name, uint32_t *ret_at)
{
	return find_member(btf, find_struct(btf, of), name, ret_at);
}

int btf_members_at(const struct btf *btf, const struct btf_member_row *rows, size_t count)
{
	const struct btf_type *type = NULL;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(rows[i].of, rows[i - 1].of) != 0)
			type = find_struct(btf, rows[i].of);
		if (find_member(btf, type, rows[i].name, rows[i].ret_at))
			return -ENODATA;
	}
	return 0;
}
