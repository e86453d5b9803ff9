// SPDX-License-Identifier: GPL-2.0
/* src/why/deep_place: which hit of a place that the user names is the end of the way */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/bitset.h"
#include "util/cleanup.h"
#include "why/deep/deep_place.h"

#define ONE   0xffffffff81000010ull
#define OTHER 0xffffffff81000020ull
#define ELSE  0xffffffff81000030ull

static struct deep_hit hit(uint64_t ip, uint64_t ax)
{
	struct deep_hit hit = {.ip = ip};

	hit.regs[PTREG_IP] = ip;
	hit.regs[PTREG_AX] = ax;
	return hit;
}

static struct deep_place function(bool wide, bool errors)
{
	return (struct deep_place){.ends = {ONE, OTHER},
				   .end_count = 2,
				   .returns = true,
				   .wide = wide,
				   .errors = errors};
}

/* Each return can be the one, and a return of what is no error is none. */
static void place_newest_return_of_an_error_counts(void **state)
{
	const struct deep_hit hits[] = {hit(ONE, (uint64_t)-EPERM), hit(OTHER, (uint64_t)-ENOENT),
					hit(ONE, 0), hit(OTHER, 7), hit(ELSE, (uint64_t)-EIO)};
	struct deep_place place = function(true, true);

	assert_ptr_equal(deep_place_newest(&place, hits, ARRAY_SIZE(hits)), &hits[1]);
	assert_ptr_equal(deep_place_newest(&place, hits, 1), &hits[0]);
	assert_null(deep_place_newest(&place, hits + 2, 3));
	place.errors = false;
	assert_ptr_equal(deep_place_newest(&place, hits, ARRAY_SIZE(hits)), &hits[3]);
}

/* -4096 is no errno; and of an int the upper half of RAX may hold anything. */
static void place_value_is_as_wide_as_the_functions(void **state)
{
	const struct deep_hit narrow = hit(ONE, 0x5555555500000000ull | (uint32_t)-ENOENT),
			      pointer = hit(ONE, 0xfffffffe), beyond = hit(ONE, (uint64_t)-4096),
			      last = hit(ONE, (uint64_t)-4095);
	struct deep_place place = function(false, true);

	assert_ptr_equal(deep_place_newest(&place, &narrow, 1), &narrow);
	assert_true(deep_place_value(&place, &narrow) == -ENOENT);
	place.wide = true;
	assert_null(deep_place_newest(&place, &narrow, 1));
	assert_null(deep_place_newest(&place, &pointer, 1));
	assert_null(deep_place_newest(&place, &beyond, 1));
	assert_ptr_equal(deep_place_newest(&place, &last, 1), &last);
}

static void place_of_errnos_these_alone_count(void **state)
{
	uint64_t errnos[4096 / 64] = {};
	const struct deep_hit hits[] = {hit(ONE, (uint64_t)-EPERM), hit(OTHER, (uint64_t)-ENOENT)};
	struct deep_place place = function(true, true);

	bitset_add(errnos, EPERM);
	place.errnos = errnos;
	assert_ptr_equal(deep_place_newest(&place, hits, 2), &hits[0]);
	assert_null(deep_place_newest(&place, hits + 1, 1));
}

/* Behind the choice another error, another return and no error are other events. */
static void place_chosen_only_its_like_count(void **state)
{
	const struct deep_hit hits[] = {hit(OTHER, (uint64_t)-ENOENT), hit(ONE, (uint64_t)-ENOENT),
					hit(OTHER, (uint64_t)-EPERM), hit(OTHER, 0)};
	struct deep_place place = function(true, true), passing = function(true, false);

	deep_place_choose(&place, &hits[0]);
	assert_ptr_equal(deep_place_newest(&place, hits, 4), &hits[0]);
	assert_null(deep_place_newest(&place, hits + 1, 3));
	/* What is no error need not be the same number. */
	deep_place_choose(&passing, &hits[3]);
	assert_null(deep_place_newest(&passing, hits, 3));
	assert_ptr_equal(deep_place_newest(&passing, hits, 4), &hits[3]);
}

/* An address is no return: RAX says nothing. A kprobe there has no registers, and is no end. */
static void place_of_an_address_each_breakpoint_counts(void **state)
{
	struct deep_hit hits[] = {hit(ONE, 0), hit(ONE, (uint64_t)-EPERM), hit(ELSE, 0),
				  hit(ONE, 3)};
	struct deep_place place = {.ends = {ONE}, .end_count = 1, .errors = true};

	hits[3].regs[PTREG_IP] = 0;
	assert_ptr_equal(deep_place_newest(&place, hits, 4), &hits[1]);
	deep_place_choose(&place, &hits[0]);
	assert_ptr_equal(deep_place_newest(&place, hits, 4), &hits[1]);
}

/* AND behind SBB: of what it did before with another mask, or does behind, no error came. */
static void place_of_a_site_counts_where_it_makes_an_error(void **state)
{
	struct deep_hit hits[] = {hit(ONE, (uint32_t)-1), hit(ONE, (uint64_t)-1), hit(ONE, 0),
				  hit(ONE, 0xffffffff00000000ull), hit(OTHER, (uint64_t)-1)};
	struct deep_place place = deep_place_of_site(ONE, PTREG_AX);

	assert_ptr_equal(deep_place_newest(&place, hits, ARRAY_SIZE(hits)), &hits[1]);
	assert_ptr_equal(deep_place_newest(&place, hits, 1), &hits[0]);
	assert_null(deep_place_newest(&place, hits + 2, 3));
	/* Of another register; of a kprobe, which has none. */
	place = deep_place_of_site(ONE, PTREG_SP);
	assert_null(deep_place_newest(&place, hits, ARRAY_SIZE(hits)));
	place = deep_place_of_site(ONE, PTREG_AX);
	hits[1].regs[PTREG_IP] = 0;
	assert_ptr_equal(deep_place_newest(&place, hits, ARRAY_SIZE(hits)), &hits[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_newest_return_of_an_error_counts),
		cmocka_unit_test(place_value_is_as_wide_as_the_functions),
		cmocka_unit_test(place_of_errnos_these_alone_count),
		cmocka_unit_test(place_chosen_only_its_like_count),
		cmocka_unit_test(place_of_a_site_counts_where_it_makes_an_error),
		cmocka_unit_test(place_of_an_address_each_breakpoint_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
