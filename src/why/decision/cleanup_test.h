/* SPDX-License-Identifier: GPL-2.0 */
/* cleanup_test.h - a test of a function's clean-up that the compiler put in front of an errno */
#ifndef LBRSNOOP_WHY_DECISION_CLEANUP_TEST_H
#define LBRSNOOP_WHY_DECISION_CLEANUP_TEST_H

#include <stddef.h>

#include "why/decision/decision.h"

/**
 * cleanup_tests_last() - put the decision that chose the errno in front of the clean-up's
 *
 *     error = -EXDEV;
 *     if (a != b)
 *             goto out;
 *     error = work();
 * out:
 *     if (delegated)
 *             ...
 *
 * GCC threads the jump: it makes a copy of the clean-up for the ways from "a != b", and loads
 * -EXDEV only behind the copy's test of "delegated". In the text that test is the last decision
 * before the load. In the source it comes after the assignment and after "a != b".
 *
 * The newest decisions are the clean-up's where the function tests the same at another address,
 * too, in the same line, and that line stands behind the assignment's; and where the next older
 * decision stands between the two lines, is needed to come to the assignment, and skips lines
 * between itself and the clean-up. All of them must be the function's own lines, not inlined ones.
 * Such tests are marked as @later and moved behind the one that decided. Without lines nothing
 * changes.
 * @func: function that @site is in, or that it was split off
 * @site: address of the instruction that loads the errno
 * @all: @count decisions, the newest first
 */
void cleanup_tests_last(const struct decision_code *where, const struct symbol *func, uint64_t site,
			struct decision *all, size_t count);

#endif
