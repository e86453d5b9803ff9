/* SPDX-License-Identifier: GPL-2.0 */
/* why_deep.h - the way from the system call to the error, for a person */
#ifndef LBRSNOOP_RENDER_WHY_WHY_DEEP_H
#define LBRSNOOP_RENDER_WHY_WHY_DEEP_H

#include <stdio.h>

#include "render/why/why_text.h"
#include "why/deep/deep.h"

/**
 * render_why_deep() - how far back it reaches, in how many runs, and why no further; the functions
 * that had not returned at the error, the outermost first, with what returned in them counted
 */
void render_why_deep(FILE *out, const struct deep_path *deep, const struct why_view *view);

#endif
