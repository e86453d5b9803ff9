/* SPDX-License-Identifier: GPL-2.0 */
/* seed.h - what test programs leave to chance follows from SEED */
#ifndef LBRSNOOP_TESTS_SEED_H
#define LBRSNOOP_TESTS_SEED_H

#include <stdio.h>
#include <stdlib.h>

/**
 * seed_take() - the seed of the environment's SEED, or @otherwise; it is printed
 * @out: where to
 */
static inline unsigned int seed_take(FILE *out, unsigned int otherwise)
{
	const char *given = getenv("SEED");
	unsigned int seed = given ? (unsigned int)strtoul(given, NULL, 0) : otherwise;

	fprintf(out, "# SEED=%u\n", seed);
	return seed;
}

#endif
