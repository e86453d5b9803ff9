/* SPDX-License-Identifier: GPL-2.0 */
/* dwarf.h - address → source line and inlined chain, through elfutils' libdw */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_DWARF_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE_DEPTH_MAX 16

/**
 * struct srcline - one frame of an address's inlined chain
 * @function: name of the (inlined) function; "" if DWARF has none, as for many functions in
 *            assembler: the symbol's name is it then; borrowed from the lines object
 * @file: path as in DWARF, "./" and "../" folded, "" if unknown. Relative to the compilation
 *        directory where DWARF does not tell that as an absolute path (Debian); borrowed
 * @line: 0 if unknown
 * @decl_line: line the function is declared at, 0 if unknown
 */
struct srcline {
	const char *function;
	const char *file;
	int line;
	int decl_line;
};

struct lines_pool;

/**
 * struct lines_options - where debug information may come from
 * @vmlinux: file with DWARF of the kernel, or NULL: found by build ID and release
 * @debug_dir: searched before /usr/lib/debug, or NULL
 * @release: kernel release, or NULL for the running one
 * @build_id: of the kernel that the addresses are of, or NULL: the running one's
 * @build_id_len: bytes
 * @without_kernel: for user programs, too: it is no error if there is none of the kernel
 * @stext: run-time address of _stext, to undo KASLR; 0: as @symbols say when it is first asked for
 * @symbols: of the running kernel, or NULL; borrowed until lines_close()
 * @pool: of what others have read, or NULL; borrowed until lines_close()
 */
struct lines_options {
	const char *vmlinux;
	const char *debug_dir;
	const char *release;
	const uint8_t *build_id;
	size_t build_id_len;
	bool without_kernel;
	uint64_t stext;
	const struct symbols *symbols;
	struct lines_pool *pool;
};

struct lines;

/**
 * lines_pool_create() - of files with debug information, for several struct lines: what was read
 * of a file is in memory once, though the kernels that it is of ran at different addresses
 * Return: NULL without memory. Free with lines_pool_destroy() behind the last lines_close().
 */
struct lines_pool *lines_pool_create(void);

/** lines_pool_destroy() - NULL is fine */
void lines_pool_destroy(struct lines_pool *pool);

/**
 * lines_open() - prepare; reads nothing large until the first lookup
 * Return: 0; -ENOENT if there is no debug info for this kernel (lines_hint() says what to
 * install); -ESTALE if @opts->vmlinux has another build ID; -ENOMEM.
 */
int lines_open(const struct lines_options *opts, struct lines **ret_lines);

/** lines_close() - free; NULL is fine */
void lines_close(struct lines *lines);

/**
 * lines_set_module() - tell of a module, when the addresses are another machine's
 * Not needed for the running kernel's: /sys/module is read. A module known already is forgotten,
 * and where it was. lines_place_section() tells where it is.
 * @build_id: or NULL, and the module's file is taken by its name
 * Return: 0; -E2BIG: there are too many, it has no lines; -ENOMEM.
 */
int lines_set_module(struct lines *lines, const char *module, const uint8_t *build_id,
		     size_t build_id_len);

/**
 * lines_place_section() - tell where a section of such a module is
 * Return: 0; -ENOENT if lines_set_module() did not tell of it; -E2BIG; -ENOMEM.
 */
int lines_place_section(struct lines *lines, const char *module, const char *section,
			uint64_t addr);

/**
 * lines_set_file() - tell of a user program's file, and where it is in the process meant
 * @module: name that addresses in it are looked up by
 * @path: file with its DWARF; opened when it is first needed; not read again when it is told anew
 * @bias: run-time minus link-time address
 * Return: 0; -E2BIG: there are too many, it has no lines; -ENOMEM.
 */
int lines_set_file(struct lines *lines, const char *module, const char *path, uint64_t bias);

/**
 * lines_find() - inlined chain of an address, innermost first
 * @module: "" for the kernel image
 * @addr: run-time address
 * @is_return: @addr is a return address: the call before it is meant
 * @max: room in @ret_chain
 * Strings stay valid until lines_close(). If there are more frames than @max, the outer ones are
 * left out.
 * Return: frames written; -ENOENT if nothing is known about @addr; -ENOMEM.
 */
int lines_find(struct lines *lines, const char *module, uint64_t addr, bool is_return,
	       struct srcline *ret_chain, size_t max);

#define LINE_PLACES_MAX 64
#define LINE_FILES_MAX	16

/**
 * struct line_places - where the code of a source line begins
 * @files: paths that end in the name asked for; strings stay valid until lines_close()
 * @file_count: of @files; more than there is room for are left out
 * @addrs: run-time addresses, in order: one in each function that has the line, and in each place
 *         where such a function was inlined: the lowest one there
 * @addr_count: how many there are, though @addrs has room for LINE_PLACES_MAX
 * @next_line: if there are none: the next line of the file with code; 0 if there is none
 */
struct line_places {
	const char *files[LINE_FILES_MAX];
	size_t file_count;
	uint64_t addrs[LINE_PLACES_MAX];
	size_t addr_count;
	int next_line;
};

/**
 * lines_places() - from a source line to addresses
 * @module: "" for the kernel image
 * @file: path, or the end of it from a '/' on
 * @ret_places: set on success; several files without addresses: the name is not enough
 * Return: 0; -ENOENT if no file of that name has code; -ENODATA if there is no debug information
 * of @module; -ENOMEM.
 */
int lines_places(struct lines *lines, const char *module, const char *file, int line,
		 struct line_places *ret_places);

/** typedef lines_file_fn - non-zero stops */
typedef int lines_file_fn(const char *path, void *ctx);

/** lines_for_each_unit() - name of each compiled file, "./" and "../" folded; 0 or what @fn said */
int lines_for_each_unit(struct lines *lines, const char *module, lines_file_fn *fn, void *ctx);

/**
 * lines_mismatch() - why lines_open() returned -ESTALE: both build IDs, and the remedy
 * Return: @buf.
 */
const char *lines_mismatch(const struct lines_options *opts, char *buf, size_t len);

/** lines_hint() - what to do on this distribution, with this kernel, to have source lines */
const char *lines_hint(char *buf, size_t len);

struct debugimage;

/**
 * lines_image() - the file with DWARF of the kernel ("") or a module, read when it is first asked
 * for; internal to symbolize/
 * Return: borrowed; NULL if there is none.
 */
struct debugimage *lines_image(struct lines *lines, const char *module);

#endif
