/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ksymtable.h - the kernel's own symbol tables in its memory: of a live one, or of a dump
 *
 * What /proc/kallsyms prints, at a fraction of what it costs the kernel to print it. Nothing that
 * is read is trusted.
 */
#ifndef LBRSNOOP_SYMBOLIZE_KSYMTABLE_H
#define LBRSNOOP_SYMBOLIZE_KSYMTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

struct btf;

/**
 * typedef ksym_visit_fn - called for each symbol
 * @type: as nm's and /proc/kallsyms'
 * @name: of @len characters, none of them blank or unprintable; NUL-terminated, until it returns
 * @module: "" for the kernel image
 * Return: 0 to go on.
 */
typedef int ksym_visit_fn(uint64_t addr, char type, const char *name, size_t len,
			  const char *module, void *ctx);

/** struct ksymtable - run-time addresses: VMCOREINFO has them as SYMBOL(kallsyms_...) */
struct ksymtable {
	uint64_t names, offsets, num_syms, relative_base, token_table, token_index;
};

/** typedef ksymtable_lookup_fn - run-time address of a symbol of VMCOREINFO; 0, or negative errno
 */
typedef int ksymtable_lookup_fn(void *ctx, const char *name, uint64_t *ret_addr);

/**
 * ksymtable_locate() - where the tables are
 * Return: 0; -ENODATA if @lookup does not find one of them (VMCOREINFO before Linux 6.0).
 */
int ksymtable_locate(ksymtable_lookup_fn *lookup, void *ctx, struct ksymtable *ret_table);

/**
 * ksymtable_for_each() - the symbols of the kernel image, in its order: that of addresses
 * Per-CPU ones come with their offsets.
 * Return: 0; what @visit returned to end it; -EFAULT if pages are not there; -EBADMSG if they make
 * no sense; -ENOMEM.
 */
int ksymtable_for_each(struct text_source memory, const struct ksymtable *at, ksym_visit_fn *visit,
		       void *ctx);

/**
 * struct ksym_layout - where members stand in the kernel's structs: bytes from their start
 * @modules: those of struct module and struct mod_kallsyms are known
 * @text: ... of what struct module says of its text
 * @bpf: ... of struct bpf_ksym
 * @ftrace: ... of struct ftrace_ops
 * @kprobes: ... of struct kprobe_insn_cache and struct kprobe_insn_page
 */
struct ksym_layout {
	bool modules, text, bpf, ftrace, kprobes;
	uint32_t module_list, module_name, module_kallsyms;
	uint32_t symtab, num_symtab, strtab, typetab;
	uint32_t module_text, text_base, text_size;
	uint32_t bpf_start, bpf_name, bpf_node;
	uint32_t ops_trampoline, ops_list;
	uint32_t cache_pages, page_list, page_insns;
};

/** ksym_layout_read() - by the BTF of the kernel image; NULL: nothing is known */
void ksym_layout_read(const struct btf *btf, struct ksym_layout *ret_layout);

/**
 * typedef ksym_text_fn - called for each module before its symbols, where the layout is known
 * @base, @size: of its functions' memory, whole pages, but for those that are freed once it is
 * initialised
 * Return: 0 to go on.
 */
typedef int ksym_text_fn(const char *module, uint64_t base, uint64_t size, void *ctx);

/** struct ksym_modules - what became of the modules' tables */
struct ksym_modules {
	uint32_t visited;
	uint32_t failed; /* its table is not there, or makes no sense */
};

/**
 * ksym_modules_for_each() - the symbols of all modules
 * @list: run-time address of the kernel's "modules"; 0: unknown
 * @layout: of that kernel
 * @text: may be NULL
 * @ret_modules: set in any case
 * Return: 0; what @visit or @text returned to end it; -ENODATA if the kernel has no modules, or
 * @layout does not know them; -EFAULT if their list is not there; -EBADMSG if it makes no sense.
 */
int ksym_modules_for_each(struct text_source memory, uint64_t list,
			  const struct ksym_layout *layout, ksym_visit_fn *visit,
			  ksym_text_fn *text, void *ctx, struct ksym_modules *ret_modules);

/** struct ksym_generated - run-time addresses of the kernel's variables; 0: it has none */
struct ksym_generated {
	uint64_t bpf_kallsyms;				  /* list of struct bpf_ksym */
	uint64_t ftrace_ops_trampoline_list;		  /* of struct ftrace_ops */
	uint64_t kprobe_insn_slots, kprobe_optinsn_slots; /* struct kprobe_insn_cache */
};

/**
 * ksym_generated_for_each() - code that the kernel makes while it runs, as /proc/kallsyms names it
 * BPF programs and trampolines (kernel/bpf/core.c), ftrace's trampolines (kernel/trace/ftrace.c),
 * kprobes' pages (kernel/kprobes.c). The functions of modules' init sections, which are freed,
 * are not among them. The lists may change meanwhile: what is seen of that is -EBADMSG.
 * Return: 0; what @visit returned to end it; -ENODATA if @at has no list of BPF programs, or
 * @layout does not know what is in one of the lists, or knows what would be in one that @at does
 * not have; -EFAULT; -EBADMSG.
 */
int ksym_generated_for_each(struct text_source memory, const struct ksym_generated *at,
			    const struct ksym_layout *layout, ksym_visit_fn *visit, void *ctx);

#endif
