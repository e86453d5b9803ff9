/* SPDX-License-Identifier: GPL-2.0 */
/* decision_text.h - a decision in words: its condition, and what its operands were */
#ifndef LBRSNOOP_WHY_VALUES_DECISION_TEXT_H
#define LBRSNOOP_WHY_VALUES_DECISION_TEXT_H

#include "disasm/insn.h"
#include "why/decision/decision.h"
#include "why/values/backward.h"

/**
 * decision_describe() - fill in all of @ret but where it is and which way it went
 * @back: at @branch; what is passed on the way back to what set the flags is noted
 * @branch: a conditional one
 * @ret: its @addr and @taken are set, and @behind; all else is zero
 */
void decision_describe(struct backward *back, const struct insn *branch, struct decision *ret);

#endif
