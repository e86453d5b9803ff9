// SPDX-License-Identifier: GPL-2.0
#include "symbolize/tables/ksym_read.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "symbolize/btf_member.h"
#include "symbolize/tables/ksymtable.h"
#include "util/cleanup.h"

/* Names are read in parts that do not cross a page. */
#define PART_BYTES 64

int ksym_read(const struct text_source *memory, uint64_t addr, void *buf, size_t len)
{
	return memory->read(memory->ctx, addr, buf, len) ? -EFAULT : 0;
}

int ksym_read_name(const struct text_source *memory, uint64_t addr, char *name, size_t room,
		   size_t *ret_len)
{
	size_t len = 0;
	char *end = NULL;

	while (len < room && !end) {
		size_t part = PART_BYTES - (addr + len) % PART_BYTES;

		part = part < room - len ? part : room - len;
		if (ksym_read(memory, addr + len, name + len, part))
			return -EFAULT;
		end = memchr(name + len, '\0', part);
		len += part;
	}
	if (!end)
		return -EBADMSG;
	for (const char *c = name; *c; c++)
		if (!isgraph((unsigned char)*c))
			return -EBADMSG;
	*ret_len = (size_t)(end - name);
	return *name ? 0 : -EBADMSG;
}

void ksym_layout_read(const struct btf *btf, struct ksym_layout *ret)
{
	const struct btf_member_row modules[] = {
		{"module", "list", &ret->module_list},
		{"module", "name", &ret->module_name},
		{"module", "kallsyms", &ret->module_kallsyms},
		{"mod_kallsyms", "symtab", &ret->symtab},
		{"mod_kallsyms", "num_symtab", &ret->num_symtab},
		{"mod_kallsyms", "strtab", &ret->strtab},
		{"mod_kallsyms", "typetab", &ret->typetab},
	};
	/* The first element of an array, MOD_TEXT. */
	const struct btf_member_row text[] = {
		{"module", "mem", &ret->module_text},
		{"module_memory", "base", &ret->text_base},
		{"module_memory", "size", &ret->text_size},
	};
	/* Before Linux 6.4 */
	const struct btf_member_row text_before[] = {
		{"module", "core_layout", &ret->module_text},
		{"module_layout", "base", &ret->text_base},
		{"module_layout", "text_size", &ret->text_size},
	};
	const struct btf_member_row bpf[] = {
		{"bpf_ksym", "start", &ret->bpf_start},
		{"bpf_ksym", "name", &ret->bpf_name},
		{"bpf_ksym", "lnode", &ret->bpf_node},
	};
	const struct btf_member_row ftrace[] = {
		{"ftrace_ops", "trampoline", &ret->ops_trampoline},
		{"ftrace_ops", "list", &ret->ops_list},
	};
	const struct btf_member_row kprobes[] = {
		{"kprobe_insn_cache", "pages", &ret->cache_pages},
		{"kprobe_insn_page", "list", &ret->page_list},
		{"kprobe_insn_page", "insns", &ret->page_insns},
	};

	*ret = (struct ksym_layout){0};
	if (!btf)
		return;
	ret->modules = btf_members_at(btf, modules, ARRAY_SIZE(modules)) == 0;
	ret->text = btf_members_at(btf, text, ARRAY_SIZE(text)) == 0 ||
		    btf_members_at(btf, text_before, ARRAY_SIZE(text_before)) == 0;
	ret->bpf = btf_members_at(btf, bpf, ARRAY_SIZE(bpf)) == 0;
	ret->ftrace = btf_members_at(btf, ftrace, ARRAY_SIZE(ftrace)) == 0;
	ret->kprobes = btf_members_at(btf, kprobes, ARRAY_SIZE(kprobes)) == 0;
}
