/* SPDX-License-Identifier: GPL-2.0 */
/* ranking_calls.h - calls and decisions handed to a ranking, for tests. After cmocka.h. */
#ifndef LBRSNOOP_TESTS_UNIT_RANKING_CALLS_H
#define LBRSNOOP_TESTS_UNIT_RANKING_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/ranking.h"

#define NEAR 1e-9

static inline int setup(void **state)
{
	*state = ranking_create();
	return *state ? 0 : -1;
}

static inline int teardown(void **state)
{
	ranking_destroy(*state);
	return 0;
}

static inline void call(struct ranking *ranking, bool failing, int err, const char *made_at,
			bool complete)
{
	const struct ranking_call call = {
		.failing = failing,
		.function = "f",
		.err = err,
		.made_at = {.function = made_at, .module = made_at ? "" : NULL, .off = 4},
		.complete = complete,
	};

	assert_int_equal(ranking_call(ranking, &call), 0);
}

/* It passes, or fails with errno 2, made in the function itself. */
static inline void plain_call(struct ranking *ranking, bool failing, bool complete)
{
	call(ranking, failing, failing ? 2 : 0, failing ? "f" : NULL, complete);
}

/* In a function that had not returned (@open) when the error was made, or that had. */
static inline void decision_of(struct ranking *ranking, const char *function, uint64_t off,
			       bool taken, uint32_t distance, bool open)
{
	const struct ranking_decision decision = {
		.place = {.function = function, .module = "", .off = off},
		.addr = 0x1000 + off,
		.taken = taken,
		.open = open,
		.distance = distance,
		.condition = taken ? "x == 1" : "",
		.source = taken ? "file->mode == 1" : "",
	};

	assert_int_equal(ranking_decision(ranking, &decision), 0);
}

static inline void decision(struct ranking *ranking, const char *function, uint64_t off, bool taken,
			    uint32_t distance)
{
	decision_of(ranking, function, off, taken, distance, true);
}

static inline struct ranking_reason *reasons_of(struct ranking *ranking, size_t want)
{
	struct ranking_reason *reasons;
	size_t count;

	assert_int_equal(ranking_reasons(ranking, &reasons, &count), 0);
	assert_int_equal(count, want);
	return reasons;
}

static inline const struct ranked *find(const struct ranking_reason *reason, uint64_t off,
					bool taken)
{
	for (size_t i = 0; i < reason->count; i++)
		if (reason->items[i].place.off == off && reason->items[i].taken == taken)
			return &reason->items[i];
	return NULL;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
