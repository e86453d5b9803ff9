/* SPDX-License-Identifier: GPL-2.0 */
/*
 * story.h - a snapshot for a person: what ran, function by function, and each decision
 *
 * Indented by depth of the call tree, inlined functions as if they had been called. The column at
 * the left says what a line is:
 *   =>  the decision that led to the error
 *   !!  the instruction that made the error
 *   |   clean-up, after the error
 *   ~   an interrupt, which has nothing to do with it
 */
#ifndef LBRSNOOP_RENDER_STORY_STORY_H
#define LBRSNOOP_RENDER_STORY_STORY_H

#include <stdbool.h>
#include <stdio.h>

#include "path/names.h"
#include "path/path.h"
#include "render/branch_list.h"
#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/debug/source_file.h"
#include "symbolize/symbolize.h"

/**
 * struct story_view - what the view shows, and whom it asks; all borrowed
 * @symbols: or NULL: no names
 * @lines: or NULL: no source lines, offsets instead
 * @names: or NULL: of each decision it is found anew
 * @sources: or NULL: numbers of lines alone
 * @insns: every instruction, too
 * @text: colours; raw: what ran before the kernel was entered, too
 */
struct story_view {
	struct symbols *symbols;
	struct lines *lines;
	struct path_names *names;
	struct sources *sources;
	bool insns;
	struct text_options text;
};

/**
 * render_story() - heading, story and an empty line
 * @path: rebuilt from @snap
 * Return: 0; -ENOMEM, and nothing was printed.
 */
int render_story(FILE *out, const struct snapshot *snap, const struct path *path,
		 const struct story_view *view);

#endif
