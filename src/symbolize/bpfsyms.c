// SPDX-License-Identifier: GPL-2.0
/* bpfsyms.c - lengths of BPF programs, and whether any came or went */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "symbolize/symbols.h"
#include "util/cleanup.h"
#include "util/fnv.h"

/* More functions of one program than BPF_MAX_SUBPROGS (256) cannot be. */
#define BPF_FUNCS_MAX 256
/* Ids are handed out upwards and freed: this many live objects at most are looked at. */
#define BPF_OBJECTS_MAX 16384

/** struct jited - a program's functions as the kernel compiled them, in any order */
struct jited {
	struct bpf_prog_info info;
	uint32_t count;
	uint64_t addrs[BPF_FUNCS_MAX];
	uint32_t lens[BPF_FUNCS_MAX];
};

/* False: the kernel does not say. Where it hides addresses there are none. */
static bool read_jited(int fd, struct jited *ret)
{
	uint32_t info_len = sizeof(ret->info);

	ret->info = (struct bpf_prog_info){
		.nr_jited_ksyms = BPF_FUNCS_MAX,
		.jited_ksyms = (uintptr_t)ret->addrs,
		.nr_jited_func_lens = BPF_FUNCS_MAX,
		.jited_func_lens = (uintptr_t)ret->lens,
	};
	if (bpf_obj_get_info_by_fd(fd, &ret->info, &info_len))
		return false;
	/* The kernel returns the true numbers, whatever it had room for; 0 if hidden. */
	ret->count = BPF_FUNCS_MAX;
	if (ret->count > ret->info.nr_jited_ksyms)
		ret->count = ret->info.nr_jited_ksyms;
	if (ret->count > ret->info.nr_jited_func_lens)
		ret->count = ret->info.nr_jited_func_lens;
	return true;
}

static void read_prog_sizes(struct symtab *tab, int fd)
{
	struct jited jited;

	if (!read_jited(fd, &jited))
		return;
	for (uint32_t i = 0; i < jited.count; i++)
		if (jited.addrs[i] && jited.lens[i])
			symtab_set_size(tab, jited.addrs[i], jited.lens[i]);
}

void symbols_read_bpf_sizes(struct symbols *syms)
{
	uint32_t id = 0;

	for (int n = 0; n < BPF_OBJECTS_MAX && bpf_prog_get_next_id(id, &id) == 0; n++) {
		_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0)
			read_prog_sizes(&syms->tab, fd);
	}
}

/* As the kernel names it: bpf_get_prog_name() of kernel/bpf/core.c. */
static int add_program(struct symbols *syms, int fd)
{
	struct jited jited;
	const struct bpf_prog_info *info = &jited.info;
	char name[64];
	int err = 0;

	if (!read_jited(fd, &jited))
		return 0;
	snprintf(name, sizeof(name), "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x_%.*s", info->tag[0],
		 info->tag[1], info->tag[2], info->tag[3], info->tag[4], info->tag[5], info->tag[6],
		 info->tag[7], (int)sizeof(info->name), info->name);
	for (uint32_t i = 0; !err && i < jited.count; i++) {
		struct symbol sym = {
			.name = name,
			.module = "bpf",
			.addr = jited.addrs[i],
			.size = jited.lens[i],
		};

		if (sym.addr && sym.size)
			err = symbols_add(syms, &sym);
	}
	return err;
}

int symbols_add_programs(struct symbols *syms)
{
	uint32_t id = 0;
	int err = 0;

	for (int n = 0; !err && n < BPF_OBJECTS_MAX && !bpf_prog_get_next_id(id, &id); n++) {
		_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0)
			err = add_program(syms, fd);
	}
	return err;
}

uint64_t symbols_bpf_fingerprint(uint64_t hash)
{
	uint32_t id = 0;

	for (int n = 0; n < BPF_OBJECTS_MAX && bpf_prog_get_next_id(id, &id) == 0; n++)
		hash = fnv(hash, &id, sizeof(id));
	id = 0;
	for (int n = 0; n < BPF_OBJECTS_MAX && bpf_link_get_next_id(id, &id) == 0; n++)
		hash = fnv(hash, &id, sizeof(id));
	return hash;
}
