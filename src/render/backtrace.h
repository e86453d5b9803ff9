/* SPDX-License-Identifier: GPL-2.0 */
/* backtrace.h - stack and registers of a snapshot, for a person */
#ifndef LBRSNOOP_RENDER_BACKTRACE_H
#define LBRSNOOP_RENDER_BACKTRACE_H

#include <stdio.h>

#include "render/branch_list.h"
#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

/** struct backtrace_view - all borrowed; @symbols, @lines: or NULL: addresses, offsets alone */
struct backtrace_view {
	struct symbols *symbols;
	struct lines *lines;
	struct text_options text;
};

/** render_registers() - a block of them, and an empty line; nothing if they were not reported */
void render_registers(FILE *out, const struct snapshot *snap, const struct backtrace_view *view);

/** render_backtrace() - a row for each frame, and an empty line; nothing if it was not reported */
void render_backtrace(FILE *out, const struct snapshot *snap, const struct backtrace_view *view);

#endif
