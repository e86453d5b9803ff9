// SPDX-License-Identifier: GPL-2.0
/*
 * modules.c - kernel/module/kallsyms.c's tables (Linux 5.2 and later): struct module's kallsyms
 * points to an ELF symbol table, its strings, and a letter for each symbol, as nm's
 */
#include "vmcore/modules.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "vmcore/kernel_btf.h"

#define MODULES_MAX	4096
#define MODULE_NAME_LEN 64
#define SYMBOLS_MAX	(1u << 20) /* of one module */
#define SYMBOL_NAME_MAX 512	   /* KSYM_NAME_LEN */
#define SYMBOLS_AT_ONCE 256

/* Bytes from the start of the struct */
struct layout {
	uint32_t list, name, kallsyms;		 /* struct module */
	uint32_t symtab, count, strtab, typetab; /* struct mod_kallsyms */
};

struct table {
	uint64_t symtab, strtab, typetab;
	uint32_t count;
};

static int read_layout(const struct btf *btf, struct layout *layout)
{
	static const char module[] = "module", kallsyms[] = "mod_kallsyms";

	return kernel_btf_member(btf, module, "list", &layout->list)
		       ?: kernel_btf_member(btf, module, "name", &layout->name)
		       ?: kernel_btf_member(btf, module, "kallsyms", &layout->kallsyms)
		       ?: kernel_btf_member(btf, kallsyms, "symtab", &layout->symtab)
		       ?: kernel_btf_member(btf, kallsyms, "num_symtab", &layout->count)
		       ?: kernel_btf_member(btf, kallsyms, "strtab", &layout->strtab)
		       ?: kernel_btf_member(btf, kallsyms, "typetab", &layout->typetab);
}

/* A name in the dump: its first bytes up to NUL, which need not all be on pages that are there. */
static int read_name(struct dump *dump, uint64_t addr, char *name, size_t room)
{
	size_t len = 0;

	while (len < room) {
		size_t part = 64 - (addr + len) % 64;

		part = part < room - len ? part : room - len;
		if (dump_read(dump, addr + len, name + len, part))
			return -EFAULT;
		if (memchr(name + len, '\0', part))
			break;
		len += part;
	}
	if (len >= room)
		return -EBADMSG;
	for (const char *c = name; *c; c++)
		if (!isgraph((unsigned char)*c))
			return -EBADMSG;
	return *name ? 0 : -EBADMSG;
}

static int read_table(struct dump *dump, const struct layout *layout, uint64_t module,
		      struct table *table)
{
	uint64_t at;

	if (dump_read_u64(dump, module + layout->kallsyms, &at) ||
	    dump_read_u64(dump, at + layout->symtab, &table->symtab) ||
	    dump_read_u64(dump, at + layout->strtab, &table->strtab) ||
	    dump_read_u64(dump, at + layout->typetab, &table->typetab) ||
	    dump_read_u32(dump, at + layout->count, &table->count))
		return -EFAULT;
	return table->count > SYMBOLS_MAX ? -EBADMSG : 0;
}

static int write_symbols(struct dump *dump, const struct table *table, uint32_t from, uint32_t to,
			 const char *module, FILE *out)
{
	Elf64_Sym syms[SYMBOLS_AT_ONCE];
	char types[SYMBOLS_AT_ONCE];
	uint32_t count = to - from;
	char name[SYMBOL_NAME_MAX];

	if (dump_read(dump, table->symtab + from * sizeof(*syms), syms, count * sizeof(*syms)) ||
	    dump_read(dump, table->typetab + from, types, count))
		return -EFAULT;
	for (uint32_t i = 0; i < count; i++) {
		int err;

		/* The first one of each table is empty; others have no name, or no address. */
		if (!syms[i].st_name || !syms[i].st_value || syms[i].st_shndx == SHN_UNDEF ||
		    !isalpha((unsigned char)types[i]))
			continue;
		err = read_name(dump, table->strtab + syms[i].st_name, name, sizeof(name));
		if (err == -EFAULT)
			return err;
		if (!err &&
		    fprintf(out, "%016llx %c %s\t[%s]\n", (unsigned long long)syms[i].st_value,
			    types[i], name, module) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int write_module(struct dump *dump, const struct layout *layout, uint64_t module, FILE *out)
{
	struct table table = {0};
	char name[MODULE_NAME_LEN];
	int err = read_name(dump, module + layout->name, name, sizeof(name));

	err = err ?: read_table(dump, layout, module, &table);
	for (uint32_t from = 0, to; !err && from < table.count; from = to) {
		to = table.count - from < SYMBOLS_AT_ONCE ? table.count : from + SYMBOLS_AT_ONCE;
		err = write_symbols(dump, &table, from, to, name, out);
	}
	return err;
}

int modules_write(struct dump *dump, const struct modules_at *at, FILE *out, uint32_t *ret_failed)
{
	_cleanup_(kernel_btf_free) struct btf *btf = NULL;
	struct layout layout;
	uint64_t node;
	int err;

	*ret_failed = 0;
	if (!at->list)
		return -ENODATA;
	err = kernel_btf_read(dump, at->btf_start, at->btf_stop, &btf);
	err = err ?: read_layout(btf, &layout);
	if (err)
		return err;
	if (dump_read_u64(dump, at->list, &node))
		return -EFAULT;
	/* A damaged list may have no end. */
	for (int i = 0; node != at->list && i < MODULES_MAX; i++) {
		err = write_module(dump, &layout, node - layout.list, out);
		if (err == -ENOMEM)
			return err;
		*ret_failed += err != 0;
		if (dump_read_u64(dump, node, &node))
			return -EFAULT;
	}
	return node == at->list ? 0 : -EBADMSG;
}
