// SPDX-License-Identifier: GPL-2.0
/* static_symbols.c - symbols that a caller tells one by one, as a capture file does */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/symbols.h"
#include "util/control.h"
#include "util/fnv.h"

/* A trace over every function of a kernel has fewer. */
#define KNOWN_MAX	(256u << 10)
#define KNOWN_NAMES_MAX (64u << 20)
/* Found again when they come again: a power of two. */
#define KEPT_NAMES 32768u

int symbols_open_empty(struct symbols **ret_symbols)
{
	struct symbols *syms = calloc(1, sizeof(*syms));

	if (!syms)
		return -ENOMEM;
	if (symtab_module_index(&syms->tab, &syms->names, "", 0) < 0) {
		symbols_close(syms);
		return -ENOMEM;
	}
	*ret_symbols = syms;
	return 0;
}

/* Index of the first entry that ends behind @addr, or starts there. */
static size_t first_at(const struct symtab *tab, uint64_t addr)
{
	size_t low = 0, high = tab->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct symtab_entry *sym = &tab->entries[mid];

		if (sym->addr < addr && addr - sym->addr >= sym->size)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Entries from @ret_first to before the one returned have some of these addresses. */
static size_t overlapping(const struct symtab *tab, uint64_t addr, uint64_t size, size_t *ret_first)
{
	size_t end = *ret_first = first_at(tab, addr);

	while (end < tab->count &&
	       (tab->entries[end].addr <= addr || tab->entries[end].addr - addr < size))
		end++;
	return end;
}

int symbols_overlapping(const struct symbols *syms, uint64_t addr, uint64_t size,
			struct symbol *ret_sym)
{
	const struct symtab_entry *sym;
	size_t first;

	if (overlapping(&syms->tab, addr, size, &first) == first)
		return -ENOENT;
	sym = &syms->tab.entries[first];
	*ret_sym = (struct symbol){
		.name = sym->name,
		.module = syms->tab.modules[sym->module].name,
		.addr = sym->addr,
		.size = sym->size,
	};
	return 0;
}

void symbols_remove(struct symbols *syms, uint64_t addr, uint64_t size)
{
	struct symtab *tab = &syms->tab;
	size_t first, end = overlapping(tab, addr, size, &first);

	if (first == end)
		return;
	memmove(tab->entries + first, tab->entries + end,
		(tab->count - end) * sizeof(*tab->entries));
	tab->count -= end - first;
	syms->version++;
	free(tab->buckets);
	tab->buckets = NULL;
}

/* Puts @entry in the place of the entries from @first to before @end. */
static int replace(struct symtab *tab, size_t first, size_t end, const struct symtab_entry *entry)
{
	size_t count = tab->count - (end - first) + 1;

	if (symtab_grow(tab, count))
		return -ENOMEM;
	memmove(tab->entries + first + 1, tab->entries + end,
		(tab->count - end) * sizeof(*tab->entries));
	tab->entries[first] = *entry;
	tab->count = count;
	free(tab->buckets);
	tab->buckets = NULL;
	return 0;
}

/*
 * A program's functions come again with each process, at other addresses: a name is kept once, as
 * long as no other has its slot. Return: the name; NULL if there is no memory, or, with @ret_full,
 * KNOWN_NAMES_MAX are kept.
 */
static const char *keep_name(struct symbols *syms, const char *name, size_t len, bool *ret_full)
{
	uint64_t hash = fnv(FNV_START, name, len);
	const char **slot;

	if (!syms->kept)
		syms->kept = calloc(KEPT_NAMES, sizeof(*syms->kept));
	if (!syms->kept)
		return NULL;
	slot = &syms->kept[(hash ^ hash >> 32) & (KEPT_NAMES - 1)];
	if (*slot && !strcmp(*slot, name))
		return *slot;
	*ret_full = syms->name_bytes + len > KNOWN_NAMES_MAX;
	name = *ret_full ? NULL : arena_strndup(&syms->names, name, len);
	if (name) {
		*slot = name;
		syms->name_bytes += len;
	}
	return name;
}

/* Names are printed as they are, and a dump's may be anybody's. */
static bool is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (control_length(name + i))
			return false;
	return len && len <= SYMBOL_NAME_MAX;
}

int symbols_add(struct symbols *syms, const struct symbol *sym)
{
	size_t len = strlen(sym->name), first, end;
	struct symtab *tab = &syms->tab;
	struct symtab_entry entry = {.addr = sym->addr, .type = 't'};
	const struct symtab_entry *known;
	bool full = false;
	int module;

	if (!is_name(sym->name, len) || sym->size > UINT32_MAX ||
	    sym->addr > UINT64_MAX - sym->size)
		return -EINVAL;
	module = symtab_module_index(tab, &syms->names, sym->module, strlen(sym->module));
	if (module < 0)
		return module;
	known = symtab_exact(tab, sym->addr, sym->name, len);
	if (known && known->module == module && known->size == sym->size)
		return 0;
	if (tab->count >= KNOWN_MAX)
		return -E2BIG;
	entry.name = known ? known->name : keep_name(syms, sym->name, len, &full);
	if (!entry.name)
		return full ? -E2BIG : -ENOMEM;
	entry.module = (uint16_t)module;
	entry.size = (uint32_t)sym->size;
	syms->version++;
	/* What reaches over the start of the new one is gone, too: its range was another's. */
	end = overlapping(tab, sym->addr, sym->size, &first);
	return replace(tab, first, end, &entry);
}
