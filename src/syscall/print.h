/* SPDX-License-Identifier: GPL-2.0 */
/* print.h - values of a system call's arguments, written as strace writes them */
#ifndef LBRSNOOP_SYSCALL_PRINT_H
#define LBRSNOOP_SYSCALL_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "syscall_event.h"

/** struct constant - one name of a UAPI header */
struct constant {
	uint64_t value;
	const char *name;
};

/* The value is the compiler's: a name that the headers give another number is never wrong. */
#define CONSTANT(name)                                                                             \
	{                                                                                          \
		(uint64_t)(name), #name                                                            \
	}

/**
 * struct constants - the names that one argument takes
 * @rows: of flags those of several bits before their parts, then in the order of the text;
 *        a row of 0 is what stands for no flag
 * @unknown: what is written beside a number without a name; NULL: nothing
 */
struct constants {
	const struct constant *rows;
	uint32_t count;
	const char *unknown;
};

#define CONSTANTS(table, text)                                                                     \
	{                                                                                          \
		(table), sizeof(table) / sizeof((table)[0]), (text)                                \
	}

/**
 * struct printer - the text so far
 * @call: what is written
 * @len: characters of the whole text, more than @size if it does not fit
 * @separate: ", " goes before the next character
 */
struct printer {
	const struct syscall_event *call;
	char *buf;
	size_t size;
	size_t len;
	bool separate;
};

/** print_text() - as printf() */
__attribute__((format(printf, 2, 3))) void print_text(struct printer *p, const char *format, ...);

/** print_address() - "NULL" or "0x10" */
void print_address(struct printer *p, uint64_t address);

/** print_quoted() - in quotation marks, foreign characters as "\n", "\t", "\33" */
void print_quoted(struct printer *p, const void *bytes, size_t len);

/** constant_name() - of exactly @value; NULL if there is none */
const char *constant_name(const struct constants *names, uint64_t value);

/** print_choice() - the name of @value, or "0x4d" and a comment with @names->unknown */
void print_choice(struct printer *p, uint64_t value, const struct constants *names);

/** print_flags() - names joined by "|", then the bits without a name */
void print_flags(struct printer *p, uint64_t flags, const struct constants *names);

/**
 * print_known_flags() - the names alone
 * @ret_rest: bits without a name
 * Return: how many names were written; those of @before, written already, get a "|" behind them.
 */
uint32_t print_known_flags(struct printer *p, uint64_t flags, const struct constants *names,
			   uint32_t before, uint64_t *ret_rest);

/**
 * printer_blob() - what was read through an argument
 * @need: bytes that have to be there
 * Return: NULL if they are not.
 */
const void *printer_blob(const struct printer *p, unsigned int arg, size_t need);

#endif
