/* SPDX-License-Identifier: GPL-2.0 */
/* why_place.h - the TARGET of lbrsnoop --deep: where the way leads to */
#ifndef LBRSNOOP_CMD_WHY_WHY_PLACE_H
#define LBRSNOOP_CMD_WHY_WHY_PLACE_H

#include "capture/capture.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"
#include "target/target.h"
#include "util/errmsg.h"

struct deep_place;

/** why_place_check() - can a target of that kind be such a place? 0; -EINVAL, with @msg */
int why_place_check(const struct target_spec *spec, struct errmsg *msg);

/**
 * why_place_resolve() - find the instructions that it means
 * @filter: which returns of a function count; in use as long as @ret is
 * @text: of the running kernel
 * @lines: for hw:FILE:LINE, or NULL
 * @no_breakpoints: why none can be had here, or NULL
 * Return: 0; negative errno, with @msg: as of a trace, or it has no such instruction, or several.
 */
int why_place_resolve(const struct target_spec *spec, const struct capture_options *filter,
		      struct symbols *symbols, struct lines *lines, const struct text_source *text,
		      const char *no_breakpoints, struct deep_place *ret, struct errmsg *msg);

#endif
