// SPDX-License-Identifier: GPL-2.0
/* live_symbols.c - symbols of the running kernel, which change while it runs */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbols.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/fnv.h"
#include "util/prefetch.h"

#define BTF_FILE	 "/sys/kernel/btf/vmlinux"
#define MODULES_BYTES	 (1u << 20)
#define SECOND_NS	 1000000000u
#define MISS_LOOK_NS	 20000000u
#define MISS_WAIT_MAX_NS (64ull * SECOND_NS)

static const struct symbols_source live_source = {
	.kallsyms = "/proc/kallsyms",
	.kcore = "/proc/kcore",
	.modules = "/proc/modules",
	.bpf = true,
};

/* Whole of a small file, NUL-terminated, or NULL. */
static char *read_small_file(const char *path, size_t max, size_t *ret_len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 ? malloc(max + 1) : NULL;
	size_t len = 0;
	ssize_t got;

	if (!text)
		return NULL;
	while (len < max && (got = read(fd, text + len, max - len)) > 0)
		len += (size_t)got;
	text[len] = '\0';
	*ret_len = len;
	return text;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* The address field of a line of /proc/modules, or NULL. */
static const char *line_base(const char *line)
{
	const char *base = strstr(line, " 0x");

	return base && base < line + strcspn(line, "\n") ? base + 1 : NULL;
}

/* /proc/modules: "name size refcount users state 0xbase" */
static void read_module_ranges(struct symbols *syms, struct symtab *tab, const char *text)
{
	for (const char *line = text; *line; line = next_line(line)) {
		size_t name_len = strcspn(line, " \n");
		const char *base = line_base(line);

		if (name_len && base) {
			int module = symtab_module_index(tab, &syms->names, line, name_len);

			if (module > 0) {
				tab->modules[module].size = strtoull(line + name_len, NULL, 10);
				tab->modules[module].base = strtoull(base, NULL, 16);
			}
		}
	}
}

/* What tells one set of modules and BPF programs from another */
struct live_state {
	uint64_t fingerprint;
	size_t modules;
};

/* Reads modules' ranges into @tab, too, if there is one. */
static struct live_state read_live_state(struct symbols *syms, struct symtab *tab)
{
	struct live_state state = {.fingerprint = FNV_START};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	text = read_small_file(syms->live->modules, MODULES_BYTES, &len);
	if (text) {
		/* Of each line only name and base: reference counts come and go. */
		for (const char *line = text; *line; line = next_line(line)) {
			const char *base = line_base(line);

			state.modules++;
			state.fingerprint = fnv(state.fingerprint, line, strcspn(line, " \n"));
			if (base)
				state.fingerprint =
					fnv(state.fingerprint, base, strcspn(base, "\n"));
		}
		if (tab)
			read_module_ranges(syms, tab, text);
	}
	if (syms->live->bpf)
		state.fingerprint = symbols_bpf_fingerprint(state.fingerprint);
	return state;
}

/* The kernel image does not change while it runs: taken over from the old table. */
static int copy_kernel(const struct symtab *old, struct symtab *tab)
{
	for (size_t i = 0; i < old->count; i++) {
		const struct symtab_entry *sym = &old->entries[i];
		int err;

		if (sym->module != 0)
			continue;
		err = symtab_add(tab, sym->addr, sym->size, sym->type, sym->name, 0);
		if (err)
			return err;
	}
	return 0;
}

/* Out of the kernel's memory, if its modules and programs stay what they are meanwhile. */
static int read_memory(struct symbols_reading *reading, unsigned int parts,
		       const struct live_state *state)
{
	struct symbols *syms = reading->syms;
	size_t visited = state->modules;
	int err = kcoresyms_read(syms->kcore, reading, parts, &visited);

	if (err)
		return err;
	if (visited != state->modules ||
	    read_live_state(syms, NULL).fingerprint != state->fingerprint)
		return -EAGAIN;
	return 0;
}

/*
 * Fill @ret_tab from @path, or, if that is NULL, from memory; @old: the table it replaces, or
 * NULL. @partial: from memory, without what the kernel has generated.
 */
static int read_table(struct symbols *syms, const char *path, bool partial,
		      const struct symtab *old, struct symtab *ret_tab)
{
	struct symtab tab = {0};
	struct symbols_reading reading = {.syms = syms, .tab = &tab, .old = old};
	unsigned int parts = KCORESYMS_MODULES;
	struct live_state state = {0};
	int err;

	err = old ? symtab_take_modules(&tab, old) : symtab_module_index(&tab, &syms->names, "", 0);
	if (err == 0)
		state = read_live_state(syms, &tab);
	if (err == 0 && old)
		err = copy_kernel(old, &tab);
	if (!old)
		parts |= KCORESYMS_IMAGE;
	if (!partial)
		parts |= KCORESYMS_GENERATED;
	if (err == 0)
		err = path ? kallsyms_read(&reading, path, syms->ahead)
			   : read_memory(&reading, parts, &state);
	/* Memory tells addresses, or nothing, and beside the image there may be no symbols. */
	if (!err && !path && old)
		symtab_finish(&tab);
	else
		err = err ?: symbols_end_reading(&reading);
	if (err < 0) {
		symtab_deinit(&tab);
		return err == -E2BIG ? -EINVAL : err;
	}
	syms->partial = !path && partial;
	syms->fingerprint = state.fingerprint;
	*ret_tab = tab;
	return 0;
}

static struct symbols *symbols_alloc(const struct symbols_source *live)
{
	struct symbols *syms = calloc(1, sizeof(*syms));

	if (!syms)
		return NULL;
	syms->live = live;
	syms->miss_wait_ns = SECOND_NS;
	return syms;
}

static int read_first(struct symbols *syms, const char *path)
{
	int err = read_table(syms, path, false, NULL, &syms->tab);

	if (!err && syms->live->bpf)
		symbols_read_bpf_sizes(syms);
	return err;
}

int symbols_begin_live(const struct symbols_source *source, bool quick,
		       struct symbols **ret_symbols)
{
	struct symbols *syms = symbols_alloc(source);

	if (!syms)
		return -ENOMEM;
	if (quick)
		syms->kcore = kcoresyms_open(source->kcore);
	/* Without a thread it is read at the end: then it takes longer. */
	if (!syms->kcore)
		syms->ahead = prefetch_start(source->kallsyms, KALLSYMS_BYTES_MAX);
	*ret_symbols = syms;
	return 0;
}

int symbols_open_begin(bool quick, struct symbols **ret_symbols)
{
	return symbols_begin_live(&live_source, quick, ret_symbols);
}

bool symbols_open_peek(struct symbols *syms)
{
	struct symtab tab = {0};
	struct symbols_reading reading = {.syms = syms, .tab = &tab};
	bool known = symtab_module_index(&tab, &syms->names, "", 0) == 0 &&
		     kallsyms_peek(&reading, syms->live->kallsyms);

	symtab_deinit(&tab);
	return known;
}

static int open_end(struct symbols *syms, bool partial, const struct btf *btf)
{
	int err = -ENOENT;

	if (syms->kcore && btf) {
		kcoresyms_describe(syms->kcore, btf);
		err = read_table(syms, NULL, partial, NULL, &syms->tab);
		if (!err && !partial && syms->live->bpf)
			symbols_read_bpf_sizes(syms);
	}
	/* That something came or went meanwhile says nothing of the next time. */
	if (err && err != -EAGAIN) {
		kcoresyms_close(syms->kcore);
		syms->kcore = NULL;
	}
	if (err && err != -ENOMEM)
		err = read_first(syms, syms->live->kallsyms);
	prefetch_stop(syms->ahead);
	syms->ahead = NULL;
	return err;
}

int symbols_open_end(struct symbols *syms, const struct btf *btf)
{
	return open_end(syms, true, btf);
}

bool symbols_partial(const struct symbols *syms)
{
	return syms->partial;
}

int symbols_open_live(const struct symbols_source *source, struct symbols **ret_symbols)
{
	struct symbols *syms = symbols_alloc(source);
	int err;

	if (!syms)
		return -ENOMEM;
	err = read_first(syms, source->kallsyms);
	if (err) {
		symbols_close(syms);
		return err;
	}
	*ret_symbols = syms;
	return 0;
}

int symbols_open_running(struct symbols **ret_symbols)
{
	struct symbols *syms = symbols_alloc(&live_source);
	struct btf *btf = NULL;
	int err;

	if (!syms)
		return -ENOMEM;
	syms->kcore = kcoresyms_open(live_source.kcore);
	/* libbpf would complain of a kernel that has none. */
	if (syms->kcore && !access(BTF_FILE, R_OK))
		btf = btf__parse(BTF_FILE, NULL);
	err = open_end(syms, false, btf);
	btf__free(btf);
	if (err) {
		symbols_close(syms);
		return err;
	}
	*ret_symbols = syms;
	return 0;
}

void symbols_freeze(struct symbols *syms)
{
	syms->live = NULL;
	kcoresyms_close(syms->kcore);
	syms->kcore = NULL;
}

int symbols_refresh(struct symbols *syms)
{
	struct symtab tab;
	int err = -ENOENT;

	if (!syms->live || syms->visiting)
		return 0;
	syms->read_ns = syms->checked_ns = clock_ns(CLOCK_MONOTONIC);
	/* At a fraction of what it costs the kernel to print /proc/kallsyms */
	if (syms->kcore)
		err = read_table(syms, NULL, false, &syms->tab, &tab);
	if (err && err != -ENOMEM)
		err = read_table(syms, syms->live->kallsyms, false, &syms->tab, &tab);
	if (err)
		return err;
	symtab_deinit(&syms->tab);
	syms->tab = tab;
	syms->version++;
	if (syms->live->bpf)
		symbols_read_bpf_sizes(syms);
	/* The wait counts from the end: reading may take longer than the wait itself. */
	syms->read_ns = syms->checked_ns = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

/*
 * Is it time to read the table again? A symbol of a module may have been replaced by another one's
 * at the same place: whether any came or went is looked at once a second. It is cheap to ask, so it
 * is asked sooner for an address without a symbol.
 */
static bool refresh_due(struct symbols *syms, const struct symtab_entry *sym)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!sym && (!syms->read_ns || now - syms->read_ns >= syms->miss_wait_ns))
		return true;
	if (syms->checked_ns && now - syms->checked_ns < (sym ? SECOND_NS : MISS_LOOK_NS))
		return false;
	syms->checked_ns = now;
	return read_live_state(syms, NULL).fingerprint != syms->fingerprint;
}

