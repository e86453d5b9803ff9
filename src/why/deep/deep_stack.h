/* SPDX-License-Identifier: GPL-2.0 */
/* deep_stack.h - the functions in which a path begins, and what called them */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_STACK_H
#define LBRSNOOP_WHY_DEEP_DEEP_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/fetch.h"
#include "why/deep/deep.h"

/** deep_call_of() - the call instruction that returns to @returns_to; 0: there is none */
uint64_t deep_call_of(const struct text_source *text, uint64_t returns_to);

/**
 * deep_find_returns() - where the functions in which the path begins return to, on the path
 * @ret: @ret_count addresses, innermost first; free(), on failure, too
 * Return: 0; -ENOMEM.
 */
int deep_find_returns(const struct text_source *text, const struct deep_path *path, uint64_t **ret,
		      size_t *ret_count);

#endif
