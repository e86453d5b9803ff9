/* SPDX-License-Identifier: GPL-2.0 */
/* deep_functions.h - the functions on the way to the error, out of the branches of --deep */
#ifndef LBRSNOOP_RENDER_WHY_DEEP_FUNCTIONS_H
#define LBRSNOOP_RENDER_WHY_DEEP_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "operand/operand.h"
#include "render/why/why_text.h"
#include "symbolize/symbolize.h"
#include "why/deep/deep.h"

/* Conditions of a function, the newest ones. */
#define DEEP_CONDITIONS_MAX 3

/**
 * struct deep_condition - a conditional branch of a function
 * @addr: of the branch; @taken: it was
 * @text: what it found, in the names of the source or in registers; "" if there are no words for it
 */
struct deep_condition {
	uint64_t addr;
	bool taken;
	char text[CONDITION_MAX];
};

/**
 * struct deep_function - a function that had not returned at the error
 * @at: where it was left last
 * @branches: taken in it; what it called is not counted
 * @returned: functions that it called, and that came back
 * @conditions: what it found before it went on, the newest first
 */
struct deep_function {
	struct symbol sym;
	uint64_t at;
	size_t branches;
	size_t returned;
	struct deep_condition conditions[DEEP_CONDITIONS_MAX];
	int condition_count;
};

/**
 * deep_functions() - the outermost first
 * @view: without its kernel_text there are no conditions
 * @ret: free()
 * Return: 0; -ENOMEM.
 */
int deep_functions(const struct deep_path *deep, const struct why_view *view,
		   struct deep_function **ret, size_t *ret_count);

#endif
