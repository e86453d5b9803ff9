/* SPDX-License-Identifier: GPL-2.0 */
/* errno_must_return.h - does a function return an errno whatever happens after it was loaded? */
#ifndef LBRSNOOP_CFG_ERRNO_MUST_RETURN_H
#define LBRSNOOP_CFG_ERRNO_MUST_RETURN_H

#include <stdbool.h>

#include "cfg/returns.h"

/**
 * errno_site_certain() - follow a constant from where it is loaded to every return
 *
 * Every way from the site is walked; on each, the constant must reach RAX by moves between
 * registers, calls keep it in the registers that the ABI preserves. What is not understood
 * (memory, indirect jumps, tail calls) makes it uncertain.
 * @site: one of the function's
 * @wide: the function returns 64 bits: a constant loaded into 32 is none there
 * Return: true only if it is proven.
 */
bool errno_site_certain(const struct code *code, const struct errno_site *site, bool wide);

/**
 * errno_must_return_from() - the same, from the instruction at @addr on, before which the lower
 * half of @reg holds the errno
 * @err: positive errno
 */
bool errno_must_return_from(const struct code *code, uint64_t addr, uint8_t reg, uint16_t err);

/**
 * errno_pair_must_return() - the same of an errno that the lower halves of two registers hold
 * Elsewhere it may be loaded once more: that does not count.
 */
bool errno_pair_must_return(const struct code *code, uint64_t addr, uint8_t one, uint8_t other,
			    uint16_t err);

#endif
