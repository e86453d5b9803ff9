// SPDX-License-Identifier: GPL-2.0
/* Conditions that are remembered: which paths ran alike, and which did not. Paths are made by hand.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "path/names.h"

#define KERNEL UINT64_C(0xffffffff81000000)
#define OTHER  (KERNEL + 0x1000)
#define MODULE 0xffffffffc0001000ull

int __wrap_operand_condition(const struct operand_way *way, const struct operand_insn *setter,
			     const struct operand_insn *branch, bool taken,
			     struct operand_condition *ret);

static unsigned int asked;
static int answer;

/* Each answer is another one. */
int __wrap_operand_condition(const struct operand_way *way, const struct operand_insn *setter,
			     const struct operand_insn *branch, bool taken,
			     struct operand_condition *ret)
{
	(void)way;
	(void)setter;
	(void)branch;
	(void)taken;
	*ret = (struct operand_condition){.count = 1};
	asked++;
	snprintf(ret->text, sizeof(ret->text), "x == %u", asked);
	snprintf(ret->source.operand, sizeof(ret->source.operand), "x%u", asked);
	snprintf(ret->source.member, sizeof(ret->source.member), "m%u", asked);
	snprintf(ret->source.type, sizeof(ret->source.type), "int");
	return answer;
}

static struct symbols *symbols;

/**
 * struct scene - a function that calls another, tests what it got, and branches
 *
 * Blocks: 0 the caller's, 1 the function up to the call, 2 and 3 the callee, 4 behind the call,
 * with the test and the branch. Instructions: 0; 1 (the call); 2; 3; 4 and 5.
 */
struct scene {
	struct path path;
	struct path_block blocks[5];
	struct path_insn insns[6];
	struct path_decision decision;
};

static void make(struct scene *scene)
{
	static const uint64_t starts[] = {OTHER + 0x100, KERNEL, OTHER, OTHER + 0x20, KERNEL + 5};
	static const int depths[] = {0, 1, 2, 2, 1};
	static const uint32_t first[] = {0, 1, 2, 3, 4, 6};

	memset(scene, 0, sizeof(*scene));
	for (uint32_t i = 0; i < 5; i++)
		scene->blocks[i] = (struct path_block){.start = starts[i],
						       .end = starts[i] + 5,
						       .depth = depths[i],
						       .ends = PATH_END_BRANCH,
						       .first_insn = first[i],
						       .insn_count = first[i + 1] - first[i]};
	for (uint32_t i = 0; i < 6; i++)
		scene->insns[i] =
			(struct path_insn){.addr = (i == 5 ? KERNEL + 7 : starts[i == 4 ? 4 : i]),
					   .len = 2,
					   .bytes = {0x85, (uint8_t)(0xc0 + i)}};
	scene->path = (struct path){
		.blocks = scene->blocks, .block_count = 5, .insns = scene->insns, .insn_count = 6};
	scene->decision = (struct path_decision){
		.addr = KERNEL + 7, .taken = true, .insn = 5, .setter = 4, .block = 4};
}

static int find(struct path_names *names, const struct scene *scene, struct operand_condition *ret)
{
	return path_names_find(names, &scene->path, &scene->decision, symbols,
			       (struct lines *)&asked, ret);
}

/* Is it found anew, after @change? */
#define ASKED_AFTER(change)                                                                        \
	do {                                                                                       \
		asked = 0;                                                                         \
		make(&scene);                                                                      \
		change;                                                                            \
		assert_int_equal(find(names, &scene, &found), 0);                                  \
		assert_int_equal(asked, 1);                                                        \
	} while (0)

static void names_of_the_same_way_are_found_once(void **state)
{
	struct path_names *names = path_names_create();
	struct operand_condition found;
	struct scene scene;

	(void)state;
	make(&scene);
	asked = 0;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 1);
	memset(&found, 0xff, sizeof(found));
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 1);
	assert_string_equal(found.text, "x == 1");
	assert_string_equal(found.source.operand, "x1");
	assert_string_equal(found.source.member, "m1");
	assert_string_equal(found.source.type, "int");
	assert_int_equal(found.count, 0);
	/* Who called the function, and what the callee did, is not followed back. */
	scene.blocks[0].start += 0x40;
	scene.insns[0].bytes[1]++;
	scene.insns[2].addr += 4;
	scene.insns[3].bytes[0]++;
	scene.blocks[3].end += 9;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 1);
	/* Nor is it how many blocks of it ran, nor an interrupt. */
	scene.blocks[3].depth = 3;
	scene.blocks[2].depth = 1;
	scene.blocks[2].interrupt = 1;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 1);
	path_names_destroy(names);
}

