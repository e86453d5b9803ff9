// SPDX-License-Identifier: GPL-2.0
/* kallsyms.c - symbols from /proc/kallsyms, or from a file of that format (System.map) */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbols.h"
#include "symbolize/user/userspace.h"
#include "util/address.h"
#include "util/prefetch.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/fnv.h"

#define READ_BYTES	 (256u << 10)
#define PEEK_BYTES	 (8u << 10)
#define PEEK_READS	 64
#define FILE_BYTES_MAX	 (256u << 20)
#define LINE_BYTES_MAX	 (SYMBOL_NAME_MAX + MODULE_NAME_MAX + 32)
#define MODULES_BYTES	 (1u << 20)
#define SECOND_NS	 1000000000u
#define MISS_LOOK_NS	 20000000u
#define MISS_WAIT_MAX_NS (64ull * SECOND_NS)
/* Kernel addresses are the upper half, whatever the number of page table levels. */
static const struct symbols_source live_source = {
	.kallsyms = "/proc/kallsyms",
	.kcore = "/proc/kcore",
	.modules = "/proc/modules",
	.bpf = true,
};

static bool is_name_char(char c)
{
	return c > ' ' && c < 0x7f;
}

/* Value of a hexadecimal digit, or above 15. */
static unsigned int hex_value(char c)
{
	unsigned int digit = (unsigned int)(unsigned char)c - '0';

	if (digit <= 9)
		return digit;
	digit = ((unsigned int)(unsigned char)c | 0x20) - 'a';
	return digit <= 5 ? digit + 10 : 16;
}

/* Hexadecimal digits at *@pos, which something else follows; leaves *@pos behind them. */
static bool parse_address(const char **pos, uint64_t *ret_addr)
{
	const char *p = *pos;
	uint64_t addr = 0;
	unsigned int digit;

	while ((digit = hex_value(*p)) < 16) {
		addr = addr << 4 | digit;
		p++;
	}
	if (p == *pos || p - *pos > 16)
		return false;
	*pos = p;
	*ret_addr = addr;
	return true;
}

int symbols_module(struct symbols_reading *reading, const char *name, size_t len)
{
	if (reading->last_module > 0) {
		const char *last = reading->tab->modules[reading->last_module].name;

		if (strncmp(last, name, len) == 0 && last[len] == '\0')
			return reading->last_module;
	}
	return symtab_module_index(reading->tab, &reading->syms->names, name, len);
}

/* "[name]" after white space, or nothing: index of the module, or negative errno. */
static int parse_module(struct symbols_reading *reading, const char *p, const char *end)
{
	const char *name;
	size_t len;

	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	if (p == end)
		return 0;
	name = ++p;
	while (is_name_char(*p) && *p != ']')
		p++;
	len = (size_t)(p - name);
	if (name[-1] != '[' || *p != ']' || !len || len > MODULE_NAME_MAX)
		return -EINVAL;
	return symbols_module(reading, name, len);
}

/* A name that the replaced table had already is not stored again. */
static const char *keep_name(struct symbols_reading *reading, uint64_t addr, const char *name,
			     size_t len)
{
	const struct symtab_entry *known =
		reading->old ? symtab_exact(reading->old, addr, name, len) : NULL;

	return known ? known->name : arena_strndup(&reading->syms->names, name, len);
}

static void keep_single(struct symbols *syms, uint64_t addr, const char *name, size_t len)
{
	static const struct {
		const char *name;
		size_t len;
	} names[] = {
#define SINGLE(text) {text, sizeof(text) - 1}
		[SYMBOLS_CPU_HW_EVENTS] = SINGLE("cpu_hw_events"),
		[SYMBOLS_PER_CPU_OFFSET] = SINGLE("__per_cpu_offset"),
		[SYMBOLS_TEXT] = SINGLE("_text"),
		[SYMBOLS_STEXT] = SINGLE("_stext"),
		[SYMBOLS_JUMP_TABLE] = SINGLE("__start___jump_table"),
		[SYMBOLS_JUMP_TABLE_END] = SINGLE("__stop___jump_table"),
		[SYMBOLS_BUG_TABLE_START] = SINGLE("__start___bug_table"),
		[SYMBOLS_BUG_TABLE_STOP] = SINGLE("__stop___bug_table"),
		[SYMBOLS_KFENCE_POOL] = SINGLE("__kfence_pool"),
		[SYMBOLS_MODULES] = SINGLE("modules"),
		[SYMBOLS_VMALLOC_BASE] = SINGLE("vmalloc_base"),
#undef SINGLE
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].len == len && !memcmp(names[i].name, name, len))
			syms->single[i] = addr;
}

uint64_t symbols_single(const struct symbols *syms, enum symbols_single which)
{
	return syms->single[which];
}

