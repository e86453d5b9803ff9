/* SPDX-License-Identifier: GPL-2.0 */
/* symbols.h - struct symbols as those who fill it (live_symbols.c, elfsyms.c) and tests see it */
#ifndef LBRSNOOP_SYMBOLIZE_SYMBOLS_H
#define LBRSNOOP_SYMBOLIZE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/symtab.h"
#include "util/hash_table.h"

struct btf;
struct kcoresyms;
struct prefetch;

/**
 * struct symbols_source - files of a live kernel
 * @kallsyms: /proc/kallsyms
 * @modules: /proc/modules, need not exist
 * @kcore: /proc/kcore; NULL: its memory is not read
 * @bpf: ask the kernel for the lengths of BPF programs
 */
struct symbols_source {
	const char *kallsyms;
	const char *kcore;
	const char *modules;
	bool bpf;
};

/** enum name_note - what was found out about a name, once; 0: nothing yet */
enum name_note {
	NOTE_TRIM,	   /* enum code_class of trim.c, + 1 */
	NOTE_TRACER,	   /* enum tracer of tracing.c, + 1 */
	NOTE_IRET,	   /* 1: no; 2: yes */
	NOTE_PLACE_START,  /* enum place of the first instruction, + 1 */
	NOTE_PLACE_INSIDE, /* ... of the others */
	NOTE_COUNT,
};

#define NOTED_NAMES 1024

/** struct noted_name - @name: as symbols_find() hands it out, compared by its address */
struct noted_name {
	const char *name;
	uint8_t notes[NOTE_COUNT];
};

/**
 * struct symbols - a symbol table, and where it came from
 * @tab: what is searched
 * @names: every name ever handed out
 * @noted: cache, by name
 * @name_bytes: of names that symbols_add() was given, and keeps
 * @kept: of them, by their hash; NULL before the first
 * @live: where to read again; NULL for a table that does not change
 * @ahead: symbols_open_begin(): reads the file already; NULL otherwise
 * @kcore: what is read of the kernel's memory; NULL if that is not allowed, did not work, or was
 * not asked for
 * @partial: the kernel image and modules alone: no BPF programs, no trampolines
 * @visiting: in symbols_for_each(): the table must not be replaced
 * @user_hidden: symbols_hide_user()
 * @version: symbols_version()
 * @kaslr_offset: added to the addresses of the kernel image
 * @single: addresses, by enum symbols_single
 * @fingerprint: of the modules and BPF programs that @tab was read with
 * @checked_ns: when @fingerprint was last compared, CLOCK_MONOTONIC; 0: never
 * @read_ns: when @tab was read again; 0: only once, at the start
 * @miss_wait_ns: time to the next reading on account of an unknown address
 * @user: names addresses of programs, or NULL; borrowed
 */
struct symbols {
	struct symtab tab;
	struct arena names;
	size_t name_bytes;
	const char **kept;
	struct noted_name noted[NOTED_NAMES];
	const struct symbols_source *live;
	struct prefetch *ahead;
	struct kcoresyms *kcore;
	bool partial;
	bool visiting;
	bool user_hidden;
	uint64_t version;
	uint64_t kaslr_offset;
	uint64_t single[SYMBOLS_SINGLE_COUNT];
	uint64_t fingerprint;
	uint64_t checked_ns;
	uint64_t read_ns;
	uint64_t miss_wait_ns;
	struct userspace *user;
};

/**
 * struct symbols_reading - a table that is being filled
 * @old: table that it replaces, or NULL; its names are used again
 * @last_module: where the last symbol belonged
 * @usable: symbols that were told
 * @nonzero: ... whose address is not 0
 * @single_sketches: of the names that are looked for
 */
struct symbols_reading {
	struct symbols *syms;
	struct symtab *tab;
	const struct symtab *old;
	int last_module;
	size_t usable;
	size_t nonzero;
	bool single_sketches[256];
};

/**
 * symbols_module() - number of a module in the table, which the last symbol's mostly is
 * Return: index, or as symtab_module_index().
 */
int symbols_module(struct symbols_reading *reading, const char *name, size_t len);

/**
 * symbols_take() - a symbol for the table, if it is text or bounds some
 * @type: as in /proc/kallsyms
 * @name: copied
 * @module: index
 * Return: 0; -ENOMEM; -E2BIG beyond SYMBOLS_MAX.
 */
int symbols_take(struct symbols_reading *reading, uint64_t addr, char type, const char *name,
		 size_t len, int module);

/**
 * symbols_take_visited() - symbols_take() as a ksym_visit_fn of ksymtable.h
 * @ctx: struct symbols_reading
 */
int symbols_take_visited(uint64_t addr, char type, const char *name, size_t len, const char *module,
			 void *ctx);

