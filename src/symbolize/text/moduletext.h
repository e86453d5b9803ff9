/* SPDX-License-Identifier: GPL-2.0 */
/* moduletext.h - the text of a loaded module, out of its file */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_MODULETEXT_H
#define LBRSNOOP_SYMBOLIZE_TEXT_MODULETEXT_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/symbolize.h"

/** typedef module_text_fn - a section as it was loaded; other than 0 ends the walk */
typedef int module_text_fn(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx);

/** typedef module_place_fn - run-time address of a section; 0: not known */
typedef uint64_t module_place_fn(const char *module, const char *section);

/**
 * module_text_each() - its sections of code, relocated as the kernel does
 *
 * Where a relocation is of something that has no known address, the bytes stay as they are in the
 * file. Code of the module's beginning, which is freed, is left out.
 * @elf: its file
 * @place: of its sections: module_section_addr()
 * @symbols: of the running kernel
 * Return: 0; -EINVAL if the file is no module; -ENOMEM; what @fn returned.
 */
int module_text_each(Elf *elf, const char *module, module_place_fn *place, struct symbols *symbols,
		     module_text_fn *fn, void *ctx);

#endif
