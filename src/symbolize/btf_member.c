// SPDX-License-Identifier: GPL-2.0
#include "symbolize/btf_member.h"

#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

int btf_member_at(const struct btf *btf, const char *of, const char *name, uint32_t *ret_at)
{
	int id = btf__find_by_name_kind(btf, of, BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);

	for (uint32_t i = 0; type && i < btf_vlen(type); i++) {
		const char *member = btf__name_by_offset(btf, btf_members(type)[i].name_off);

		if (!member || strcmp(member, name))
			continue;
		*ret_at = btf_member_bit_offset(type, i) / 8;
		return 0;
	}
	return -ENODATA;
}
