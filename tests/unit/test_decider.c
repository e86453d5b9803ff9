// SPDX-License-Identifier: GPL-2.0
/* src/why/decider: which of several branches decided, out of the hits of one call */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "disasm/insn.h"
#include "util/log.h"
#include "why/decision/decider.h"

#define BASE   0xffffffff81000000ULL
#define FIRST  (BASE + 2)
#define SECOND (BASE + 6)
#define PLACE  (BASE + 0xb)

/* 00 test %edi,%edi  02 je 0b  04 test %esi,%esi  06 je 0b  08 xor %eax,%eax  0a ret
 * 0b mov $-22,%eax   10 ret */
static const uint8_t machine_code[64] =
	"\x85\xff\x74\x07\x85\xf6\x74\x03\x31\xc0\xc3\xb8\xea\xff\xff\xff\xc3";
static const struct text_bytes code = {BASE, machine_code, sizeof(machine_code)};

/* The call's way to the function, and an interrupt's in the same call. */
static const uint64_t by_call[] = {BASE + 0x100, BASE + 0x200};
static const uint64_t by_interrupt[] = {BASE + 0x300, BASE + 0x100, BASE + 0x200};

enum { SITE_PLACE, SITE_FIRST, SITE_SECOND };

/** struct scene - what an earlier run found, and what is armed in this one */
struct scene {
	struct probes probes;
	struct site sites[3];
	struct why_read_table tables[3];
	struct failure call;
	struct answer answer;
	struct failure failure;
	struct why_hit hits[3];
};

static struct why_hit hit(uint32_t site, uint64_t ip, uint32_t order, uint64_t flags,
			  const uint64_t *stack, uint32_t callers)
{
	struct why_hit ret = {
		.ip = ip, .site = site, .order = order, .err = EINVAL, .frames = callers + 1};

	ret.regs[PTREG_IP] = ret.stack[0] = ip;
	ret.regs[PTREG_FLAGS] = flags;
	memcpy(&ret.stack[1], stack, callers * sizeof(*stack));
	return ret;
}

static void open_scene(struct scene *scene)
{
	const struct site sites[] = {
		[SITE_PLACE] = {.addr = PLACE, .watch = PLACE, .err = EINVAL},
		[SITE_FIRST] = {.addr = FIRST, .watch = FIRST, .branch = true, .taken = true},
		[SITE_SECOND] = {.addr = SECOND, .watch = SECOND, .branch = true, .taken = true},
	};

	*scene = (struct scene){};
	memcpy(scene->sites, sites, sizeof(sites));
	scene->probes.text = (struct text_source){.read = text_bytes_read, .ctx = (void *)&code};
	scene->probes.sites = (struct sites){.items = scene->sites, .count = 3};
	scene->probes.tables = scene->tables;
	scene->answer.failures.items = &scene->call;
	scene->answer.failures.count = 1;
	scene->answer.call = &scene->call;
	scene->answer.site = sites[SITE_PLACE];
	scene->answer.hit = malloc(sizeof(*scene->answer.hit));
	assert_non_null(scene->answer.hit);
	*scene->answer.hit = hit(7, PLACE, 1, 0, by_call, 2);
	scene->failure.hits = scene->hits;
}

static void close_scene(struct scene *scene)
{
	free(scene->answer.hit);
	free(scene->answer.decider_hit);
}

/* The newest first, as they are told. */
static void saw(struct scene *scene, struct why_hit seen)
{
	memmove(scene->hits + 1, scene->hits, sizeof(seen) * scene->failure.hit_count++);
	scene->hits[0] = seen;
}

static void decider_last_branch_before_the_place(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene);
	saw(&scene, hit(SITE_FIRST, FIRST, 1, 0, by_call, 2));
	saw(&scene, hit(SITE_SECOND, SECOND, 2, INSN_ZF, by_call, 2));
	saw(&scene, hit(SITE_PLACE, PLACE, 3, 0, by_call, 2));
	assert_int_equal(decider_choose(&scene.probes, &scene.failure, &scene.answer), 0);
	assert_non_null(scene.answer.decider_hit);
	assert_int_equal(scene.answer.decider.addr, SECOND);
	assert_int_equal(scene.answer.hit->order, 3);
	close_scene(&scene);
}

/* An interrupt executes all of it once more, on another way: that decided for no error. */
static void decider_place_hit_in_an_interrupt_decides_nothing(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene);
	saw(&scene, hit(SITE_SECOND, SECOND, 2, INSN_ZF, by_call, 2));
	saw(&scene, hit(SITE_FIRST, FIRST, 4, INSN_ZF, by_interrupt, 3));
	saw(&scene, hit(SITE_PLACE, PLACE, 5, 0, by_interrupt, 3));
	assert_int_equal(decider_choose(&scene.probes, &scene.failure, &scene.answer), 0);
	assert_null(scene.answer.decider_hit);
	assert_int_equal(scene.answer.hit->order, 1);
	assert_int_equal(scene.answer.hit->frames, 3);
	assert_memory_equal(&scene.answer.hit->stack[1], by_call, sizeof(by_call));
	close_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decider_last_branch_before_the_place),
		cmocka_unit_test(decider_place_hit_in_an_interrupt_decides_nothing),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("decider", tests, NULL, NULL);
}
