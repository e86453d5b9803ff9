/* SPDX-License-Identifier: GPL-2.0 */
/* tally.h - failing calls that are alike, counted */
#ifndef LBRSNOOP_WHY_TALLY_H
#define LBRSNOOP_WHY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/failures.h"

/**
 * struct tally_row
 * @first: the first of them
 * @count: how many
 * @tasks: they were made by more than one task
 * @blamed: the call to blame is one of them
 */
struct tally_row {
	uint64_t key;
	const struct failure *first;
	size_t count;
	bool tasks;
	bool blamed;
};

/** struct tally - rows by the first one of each; free with tally_deinit() */
struct tally {
	struct tally_row *rows;
	size_t count;
	size_t room;
};

/**
 * tally_calls() - identical calls: the same text, the same errno that came back the same way
 * @blamed: one of them, or NULL
 * Return: 0 or -ENOMEM.
 */
int tally_calls(const struct failures *failures, const struct failure *blamed, struct tally *ret);

/** tally_kinds() - the same system call and errno that came back the same way, without @blamed */
int tally_kinds(const struct failures *failures, const struct failure *blamed, struct tally *ret);

/** tally_deinit() - free */
void tally_deinit(struct tally *tally);

#endif
