/* SPDX-License-Identifier: GPL-2.0 */
/* place.h - special places of the kernel's code, known by name */
#ifndef LBRSNOOP_SYMBOLIZE_PLACE_H
#define LBRSNOOP_SYMBOLIZE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/** enum place - code that means more than its instructions say */
enum place {
	PLACE_ORDINARY = 0,
	PLACE_INTERRUPT,       /* an IDT entry: exceptions and interrupts arrive here */
	PLACE_SYSCALL,	       /* entry of SYSCALL, SYSENTER or INT 0x80 */
	PLACE_RETURN_THUNK,    /* a direct jump here is a return */
	PLACE_INDIRECT_THUNK,  /* a direct jump or call here is an indirect one */
	PLACE_THUNK_PART,      /* what thunks, or the kernel's entry, call for their purpose */
	PLACE_RETURN_HOOK,     /* a replaced return address (kretprobe, graph tracer) */
	PLACE_CALLS_INTERRUPT, /* code that calls IDT entries itself (KVM) */
	PLACE_NO_RETURN,       /* a function that never returns to its caller */
};

/** typedef place_fn - what is special about a code address */
typedef enum place place_fn(void *ctx, uint64_t addr);

/** typedef same_function_fn - is @b in the function that @a is in, or in what was moved out of it?
 */
typedef bool same_function_fn(void *ctx, uint64_t a, uint64_t b);

/**
 * place_of_symbol() - what is special about an address in a function of this name
 * @offset: of the address from the function's start
 */
enum place place_of_symbol(const char *name, uint64_t offset);

/** place_is_thunk() - code that every return, or every indirect branch, of the kernel comes by? */
bool place_is_thunk(enum place place);

struct symbol;
struct symbols;

/**
 * place_in_symbol() - the same of an address in a symbol, remembered
 * @sym: as symbols_find() gave it
 */
enum place place_in_symbol(struct symbols *symbols, const struct symbol *sym, uint64_t addr);

/**
 * place_by_symbols() - a place_fn
 * @symbols: struct symbols of symbolize/symbolize.h (borrowed)
 */
enum place place_by_symbols(void *symbols, uint64_t addr);

/** same_function_by_symbols() - a same_function_fn, of the same; not sure is no */
bool same_function_by_symbols(void *symbols, uint64_t a, uint64_t b);

#endif
