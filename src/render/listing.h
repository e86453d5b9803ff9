/* SPDX-License-Identifier: GPL-2.0 */
/*
 * listing.h - branches, and every instruction that ran between them, plainly and fast
 *
 *	fput+0x47:
 *	  ffffffff81369b37  test %eax,%eax
 *	  ffffffff81369b39  je 0xffffffff81369b51 <fput+0x61>      # 2 cycles
 *
 * A straight run is decoded and written as text once, and kept: long captures run through the same
 * code over and over.
 */
#ifndef LBRSNOOP_RENDER_LISTING_H
#define LBRSNOOP_RENDER_LISTING_H

#include <stdint.h>
#include <stdio.h>

#include "render/branch_list.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct listing;

/** listing_create() - NULL if there is no memory; listing_destroy() */
struct listing *listing_create(void);

/** listing_destroy() - free; NULL is fine */
void listing_destroy(struct listing *listing);

/**
 * listing_forget() - text or symbols may be others from now on
 */
void listing_forget(struct listing *listing);

/**
 * render_listing() - heading, list and an empty line
 * @snap: trimmed
 * @text: .read is NULL if there is none: branches alone
 * @opts: @raw: what ran before the kernel was entered, and what the capture spent, too
 * Return: 0; -ENOMEM.
 */
int render_listing(struct listing *listing, FILE *out, const struct snapshot *snap,
		   const struct text_source *text, struct symbols *symbols,
		   const struct text_options *opts);

#endif