void symbols_follow_address(struct symbols *syms, uint64_t addr)
{
	const struct symtab_entry *sym;

	if (!syms->live || syms->visiting || !address_is_kernel(addr) ||
	    symtab_in_kernel(&syms->tab, addr))
		return;
	sym = symtab_find(&syms->tab, addr);
	if (sym && sym->module == 0)
		return;
	/*
	 * Where what is generated has not been read yet, the last function of a module may seem to
	 * reach over it.
	 */
	if (!(syms->partial && !syms->read_ns) && !refresh_due(syms, sym))
		return;
	symbols_refresh(syms);
	if (symtab_find(&syms->tab, addr))
		syms->miss_wait_ns = SECOND_NS;
	else if (!sym && syms->miss_wait_ns < MISS_WAIT_MAX_NS)
		syms->miss_wait_ns *= 2;
}

void symbols_follow(struct symbols *syms, const struct snapshot *snap)
{
	symbols_follow_address(syms, snap->ip);
	for (uint32_t i = 0; i < snap->count; i++) {
		symbols_follow_address(syms, snap->branches[i].from);
		symbols_follow_address(syms, snap->branches[i].to);
	}
	for (uint32_t i = 0; i < snap->stack_count; i++)
		symbols_follow_address(syms, snap->stack[i]);
}
