// SPDX-License-Identifier: GPL-2.0
#include "symbolize/symtab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "util/hash_table.h"
#include "util/vector.h"

/* A capture file has a few names, a kernel 4 MB of them: each block is twice the one before. */
#define ARENA_BLOCK_MIN_BYTES (1u << 10)
#define ARENA_BLOCK_MAX_BYTES (256u << 10)
#define PAGE_BYTES	      4096u

/*
 * Upper bounds where the table gives none. The largest functions of a distribution kernel
 * (unrolled ciphers) have about 50 KiB.
 */
#define KERNEL_FUNC_MAX (256u << 10)
#define MODULE_FUNC_MAX (64u << 10)
#define BPF_PROG_MAX	(64u << 10)
#define BPF_PACK_BYTES	(2u << 20) /* kernel/bpf/core.c: BPF_PROG_PACK_SIZE */
#define BPF_TRAMP_BYTES PAGE_BYTES /* arch/x86/net/bpf_jit_comp.c: at most a page */
#define ENTRY_SIZE_MAX	(16u << 20)

/* Ranks: a marker is never shown, the rest in the order of what a person would call it. */
#define RANK_MARKER	 0x8000u
#define RANK_DERIVED	 0x4000u
#define RANK_LOCAL	 0x2000u
#define RANK_UNDERSCORES 0x0100u
#define RANK_WEAK	 0x0080u

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	char bytes[];
};

const char *arena_strndup(struct arena *arena, const char *str, size_t len)
{
	struct arena_block *block = arena->blocks;
	char *copy;

	if (!block || block->size - block->used <= len) {
		size_t size = block ? 2 * block->size : ARENA_BLOCK_MIN_BYTES;

		if (size > ARENA_BLOCK_MAX_BYTES)
			size = ARENA_BLOCK_MAX_BYTES;
		if (size <= len)
			size = len + 1;
		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		*block = (struct arena_block){.next = arena->blocks, .size = size};
		arena->blocks = block;
	}
	copy = block->bytes + block->used;
	memcpy(copy, str, len);
	copy[len] = '\0';
	block->used += len + 1;
	return copy;
}

void arena_deinit(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}

void symtab_deinit(struct symtab *tab)
{
	free(tab->entries);
	free(tab->modules);
	free(tab->buckets);
	*tab = (struct symtab){0};
}

int symtab_module_index(struct symtab *tab, struct arena *arena, const char *name, size_t len)
{
	/* Symbols come module by module: the last one is nearly always the right one. */
	for (size_t i = tab->module_count; i-- > 0;) {
		const char *known = tab->modules[i].name;

		if (strncmp(known, name, len) == 0 && known[len] == '\0')
			return (int)i;
	}
	if (tab->module_count >= MODULES_MAX)
		return -E2BIG;
	if (vector_grow(&tab->modules, tab->module_count, sizeof(*tab->modules)))
		return -ENOMEM;
	name = arena_strndup(arena, name, len);
	if (!name)
		return -ENOMEM;
	tab->modules[tab->module_count] = (struct symtab_module){.name = name};
	return (int)tab->module_count++;
}

static bool has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(const char *name, size_t len, const char *suffix)
{
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len && memcmp(name + len - suffix_len, suffix, suffix_len) == 0;
}

/* Few names that are no markers pass: this is asked of every symbol. */
static bool may_be_marker(const char *name)
{
	return name[0] == '_' && strchr("tdny", name[strlen(name) - 1]);
}

/* Labels that the linker script puts at the borders of sections (vmlinux.lds.S). */
static bool is_marker(const char *name, size_t len)
{
	static const char *const markers[] = {
		"_text",
		"_stext",
		"_etext",
		"_sinittext",
		"_einittext",
		"_sexittext",
		"_eexittext",
		"__init_begin",
		"__init_end",
		"_end",
		"__end_of_kernel_reserve",
	};

	if (!may_be_marker(name))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(markers); i++)
		if (strcmp(name, markers[i]) == 0)
			return true;
	return has_suffix(name, len, "text_start") || has_suffix(name, len, "text_end") ||
	       has_suffix(name, len, "_thunk_start") || has_suffix(name, len, "_thunk_end") ||
	       has_suffix(name, len, "_thunk_array");
}

/* Names made from another name by the build; the rest of the name is the one to show. */
static bool is_derived(const char *name)
{
	return name[0] == '_' && (has_prefix(name, "__pfx_") || has_prefix(name, "__SCT__") ||
				  has_prefix(name, "__cfi_") || has_prefix(name, "__pi_") ||
				  has_prefix(name, "__ksym_"));
}

