// SPDX-License-Identifier: GPL-2.0
#include "target/suggest.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 127

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein's edit distance; gives up, and returns more than @limit, when it must be more. */
static unsigned int edit_distance(const char *a, const char *b, unsigned int limit)
{
	size_t len_a = strnlen(a, NAME_MAX_LEN), len_b = strnlen(b, NAME_MAX_LEN);
	unsigned int row[NAME_MAX_LEN + 1];

	if (len_a > len_b + limit || len_b > len_a + limit)
		return limit + 1;
	for (size_t j = 0; j <= len_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		unsigned int diagonal = row[0], best;

		best = row[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			unsigned int above = row[j];

			row[j] =
				min3(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
			if (row[j] < best)
				best = row[j];
		}
		if (best > limit)
			return limit + 1;
	}
	return row[len_b];
}

/* A name that holds what was asked for, or the other way round, is near as well. */
static unsigned int distance_of(const char *wanted, const char *name)
{
	size_t len_w = strlen(wanted), len_n = strlen(name);
	unsigned int limit = len_w < 6 ? 1 : len_w < 12 ? 2 : 3;
	unsigned int d = edit_distance(wanted, name, limit);

	if (d <= limit)
		return d * 4;
	if (len_w >= 4 && len_n > len_w && strstr(name, wanted))
		return 8 + (len_n - len_w);
	if (len_n >= 6 && len_w > len_n && strstr(wanted, name))
		return 12 + (len_w - len_n);
	return -1;
}

void suggestions_offer(struct suggestions *sug, const char *name)
{
	unsigned int d = distance_of(sug->wanted, name);
	size_t at;

	if (d == (unsigned int)-1 || strlen(name) >= sizeof(sug->names[0]))
		return;
	for (size_t i = 0; i < sug->count; i++)
		if (!strcmp(sug->names[i], name))
			return;
	for (at = sug->count; at > 0 && sug->distance[at - 1] > d; at--)
		if (at < SUGGESTIONS_MAX) {
			sug->distance[at] = sug->distance[at - 1];
			memcpy(sug->names[at], sug->names[at - 1], sizeof(sug->names[0]));
		}
	if (at == SUGGESTIONS_MAX)
		return;
	sug->distance[at] = d;
	memcpy(sug->names[at], name, strlen(name) + 1);
	if (sug->count < SUGGESTIONS_MAX)
		sug->count++;
}

const char *suggestions_text(const struct suggestions *sug, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = 0;
	for (size_t i = 0; i < sug->count && n < len; i++)
		n += snprintf(buf + n, len - n, "%s%s",
			      i == 0		    ? "; did you mean "
			      : i + 1 == sug->count ? " or "
						    : ", ",
			      sug->names[i]);
	if (sug->count && n < len)
		snprintf(buf + n, len - n, "?");
	return buf;
}
