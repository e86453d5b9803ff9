// SPDX-License-Identifier: GPL-2.0
/*
 * quick_symbols - what is read of the kernel's memory at the start is what /proc/kallsyms says
 *
 * Prints "ok load/quick_symbols: ..." or "not ok load/quick_symbols: why". Compared both ways: each
 * function of the kernel image and its modules, by address, size, name and module, and the places
 * of data that are kept. Then again with a BPF program, its trampoline, and two kprobes, of which
 * one has its instruction copied: code that is read of the kernel's lists.
 *
 * The two that are compared have one list of modules before and behind them. Where a module's text
 * ends is not in /proc/kallsyms: there, the last function reaches over the pages behind it, up to
 * the module's data or to what the kernel has generated in between, whichever happens to come
 * first. Memory says it, and that is held against what /proc/modules says of the same module.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "symbolize/symbolize.h"
#include "symbolize/symbols.h"

/* A program and its trampoline; ftrace may or may not have trampolines */
#define BPF_MIN	   2
#define PAGE_BYTES 4096
/* How often modules may come or go while they are read. */
#define TURNS 20

struct list {
	struct symbol *items;
	size_t count;
	bool generated; /* BPF's, ftrace's and kprobes' code is wanted, too */
};

struct both {
	struct list quick, whole;
};

