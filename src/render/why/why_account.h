/* SPDX-License-Identifier: GPL-2.0 */
/* why_account.h - all that "lbrsnoop why" tells a person, of what ran just now or of a capture */
#ifndef LBRSNOOP_RENDER_WHY_WHY_ACCOUNT_H
#define LBRSNOOP_RENDER_WHY_WHY_ACCOUNT_H

#include <stdio.h>

#include "render/why/why_text.h"

/** render_why_account() - the answer, the stack, what else failed, and the way of --deep */
void render_why_account(FILE *out, const struct answer *answer, const struct why_view *view);

#endif
