/* SPDX-License-Identifier: GPL-2.0 */
/* suggest.h - the nearest names to one that does not exist */
#ifndef LBRSNOOP_TARGET_SUGGEST_H
#define LBRSNOOP_TARGET_SUGGEST_H

#include <stddef.h>

#define SUGGESTIONS_MAX 5

/** struct suggestions - the best so far, nearest first */
struct suggestions {
	const char *wanted;
	size_t count;
	unsigned int distance[SUGGESTIONS_MAX];
	char names[SUGGESTIONS_MAX][128];
};

/** suggestions_offer() - consider a name that exists; far ones are ignored */
void suggestions_offer(struct suggestions *sug, const char *name);

/** suggestions_text() - "; did you mean a, b or c?", or "" if nothing is near */
const char *suggestions_text(const struct suggestions *sug, char *buf, size_t len);

#endif
