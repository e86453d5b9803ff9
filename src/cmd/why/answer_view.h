/* SPDX-License-Identifier: GPL-2.0 */
/* answer_view.h - what "lbrsnoop why" found out, out of a capture, as why tells it */
#ifndef LBRSNOOP_CMD_WHY_ANSWER_VIEW_H
#define LBRSNOOP_CMD_WHY_ANSWER_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/debug/source_file.h"
#include "symbolize/symbolize.h"

/**
 * struct answer_view - all borrowed
 * @symbols, @text: of the capture
 * @lines, @sources: or NULL
 * @host: to be named, or NULL
 * @snapshot: JSON is wanted, and this is the line of the branches, "" without any; NULL: text is
 * @story: the full account
 */
struct answer_view {
	struct symbols *symbols;
	struct lines *lines;
	struct sources *sources;
	const struct text_source *text;
	const char *host;
	const char *snapshot;
	bool color;
	bool story;
};

/**
 * answer_view_show() - print it
 * @snap: with an answer; classified
 * Return: 0; -EBADMSG: the answer makes no sense, nothing is printed; -ENOMEM; -EIO.
 */
int answer_view_show(FILE *out, const struct snapshot *snap, const struct answer_view *view);

#endif
