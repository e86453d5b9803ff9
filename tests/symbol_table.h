/* SPDX-License-Identifier: GPL-2.0 */
/* symbol_table.h - symbols of a made-up /proc/kallsyms, for test programs */
#ifndef LBRSNOOP_TESTS_SYMBOL_TABLE_H
#define LBRSNOOP_TESTS_SYMBOL_TABLE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/symbolize.h"

/**
 * symbol_table() - the symbols of a text in the form of /proc/kallsyms
 * Return: symbols_close() them; NULL if they could not be had.
 */
static inline struct symbols *symbol_table(const char *text)
{
	char path[] = "/tmp/lbrsnoop-symbols.XXXXXX";
	int fd = mkstemp(path);
	struct symbols *symbols = NULL;
	size_t len = strlen(text);

	if (fd < 0)
		return NULL;
	if (write(fd, text, len) != (ssize_t)len || symbols_open(path, &symbols))
		symbols = NULL;
	close(fd);
	unlink(path);
	return symbols;
}

/** symbol_table_setup() - what cmocka calls before a test: *@state is the symbols, or it fails */
static inline int symbol_table_setup(void **state, const char *text)
{
	*state = symbol_table(text);
	return *state ? 0 : -1;
}

/** symbol_table_teardown() - and after it */
static inline int symbol_table_teardown(void **state)
{
	symbols_close(*state);
	return 0;
}

#endif
