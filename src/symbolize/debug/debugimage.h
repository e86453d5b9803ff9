/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debugimage.h - the DWARF of one kernel or module, and where that runs
 *
 * Internal to symbolize/.
 */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_DEBUGIMAGE_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_DEBUGIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/debug/cuindex.h"

struct debugimage;

/**
 * debugimage_open() - open a file with DWARF
 * Relocatable files (modules) are laid out and relocated. Nothing else is read yet.
 * @pool: what it has of the file is not read again; NULL: all is read
 * Return: 0; -ENOENT if it cannot be read; -ENOMEM.
 */
int debugimage_open(struct lines_pool *pool, const char *path, struct debugimage **ret_image);

/** debugimage_close() - free; NULL is fine */
void debugimage_close(struct debugimage *image);

/**
 * debugimage_place_kernel() - the kernel runs with its _stext here
 * @stext: 0: where it was linked to
 */
void debugimage_place_kernel(struct debugimage *image, uint64_t stext);

/** debugimage_place_bias() - it is a user program's file, loaded so far above where it was linked
 */
void debugimage_place_bias(struct debugimage *image, uint64_t bias);

/**
 * debugimage_place_section() - a section of a module is here
 * Return: 0; -ENOENT if the file has no code section of that name.
 */
int debugimage_place_section(struct debugimage *image, const char *section, uint64_t addr);

/** debugimage_unplace() - forget where it is */
void debugimage_unplace(struct debugimage *image);

/**
 * debugimage_relative() - run-time address to the file's
 * Return: 0; -ENOENT if @addr is in no section that was placed.
 */
int debugimage_relative(const struct debugimage *image, uint64_t addr, uint64_t *ret_relative);

/**
 * debugimage_runtime() - address of the file to the run-time one
 * Return: 0; -ENOENT if @relative is in no section that was placed.
 */
int debugimage_runtime(const struct debugimage *image, uint64_t relative, uint64_t *ret_addr);

/** debugimage_dwarf() - borrowed */
Dwarf *debugimage_dwarf(const struct debugimage *image);

/** debugimage_unit() - the index of a unit, made when it is first needed; NULL: no memory */
struct cu_index *debugimage_unit(struct debugimage *image, const Dwarf_Die *die);

/**
 * debugimage_chain() - inlined chain at an address of the file, innermost first
 * Strings stay valid as long as the file is open: at least until debugimage_close().
 * Return: frames written, 0 if nothing is known; -ENOMEM.
 */
int debugimage_chain(struct debugimage *image, uint64_t relative, struct srcline *ret_chain,
		     size_t max);

/** debugimage_strings() - for cu_index_path() of its units; they stay as long as these */
struct arena *debugimage_strings(struct debugimage *image);

/** debugimage_unit_die() - DIE of the unit that holds an address of the file; -ENOENT; -ENOMEM */
int debugimage_unit_die(struct debugimage *image, uint64_t relative, Dwarf_Die *ret);

/** debugimage_cfi() - call frame information of .debug_frame; NULL: there is none. Borrowed */
Dwarf_CFI *debugimage_cfi(struct debugimage *image);

/**
 * debugimage_object() - the data object of the kernel image that holds an address
 * @addr: run-time address; of a per-CPU variable the offset, where the kernel counts them from 0
 *        (before Linux 6.15)
 * @ret_offset: of @addr within it
 * Return: its name, borrowed; NULL if there is none.
 */
const char *debugimage_object(struct debugimage *image, uint64_t addr, bool percpu,
			      uint64_t *ret_offset);

#endif
