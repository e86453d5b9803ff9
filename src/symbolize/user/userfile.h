/* SPDX-License-Identifier: GPL-2.0 */
/*
 * userfile.h - an executable or shared library: its functions, its text, its debug information
 *
 * Addresses are the file's own, as it was linked.
 */
#ifndef LBRSNOOP_SYMBOLIZE_USER_USERFILE_H
#define LBRSNOOP_SYMBOLIZE_USER_USERFILE_H

#include <stddef.h>
#include <stdint.h>

#include "symbolize/symbolize.h"

struct userfile;

/**
 * userfile_open() - read a file's symbols
 * @path: for looking at it, and for finding separate debug information beside it
 * @name: that its symbols are said to be of, see struct symbol.module
 * @debug_dir: searched for separate debug information before /usr/lib/debug, or NULL
 * @ret_file: free with userfile_close()
 * Return: 0; -EINVAL if it is no ELF file of x86-64; -ENOMEM; errno of open().
 */
int userfile_open(const char *path, const char *name, const char *debug_dir,
		  struct userfile **ret_file);

/** userfile_open_vdso() - the code that the kernel puts into each program */
int userfile_open_vdso(struct userfile **ret_file);

/** userfile_close() - free; NULL is fine */
void userfile_close(struct userfile *file);

/** userfile_name() - as it was given */
const char *userfile_name(const struct userfile *file);

/** userfile_symbols() - its functions; strings are valid as long as the file */
struct symbols *userfile_symbols(struct userfile *file);

/**
 * userfile_find() - function at an address of the file
 * C++ names are as in the source, without parameters. Code between those that have names is named
 * by the address where it begins, 0x1234. Return: 0; -ENOENT if there is no code.
 */
int userfile_find(struct userfile *file, uint64_t addr, struct symbol *ret_sym);

/** userfile_dwarf() - path of its debug information; NULL if there is none */
const char *userfile_dwarf(const struct userfile *file);

/**
 * userfile_addr() - offset in the file to the address of what is loaded from there
 * Return: 0; -ENOENT if it is in no code that is loaded.
 */
int userfile_addr(const struct userfile *file, uint64_t offset, uint64_t *ret_addr);

/** userfile_offset() - the other way round */
int userfile_offset(const struct userfile *file, uint64_t addr, uint64_t *ret_offset);

/** userfile_read() - text, as it is in the file; 0 or -EFAULT */
int userfile_read(const struct userfile *file, uint64_t addr, void *buf, size_t len);

/**
 * userfile_is_function() - does a symbol have the name a person wrote?
 * @wanted: the symbol's name, or for C++ and Rust as it reads in the source: ns::function,
 *          with or without its parameters
 */
bool userfile_is_function(const char *symbol, const char *wanted);

#endif
