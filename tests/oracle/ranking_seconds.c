// SPDX-License-Identifier: GPL-2.0
/*
 * ranking_seconds.c - what ranking branches costs, for tests/bench/bench_ranking
 *
 *	ranking_seconds BRANCHES
 *
 * Prints the CPU seconds, the least of three, that the reasons of calls of so many branches take:
 * half of the branches are executed by all calls, and follow the other half.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compare/ranking.h"

#define CALLS 6

static int add_calls(struct ranking *ranking, uint32_t branches)
{
	for (int i = 0; i < CALLS; i++) {
		const bool failing = i < CALLS / 2;
		const struct ranking_call call = {
			.failing = failing,
			.function = "f",
			.err = failing ? 2 : 0,
			.made_at = {.function = failing ? "f" : NULL,
				    .module = failing ? "" : NULL,
				    .off = 4},
			.complete = true,
		};
		int err = ranking_call(ranking, &call);

		for (uint32_t b = 0; !err && b < branches; b++) {
			const struct ranking_decision decision = {
				.place = {.function = "f", .module = "", .off = 8 * b},
				.addr = 0x1000 + 8 * b,
				.taken = failing,
				.open = true,
				.distance = branches - b,
				.condition = "",
				.source = "",
			};

			if (b % 2 || failing)
				err = ranking_decision(ranking, &decision);
		}
		if (err)
			return err;
		ranking_call_end(ranking);
	}
	return 0;
}

static int measure(struct ranking *ranking, double *ret_seconds)
{
	double least = 1e9;

	for (int i = 0; i < 3; i++) {
		const clock_t begin = clock();
		struct ranking_reason *reasons;
		double took;
		size_t count;
		int err = ranking_reasons(ranking, &reasons, &count);

		if (err)
			return err;
		took = (double)(clock() - begin) / CLOCKS_PER_SEC;
		least = took < least ? took : least;
		ranking_reasons_free(reasons, count);
	}
	*ret_seconds = least;
	return 0;
}

int main(int argc, char **argv)
{
	struct ranking *ranking = ranking_create();
	double seconds = 0;
	int err;

	if (argc != 2 || !ranking) {
		fprintf(stderr, "Usage: %s BRANCHES\n", argv[0]);
		return 2;
	}
	err = add_calls(ranking, (uint32_t)strtoul(argv[1], NULL, 0)) ?: measure(ranking, &seconds);
	ranking_destroy(ranking);
	if (err)
		return 1;
	printf("%.6f\n", seconds);
	return 0;
}
