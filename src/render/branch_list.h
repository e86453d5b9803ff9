/* SPDX-License-Identifier: GPL-2.0 */
/* branch_list.h - a snapshot for a person: heading, then the branches, oldest first */
#ifndef LBRSNOOP_RENDER_BRANCH_LIST_H
#define LBRSNOOP_RENDER_BRANCH_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * struct text_options - how to print
 * @color: ANSI colours
 * @raw: nothing trimmed: user branches, and those that the capture spent, marked as such
 * @addresses: addresses beside the names
 * @host: machine that it happened on; NULL: there is one only
 */
struct text_options {
	bool color;
	bool raw;
	bool addresses;
	const char *host;
};

/** render_text_event() - what failed, who, when, on which CPU; nothing without a trigger */
void render_text_event(FILE *out, const struct snapshot *snap, const struct text_options *opts);

/** render_text_record() - how much of the LBR is left, and what makes it doubtful */
void render_text_record(FILE *out, const struct snapshot *snap, const struct text_options *opts);

/** render_text_heading() - both: what failed, who, when, on which CPU, how much of the LBR is left
 */
void render_text_heading(FILE *out, const struct snapshot *snap, const struct text_options *opts);

/** render_text_branches() - the list of branches; @syms may be NULL: addresses only */
void render_text_branches(FILE *out, const struct snapshot *snap, struct symbols *syms,
			  const struct text_options *opts);

/** render_text_snapshot() - heading and branches, and an empty line */
void render_text_snapshot(FILE *out, const struct snapshot *snap, struct symbols *syms,
			  const struct text_options *opts);

/** render_location() - "vfs_open+0x12", "[ext4] ext4_find+0x1", or "0xffff..." ; returns @buf */
const char *render_location(struct symbols *syms, uint64_t addr, char *buf, size_t len);

/** render_symbol() - "vfs_open", "vfs_open+0x12"; "+0x12" @inside the function being shown */
void render_symbol(const struct symbol *sym, bool inside, uint64_t addr, char *buf, size_t len);

/** branch_type_name() - perf's name of a type; NULL if it is not reported */
const char *branch_type_name(enum branch_type type);

/** branch_spec_name() - perf's name of a speculation outcome; NULL if it is not reported */
const char *branch_spec_name(enum branch_spec spec);

/** lbr_supported_text() - "mispredict, cycles", or "no flags": what an LBR reports */
const char *lbr_supported_text(uint32_t supported, char *buf, size_t len);

#endif