/**
 * symbols_take_text() - where a module's text is, as a ksym_text_fn of ksymtable.h
 * @ctx: struct symbols_reading
 */
int symbols_take_text(const char *module, uint64_t base, uint64_t size, void *ctx);

/**
 * symbols_end_reading() - all symbols are there: their bounds are found, and they can be looked up
 * Return: 0; -EINVAL if there were none; -EPERM if their addresses are hidden.
 */
int symbols_end_reading(struct symbols_reading *reading);

/* A kernel prints some 20 MB. */
#define KALLSYMS_BYTES_MAX (256u << 20)

/**
 * kallsyms_read() - take the symbols of a text in the format of /proc/kallsyms
 * Malformed lines are skipped.
 * @ahead: reads @path already; or NULL
 * Return: 0; -EINVAL if it is longer than KALLSYMS_BYTES_MAX, or a directory; as symbols_take();
 * another errno of reading it.
 */
int kallsyms_read(struct symbols_reading *reading, const char *path, struct prefetch *ahead);

/** kallsyms_peek() - its first lines, up to _text and _stext; are both there? */
bool kallsyms_peek(struct symbols_reading *reading, const char *path);

/**
 * kcoresyms_open() - find the kernel's own symbol tables in its memory
 * @path: /proc/kcore
 * Return: NULL if it cannot be read, or does not tell where they are (Linux before 6.0).
 */
struct kcoresyms *kcoresyms_open(const char *path);

/** kcoresyms_describe() - before the first reading: the kernel's structs, by the BTF of its image
 */
void kcoresyms_describe(struct kcoresyms *kcore, const struct btf *btf);

/* Of the image; of its modules; of BPF programs, and of what else it has generated */
enum { KCORESYMS_IMAGE = 1, KCORESYMS_MODULES = 2, KCORESYMS_GENERATED = 4 };

/**
 * kcoresyms_read() - the kernel's symbols into the table
 * All but the image's may come and go meanwhile: the caller has to see whether they did.
 * @parts: what is read; the image's names tell where the others are, the first time
 * @ret_modules: set to how many modules were read, if they were
 * Return: 0; negative errno if anything is not as it should be.
 */
int kcoresyms_read(struct kcoresyms *kcore, struct symbols_reading *reading, unsigned int parts,
		   size_t *ret_modules);

/** kcoresyms_close() - free; NULL is fine */
void kcoresyms_close(struct kcoresyms *kcore);

/**
 * symbols_open_live() - read the table of a live kernel
 * @source: borrowed until symbols_close()
 * Return: as symbols_open().
 */
int symbols_open_live(const struct symbols_source *source, struct symbols **ret_symbols);

/** symbols_open_running() - all symbols of the running kernel: of its memory, or of /proc/kallsyms
 */
int symbols_open_running(struct symbols **ret_symbols);

/**
 * symbols_begin_live() - symbols_open_begin() of other files
 * @source: borrowed until symbols_close()
 */
int symbols_begin_live(const struct symbols_source *source, bool quick,
		       struct symbols **ret_symbols);

/**
 * symbols_open_user() - read the symbols of an executable or shared library
 * @fd: the file: .symtab, .dynsym, and stubs of the PLT as NAME@plt; borrowed
 * @debug_fd: its separate debug information, or -1; borrowed
 * @module: that its symbols are said to be of
 * @ret_symbols: at the addresses of the file, may be empty; free with symbols_close()
 * Return: 0; -EINVAL if it is no ELF file of x86-64; -ENOMEM.
 */
int symbols_open_user(int fd, int debug_fd, const char *module, struct symbols **ret_symbols);

/**
 * symbols_read_bpf_sizes() - set the sizes of BPF programs, which kallsyms does not tell
 * Does nothing where the kernel does not let us ask.
 */
void symbols_read_bpf_sizes(struct symbols *syms);

/**
 * symbols_bpf_fingerprint() - changes when BPF programs or links come and go
 * Return: @hash, mixed with the ids of all programs and links.
 */
uint64_t symbols_bpf_fingerprint(uint64_t hash);

/** symbols_follow_address() - symbols_follow() of one address */
void symbols_follow_address(struct symbols *syms, uint64_t addr);

/**
 * symbols_note() - where a note about a name is kept: it is asked for again and again
 * @name: from symbols_find(): such strings stay where they are, and what they are
 */
static inline uint8_t *symbols_note(struct symbols *syms, const char *name, enum name_note note)
{
	struct noted_name *slot = &syms->noted[hash_number((uintptr_t)name) % NOTED_NAMES];

	if (slot->name != name)
		*slot = (struct noted_name){.name = name};
	return &slot->notes[note];
}

#endif
