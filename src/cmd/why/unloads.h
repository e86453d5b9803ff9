/* SPDX-License-Identifier: GPL-2.0 */
/* unloads.h - does a command unload modules of the kernel? */
#ifndef LBRSNOOP_CMD_WHY_UNLOADS_H
#define LBRSNOOP_CMD_WHY_UNLOADS_H

#include <stdbool.h>

/**
 * unloads_modules() - is a program that can unload modules among the words of this command?
 *
 * The words of a shell's script count, too: sh -c 'rmmod x'. What the command's programs run
 * themselves is not known.
 * @argv: ended by NULL
 */
bool unloads_modules(char *const *argv);

#endif
