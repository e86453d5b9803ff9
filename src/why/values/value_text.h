/* SPDX-License-Identifier: GPL-2.0 */
/* value_text.h - values in words: "%esi = 9", "err = -EINVAL" */
#ifndef LBRSNOOP_WHY_VALUES_VALUE_TEXT_H
#define LBRSNOOP_WHY_VALUES_VALUE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/variable/variable.h"

/**
 * value_append() - "NAME = VALUE" behind what is in @buf, ", " in between
 * @bits: of @value
 * @type: of the source, or NULL: a signed number
 * @note: " (...)" behind it, or ""
 * What does not fit is left out.
 */
void value_append(char *buf, size_t size, const char *name, uint64_t value, int bits,
		  const struct ctype *type, const char *note);

/** value_text() - the value alone */
void value_text(char *buf, size_t size, const char *name, uint64_t value, int bits,
		const struct ctype *type);

/**
 * value_register_name() - of a general register in AT&T syntax: "%r8d"
 * @reg: by the CPU's number, 0 to 15
 * @bits: 8, 16, 32, 64; "" for others
 */
const char *value_register_name(uint8_t reg, int bits);

/** value_has_word() - is the name in @text as a whole word? "%r8" is not in "%r8d" */
bool value_has_word(const char *text, const char *word);

#endif
