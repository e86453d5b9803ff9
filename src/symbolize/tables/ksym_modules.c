// SPDX-License-Identifier: GPL-2.0
/*
 * ksym_modules.c - kernel/module/kallsyms.c's tables (Linux 5.2 and later): struct module's
 * kallsyms points to an ELF symbol table, its strings, and a letter for each symbol, as nm's
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbolize/tables/ksym_read.h"
#include "symbolize/tables/ksymtable.h"

#define LIST_MAX	4096
#define MODULE_NAME_LEN 64
#define SYMBOLS_OF_ONE	(1u << 20)
#define SYMBOLS_AT_ONCE 256

struct table {
	uint64_t symtab, strtab, typetab;
	uint32_t count;
};

struct walk {
	struct text_source memory;
	const struct ksym_layout *layout;
	ksym_visit_fn *visit;
	ksym_text_fn *text;
	void *ctx;
	int stop; /* what @visit or @text said */
};

static int read_table(const struct walk *walk, uint64_t module, struct table *table)
{
	const struct text_source *memory = &walk->memory;
	const struct ksym_layout *layout = walk->layout;
	uint64_t at;

	if (ksym_read(memory, module + layout->module_kallsyms, &at, sizeof(at)) ||
	    ksym_read(memory, at + layout->symtab, &table->symtab, sizeof(table->symtab)) ||
	    ksym_read(memory, at + layout->strtab, &table->strtab, sizeof(table->strtab)) ||
	    ksym_read(memory, at + layout->typetab, &table->typetab, sizeof(table->typetab)) ||
	    ksym_read(memory, at + layout->num_symtab, &table->count, sizeof(table->count)))
		return -EFAULT;
	return table->count > SYMBOLS_OF_ONE ? -EBADMSG : 0;
}

static int visit_symbols(struct walk *walk, const struct table *table, uint32_t from, uint32_t to,
			 const char *module)
{
	Elf64_Sym syms[SYMBOLS_AT_ONCE];
	char types[SYMBOLS_AT_ONCE];
	uint32_t count = to - from;
	char name[KSYM_NAME_BYTES];

	if (ksym_read(&walk->memory, table->symtab + from * sizeof(*syms), syms,
		      count * sizeof(*syms)) ||
	    ksym_read(&walk->memory, table->typetab + from, types, count))
		return -EFAULT;
	for (uint32_t i = 0; i < count && !walk->stop; i++) {
		size_t len = 0;
		int err;

		/* The first one of each table is empty; others have no name, or no address. */
		if (!syms[i].st_name || !syms[i].st_value || syms[i].st_shndx == SHN_UNDEF ||
		    !isalpha((unsigned char)types[i]))
			continue;
		err = ksym_read_name(&walk->memory, table->strtab + syms[i].st_name, name,
				     sizeof(name), &len);
		if (err == -EFAULT)
			return err;
		if (!err)
			walk->stop = walk->visit(syms[i].st_value, types[i], name, len, module,
						 walk->ctx);
	}
	return 0;
}

static int tell_text(struct walk *walk, uint64_t module, const char *name)
{
	const struct ksym_layout *layout = walk->layout;
	uint64_t at = module + layout->module_text, base;
	uint32_t size;

	if (!layout->text || !walk->text)
		return 0;
	if (ksym_read(&walk->memory, at + layout->text_base, &base, sizeof(base)) ||
	    ksym_read(&walk->memory, at + layout->text_size, &size, sizeof(size)))
		return -EFAULT;
	walk->stop = walk->text(name, base, size, walk->ctx);
	return 0;
}

static int visit_module(struct walk *walk, uint64_t module)
{
	struct table table = {0};
	char name[MODULE_NAME_LEN];
	size_t len = 0;
	int err = ksym_read_name(&walk->memory, module + walk->layout->module_name, name,
				 sizeof(name), &len);

	err = err ?: read_table(walk, module, &table);
	err = err ?: tell_text(walk, module, name);
	for (uint32_t from = 0, to; !err && !walk->stop && from < table.count; from = to) {
		to = table.count - from < SYMBOLS_AT_ONCE ? table.count : from + SYMBOLS_AT_ONCE;
		err = visit_symbols(walk, &table, from, to, name);
	}
	return err;
}

int ksym_modules_for_each(struct text_source memory, uint64_t list,
			  const struct ksym_layout *layout, ksym_visit_fn *visit,
			  ksym_text_fn *text, void *ctx, struct ksym_modules *ret_modules)
{
	struct walk walk = {
		.memory = memory, .layout = layout, .visit = visit, .text = text, .ctx = ctx};
	uint64_t node;
	int err;

	*ret_modules = (struct ksym_modules){0};
	if (!list || !layout->modules)
		return -ENODATA;
	if (ksym_read(&walk.memory, list, &node, sizeof(node)))
		return -EFAULT;
	/* A damaged list may have no end. */
	for (int i = 0; node != list && i < LIST_MAX; i++) {
		err = visit_module(&walk, node - layout->module_list);
		if (walk.stop)
			return walk.stop;
		ret_modules->visited++;
		ret_modules->failed += err != 0;
		if (ksym_read(&walk.memory, node, &node, sizeof(node)))
			return -EFAULT;
	}
	return node == list ? 0 : -EBADMSG;
}
