// SPDX-License-Identifier: GPL-2.0
/*
 * ksym_modules.c - kernel/module/kallsyms.c's tables (Linux 5.2 and later): struct module's
 * kallsyms points to an ELF symbol table, its strings, and a letter for each symbol, as nm's
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/btf_member.h"
#include "symbolize/ksymtable.h"

#define LIST_MAX	4096
#define MODULE_NAME_LEN 64
#define KSYM_NAME_LEN	512
#define SYMBOLS_OF_ONE	(1u << 20)
#define SYMBOLS_AT_ONCE 256
#define NAME_PART_BYTES 64

/* Bytes from the start of the struct */
struct layout {
	uint32_t list, name, kallsyms;		 /* struct module */
	uint32_t symtab, count, strtab, typetab; /* struct mod_kallsyms */
};

struct table {
	uint64_t symtab, strtab, typetab;
	uint32_t count;
};

struct walk {
	struct text_source memory;
	struct layout layout;
	ksym_visit_fn *visit;
	void *ctx;
	int stop; /* what @visit said */
};

static int read_layout(const struct btf *btf, struct layout *layout)
{
	static const char module[] = "module", kallsyms[] = "mod_kallsyms";

	return btf_member_at(btf, module, "list", &layout->list)
		       ?: btf_member_at(btf, module, "name", &layout->name)
		       ?: btf_member_at(btf, module, "kallsyms", &layout->kallsyms)
		       ?: btf_member_at(btf, kallsyms, "symtab", &layout->symtab)
		       ?: btf_member_at(btf, kallsyms, "num_symtab", &layout->count)
		       ?: btf_member_at(btf, kallsyms, "strtab", &layout->strtab)
		       ?: btf_member_at(btf, kallsyms, "typetab", &layout->typetab);
}

static int read_at(const struct walk *walk, uint64_t addr, void *buf, size_t len)
{
	return walk->memory.read(walk->memory.ctx, addr, buf, len) ? -EFAULT : 0;
}

/* Its first bytes up to NUL, which need not all be on pages that are there. */
static int read_name(const struct walk *walk, uint64_t addr, char *name, size_t room,
		     size_t *ret_len)
{
	size_t len = 0;
	char *end = NULL;

	while (len < room && !end) {
		size_t part = NAME_PART_BYTES - (addr + len) % NAME_PART_BYTES;

		part = part < room - len ? part : room - len;
		if (read_at(walk, addr + len, name + len, part))
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

static int read_table(const struct walk *walk, uint64_t module, struct table *table)
{
	const struct layout *layout = &walk->layout;
	uint64_t at;

	if (read_at(walk, module + layout->kallsyms, &at, sizeof(at)) ||
	    read_at(walk, at + layout->symtab, &table->symtab, sizeof(table->symtab)) ||
	    read_at(walk, at + layout->strtab, &table->strtab, sizeof(table->strtab)) ||
	    read_at(walk, at + layout->typetab, &table->typetab, sizeof(table->typetab)) ||
	    read_at(walk, at + layout->count, &table->count, sizeof(table->count)))
		return -EFAULT;
	return table->count > SYMBOLS_OF_ONE ? -EBADMSG : 0;
}

static int visit_symbols(struct walk *walk, const struct table *table, uint32_t from, uint32_t to,
			 const char *module)
{
	Elf64_Sym syms[SYMBOLS_AT_ONCE];
	char types[SYMBOLS_AT_ONCE];
	uint32_t count = to - from;
	char name[KSYM_NAME_LEN];

	if (read_at(walk, table->symtab + from * sizeof(*syms), syms, count * sizeof(*syms)) ||
	    read_at(walk, table->typetab + from, types, count))
		return -EFAULT;
	for (uint32_t i = 0; i < count && !walk->stop; i++) {
		size_t len = 0;
		int err;

		/* The first one of each table is empty; others have no name, or no address. */
		if (!syms[i].st_name || !syms[i].st_value || syms[i].st_shndx == SHN_UNDEF ||
		    !isalpha((unsigned char)types[i]))
			continue;
		err = read_name(walk, table->strtab + syms[i].st_name, name, sizeof(name), &len);
		if (err == -EFAULT)
			return err;
		if (!err)
			walk->stop = walk->visit(syms[i].st_value, types[i], name, len, module,
						 walk->ctx);
	}
	return 0;
}

static int visit_module(struct walk *walk, uint64_t module)
{
	struct table table = {0};
	char name[MODULE_NAME_LEN];
	size_t len = 0;
	int err = read_name(walk, module + walk->layout.name, name, sizeof(name), &len);

	err = err ?: read_table(walk, module, &table);
	for (uint32_t from = 0, to; !err && !walk->stop && from < table.count; from = to) {
		to = table.count - from < SYMBOLS_AT_ONCE ? table.count : from + SYMBOLS_AT_ONCE;
		err = visit_symbols(walk, &table, from, to, name);
	}
	return err;
}

int ksym_modules_for_each(struct text_source memory, uint64_t list, const struct btf *btf,
			  ksym_visit_fn *visit, void *ctx, struct ksym_modules *ret_modules)
{
	struct walk walk = {.memory = memory, .visit = visit, .ctx = ctx};
	uint64_t node;
	int err;

	*ret_modules = (struct ksym_modules){0};
	if (!list || !btf)
		return -ENODATA;
	err = read_layout(btf, &walk.layout);
	if (err)
		return err;
	if (read_at(&walk, list, &node, sizeof(node)))
		return -EFAULT;
	/* A damaged list may have no end. */
	for (int i = 0; node != list && i < LIST_MAX; i++) {
		err = visit_module(&walk, node - walk.layout.list);
		if (walk.stop)
			return walk.stop;
		ret_modules->visited++;
		ret_modules->failed += err != 0;
		if (read_at(&walk, node, &node, sizeof(node)))
			return -EFAULT;
	}
	return node == list ? 0 : -EBADMSG;
}
