// SPDX-License-Identifier: GPL-2.0
/* symbols.c - the symbols of an address space, whatever they were read from: taken in, looked up */
#include "symbolize/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/user/userspace.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/prefetch.h"

int symbols_module(struct symbols_reading *reading, const char *name, size_t len)
{
	if (reading->last_module > 0) {
		const char *last = reading->tab->modules[reading->last_module].name;

		if (strncmp(last, name, len) == 0 && last[len] == '\0')
			return reading->last_module;
	}
	return symtab_module_index(reading->tab, &reading->syms->names, name, len);
}

/* A name that the replaced table had already is not stored again. */
static const char *keep_name(struct symbols_reading *reading, uint64_t addr, const char *name,
			     size_t len)
{
	const struct symtab_entry *known =
		reading->old ? symtab_exact(reading->old, addr, name, len) : NULL;

	return known ? known->name : arena_strndup(&reading->syms->names, name, len);
}

static const struct {
	const char *name;
	size_t len;
} singles[] = {
#define SINGLE(text)                                                                               \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}
	[SYMBOLS_CPU_HW_EVENTS] = SINGLE("cpu_hw_events"),
	[SYMBOLS_PER_CPU_OFFSET] = SINGLE("__per_cpu_offset"),
	[SYMBOLS_TEXT] = SINGLE("_text"),
	[SYMBOLS_STEXT] = SINGLE("_stext"),
	[SYMBOLS_JUMP_TABLE] = SINGLE("__start___jump_table"),
	[SYMBOLS_JUMP_TABLE_END] = SINGLE("__stop___jump_table"),
	[SYMBOLS_BUG_TABLE_START] = SINGLE("__start___bug_table"),
	[SYMBOLS_BUG_TABLE_STOP] = SINGLE("__stop___bug_table"),
	[SYMBOLS_EXTABLE_START] = SINGLE("__start___ex_table"),
	[SYMBOLS_EXTABLE_STOP] = SINGLE("__stop___ex_table"),
	[SYMBOLS_KFENCE_POOL] = SINGLE("__kfence_pool"),
	[SYMBOLS_MODULES] = SINGLE("modules"),
	[SYMBOLS_BPF_KALLSYMS] = SINGLE("bpf_kallsyms"),
	[SYMBOLS_FTRACE_TRAMPOLINES] = SINGLE("ftrace_ops_trampoline_list"),
	[SYMBOLS_KPROBE_SLOTS] = SINGLE("kprobe_insn_slots"),
	[SYMBOLS_KPROBE_OPT_SLOTS] = SINGLE("kprobe_optinsn_slots"),
	[SYMBOLS_KPROBE_TABLE] = SINGLE("kprobe_table"),
	[SYMBOLS_VMALLOC_BASE] = SINGLE("vmalloc_base"),
	[SYMBOLS_BTF] = SINGLE("__start_BTF"),
	[SYMBOLS_BTF_END] = SINGLE("__stop_BTF"),
#undef SINGLE
};

/* Of names of one length that begin alike, the same: few others have the number of one of the
 * above. */
static uint8_t sketch_of(const char *name, size_t len)
{
	return (uint8_t)((uint8_t)*name + 37 * len);
}

/* Asked for each of 200,000 symbols. */
static void keep_single(struct symbols_reading *reading, uint64_t addr, const char *name,
			size_t len)
{
	bool *sketches = reading->single_sketches;

	if (!sketches[sketch_of(singles[0].name, singles[0].len)])
		for (size_t i = 0; i < ARRAY_SIZE(singles); i++)
			sketches[sketch_of(singles[i].name, singles[i].len)] = true;
	if (!sketches[sketch_of(name, len)])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(singles); i++)
		if (singles[i].len == len && !memcmp(singles[i].name, name, len))
			reading->syms->single[i] = addr;
}

int symbols_take(struct symbols_reading *reading, uint64_t addr, char type, const char *name,
		 size_t len, int module)
{
	const char *kept = NULL;

	reading->last_module = module;
	reading->usable++;
	reading->nonzero += addr != 0;
	if (module == 0)
		keep_single(reading, addr, name, len);
	/* Per-CPU offsets and constants are no addresses, and would bound nothing. */
	if (!symtab_is_text(type) && type != 'A' && type != 'a' && !address_is_kernel(addr))
		return 0;
	if (type == 'A' || type == 'a')
		return 0;
	if (reading->old && module == 0)
		return 0;
	if (module == 0)
		addr += reading->syms->kaslr_offset;
	if (symtab_is_text(type)) {
		kept = keep_name(reading, addr, name, len);
		if (!kept)
			return -ENOMEM;
	}
	return symtab_add(reading->tab, addr, 0, type, kept, (uint16_t)module);
}

int symbols_take_visited(uint64_t addr, char type, const char *name, size_t len, const char *module,
			 void *ctx)
{
	struct symbols_reading *reading = ctx;
	int index = *module ? symbols_module(reading, module, strlen(module)) : 0;

	return index < 0 ? index : symbols_take(reading, addr, type, name, len, index);
}

int symbols_take_text(const char *module, uint64_t base, uint64_t size, void *ctx)
{
	struct symbols_reading *reading = ctx;
	int index = symbols_module(reading, module, strlen(module));

	if (index < 0)
		return index;
	if (address_is_kernel(base) && size <= UINT64_MAX - base) {
		reading->tab->modules[index].text = base;
		reading->tab->modules[index].text_size = size;
	}
	return 0;
}