static uint16_t name_rank(const char *name, char type)
{
	size_t len = strlen(name), underscores = strspn(name, "_");
	unsigned int rank = 0;

	if (is_marker(name, len))
		rank |= RANK_MARKER;
	if (is_derived(name) || name[0] == '.')
		rank |= RANK_DERIVED;
	if (type == 't')
		rank |= RANK_LOCAL;
	rank += RANK_UNDERSCORES * (underscores < 15 ? (unsigned int)underscores : 15);
	if (type == 'w' || type == 'W')
		rank |= RANK_WEAK;
	return (uint16_t)(rank + (len < 127 ? len : 127));
}

int symtab_grow(struct symtab *tab, size_t count)
{
	size_t room = tab->room ? tab->room * 2 : 1024;
	struct symtab_entry *entries;

	if (count <= tab->room)
		return 0;
	if (room < count)
		room = count;
	entries = realloc(tab->entries, room * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	tab->entries = entries;
	tab->room = room;
	return 0;
}

int symtab_add(struct symtab *tab, uint64_t addr, uint64_t size, char type, const char *name,
	       uint16_t module)
{
	bool text = symtab_is_text(type);

	if (tab->count >= SYMBOLS_MAX)
		return -E2BIG;
	if (symtab_grow(tab, tab->count + 1))
		return -ENOMEM;
	tab->entries[tab->count++] = (struct symtab_entry){
		.addr = addr,
		.size = size < ENTRY_SIZE_MAX ? (uint32_t)size : ENTRY_SIZE_MAX,
		.name = text ? name : NULL,
		.module = module,
		/* Perhaps: rank_all_names() looks. Here the name is in the processor's cache. */
		.rank = text && may_be_marker(name) ? RANK_MARKER : 0,
		.type = type,
	};
	return 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct symtab_entry *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct symtab_entry *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

static uint64_t add_capped(uint64_t addr, uint64_t len)
{
	return addr > UINT64_MAX - len ? UINT64_MAX : addr + len;
}

static uint64_t page_end(uint64_t addr)
{
	return add_capped(addr & ~(uint64_t)(PAGE_BYTES - 1), PAGE_BYTES);
}

/*
 * End of a module's function by what stands next in the table. Since Linux 6.4 a module's data may
 * be anywhere, and what the kernel generates may lie in between: where its text ends is known of
 * memory alone.
 */
static uint64_t module_func_end(const struct symtab_module *module, const struct symtab_entry *sym,
				const struct symtab_entry *next)
{
	bool in_text = sym->addr - module->text < module->text_size;
	uint64_t limit = in_text ? module->text + module->text_size : 0;
	uint64_t end = page_end(sym->addr);

	if (next && next->module == sym->module) {
		/* Text is a number of whole pages: data cannot share its last one. */
		uint64_t bound = next->name ? next->addr : next->addr & ~(uint64_t)(PAGE_BYTES - 1);

		if (!in_text || bound < limit)
			limit = bound;
	}
	if (limit > sym->addr && limit - sym->addr <= MODULE_FUNC_MAX)
		end = limit;
	/* The range is of all the module's memory, or (since 6.4) may end before its text. */
	if (module->size && sym->addr >= module->base && sym->addr - module->base < module->size) {
		limit = add_capped(module->base, module->size);
		if (end > limit)
			end = limit;
	}
	return end;
}

/* Where a function without a size ends at the latest; @next: nearest symbol above, or NULL. */
static uint64_t bound_of(const struct symtab *tab, const struct symtab_entry *sym,
			 const struct symtab_entry *next)
{
	const struct symtab_module *module = &tab->modules[sym->module];
	uint64_t end;

	if (!module->name[0]) {
		end = next && next->module == sym->module ? add_capped(sym->addr, KERNEL_FUNC_MAX)
							  : page_end(sym->addr);
	} else if (strcmp(module->name, "bpf") == 0) {
		if (has_prefix(sym->name, "bpf_prog_")) {
			uint64_t pack = sym->addr & ~(uint64_t)(BPF_PACK_BYTES - 1);

			end = add_capped(sym->addr, BPF_PROG_MAX);
			if (end > add_capped(pack, BPF_PACK_BYTES))
				end = add_capped(pack, BPF_PACK_BYTES);
		} else {
			end = add_capped(sym->addr, BPF_TRAMP_BYTES);
		}
	} else {
		end = module_func_end(module, sym, next);
	}
	return next && end > next->addr ? next->addr : end;
}

static void bound_entries(struct symtab *tab)
{
	const struct symtab_entry *next = NULL;

	for (size_t i = tab->count; i-- > 0;) {
		struct symtab_entry *sym = &tab->entries[i];
		uint64_t size;

		if (i + 1 < tab->count && tab->entries[i + 1].addr != sym->addr)
			next = &tab->entries[i + 1];
		if (!sym->name)
			continue;
		size = bound_of(tab, sym, next) - sym->addr;
		if (sym->rank & RANK_MARKER)
			sym->size = 0;
		else if (!sym->size || sym->size > size)
			sym->size = (uint32_t)size;
	}
}

/* Two parts that are in order, the second one small, become one. */
static void merge_tail(struct symtab_entry *entries, size_t head, size_t tail)
{
	struct symtab_entry *copy = malloc(tail * sizeof(*copy));
	size_t at = head + tail;

	if (!copy) {
		qsort(entries, at, sizeof(*entries), compare_addresses);
		return;
	}
	memcpy(copy, entries + head, tail * sizeof(*copy));
	while (tail)
		if (head && entries[head - 1].addr > copy[tail - 1].addr)
			entries[--at] = entries[--head];
		else
			entries[--at] = copy[--tail];
	free(copy);
}

/*
 * The kernel prints its image in address order, and modules, unordered, after that: sorting
 * the second part alone takes a tenth of the time of sorting it all.
 */
static void sort_by_address(struct symtab *tab)
{
	struct symtab_entry *entries = tab->entries;
	size_t ordered = 1;

	while (ordered < tab->count && entries[ordered - 1].addr <= entries[ordered].addr)
		ordered++;
	if (ordered >= tab->count)
		return;
	qsort(entries + ordered, tab->count - ordered, sizeof(*entries), compare_addresses);
	if (entries[ordered].addr < entries[ordered - 1].addr)
		merge_tail(entries, ordered, tab->count - ordered);
}

/* Puts the names of one address in order; the one to show becomes the first. */
static void rank_names(struct symtab_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct symtab_entry *sym = &entries[i];

		sym->rank = sym->name ? name_rank(sym->name, sym->type) : UINT16_MAX;
	}
	if (count > 1)
		qsort(entries, count, sizeof(*entries), compare_ranks);
}

static void rank_all_names(struct symtab *tab)
{
	struct symtab_entry *entries = tab->entries;

	for (size_t i = 0, next; i < tab->count; i = next) {
		for (next = i + 1; next < tab->count && entries[next].addr == entries[i].addr;)
			next++;
		/* Alone at its address, only a label of the linker is not to be shown. */
		if (next - i > 1)
			rank_names(entries + i, next - i);
		else if (entries[i].rank & RANK_MARKER &&
			 !is_marker(entries[i].name, strlen(entries[i].name)))
			entries[i].rank = 0;
	}
}

/* Up to the first function that is another's: modules and BPF programs lie above the image. */
static void find_kernel(struct symtab *tab)
{
	size_t end = 0;

	while (end < tab->count && tab->entries[end].module == 0)
		end++;
	tab->kernel_start = end ? tab->entries[0].addr : 0;
	tab->kernel_bytes = end ? tab->entries[end - 1].addr - tab->kernel_start : 0;
}

void symtab_resort(struct symtab *tab)
{
	sort_by_address(tab);
	rank_all_names(tab);
	free(tab->buckets);
	tab->buckets = NULL;
	find_kernel(tab);
}

int symtab_take_modules(struct symtab *tab, const struct symtab *old)
{
	for (size_t i = 0; i < old->module_count; i++) {
		if (vector_grow(&tab->modules, tab->module_count, sizeof(*tab->modules)))
			return -ENOMEM;
		tab->modules[tab->module_count++] =
			(struct symtab_module){.name = old->modules[i].name};
	}
	return 0;
}

void symtab_finish(struct symtab *tab)
{
	size_t kept = 0;

	sort_by_address(tab);
	rank_all_names(tab);
	bound_entries(tab);
	for (size_t i = 0; i < tab->count; i++)
		if (tab->entries[i].name)
			tab->entries[kept++] = tab->entries[i];
	tab->count = kept;
	if (kept) {
		struct symtab_entry *entries = realloc(tab->entries, kept * sizeof(*entries));

		if (entries) {
			tab->entries = entries;
			tab->room = kept;
		}
	}
	find_kernel(tab);
}

/* How many entries are at @addr or below. */
static size_t upper_bound(const struct symtab *tab, uint64_t addr)
{
	return address_upper_bound(tab->entries, tab->count, sizeof(*tab->entries), addr);
}

/* Index of the first entry at or above @addr. */
static size_t lower_bound(const struct symtab *tab, uint64_t addr)
{
	return address_lower_bound(tab->entries, tab->count, sizeof(*tab->entries), addr);
}

const struct symtab_entry *symtab_find(const struct symtab *tab, uint64_t addr)
{
	size_t i = upper_bound(tab, addr);

	if (i-- == 0)
		return NULL;
	/* The best name of an address comes first. */
	if (i && tab->entries[i - 1].addr == tab->entries[i].addr)
		i = lower_bound(tab, tab->entries[i].addr);
	if (addr - tab->entries[i].addr >= tab->entries[i].size)
		return NULL;
	return &tab->entries[i];
}

const struct symtab_entry *symtab_exact(const struct symtab *tab, uint64_t addr, const char *name,
					size_t name_len)
{
	for (size_t i = lower_bound(tab, addr); i < tab->count; i++) {
		const struct symtab_entry *sym = &tab->entries[i];

		if (sym->addr != addr)
			break;
		if (strncmp(sym->name, name, name_len) == 0 && sym->name[name_len] == '\0')
			return sym;
	}
	return NULL;
}

void symtab_set_size(struct symtab *tab, uint64_t addr, uint64_t size)
{
	size_t above = upper_bound(tab, addr);

	if (size > ENTRY_SIZE_MAX)
		size = ENTRY_SIZE_MAX;
	if (above < tab->count && tab->entries[above].addr - addr < size)
		size = tab->entries[above].addr - addr;
	for (size_t i = lower_bound(tab, addr); i < above; i++)
		if (!(tab->entries[i].rank & RANK_MARKER))
			tab->entries[i].size = (uint32_t)size;
}

#define COLD ".cold"

/* What is hashed of a name: all cold parts of a function have one hash, "foo.cold", "foo.cold.1".
 */
static size_t hashed_len(const char *name)
{
	size_t len = strlen(name);
	const char *dot = memchr(name, '.', len), *cold;

	cold = dot ? strstr(dot, COLD ".") : NULL;
	return cold ? (size_t)(cold - name) + strlen(COLD) : len;
}

/* Of 8 bytes at a time: a kernel has 1.5 MB of names. */
static uint32_t name_hash(const char *name)
{
	size_t len = hashed_len(name);
	uint64_t hash = len, word;

	for (; len >= sizeof(word); len -= sizeof(word), name += sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = hash_number(hash ^ word);
	}
	word = 0;
	memcpy(&word, name, len);
	return (uint32_t)hash_number(hash ^ word);
}

static bool build_buckets(struct symtab *tab)
{
	size_t bucket_count = 1024;

	while (bucket_count < tab->count)
		bucket_count *= 2;
	tab->buckets = calloc(bucket_count, sizeof(*tab->buckets));
	if (!tab->buckets)
		return false;
	tab->bucket_count = bucket_count;
	/* From the last to the first, so that chains are in address order. */
	for (size_t i = tab->count; i-- > 0;) {
		uint32_t *head =
			&tab->buckets[name_hash(tab->entries[i].name) & (bucket_count - 1)];

		tab->entries[i].next_same_name = *head;
		*head = (uint32_t)i + 1;
	}
	return true;
}

/* @numbered: of "foo.cold", "foo.cold.1", too */
static const struct symtab_entry *find_name(struct symtab *tab, const char *module,
					    const char *name, bool numbered, size_t index)
{
	size_t len = strlen(name);
	uint32_t i;

	if (!tab->buckets && !build_buckets(tab))
		return NULL;
	i = tab->buckets[name_hash(name) & (tab->bucket_count - 1)];
	for (; i; i = tab->entries[i - 1].next_same_name) {
		const struct symtab_entry *sym = &tab->entries[i - 1];

		if (strncmp(sym->name, name, len) != 0 ||
		    (sym->name[len] != '\0' && !(numbered && sym->name[len] == '.')))
			continue;
		if (module && strcmp(tab->modules[sym->module].name, module) != 0)
			continue;
		if (index-- == 0)
			return sym;
	}
	return NULL;
}

const struct symtab_entry *symtab_by_name(struct symtab *tab, const char *module, const char *name,
					  size_t index)
{
	return find_name(tab, module, name, false, index);
}

const struct symtab_entry *symtab_cold_part(struct symtab *tab, const char *module,
					    const char *func, size_t index)
{
	char name[SYMBOL_NAME_MAX];
	int len = snprintf(name, sizeof(name), "%s" COLD, func);

	return (size_t)len < sizeof(name) ? find_name(tab, module, name, true, index) : NULL;
}
