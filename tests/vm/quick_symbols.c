// SPDX-License-Identifier: GPL-2.0
/*
 * quick_symbols - what is read of the kernel's memory at the start is what /proc/kallsyms says
 *
 * Prints "ok load/quick_symbols: ..." or "not ok load/quick_symbols: why". Compared both ways: each
 * function of the kernel image and its modules, by address, size, name and module, and the places
 * of data that are kept.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "symbolize/symbolize.h"

struct list {
	struct symbol *items;
	size_t count;
};

struct both {
	struct list quick, whole;
};

static int keep(const struct symbol *sym, void *ctx)
{
	struct list *list = ctx;

	/* What comes and goes with tracing: not to be had quickly. */
	if (!strcmp(sym->module, "bpf") || !strncmp(sym->module, "__builtin__", 11))
		return 0;
	if (list->count % 4096 == 0) {
		struct symbol *items =
			realloc(list->items, (list->count + 4096) * sizeof(*list->items));

		if (!items)
			return -ENOMEM;
		list->items = items;
	}
	list->items[list->count++] = *sym;
	return 0;
}

static void print(const char *what, const struct symbol *sym)
{
	printf("not ok load/quick_symbols: %s: %#llx+%#llx %s [%s]\n", what,
	       (unsigned long long)sym->addr, (unsigned long long)sym->size, sym->name,
	       sym->module);
}

static int compare(const struct both *both)
{
	size_t modules = 0;

	for (size_t i = 0; i < both->quick.count && i < both->whole.count; i++) {
		const struct symbol *a = &both->quick.items[i], *b = &both->whole.items[i];

		modules += *b->module != 0;
		if (a->addr == b->addr && a->size == b->size && !strcmp(a->name, b->name) &&
		    !strcmp(a->module, b->module))
			continue;
		print("in memory", a);
		print("in /proc/kallsyms", b);
		return 1;
	}
	if (both->quick.count != both->whole.count || !modules) {
		printf("not ok load/quick_symbols: %zu in memory, %zu in /proc/kallsyms, %zu of "
		       "them in modules\n",
		       both->quick.count, both->whole.count, modules);
		return 1;
	}
	printf("ok load/quick_symbols: %zu functions, %zu of them in modules\n", both->whole.count,
	       modules);
	return 0;
}

int main(void)
{
	struct symbols *quick = NULL, *whole = NULL;
	struct btf *btf = btf__load_vmlinux_btf();
	struct both both = {0};
	int err, status = 1;

	err = symbols_open_begin(true, &quick);
	err = err ?: symbols_open_end(quick, btf);
	err = err ?: symbols_open(NULL, &whole);
	if (err || !symbols_partial(quick) || symbols_partial(whole)) {
		printf("not ok load/quick_symbols: %s\n",
		       err ? strerror(-err) : "the kernel's memory was not read");
	} else if (symbols_for_each(quick, keep, &both.quick) ||
		   symbols_for_each(whole, keep, &both.whole)) {
		printf("not ok load/quick_symbols: no memory\n");
	} else {
		status = compare(&both);
		for (int i = 0; i < SYMBOLS_SINGLE_COUNT && !status; i++) {
			status = symbols_single(quick, i) != symbols_single(whole, i);
			if (status)
				printf("not ok load/quick_symbols: place %d is another\n", i);
		}
	}
	free(both.quick.items);
	free(both.whole.items);
	symbols_close(quick);
	symbols_close(whole);
	btf__free(btf);
	return status;
}