int symbols_end_reading(struct symbols_reading *reading)
{
	if (!reading->usable)
		return -EINVAL;
	if (!reading->nonzero)
		return -EPERM;
	symtab_finish(reading->tab);
	return 0;
}

static int read_file(struct symbols *syms, const char *path)
{
	struct symbols_reading reading = {.syms = syms, .tab = &syms->tab};
	int err = kallsyms_read(&reading, path, NULL);

	err = err ?: symbols_end_reading(&reading);
	return err == -E2BIG ? -EINVAL : err;
}

int symbols_open(const char *path, struct symbols **ret_symbols)
{
	struct symbols *syms = NULL;
	int err;

	if (!path)
		return symbols_open_running(ret_symbols);
	err = symbols_open_empty(&syms);
	err = err ?: read_file(syms, path);
	if (err) {
		symbols_close(syms);
		return err;
	}
	*ret_symbols = syms;
	return 0;
}

void symbols_close(struct symbols *syms)
{
	if (!syms)
		return;
	kcoresyms_close(syms->kcore);
	prefetch_stop(syms->ahead);
	symtab_deinit(&syms->tab);
	arena_deinit(&syms->names);
	free(syms->kept);
	free(syms);
}

uint64_t symbols_version(const struct symbols *syms)
{
	uint64_t user = syms->user ? userspace_version(syms->user) : 0;

	return syms->version + (user << 32);
}

void symbols_hide_user(struct symbols *syms, bool hidden)
{
	syms->user_hidden = hidden;
}

uint64_t symbols_single(const struct symbols *syms, enum symbols_single which)
{
	return syms->single[which];
}

static void fill_symbol(const struct symbols *syms, const struct symtab_entry *sym,
			struct symbol *ret_sym)
{
	*ret_sym = (struct symbol){
		.name = sym->name,
		.module = syms->tab.modules[sym->module].name,
		.addr = sym->addr,
		.size = sym->size,
	};
}

void symbols_set_user(struct symbols *syms, struct userspace *user)
{
	syms->user = user;
}

int symbols_find(const struct symbols *syms, uint64_t addr, struct symbol *ret_sym)
{
	const struct symtab_entry *sym;

	if (syms->user && !address_is_kernel(addr))
		return userspace_find(syms->user, addr, ret_sym);
	if (syms->user_hidden && !address_is_kernel(addr))
		return -ENOENT;
	sym = symtab_find(&syms->tab, addr);
	if (!sym)
		return -ENOENT;
	fill_symbol(syms, sym, ret_sym);
	return 0;
}

int symbols_by_name(struct symbols *syms, const char *module, const char *name, size_t index,
		    struct symbol *ret_sym)
{
	const struct symtab_entry *sym = symtab_by_name(&syms->tab, module, name, index);

	if (!sym)
		return -ENOENT;
	fill_symbol(syms, sym, ret_sym);
	return 0;
}

int symbols_cold_part(struct symbols *syms, const struct symbol *func, size_t index,
		      struct symbol *ret_sym)
{
	const struct symtab_entry *sym =
		symtab_cold_part(&syms->tab, func->module, func->name, index);

	if (!sym)
		return -ENOENT;
	fill_symbol(syms, sym, ret_sym);
	return 0;
}

int symbols_for_each(struct symbols *syms, symbols_visit_fn *visit, void *ctx)
{
	bool nested = syms->visiting;
	int stop = 0;

	syms->visiting = true;
	for (size_t i = 0; i < syms->tab.count && !stop; i++) {
		struct symbol sym;

		fill_symbol(syms, &syms->tab.entries[i], &sym);
		stop = visit(&sym, ctx);
	}
	syms->visiting = nested;
	return stop;
}

void symbols_set_kaslr_offset(struct symbols *syms, uint64_t offset)
{
	uint64_t delta = offset - syms->kaslr_offset;

	for (size_t i = 0; i < syms->tab.count; i++)
		if (syms->tab.entries[i].module == 0)
			syms->tab.entries[i].addr += delta;
	syms->kaslr_offset = offset;
	symtab_resort(&syms->tab);
}

/* What GCC and Clang append to the name of a function that they split or clone. */
static const char *const part_suffixes[] = {
	".cold", ".part", ".isra", ".constprop", ".lto_priv", ".localalias", ".llvm", ".__uniq",
};

bool symbols_same_function(const struct symbol *sym, const char *func, const char *module)
{
	size_t len = strlen(func);
	const char *rest;

	if (module && strcmp(sym->module, module) != 0)
		return false;
	if (!len || strncmp(sym->name, func, len) != 0)
		return false;
	rest = sym->name + len;
	while (*rest) {
		size_t i;

		for (i = 0; i < ARRAY_SIZE(part_suffixes); i++) {
			size_t suffix_len = strlen(part_suffixes[i]);

			if (strncmp(rest, part_suffixes[i], suffix_len) == 0 &&
			    (rest[suffix_len] == '.' || rest[suffix_len] == '\0')) {
				rest += suffix_len;
				break;
			}
		}
		if (i == ARRAY_SIZE(part_suffixes))
			return false;
		if (rest[0] == '.' && isdigit((unsigned char)rest[1]))
			rest += 1 + strspn(rest + 1, "0123456789");
	}
	return true;
}
