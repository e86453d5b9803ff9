// SPDX-License-Identifier: GPL-2.0
/* ksyms.c - the kernel's own symbol tables (symbolize/tables/ksymtable.h), out of a dump */
#include "vmcore/ksyms.h"

#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

#include "symbolize/symbols.h"
#include "symbolize/tables/ksymtable.h"
#include "util/cleanup.h"
#include "vmcore/kernel_btf.h"

static int lookup(void *ctx, const char *name, uint64_t *ret_addr)
{
	return dump_symbol(ctx, name, ret_addr);
}

static int for_each(struct dump *dump, ksym_visit_fn *visit, void *ctx)
{
	struct ksymtable at;
	int err = ksymtable_locate(lookup, dump, &at);

	return err ?: ksymtable_for_each(dump_text(dump), &at, visit, ctx);
}

static int take_modules(struct dump *dump, struct symbols_reading *reading, uint32_t *ret_failed)
{
	const struct symbols *symbols = reading->syms;
	_cleanup_(kernel_btf_free) struct btf *btf = NULL;
	struct ksym_modules modules = {0};
	struct ksym_layout layout;
	int err = kernel_btf_read(dump, symbols_single(symbols, SYMBOLS_BTF),
				  symbols_single(symbols, SYMBOLS_BTF_END), &btf);

	ksym_layout_read(btf, &layout);
	err = err
		      ?: ksym_modules_for_each(
				 dump_text(dump), symbols_single(symbols, SYMBOLS_MODULES), &layout,
				 symbols_take_visited, symbols_take_text, reading, &modules);
	*ret_failed = modules.failed;
	return err;
}

static int fill(struct dump *dump, struct symbols *symbols, struct ksyms_modules *ret_modules)
{
	struct symbols_reading reading = {.syms = symbols, .tab = &symbols->tab};
	int err = for_each(dump, symbols_take_visited, &reading);

	if (err)
		return err == -E2BIG ? -EBADMSG : err;
	ret_modules->err = take_modules(dump, &reading, &ret_modules->failed);
	if (ret_modules->err == -ENOMEM)
		return -ENOMEM;
	return symbols_end_reading(&reading) ? -EBADMSG : 0;
}

int ksyms_open(struct dump *dump, struct ksyms_modules *ret_modules, struct symbols **ret_symbols)
{
	struct symbols *symbols = NULL;
	int err = symbols_open_empty(&symbols);

	err = err ?: fill(dump, symbols, ret_modules);
	if (err) {
		symbols_close(symbols);
		return err;
	}
	*ret_symbols = symbols;
	return 0;
}

struct find {
	struct ksym *wanted;
	size_t count;
	size_t left;
};

static int find_name(uint64_t addr, char type, const char *name, size_t len, const char *module,
		     void *ctx)
{
	struct find *find = ctx;

	(void)type;
	(void)len;
	(void)module;
	for (size_t i = 0; i < find->count; i++) {
		if (find->wanted[i].addr || strcmp(name, find->wanted[i].name))
			continue;
		find->wanted[i].addr = addr;
		find->left--;
	}
	return !find->left;
}

int ksyms_find(struct dump *dump, struct ksym *wanted, size_t count)
{
	struct find find = {.wanted = wanted, .count = count, .left = count};
	int err;

	for (size_t i = 0; i < count; i++)
		wanted[i].addr = 0;
	err = for_each(dump, find_name, &find);
	return err == 1 ? 0 : err;
}
