/* SPDX-License-Identifier: GPL-2.0 */
/* module_text.h - is a module still where it was? */
#ifndef LBRSNOOP_CAPTURE_MODULE_TEXT_H
#define LBRSNOOP_CAPTURE_MODULE_TEXT_H

#include <stdint.h>

/**
 * module_text() - where a module's text is, as /sys/module/NAME/sections/.text tells
 * Return: address; 0 if the module is not loaded, or its address is hidden.
 */
uint64_t module_text(const char *name);

#endif
