/* SPDX-License-Identifier: GPL-2.0 */
/* blame.h - which of the calls that failed made the command fail */
#ifndef LBRSNOOP_WHY_BLAME_H
#define LBRSNOOP_WHY_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "why/failures.h"

/**
 * struct blame_options - what the user says about it
 * @syscall: number of the call, or -1: any
 * @errnos: bit n: errno n; of 64 words
 * @any_errno: every errno
 * @passed: the command ended with status 0: only what it said of an errno is a failure
 */
struct blame_options {
	int syscall;
	const uint64_t *errnos;
	bool any_errno;
	bool passed;
};

/** enum blame_reason - why this call */
enum blame_reason {
	BLAME_NONE = 0, /* no call is to blame */
	BLAME_SAID,	/* the last one before the program wrote this errno's text */
	BLAME_BEFORE,	/* the last one before the program wrote to its standard error */
	BLAME_LAST,	/* the last one before the end */
	BLAME_ONLY,	/* it is of those that programs try in any case, and no other failed */
	BLAME_PROBE, /* it looks whether something is there, no message names it, no other failed */
};

/**
 * blame_unnamed() - there are messages, and none names the call or what it was about
 * dash names a write() by "I/O error".
 */
bool blame_unnamed(const struct failures *failures, const struct failure *found);

/**
 * blame_find() - the call to blame
 *
 * The last call that failed with an errno before a process had written its text to its standard
 * error; else the last one before a message ended; else the last one. Failures that every program
 * takes in its stride (a missing file of a search path) only count where there is no other. What
 * they try in any case (is this a terminal? a link?) counts only if it is all that failed, and the
 * status was not 0, or if a message says so; what the C library tries, if it is asked for.
 *
 * Of several processes, those whose status was not 0 come first, and of them those that ended as
 * the command did, itself among them: their status was handed on. Of several messages the last
 * counts: what went before, the program went on after.
 * @failures: sorted
 * @ret_reason: why; may be NULL
 * Return: NULL if there is none.
 */
const struct failure *blame_find(const struct failures *failures, const struct blame_options *opts,
				 enum blame_reason *ret_reason);

/** blame_reason_text() - the reason, in words */
const char *blame_reason_text(enum blame_reason reason);

/** blame_chosen() - wanted, and nothing that programs take in their stride, unless it is asked for
 */
bool blame_chosen(const struct failure *failure, const struct blame_options *opts);

/** blame_possible() - wanted, and nothing that the C library tries in every program */
bool blame_possible(const struct failure *failure, const struct blame_options *opts);

/** blame_wanted() - is this a call that the options ask for? */
bool blame_wanted(const struct failure *failure, const struct blame_options *opts);

#endif