static void names_of_another_way_are_its_own(void **state)
{
	struct path_names *names = path_names_create();
	struct operand_condition found;
	struct scene scene;

	(void)state;
	make(&scene);
	assert_int_equal(find(names, &scene, &found), 0);
	ASKED_AFTER(scene.decision.taken = false);
	ASKED_AFTER(scene.insns[1].bytes[1]++); /* another callee */
	ASKED_AFTER(scene.insns[1].addr++);
	ASKED_AFTER(scene.insns[4].bytes[0]++);
	ASKED_AFTER(scene.insns[5].bytes[0]++);
	ASKED_AFTER(scene.blocks[1].start++);
	ASKED_AFTER(scene.blocks[1].ends = PATH_END_INTERRUPT);
	ASKED_AFTER(scene.decision.setter = 1);
	/* nothing was called, or the record begins behind the call */
	ASKED_AFTER((scene.blocks[2].tracing = true, scene.blocks[3].tracing = true));
	ASKED_AFTER(scene.blocks[3].gap = PATH_GAP_USER);
	/* the same code, of another function */
	ASKED_AFTER((scene.decision.addr = OTHER + 7));
	/* and all of them are known by now */
	make(&scene);
	asked = 100;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 100);
	path_names_forget(names);
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 101);
	path_names_destroy(names);
}

static void names_none_is_remembered_too(void **state)
{
	struct path_names *names = path_names_create();
	struct operand_condition found;
	struct scene scene;

	(void)state;
	make(&scene);
	asked = 0;
	answer = -ENOENT;
	assert_int_equal(find(names, &scene, &found), -ENOENT);
	assert_int_equal(find(names, &scene, &found), -ENOENT);
	assert_int_equal(asked, 1);
	/* ... but for what may succeed another time */
	scene.decision.taken = false;
	answer = -ENOMEM;
	assert_int_equal(find(names, &scene, &found), -ENOMEM);
	answer = 0;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 3);
	/* ... or in a module, which may have been loaded anew a moment ago */
	make(&scene);
	asked = 0;
	answer = -ENOENT;
	scene.decision.addr = MODULE + 7;
	assert_int_equal(find(names, &scene, &found), -ENOENT);
	answer = 0;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 2);
	path_names_destroy(names);
}

/* A program's code may be another one's at the next event; and nobody has to remember. */
static void names_of_programs_are_found_anew(void **state)
{
	struct path_names *names = path_names_create();
	struct operand_condition found;
	struct scene scene;

	(void)state;
	make(&scene);
	asked = 0;
	scene.decision.addr = 0x401007;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 2);
	make(&scene);
	assert_int_equal(find(NULL, &scene, &found), 0);
	assert_int_equal(find(NULL, &scene, &found), 0);
	assert_int_equal(asked, 4);
	path_names_destroy(names);
}

static void names_too_many_are_forgotten(void **state)
{
	struct path_names *names = path_names_create();
	struct operand_condition found;
	struct scene scene;

	(void)state;
	make(&scene);
	asked = 0;
	for (unsigned int i = 0; i < 50000; i++) {
		scene.insns[1].addr = KERNEL + i;
		assert_int_equal(find(names, &scene, &found), 0);
	}
	assert_int_equal(asked, 50000);
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 50000);
	scene.insns[1].addr = KERNEL;
	assert_int_equal(find(names, &scene, &found), 0);
	assert_int_equal(asked, 50001);
	path_names_destroy(names);
}

static int setup(void **state)
{
	const struct symbol f = {"f", "", KERNEL, 0x100}, other = {"other", "", OTHER, 0x200};
	const struct symbol module = {"f", "mod", MODULE, 0x100};

	(void)state;
	return symbols_open_empty(&symbols) ?: symbols_add(symbols, &f)
						       ?: symbols_add(symbols, &other)
						       ?: symbols_add(symbols, &module);
}

static int teardown(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_the_same_way_are_found_once),
		cmocka_unit_test(names_of_another_way_are_its_own),
		cmocka_unit_test(names_none_is_remembered_too),
		cmocka_unit_test(names_of_programs_are_found_anew),
		cmocka_unit_test(names_too_many_are_forgotten),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
