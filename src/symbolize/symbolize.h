/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbolize.h - address → symbol, module, and back
 *
 * Kernel, modules and BPF programs from /proc/kallsyms (or a file in its format), each symbol
 * bounded by its size; source lines are in symbolize/debug/dwarf.h.
 */
#ifndef LBRSNOOP_SYMBOLIZE_SYMBOLIZE_H
#define LBRSNOOP_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct symbol - one function
 * @name: as the kernel names it, ".cold" and ".part.N" included; borrowed
 * @module: "" for the kernel image, "bpf" for BPF programs and trampolines, else the module
 * @addr: start
 * @size: bytes; where the table gives no size, up to the next symbol or the section's end
 */
struct symbol {
	const char *name;
	const char *module;
	uint64_t addr;
	uint64_t size;
};

/** symbol_is_bpf() - is this a BPF program or a trampoline, our own ones included? */
static inline bool symbol_is_bpf(const struct symbol *sym)
{
	return !strcmp(sym->module, "bpf");
}

/** module_is_generated() - is it code without a file: of BPF, or the pages of ftrace and kprobes?
 */
static inline bool module_is_generated(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

struct btf;

/*
 * Not for use by several threads at once. Strings handed out stay valid until symbols_close(),
 * also when what they name has left the kernel.
 */
struct symbols;

/**
 * symbols_open() - read a symbol table
 * @path: file in the format of /proc/kallsyms, or NULL for what that tells of the running kernel
 * @ret_symbols: set on success; free with symbols_close()
 * Return: 0; -ENOENT; -EPERM if the addresses are hidden (kptr_restrict); -EINVAL if @path is
 * no symbol table (nothing in it is readable); -ENOMEM; another errno of reading it.
 */
int symbols_open(const char *path, struct symbols **ret_symbols);

/**
 * symbols_open_begin() - begin to read the running kernel's symbols
 * The kernel takes tens of milliseconds to make /proc/kallsyms: a thread reads it, if there is one
 * to be had, while the caller does what needs no symbols. Until symbols_open_end() the table is
 * only to be passed on, or closed.
 * @quick: the kernel image and its modules will do until symbols_refresh(): these are read out of
 * the kernel's memory, where that is allowed, and nothing is read ahead
 * Return: 0; -ENOMEM.
 */
int symbols_open_begin(bool quick, struct symbols **ret_symbols);

/**
 * symbols_open_peek() - look for the ends of the kernel's text alone, which stand first
 * Return: are symbols_single() SYMBOLS_TEXT and SYMBOLS_STEXT known now? They are before
 * symbols_open_end(); false if that would take longer, or if addresses are hidden.
 */
bool symbols_open_peek(struct symbols *syms);

/**
 * symbols_open_end() - the rest of it
 * @btf: of the kernel image; NULL: not known, and all is read
 * Return: as symbols_open(); on failure still to be closed
 */
int symbols_open_end(struct symbols *syms, const struct btf *btf);

/** symbols_partial() - are BPF programs and trampolines missing until symbols_refresh()? */
bool symbols_partial(const struct symbols *syms);

/**
 * symbols_open_elf() - read the symbol table of a kernel image
 * @path: vmlinux, or another ELF file with a .symtab
 * @kaslr_offset: added to its addresses
 * @ret_symbols: set on success; free with symbols_close()
 * Return: 0; -ENOENT; -EINVAL if @path is no ELF file with symbols; -ENOMEM.
 */
int symbols_open_elf(const char *path, uint64_t kaslr_offset, struct symbols **ret_symbols);

/**
 * symbols_open_empty() - a table that symbols_add() fills
 * Return: 0; -ENOMEM.
 */
int symbols_open_empty(struct symbols **ret_symbols);

/**
 * symbols_add() - tell a table of symbols_open_empty() a function
 * Replaces all those that it overlaps. What was handed out before stays valid.
 * @sym: strings are copied; addr and size are the exact ones
 * Return: 0; -EINVAL if name or size are no function's, or the name has a control character; -E2BIG
 * if there are more than a kernel has; -ENOMEM.
 */
int symbols_add(struct symbols *syms, const struct symbol *sym);

/**
 * symbols_overlapping() - a function of such a table that has some of these addresses
 * Return: 0, the lowest one; -ENOENT.
 */
int symbols_overlapping(const struct symbols *syms, uint64_t addr, uint64_t size,
			struct symbol *ret_sym);

/**
 * symbols_remove() - tell such a table that no function is there any more
 * All those go that have some of the @size bytes at @addr.
 */
void symbols_remove(struct symbols *syms, uint64_t addr, uint64_t size);

/**
 * symbols_set_kaslr_offset() - where the kernel runs, for a table with link-time addresses
 * @offset: run-time minus link-time address (of System.map or vmlinux); replaces the one before
 */
void symbols_set_kaslr_offset(struct symbols *syms, uint64_t offset);

/**
 * symbols_refresh() - read the live table again now
 * For a caller that knows of a change: it has just attached its programs, say. Names and
 * modules handed out before stay valid. Does nothing for a file, or in symbols_for_each().
 * Return: 0; negative errno, and the old table stays.
 */
int symbols_refresh(struct symbols *syms);

/**
 * symbols_add_programs() - tell the table the BPF programs that there are now
 * Without reading all of the live table, as symbols_refresh() does: that takes seconds where most
 * functions of the kernel are traced. Needs CAP_SYS_ADMIN; without it none are found.
 * Return: 0; -E2BIG or -ENOMEM, and some of them are missing.
 */
int symbols_add_programs(struct symbols *syms);

/**
 * symbols_freeze() - symbols_follow() never reads the live table again
 * For what was captured before the caller's own programs go, with their trampolines.
 */
void symbols_freeze(struct symbols *syms);

/**
 * symbols_version() - another number when the table was changed, or read again
 * Of a process that is selected, too, when it maps or unmaps code.
 */
uint64_t symbols_version(const struct symbols *syms);

/**
 * symbols_hide_user() - symbols_find() finds nothing in user space
 * For a table that symbols_add() made, where a snapshot is of no process of its own.
 */
void symbols_hide_user(struct symbols *syms, bool hidden);

/** symbols_close() - free; NULL is fine */
void symbols_close(struct symbols *syms);

/**
 * symbols_find() - which function holds an address
 * Where several names share the address, the one a person would use.
 * Return: 0; -ENOENT if no symbol's range holds @addr.
 */
int symbols_find(const struct symbols *syms, uint64_t addr, struct symbol *ret_sym);

struct snapshot;

/**
 * symbols_follow() - reads the live table again if code that ran in a snapshot may be newer
 * Modules and BPF programs come and go. At most once a second for an address that no symbol holds,
 * and ever more seldom while that brings nothing new; at once if a module or BPF program came. For
 * a live source to call before it hands the snapshot on: look-ups change nothing. Addresses of the
 * kernel image cost nothing.
 * Does nothing for a file, after symbols_freeze(), or in symbols_for_each().
 */
void symbols_follow(struct symbols *syms, const struct snapshot *snap);

/**
 * symbols_by_name() - function(s) of a name
 * @module: NULL for any
 * @index: 0 for the first; count up for further ones of that name
 * Return: 0; -ENOENT if there is no such (further) one.
 */
int symbols_by_name(struct symbols *syms, const char *module, const char *name, size_t index,
		    struct symbol *ret_sym);

/**
 * symbols_cold_part() - the cold parts of @func: "foo.cold" of GCC and Clang, "foo.cold.1" of older
 * ones, who number them
 * @index: 0 for the first one by address
 * Return: 0; -ENOENT if there is no such (further) one.
 */
int symbols_cold_part(struct symbols *syms, const struct symbol *func, size_t index,
		      struct symbol *ret_sym);

/** enum symbols_single - symbols of the kernel that are kept apart: data, and the text's ends */
enum symbols_single {
	SYMBOLS_CPU_HW_EVENTS,	/* per CPU: an offset, to be added to an element of the next one */
	SYMBOLS_PER_CPU_OFFSET, /* array by CPU number */
	SYMBOLS_TEXT,
	SYMBOLS_STEXT,
	SYMBOLS_JUMP_TABLE, /* of the static keys, see probeable_add_jump_table() */
	SYMBOLS_JUMP_TABLE_END,
	SYMBOLS_BUG_TABLE_START,
	SYMBOLS_BUG_TABLE_STOP,
	SYMBOLS_EXTABLE_START,
	SYMBOLS_EXTABLE_STOP,
	SYMBOLS_KFENCE_POOL,  /* the variable, which may be NULL */
	SYMBOLS_MODULES,      /* list of struct module */
	SYMBOLS_BPF_KALLSYMS, /* this and the next: see struct ksym_generated */
	SYMBOLS_FTRACE_TRAMPOLINES,
	SYMBOLS_KPROBE_SLOTS,
	SYMBOLS_KPROBE_OPT_SLOTS,
	SYMBOLS_KPROBE_TABLE,
	SYMBOLS_VMALLOC_BASE, /* the variable */
	SYMBOLS_BTF,	      /* of the kernel image, up to the next one */
	SYMBOLS_BTF_END,
	SYMBOLS_SINGLE_COUNT,
};

/**
 * symbols_single() - address of such a symbol, without a search
 * Return: 0 if the table (of /proc/kallsyms) has it not.
 */
uint64_t symbols_single(const struct symbols *syms, enum symbols_single which);

struct userspace;

/**
 * symbols_set_user() - let addresses of user space be named, too
 * @user: as the process is that it has selected; borrowed; NULL: no more
 */
void symbols_set_user(struct symbols *syms, struct userspace *user);

/** typedef symbols_visit_fn - return non-zero to stop; that value is returned */
typedef int symbols_visit_fn(const struct symbol *sym, void *ctx);

/**
 * symbols_for_each() - every text symbol in address order
 * Aliases and the linker's labels (_stext) included; the latter have size 0.
 * Return: 0, or what @visit stopped it with.
 */
int symbols_for_each(struct symbols *syms, symbols_visit_fn *visit, void *ctx);

/**
 * symbols_same_function() - is @sym @func, or a part GCC split off it (.cold, .part.N, .isra.N,
 * .constprop.N and their combinations, same module)?
 */
bool symbols_same_function(const struct symbol *sym, const char *func, const char *module);

#endif
