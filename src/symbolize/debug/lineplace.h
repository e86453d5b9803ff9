/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lineplace.h - source line → addresses, by the line tables of one file with DWARF
 *
 * Internal to symbolize/.
 */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_LINEPLACE_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_LINEPLACE_H

#include "symbolize/debug/debugimage.h"
#include "symbolize/debug/dwarf.h"

/**
 * debugimage_places() - as lines_places()
 */
int debugimage_places(struct debugimage *image, const char *file, int line,
		      struct line_places *ret_places);

/** debugimage_for_each_unit() - as lines_for_each_unit() */
int debugimage_for_each_unit(struct debugimage *image, lines_file_fn *fn, void *ctx);

#endif
