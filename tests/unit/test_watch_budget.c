// SPDX-License-Identifier: GPL-2.0
/* How much a service may take, and may tell. Time is the tests' own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/quota.h"
#include "watch/budget.h"

#define MS     1000000ull
#define SECOND (1000 * MS)
#define TICK   (200 * MS)

/**
 * run() - @seconds of a flood: all that is granted comes
 * @price_ns: of a snapshot
 * @idle_ns: CPU time of each tick in any case
 * Return: snapshots; @ret_cpu_ns: CPU time.
 */
static uint64_t run(struct watch_budget *budget, unsigned int seconds, uint64_t price_ns,
		    uint64_t idle_ns, uint64_t *ret_cpu_ns)
{
	uint64_t now = 77 * SECOND, cpu = 5 * SECOND, taken = 3, begun = cpu;
	int64_t grant;

	watch_budget_begin(budget, now, cpu, taken);
	for (uint64_t i = 0; i < seconds * SECOND / TICK; i++) {
		now += TICK;
		cpu += idle_ns;
		grant = watch_budget_grant(budget, now, cpu, taken);
		assert_true(grant >= 0);
		if (grant > 1000000)
			grant = 1000000;
		taken += (uint64_t)grant;
		cpu += (uint64_t)grant * price_ns;
	}
	*ret_cpu_ns = cpu - begun;
	return taken - 3;
}

static void watch_budget_grant_keeps_the_share(void **state)
{
	static const uint64_t prices[] = {2000, 20000, 500000, 50 * MS};
	uint64_t cpu, most = 60 * SECOND / 100;

	(void)state;
	for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++) {
		struct watch_budget budget = {.share = 0.01};
		/* What the first second may use, and one snapshot that is dearer than expected. */
		uint64_t slack = SECOND / 100 + 100 * prices[i];
		uint64_t taken = run(&budget, 60, prices[i], 0, &cpu);

		assert_in_range(cpu, most * 8 / 10, most + slack + most / 10);
		assert_true(taken * prices[i] == cpu);
	}
}

/* A unit that is started again each second, for an hour: a minute of the share, and the share. */
static void watch_arming_allowed_keeps_the_share(void **state)
{
	static const uint64_t costs[] = {MS, 130 * MS, 3 * SECOND};
	const uint64_t begun = 77 * SECOND, end = begun + 3600 * SECOND;

	(void)state;
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct watch_arming arming = {};
		uint64_t cpu = 0, wanted = 3600 * costs[i], most = 36 * SECOND + 600 * MS;

		for (uint64_t now = begun; now < end; now += SECOND) {
			if (!watch_arming_allowed(&arming, 0.01, now))
				continue;
			watch_arming_add(&arming, 0.01, now, costs[i]);
			cpu += costs[i];
		}
		if (wanted < most)
			assert_int_equal(cpu, wanted);
		else
			assert_in_range(cpu, most - 2 * costs[i], most + costs[i]);
	}
}

static void watch_arming_allowed_without_a_share_always(void **state)
{
	struct watch_arming arming = {};

	(void)state;
	watch_arming_add(&arming, 0, SECOND, 1000 * SECOND);
	assert_true(watch_arming_allowed(&arming, 0, SECOND));
}

/* So small that a second of it is less than a nanosecond: still a limit. */
static void watch_budget_grant_tiny_share_is_a_limit(void **state)
{
	struct watch_budget budget = {.share = 1e-12};

	(void)state;
	watch_budget_begin(&budget, SECOND, 0, 0);
	assert_int_equal(watch_budget_grant(&budget, 2 * SECOND, TICK, 1), 0);
}

/* It costs more than its share though nothing comes: then nothing is let in. */
static void watch_budget_grant_over_budget_by_itself_grants_nothing(void **state)
{
	struct watch_budget budget = {.share = 0.01};
	uint64_t cpu;

	(void)state;
	run(&budget, 60, 1000, 3 * TICK / 100, &cpu);
	assert_int_equal(watch_budget_grant(&budget, budget.last_ns + TICK, budget.last_cpu_ns,
					    budget.last_taken),
			 0);
	/* It makes up for a minute of that, and no more. */
	assert_true(watch_budget_grant(&budget, budget.last_ns + 62 * SECOND, budget.last_cpu_ns,
				       budget.last_taken) > 0);
}

static void watch_budget_grant_keeps_the_rate(void **state)
{
	struct watch_budget budget = {.per_s = 50};
	uint64_t cpu;

	(void)state;
	/* A second's worth at once, at the beginning. */
	assert_in_range(run(&budget, 60, 1000, 0, &cpu), 60 * 50, 61 * 50);
}

static void watch_budget_grant_no_limit(void **state)
{
	struct watch_budget budget = {0};

	(void)state;
	watch_budget_begin(&budget, SECOND, 0, 0);
	assert_true(watch_budget_grant(&budget, 2 * SECOND, SECOND, 1000000) == INT64_MAX);
}

static void quota_take_keeps_records_and_bytes(void **state)
{
	struct quota records = {.records_per_s = 3}, bytes = {.bytes_per_s = 1000};
	unsigned int taken = 0, sent = 0;

	(void)state;
	for (uint64_t now = SECOND; now < 11 * SECOND; now += MS) {
		taken += quota_take(&records, now, 100000);
		sent += quota_take(&bytes, now, 300) ? 300 : 0;
	}
	assert_in_range(taken, 30, 33);
	assert_in_range(sent, 10000, 11300);
}

/* Longer than a second allows: alone, and what comes after it waits for it. */
static void quota_take_long_record_leaves_alone(void **state)
{
	struct quota quota = {.bytes_per_s = 100};

	(void)state;
	assert_true(quota_take(&quota, SECOND, 1000));
	assert_false(quota_take(&quota, SECOND, 1));
	assert_false(quota_take(&quota, 9 * SECOND, 1));
	assert_true(quota_take(&quota, 11 * SECOND, 1));
}

static void quota_end_allows_ten_seconds_more(void **state)
{
	struct quota quota = {.records_per_s = 2};
	unsigned int taken = 0;

	(void)state;
	while (quota_take(&quota, SECOND, 1))
		taken++;
	assert_int_equal(taken, 2);
	quota_end(&quota, SECOND);
	for (taken = 0; quota_take(&quota, SECOND + taken, 1); taken++)
		;
	assert_int_equal(taken, 2 * QUOTA_END_SECONDS);
}

static void quota_take_no_limit(void **state)
{
	struct quota quota = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_true(quota_take(&quota, SECOND, 1 << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watch_budget_grant_keeps_the_share),
		cmocka_unit_test(watch_arming_allowed_keeps_the_share),
		cmocka_unit_test(watch_arming_allowed_without_a_share_always),
		cmocka_unit_test(watch_budget_grant_tiny_share_is_a_limit),
		cmocka_unit_test(watch_budget_grant_over_budget_by_itself_grants_nothing),
		cmocka_unit_test(watch_budget_grant_keeps_the_rate),
		cmocka_unit_test(watch_budget_grant_no_limit),
		cmocka_unit_test(quota_take_keeps_records_and_bytes),
		cmocka_unit_test(quota_take_long_record_leaves_alone),
		cmocka_unit_test(quota_end_allows_ten_seconds_more),
		cmocka_unit_test(quota_take_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
