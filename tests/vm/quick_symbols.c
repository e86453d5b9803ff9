// SPDX-License-Identifier: GPL-2.0
/*
 * quick_symbols - what is read of the kernel's memory at the start is what /proc/kallsyms says
 *
 * Prints "ok load/quick_symbols: ..." or "not ok load/quick_symbols: why". Compared both ways: each
 * function of the kernel image and its modules, by address, size, name and module, and the places
 * of data that are kept.
 *
 * The last function of a module reaches to whatever comes next in memory: when another module is
 * loaded, or goes, between the two readings, its size is another. So the two that are compared have
 * one list of modules before and behind them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "symbolize/symbolize.h"

/* How often modules may come or go while they are read. */
#define TURNS 20

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

/* Name, size, state and address of each module; to be freed. */
static char *modules(void)
{
	FILE *in = fopen("/proc/modules", "re"), *out;
	char *text = NULL, name[64], state[16], addr[32];
	unsigned long size;
	size_t len;

	out = open_memstream(&text, &len);
	/* Who uses it, and how many do, is not read. */
	while (in && out &&
	       fscanf(in, "%63s %lu %*s %*s %15s %31s%*[^\n]", name, &size, state, addr) == 4)
		fprintf(out, "%s %lu %s %s\n", name, size, state, addr);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return text;
}

/* The kernel's memory, and then /proc/kallsyms. */
static int read_both(struct btf *btf, struct symbols **ret_quick, struct symbols **ret_whole)
{
	int err = symbols_open_begin(true, ret_quick);

	err = err ?: symbols_open_end(*ret_quick, btf);
	return err ?: symbols_open(NULL, ret_whole);
}

/* The same, with no module coming or going meanwhile. */
static int read_settled(struct btf *btf, struct symbols **ret_quick, struct symbols **ret_whole)
{
	int err = -EAGAIN;

	for (int turn = 0; turn < TURNS && err == -EAGAIN; turn++) {
		char *before = modules(), *after;

		err = read_both(btf, ret_quick, ret_whole);
		after = modules();
		if (!err && (!before || !after))
			err = -ENOMEM;
		if (!err && strcmp(before, after) != 0) {
			printf("# modules came or went while they were read\n");
			symbols_close(*ret_quick);
			symbols_close(*ret_whole);
			*ret_quick = *ret_whole = NULL;
			usleep(100000);
			err = -EAGAIN;
		}
		free(before);
		free(after);
	}
	return err;
}

int main(void)
{
	struct symbols *quick = NULL, *whole = NULL;
	struct btf *btf = btf__load_vmlinux_btf();
	struct both both = {0};
	int err, status = 1;

	err = read_settled(btf, &quick, &whole);
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
