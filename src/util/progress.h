/* SPDX-License-Identifier: GPL-2.0 */
/*
 * progress.h - what lasts longer than a second says so, on a terminal
 *
 * One line on stderr, four times a second at most, gone at the end. A thread draws it: what is
 * waited for may be a library that does not come back for a while.
 */
#ifndef LBRSNOOP_UTIL_PROGRESS_H
#define LBRSNOOP_UTIL_PROGRESS_H

#include <stdint.h>

struct progress;

/**
 * progress_begin() - from now on
 * @what: "searching vmcore"; copied; foreign characters are made visible
 * @unit: of what progress_count() counts, "snapshots"; NULL: nothing is counted. Not copied
 * Return: NULL if stderr is no terminal that can erase a line, if no status is wanted, or without
 * memory: all functions here take that, and do nothing. progress_end() frees it.
 */
struct progress *progress_begin(const char *what, const char *unit);

/** progress_say() - something else is done now; as @what of progress_begin() */
void progress_say(struct progress *progress, const char *what);

/** progress_set() - so much is done; @total 0: nobody knows of how much */
void progress_set(struct progress *progress, uint64_t done, uint64_t total);

/** progress_count() - so many there are by now */
void progress_count(struct progress *progress, uint64_t count);

/** progress_end() - it is over, and its line is gone when this returns */
void progress_end(struct progress *progress);

#endif