static int keep(const struct symbol *sym, void *ctx)
{
	struct list *list = ctx;

	/* What comes and goes with tracing: not to be had at the start. */
	if (module_is_generated(sym->module) && !list->generated)
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

/* What has ended a function sooner there than here. */
static void print_behind(struct symbols *symbols, const char *what, const struct symbol *sym)
{
	struct symbol next;

	if (!symbols_find(symbols, sym->addr + sym->size, &next))
		printf("# behind it %s: %#llx+%#llx %s [%s]\n", what, (unsigned long long)next.addr,
		       (unsigned long long)next.size, next.name, next.module);
}

/*
 * Is @at the last function of its module, up to the end of a page? /proc/kallsyms may have it
 * longer, up to what lies behind; or shorter, up to its first page, where other text follows at
 * once.
 */
static bool ends_with_text(const struct both *both, size_t at)
{
	const struct symbol *sym = &both->quick.items[at];
	uint64_t end = sym->addr + sym->size;
	size_t next = at + 1;

	/* Other names of the same address */
	while (next < both->quick.count && both->quick.items[next].addr == sym->addr)
		next++;
	return *sym->module && !module_is_generated(sym->module) && end % PAGE_BYTES == 0 &&
	       (next == both->quick.count || both->quick.items[next].addr >= end);
}

/* A module's text begins where /proc/modules says, and has all of its functions. */
static int compare_text(const struct symbols *quick, const struct list *list)
{
	for (size_t i = 1; i < quick->tab.module_count; i++) {
		const struct symtab_module *module = &quick->tab.modules[i];
		uint64_t last = 0;

		if (module_is_generated(module->name))
			continue;
		for (size_t n = 0; n < list->count; n++)
			if (!strcmp(list->items[n].module, module->name))
				last = list->items[n].addr;
		if (!last ||
		    (module->text == module->base && module->text_size % PAGE_BYTES == 0 &&
		     module->text_size < module->size && last - module->text < module->text_size))
			continue;
		printf("not ok load/quick_symbols: text of %s: %#llx+%#llx; by /proc/modules "
		       "%#llx+%#llx, last function %#llx\n",
		       module->name, (unsigned long long)module->text,
		       (unsigned long long)module->text_size, (unsigned long long)module->base,
		       (unsigned long long)module->size, (unsigned long long)last);
		return 1;
	}
	return 0;
}

/* @symbols: those of /proc/kallsyms */
static int compare(const struct both *both, struct symbols *symbols, const char *what)
{
	size_t modules = 0, generated = 0, bpf = 0, kprobes = 0;

	for (size_t i = 0; i < both->quick.count && i < both->whole.count; i++) {
		const struct symbol *a = &both->quick.items[i], *b = &both->whole.items[i];

		modules += *b->module != 0;
		generated += module_is_generated(b->module);
		bpf += symbol_is_bpf(b);
		kprobes += !strcmp(b->module, "__builtin__kprobes");
		if (a->addr == b->addr && !strcmp(a->name, b->name) &&
		    !strcmp(a->module, b->module) &&
		    (a->size == b->size || ends_with_text(both, i)))
			continue;
		print("in memory", a);
		print("in /proc/kallsyms", b);
		print_behind(symbols, "in /proc/kallsyms", b);
		return 1;
	}
	if (both->quick.count != both->whole.count || !modules) {
		printf("not ok load/quick_symbols: %zu in memory, %zu in /proc/kallsyms, %zu of "
		       "them in modules\n",
		       both->quick.count, both->whole.count, modules);
		return 1;
	}
	if (both->quick.generated && (bpf < BPF_MIN || !kprobes)) {
		printf("not ok load/quick_symbols: %zu BPF programs, %zu pages of kprobes\n", bpf,
		       kprobes);
		return 1;
	}
	printf("ok load/quick_symbols: %s: %zu functions, %zu of them in modules, %zu generated\n",
	       what, both->whole.count, modules, generated);
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

/* How the kernel's memory is read: partly, as a trace begins; then the rest; or all at once */
enum way { WAY_PARTLY, WAY_REFRESHED, WAY_AT_ONCE, WAYS };

static const char *const ways[WAYS] = {
	[WAY_PARTLY] = "at the start",
	[WAY_REFRESHED] = "with what tracing brings",
	[WAY_AT_ONCE] = "with that, at once",
};

/* The kernel's memory, and then /proc/kallsyms. */
static int read_both(struct btf *btf, enum way way, struct symbols **ret_quick,
		     struct symbols **ret_whole)
{
	/* Memory alone: there is no text to fall back to. */
	static const struct symbols_source source = {
		.kallsyms = "/nonexistent",
		.kcore = "/proc/kcore",
		.modules = "/proc/modules",
		.bpf = true,
	};
	static const struct symbols_source printed = {
		.kallsyms = "/proc/kallsyms",
		.modules = "/proc/modules",
		.bpf = true,
	};
	int err;

	if (way == WAY_AT_ONCE) {
		err = symbols_open(NULL, ret_quick);
		/* It would be closed, had it been of no use. */
		if (!err && !(*ret_quick)->kcore)
			err = -ENODATA;
	} else {
		err = symbols_begin_live(&source, true, ret_quick);
		err = err ?: symbols_open_end(*ret_quick, btf);
	}
	if (!err && way == WAY_REFRESHED)
		err = symbols_refresh(*ret_quick);
	return err ?: symbols_open_live(&printed, ret_whole);
}

/* The same, with no module coming or going meanwhile. */
static int read_settled(struct btf *btf, enum way way, struct symbols **ret_quick,
			struct symbols **ret_whole)
{
	int err = -EAGAIN;

	for (int turn = 0; turn < TURNS && err == -EAGAIN; turn++) {
		char *before = modules(), *behind;

		err = read_both(btf, way, ret_quick, ret_whole);
		behind = modules();
		if (!err && (!before || !behind))
			err = -ENOMEM;
		/* What was read of memory then is refused, and there is no text to fall back to. */
		if (before && behind && strcmp(before, behind) != 0) {
			printf("# modules came or went while they were read\n");
			symbols_close(*ret_quick);
			symbols_close(*ret_whole);
			*ret_quick = *ret_whole = NULL;
			usleep(100000);
			err = -EAGAIN;
		}
		free(before);
		free(behind);
	}
	return err;
}

static int compare_now(struct btf *btf, enum way way)
{
	bool after = way != WAY_PARTLY;
	struct symbols *quick = NULL, *whole = NULL;
	struct both both = {.quick = {.generated = after}, .whole = {.generated = after}};
	int err = read_settled(btf, way, &quick, &whole), status = 1;

	if (err || symbols_partial(quick) == after || symbols_partial(whole)) {
		printf("not ok load/quick_symbols: %s\n", err ? strerror(-err) : "partial, or not");
	} else if (symbols_for_each(quick, keep, &both.quick) ||
		   symbols_for_each(whole, keep, &both.whole)) {
		printf("not ok load/quick_symbols: no memory\n");
	} else {
		status = compare(&both, whole, ways[way]) || compare_text(quick, &both.quick);
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
	return status;
}

/* A program on the entry of a function, which gets a trampoline. */
static int program_attach(struct btf *btf, const char *function)
{
	/* r0 = 0; exit */
	const struct bpf_insn insns[] = {{.code = 0xb7}, {.code = 0x95}};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC), fd;

	if (id < 0)
		return id;
	opts.attach_btf_id = (unsigned int)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "quick", "GPL", insns, 2, &opts);
	return fd < 0 ? fd : bpf_raw_tracepoint_open(NULL, fd);
}

static int kprobe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	int type = -1;

	if (file && fscanf(file, "%d", &type) != 1)
		type = -1;
	if (file)
		fclose(file);
	return type;
}

static int kprobe_attach(const char *function, unsigned int offset)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (unsigned int)kprobe_type(),
		.kprobe_func = (uintptr_t)function,
		.probe_offset = offset,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What is armed stays until this process ends. */
static bool generate(struct btf *btf)
{
	static const char function[] = "vfs_rmdir";
	int inside = -1;

	if (program_attach(btf, function) < 0 || kprobe_attach(function, 0) < 0)
		return false;
	/* Behind ENDBR64 and the call of ftrace, wherever the next instruction begins. */
	for (unsigned int offset = 9; offset < 32 && inside < 0; offset++)
		inside = kprobe_attach(function, offset);
	return inside >= 0;
}

int main(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int status = compare_now(btf, WAY_PARTLY);

	if (!status && !generate(btf)) {
		printf("not ok load/quick_symbols: nothing can be armed: %s\n", strerror(errno));
		status = 1;
	}
	status = status ?: compare_now(btf, WAY_REFRESHED);
	status = status ?: compare_now(btf, WAY_AT_ONCE);
	btf__free(btf);
	return status;
}
