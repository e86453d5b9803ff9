/* SPDX-License-Identifier: GPL-2.0 */
/* color.h - what the views paint with; only where text_options.color says so */
#ifndef LBRSNOOP_RENDER_COLOR_H
#define LBRSNOOP_RENDER_COLOR_H

#include "render/branch_list.h"

#define RED    "\033[1;31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define OFF    "\033[0m"

/** paint() - @code where colours are wanted, else "" */
static inline const char *paint(const struct text_options *opts, const char *code)
{
	return opts->color ? code : "";
}

#endif
