/* SPDX-License-Identifier: GPL-2.0 */
/*
 * module_sections.h - where the sections of a module are that is loaded now
 *
 * Source: /sys/module/NAME/sections, which the kernel shows to root alone (kernel/module/sysfs.c).
 */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_MODULE_SECTIONS_H
#define LBRSNOOP_SYMBOLIZE_TEXT_MODULE_SECTIONS_H

#include <stdint.h>

/** module_section_addr() - its run-time address; 0 if it is not known */
uint64_t module_section_addr(const char *module, const char *section);

/**
 * module_sections_each() - call @fn for each section whose address is known
 * @fn: returns 0; anything else ends the walk
 */
void module_sections_each(const char *module,
			  int (*fn)(const char *section, uint64_t addr, void *ctx), void *ctx);

#endif
