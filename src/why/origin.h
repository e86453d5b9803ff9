/* SPDX-License-Identifier: GPL-2.0 */
/* origin.h - which of the errno sites that were executed in a call made the call's error */
#ifndef LBRSNOOP_WHY_ORIGIN_H
#define LBRSNOOP_WHY_ORIGIN_H

#include <stdbool.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "why/failures.h"
#include "why/sites.h"

/**
 * struct origin - the hit that made a call's error
 * @hit: NULL: none
 * @certain: its value has to be returned: no instruction that nobody watched has made the result
 * @rival: an older hit, whose value each caller may return, where that of @hit can only have become
 *         the result through memory: it is one of the two; or NULL
 */
struct origin {
	const struct why_hit *hit;
	bool certain;
	const struct why_hit *rival;
};

/**
 * origin_choose() - the newest hit whose value can have become the call's error
 *
 * The value is followed out of the function of the hit, and through each caller on its stack as
 * long as that returns it. A hit in an interrupt, and one whose value a caller drops, as printk()'s
 * callers do, is none. An error of netlink's acknowledgement goes to netlink_ack(): what the system
 * call returns is none of it. EPERM is -1, which is many things: a hit that is returned all the way
 * is taken before one that only may have come there through memory. One that every caller has to
 * return, up to the system call, is taken before all others.
 * @sites: those that the hits' numbers refer to
 */
struct origin origin_choose(const struct failure *failure, const struct sites *sites,
			    const struct text_source *text, struct symbols *symbols);

#endif
