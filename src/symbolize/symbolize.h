/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbolize.h - address → symbol, module, and back
 *
 * Kernel, modules and BPF programs from /proc/kallsyms (or a file in its format), each symbol
 * bounded by its size; source lines are in symbolize/dwarf.h.
 */
#ifndef LBRSNOOP_SYMBOLIZE_SYMBOLIZE_H
#define LBRSNOOP_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct symbols;

/**
 * symbols_open() - read a symbol table
 * @path: file in the format of /proc/kallsyms, or NULL for /proc/kallsyms itself
 * @ret_symbols: set on success; free with symbols_close()
 * Return: 0; -ENOENT; -EPERM if the addresses are hidden (kptr_restrict); -EINVAL if @path is
 * no symbol table (nothing in it is readable); -ENOMEM.
 */
int symbols_open(const char *path, struct symbols **ret_symbols);

/** symbols_close() - free; NULL is fine */
void symbols_close(struct symbols *syms);

/**
 * symbols_find() - which function holds an address
 * Refreshes the live table (at most once a second) when @addr is in none, since modules and BPF
 * programs come and go.
 * Return: 0; -ENOENT if no symbol's range holds @addr.
 */
int symbols_find(struct symbols *syms, uint64_t addr, struct symbol *ret_sym);

/**
 * symbols_by_name() - function(s) of a name
 * @module: NULL for any
 * @index: 0 for the first; count up for further ones of that name
 * Return: 0; -ENOENT if there is no such (further) one.
 */
int symbols_by_name(struct symbols *syms, const char *module, const char *name, size_t index,
		    struct symbol *ret_sym);

/** typedef symbols_visit_fn - return non-zero to stop; that value is returned */
typedef int symbols_visit_fn(const struct symbol *sym, void *ctx);

/** symbols_for_each() - every text symbol in address order */
int symbols_for_each(struct symbols *syms, symbols_visit_fn *visit, void *ctx);

/**
 * symbols_same_function() - is @sym @func, or a part GCC split off it (.cold, .part.N, .isra.N,
 * .constprop.N and their combinations, same module)?
 */
bool symbols_same_function(const struct symbol *sym, const char *func, const char *module);

#endif
