/* SPDX-License-Identifier: GPL-2.0 */
/* deep_stack.h - the functions that a path begins in, and what called them */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_STACK_H
#define LBRSNOOP_WHY_DEEP_DEEP_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/fetch.h"
#include "why/deep/deep.h"

/** deep_call_of() - the call instruction that returns to @returns_to; 0: none stands before it */
uint64_t deep_call_of(const struct text_source *text, uint64_t returns_to);

/**
 * deep_find_returns() - where the functions in which the path begins return to, on it
 * @ret: innermost first, @ret_count; free(), of an error, too
 * Return: 0; -ENOMEM.
 */
int deep_find_returns(const struct text_source *text, const struct deep_path *path, uint64_t **ret,
		      size_t *ret_count);

#endif
