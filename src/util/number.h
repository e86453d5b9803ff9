/* SPDX-License-Identifier: GPL-2.0 */
/* number.h - numbers as users write them */
#ifndef LBRSNOOP_UTIL_NUMBER_H
#define LBRSNOOP_UTIL_NUMBER_H

#include <stdint.h>

/**
 * number_parse() - a decimal number; 010 is ten
 * @units: letters of which one may stand behind it, each 1024 times the one before, the first
 *         1024; "": none
 * Return: 0; -EINVAL: it is none, or too large.
 */
int number_parse(const char *text, const char *units, uint64_t *ret);

#endif
