/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symtab.h - the table behind symbolize.h: sorted symbols, their bounds, their names
 *
 * Internal to symbolize/. A table is filled with symtab_add(), closed with symtab_finish(), and
 * only then searched. Names live in an arena that is freed with the arena alone, so that they
 * outlive the table they were read for.
 */
#ifndef LBRSNOOP_SYMBOLIZE_SYMTAB_H
#define LBRSNOOP_SYMBOLIZE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/symbolize.h"

/* KSYM_NAME_LEN is 512 since Linux 6.1; longer names are no kernel's. */
#define SYMBOL_NAME_MAX 1024
/* MODULE_NAME_LEN is 64 - sizeof(unsigned long). */
#define MODULE_NAME_MAX 64
#define MODULES_MAX	4096
/* A whole distribution kernel has about 250,000 symbols. */
#define SYMBOLS_MAX (8u << 20)

struct arena_block;

/** struct arena - strings that stay where they are until arena_deinit() */
struct arena {
	struct arena_block *blocks;
};

/**
 * struct symtab_module - one owner of symbols; number 0 is the kernel image
 * @base: start of its text, 0 if unknown
 * @size: bytes from @base, 0 if unknown
 * @text: where its text is, in whole pages: what is behind it may be anybody's
 * @text_size: 0 if unknown: /proc/kallsyms and /proc/modules do not tell
 */
struct symtab_module {
	const char *name;
	uint64_t base;
	uint64_t size;
	uint64_t text;
	uint64_t text_size;
};

/**
 * struct symtab_entry - one symbol
 * @name: NULL for one that is no function and only bounds the one before
 * @size: when added: as the source gives it, 0 if it does not; after symtab_finish(): bounded
 * @module: index
 * @rank: among names of one address, the lowest is shown
 * @type: letter as in /proc/kallsyms
 * @next_same_name: index + 1, 0 ends the chain
 */
struct symtab_entry {
	uint64_t addr;
	const char *name;
	uint32_t size;
	uint16_t module;
	uint16_t rank;
	uint32_t next_same_name;
	char type;
};

/**
 * struct symtab - zero-initialised is empty
 * @kernel_start, @kernel_bytes: from the first to the last function of the kernel image, as
 * symtab_finish() found them
 */
struct symtab {
	struct symtab_entry *entries;
	size_t count;
	size_t room;
	struct symtab_module *modules;
	size_t module_count;
	uint32_t *buckets; /* by name: index + 1; built when first needed */
	size_t bucket_count;
	uint64_t kernel_start;
	uint64_t kernel_bytes;
};

/** arena_strndup() - NUL-terminated copy of @len bytes, or NULL if there is no memory */
const char *arena_strndup(struct arena *arena, const char *str, size_t len);

/** arena_deinit() - free all strings */
void arena_deinit(struct arena *arena);

/** symtab_deinit() - free the table, not its names */
void symtab_deinit(struct symtab *tab);

/**
 * symtab_module_index() - number of a module, added if it is new
 * Return: index, -ENOMEM, or -E2BIG beyond MODULES_MAX.
 */
int symtab_module_index(struct symtab *tab, struct arena *arena, const char *name, size_t len);

/** symtab_grow() - make room for @count entries; 0; -ENOMEM, and the table is as it was */
int symtab_grow(struct symtab *tab, size_t count);

/**
 * symtab_add() - append one symbol
 * @type: letter as in /proc/kallsyms; t, T, w and W are functions, all others only bound them
 * @name: borrowed, from an arena; ignored for what is no function
 * @size: 0 if unknown
 * Return: 0; -ENOMEM; -E2BIG beyond SYMBOLS_MAX.
 */
int symtab_add(struct symtab *tab, uint64_t addr, uint64_t size, char type, const char *name,
	       uint16_t module);

/**
 * symtab_finish() - sort, bound every function, drop what only served as a bound
 * Afterwards the table can be searched, and symtab_add() must not be called.
 */
void symtab_finish(struct symtab *tab);

/**
 * symtab_resort() - put a finished table in order again after addresses were changed
 */
void symtab_resort(struct symtab *tab);

/**
 * symtab_take_modules() - start an empty table with the modules of another
 * Their numbers stay the same, their ranges are forgotten.
 * Return: 0; -ENOMEM.
 */
int symtab_take_modules(struct symtab *tab, const struct symtab *old);

/** symtab_in_kernel() - does the kernel image have symbols at or below @addr, and above it? */
static inline bool symtab_in_kernel(const struct symtab *tab, uint64_t addr)
{
	return addr - tab->kernel_start < tab->kernel_bytes;
}

/**
 * symtab_find() - the entry shown for an address
 * Return: NULL if no function's range holds @addr.
 */
const struct symtab_entry *symtab_find(const struct symtab *tab, uint64_t addr);

/**
 * symtab_exact() - the entry of that address and name
 * Return: NULL if there is none.
 */
const struct symtab_entry *symtab_exact(const struct symtab *tab, uint64_t addr, const char *name,
					size_t name_len);

/**
 * symtab_set_size() - set the exact size of all symbols at an address
 * What a following symbol bounds closer stays as it is.
 */
void symtab_set_size(struct symtab *tab, uint64_t addr, uint64_t size);

/**
 * symtab_by_name() - entries of a name, in address order
 * @module: NULL for any
 * Return: the entry; NULL if there is none, or no memory for the index.
 */
const struct symtab_entry *symtab_by_name(struct symtab *tab, const char *module, const char *name,
					  size_t index);

/**
 * symtab_cold_part() - cold parts of the function @func, "foo.cold" and "foo.cold.1" of "foo", in
 * address order; else as symtab_by_name()
 */
const struct symtab_entry *symtab_cold_part(struct symtab *tab, const char *module,
					    const char *func, size_t index);

/** symtab_is_text() - is this kallsyms type letter a function's? */
static inline bool symtab_is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

#endif
