/* SPDX-License-Identifier: GPL-2.0 */
/* msr_write.h - does a path show which MSR a WRMSR in it writes? Read from the text that is
 * printed. */
#ifndef LBRSNOOP_TESTS_ORACLE_MSR_WRITE_H
#define LBRSNOOP_TESTS_ORACLE_MSR_WRITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * msr_is_untold() - does a block end with a WRMSR of an MSR that the path does not show?
 * @path: array of blocks, of --json --insns
 * @end: index of the block
 * Return: true if no instruction shown, back to the gap before, sets its %ecx to a constant.
 */
bool msr_is_untold(const json_t *path, size_t end);

#endif