int symbols_take(struct symbols_reading *reading, uint64_t addr, char type, const char *name,
		 size_t len, int module)
{
	const char *kept = NULL;

	reading->last_module = module;
	reading->usable++;
	reading->nonzero += addr != 0;
	if (module == 0)
		keep_single(reading->syms, addr, name, len);
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

/*
 * "ffffffff81000000 T name\t[module]"; what is none is left out. There is a newline at @end,
 * so that loops over characters end there.
 */
static int parse_line(struct symbols_reading *reading, const char *p, const char *end)
{
	const char *name;
	uint64_t addr;
	size_t len;
	int module;
	char type;

	if (!parse_address(&p, &addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return 0;
	type = p[1];
	name = p += 3;
	while (is_name_char(*p))
		p++;
	len = (size_t)(p - name);
	if (!isalpha((unsigned char)type) || !len || len > SYMBOL_NAME_MAX)
		return 0;
	module = parse_module(reading, p, end);
	if (module == -EINVAL)
		return 0;
	if (module < 0)
		return module;
	return symbols_take(reading, addr, type, name, len, module);
}

/* All lines of a chunk; the unfinished last one is moved to the front, *@len is its length. */
static int parse_chunk(struct symbols_reading *reading, char *chunk, size_t *len, bool last)
{
	char *p = chunk, *end = chunk + *len;

	*end = '\n';
	while (p < end) {
		char *newline = memchr(p, '\n', (size_t)(end - p));
		int err;

		if (!newline && !last)
			break;
		if (!newline)
			newline = end;
		err = parse_line(reading, p, newline);
		if (err)
			return err;
		p = newline == end ? end : newline + 1;
	}
	*len = (size_t)(end - p);
	/* A line that no symbol can have: forget it, what follows up to its end is no symbol. */
	if (*len > LINE_BYTES_MAX) {
		*len = 1;
		*p = '?';
	}
	memmove(chunk, p, *len);
	return 0;
}

static int parse_file(struct symbols_reading *reading, const char *path)
{
	struct prefetch *ahead = reading->syms->ahead;
	_cleanup_close_ int fd = ahead ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *chunk = malloc(READ_BYTES + 1);
	size_t len = 0, total = 0;
	ssize_t got;

	if (fd < 0 && !ahead)
		return -errno;
	if (!chunk)
		return -ENOMEM;
	do {
		int err;

		got = ahead ? prefetch_read(ahead, chunk + len, READ_BYTES - len)
			    : read(fd, chunk + len, READ_BYTES - len);
		if (got < 0 && ahead)
			return (int)got;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EISDIR ? -EINVAL : -errno;
		len += (size_t)got;
		total += (size_t)got;
		if (total > FILE_BYTES_MAX)
			return -EINVAL;
		err = parse_chunk(reading, chunk, &len, got == 0);
		if (err)
			return err;
	} while (got != 0);
	return 0;
}

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

/* Reads modules' ranges into @tab, if any; returns what tells one set of them from another. */
static uint64_t read_live_state(struct symbols *syms, struct symtab *tab)
{
	uint64_t hash = FNV_START;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	text = read_small_file(syms->live->modules, MODULES_BYTES, &len);
	if (text) {
		/* Of each line only name and base: reference counts come and go. */
		for (const char *line = text; *line; line = next_line(line)) {
			const char *base = line_base(line);

			hash = fnv(hash, line, strcspn(line, " \n"));
			if (base)
				hash = fnv(hash, base, strcspn(base, "\n"));
		}
		if (tab)
			read_module_ranges(syms, tab, text);
	}
	return syms->live->bpf ? symbols_bpf_fingerprint(hash) : hash;
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

/* Out of the kernel's memory, if its modules stay what they are meanwhile. */
static int read_memory(struct symbols_reading *reading, const struct btf *btf, uint64_t fingerprint)
{
	struct symbols *syms = reading->syms;
	size_t listed = reading->tab->module_count, visited = 0;
	int err = kcoresyms_read(syms->kcore, reading, btf, &visited);

	if (err)
		return err;
	/* Number 0 is the kernel image; one that is not in /proc/modules would have been added. */
	if (visited + 1 != listed || reading->tab->module_count != listed ||
	    read_live_state(syms, NULL) != fingerprint)
		return -EAGAIN;
	return 0;
}

/*
 * Fill @ret_tab from @path, or, if that is NULL, from memory; @old: the table it replaces, or
 * NULL.
 */
static int read_table(struct symbols *syms, const char *path, const struct btf *btf,
		      const struct symtab *old, struct symtab *ret_tab)
{
	struct symtab tab = {0};
	struct symbols_reading reading = {.syms = syms, .tab = &tab, .old = old};
	uint64_t fingerprint = 0;
	int err;

	err = old ? symtab_take_modules(&tab, old) : symtab_module_index(&tab, &syms->names, "", 0);
	if (err == 0 && syms->live)
		fingerprint = read_live_state(syms, &tab);
	if (err == 0 && old)
		err = copy_kernel(old, &tab);
	if (err == 0)
		err = path ? parse_file(&reading, path) : read_memory(&reading, btf, fingerprint);
	if (err == 0 && !reading.usable)
		err = -EINVAL;
	if (err == 0 && !reading.nonzero)
		err = -EPERM;
	if (err < 0) {
		symtab_deinit(&tab);
		return err == -E2BIG ? -EINVAL : err;
	}
	symtab_finish(&tab);
	syms->partial = !path;
	syms->fingerprint = fingerprint;
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
	int err = read_table(syms, path, NULL, NULL, &syms->tab);

	if (!err && syms->live && syms->live->bpf)
		symbols_read_bpf_sizes(syms);
	return err;
}

static int symbols_create(const char *path, const struct symbols_source *live,
			  struct symbols **ret_symbols)
{
	struct symbols *syms = symbols_alloc(live);
	int err;

	if (!syms)
		return -ENOMEM;
	err = read_first(syms, path);
	if (err) {
		symbols_close(syms);
		return err;
	}
	*ret_symbols = syms;
	return 0;
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
		syms->ahead = prefetch_start(source->kallsyms, FILE_BYTES_MAX);
	*ret_symbols = syms;
	return 0;
}

int symbols_open_begin(bool quick, struct symbols **ret_symbols)
{
	return symbols_begin_live(&live_source, quick, ret_symbols);
}

/* The kernel hands out a page at a time; before its text there are per-CPU symbols at most. */
bool symbols_open_peek(struct symbols *syms)
{
	_cleanup_close_ int fd = open(syms->live->kallsyms, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *chunk = malloc(PEEK_BYTES + 1);
	struct symtab tab = {0};
	struct symbols_reading reading = {.syms = syms, .tab = &tab};
	bool known = false;
	size_t len = 0;
	int err = fd < 0 || !chunk ? -ENOENT : symtab_module_index(&tab, &syms->names, "", 0);

	for (int i = 0; !err && !known && i < PEEK_READS; i++) {
		ssize_t got = read(fd, chunk + len, PEEK_BYTES - len);

		if (got <= 0)
			break;
		len += (size_t)got;
		err = parse_chunk(&reading, chunk, &len, false);
		known = syms->single[SYMBOLS_TEXT] && syms->single[SYMBOLS_STEXT];
	}
	symtab_deinit(&tab);
	return known;
}

int symbols_open_end(struct symbols *syms, const struct btf *btf)
{
	int err = -ENOENT;

	if (syms->kcore && btf)
		err = read_table(syms, NULL, btf, NULL, &syms->tab);
	if (err && err != -ENOMEM)
		err = read_first(syms, syms->live->kallsyms);
	kcoresyms_close(syms->kcore);
	syms->kcore = NULL;
	prefetch_stop(syms->ahead);
	syms->ahead = NULL;
	return err;
}

bool symbols_partial(const struct symbols *syms)
{
	return syms->partial;
}

int symbols_open_live(const struct symbols_source *source, struct symbols **ret_symbols)
{
	return symbols_create(source->kallsyms, source, ret_symbols);
}

int symbols_open(const char *path, struct symbols **ret_symbols)
{
	if (!path)
		return symbols_open_live(&live_source, ret_symbols);
	return symbols_create(path, NULL, ret_symbols);
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

void symbols_freeze(struct symbols *syms)
{
	syms->live = NULL;
}

uint64_t symbols_version(const struct symbols *syms)
{
	return syms->version;
}

void symbols_hide_user(struct symbols *syms, bool hidden)
{
	syms->user_hidden = hidden;
}

int symbols_refresh(struct symbols *syms)
{
	struct symtab tab;
	int err;

	if (!syms->live || syms->visiting)
		return 0;
	syms->read_ns = syms->checked_ns = clock_ns(CLOCK_MONOTONIC);
	err = read_table(syms, syms->live->kallsyms, NULL, &syms->tab, &tab);
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
	return read_live_state(syms, NULL) != syms->fingerprint;
}

void symbols_follow_address(struct symbols *syms, uint64_t addr)
{
	const struct symtab_entry *sym;

	if (!syms->live || syms->visiting || !address_is_kernel(addr) ||
	    symtab_in_kernel(&syms->tab, addr))
		return;
	sym = symtab_find(&syms->tab, addr);
	if ((sym && sym->module == 0) || !refresh_due(syms, sym))
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
