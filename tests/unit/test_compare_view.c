// SPDX-License-Identifier: GPL-2.0
/* What is printed of a reason that is written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/compare_view.h"

/* free() it. */
static char *shown(const struct value_range *failing, const struct value_range *passing, bool json)
{
	const struct ranking_reason reason = {.function = "f",
					      .failing = 4,
					      .passing = 5,
					      .failing_values = *failing,
					      .passing_values = *passing,
					      .parts_at = -1};
	const struct compare_view view = {.json = json, .top = 3, .further = "why"};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(render_comparison(out, &reason, &view), 0);
	fclose(out);
	return text;
}

static void check(const struct value_range *failing, const struct value_range *passing,
		  const char *text, const char *json)
{
	char *found = shown(failing, passing, false);

	found[strcspn(found, "\n")] = '\0';
	assert_string_equal(found, text);
	free(found);
	found = shown(failing, passing, true);
	assert_non_null(strstr(found, json));
	free(found);
}

static void values_from_the_least_to_the_greatest(void **state)
{
	const struct value_range bad = {.known = 3, .min = 12288, .max = 12288};
	const struct value_range good = {.known = 5, .min = 4096, .max = 8192};

	(void)state;
	check(&bad, &good,
	      "f(): 4 failing, which returned 12288; 5 passing, which returned 4096..8192",
	      "\"failing_values\":{\"known\":3,\"min\":12288,\"max\":12288},"
	      "\"passing_values\":{\"known\":5,\"min\":4096,\"max\":8192}");
}

/* Not captured; and a kernel's pointer, which is less than any errno: its number says nothing. */
static void values_that_are_no_numbers_are_left_out(void **state)
{
	const struct value_range none = {};
	const struct value_range pointers = {.known = 5,
					     .min = (int64_t)0xffff888100000000ULL,
					     .max = (int64_t)0xffff888200000000ULL};

	(void)state;
	check(&none, &pointers, "f(): 4 failing; 5 passing",
	      "\"failing_values\":null,\"passing_values\":null");
}

static bool says(const struct ranking_reason *reason, const struct compare_view *view,
		 const char *wanted)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool there;

	assert_non_null(out);
	assert_int_equal(render_comparison(out, reason, view), 0);
	fclose(out);
	there = strstr(text, wanted) != NULL;
	free(text);
	return there;
}

static bool shows(const struct ranking_reason *reason, bool json, const char *wanted)
{
	const struct compare_view view = {.json = json, .top = 3, .further = "why"};

	return says(reason, &view, wanted);
}

/* Is @doubt said, as text and in JSON, of a reason that is otherwise beyond doubt? */
static bool doubts(struct ranking_reason reason, const char *doubt)
{
	struct compare_view view = {.top = 3, .further = "why"};
	char *text[2] = {NULL, NULL};
	bool said = true;

	for (int json = 0; json < 2; json++) {
		size_t len;
		FILE *out = open_memstream(&text[json], &len);

		assert_non_null(out);
		view.json = json;
		assert_int_equal(render_comparison(out, &reason, &view), 0);
		fclose(out);
		said = said && strstr(text[json], doubt);
	}
	if (!reason.by_chance && reason.passing)
		assert_non_null(strstr(text[1], "\"doubt\":null"));
	free(text[0]);
	free(text[1]);
	return said;
}

static void what_may_be_chance_is_in_doubt(void **state)
{
	struct ranked item = {
		.source = "",
		.place = {.function = "f", .module = "", .off = 4},
		.failing = {.true_calls = 4, .known = 4},
		.passing = {.known = 4},
		.accuracy = 1,
		.parts = true,
		.open = true,
	};
	struct ranking_reason reason = {
		.function = "f",
		.made_at = {.function = "f", .module = ""},
		.failing = 4,
		.passing = 4,
		.items = &item,
		.count = 1,
		.parts_at = -1,
		.joined = true,
	};

	(void)state;
	assert_false(doubts(reason, "with so few calls this may be chance"));
	reason.by_chance = true;
	assert_true(doubts(reason, "with so few calls this may be chance"));
}

/* That none was captured is not known: some were left out. */
static void passing_calls_that_were_left_out_are_not_denied(void **state)
{
	const struct ranking_reason reason = {
		.function = "f", .failing = 4, .passing_function = "g", .parts_at = -1};
	const struct compare_view some = {.top = 3, .further = "why", .missing = {.kinds = 7}};
	const struct compare_view all = {.top = 3, .further = "why"};

	(void)state;
	assert_true(says(&reason, &some, "no passing call of this function is compared"));
	assert_true(says(&reason, &some, "7 calls of too many kinds are left out"));
	assert_false(says(&reason, &some, "was captured"));
	assert_true(says(&reason, &all, "no passing call of this function was captured"));
}

static void conditions_in_the_names_of_the_source_come_first(void **state)
{
	struct ranked item = {
		.place = {.function = "f", .module = "", .off = 4},
		.taken = true,
		.condition = "%cx == 0xa000",
		.source = "(mode & S_IFMT) == S_IFLNK",
		.failing = {.true_calls = 4, .known = 4},
		.passing = {.known = 4},
		.accuracy = 1,
	};
	const struct ranking_reason reason = {.function = "f",
					      .failing = 4,
					      .passing = 4,
					      .items = &item,
					      .count = 1,
					      .parts_at = -1};

	(void)state;
	assert_true(shows(&reason, false, "  taken  as (mode & S_IFMT) == S_IFLNK\n"));
	assert_true(shows(&reason, true,
			  "\"condition\":\"%cx == 0xa000\","
			  "\"source\":{\"text\":\"(mode & S_IFMT) == S_IFLNK\"},"));
	item.source = "";
	assert_true(shows(&reason, false, "  taken  as %cx == 0xa000\n"));
	assert_true(shows(&reason, true, "\"condition\":\"%cx == 0xa000\",\"source\":null,"));
}

/* errno(3) has no name for it. */
static void an_errno_without_a_name_is_a_number(void **state)
{
	const struct ranking_reason reason = {
		.function = "f", .err = 4000, .failing = 4, .passing = 4, .parts_at = -1};
	const struct compare_view view = {.top = 3, .further = "why"};
	const char *names[] = {"x.lbr"};
	const struct compare_page page = {
		.names = names, .name_count = 1, .reasons = &reason, .reason_count = 1};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_true(says(&reason, &view, "f(): 4 failing, -4000; 4 passing"));
	assert_non_null(out);
	assert_int_equal(render_comparison_page(out, &page, &view), 0);
	fclose(out);
	assert_non_null(strstr(text, ">f() = -4000</h2>"));
	free(text);
}

/* A capture of anybody's may have any name in it. */
static void a_function_elsewhere_is_named_escaped(void **state)
{
	const struct ranking_reason reason = {
		.function = "f", .failing = 4, .passing_function = "g\033[2J", .parts_at = -1};

	(void)state;
	assert_true(doubts(reason, "the passing calls are of g\\"));
	assert_false(doubts(reason, "\033"));
}

/* free() it. */
static char *argued(bool json, bool no_values)
{
	const struct ranking_reason reason = {
		.function = "f",
		.failing = 8,
		.passing = 8,
		.failing_values = {.known = 8, .min = 77, .max = 77},
		.arguments = {{"b\033[2J", ARGUMENT_POINTER, {8, 0, 1}, {8, 1, 1}, false},
			      {"p", ARGUMENT_POINTER, {8, 1, 1}, {8, 1, 1}, false},
			      {"d", ARGUMENT_UNSIGNED, {8, -1, -1}, {0, 0, 0}, false},
			      {"size", ARGUMENT_SIGNED, {8, 12288, 12288}, {8, -4096, 8192}, true}},
		.argument_count = 4,
		.parts_at = -1,
	};
	const struct compare_view view = {
		.json = json, .no_values = no_values, .top = 3, .further = "why"};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(render_comparison(out, &reason, &view), 0);
	fclose(out);
	return text;
}

/* What separates first; a pointer that is one in all calls is left out. */
static void arguments_as_text(void **state)
{
	char *text = argued(false, false);

	(void)state;
	assert_non_null(strstr(
		text,
		"\n  argument size: 12288 in failing calls, -4096..8192 in passing ones: this "
		"tells all calls apart\n  argument b\\"));
	assert_non_null(
		strstr(text, ": NULL or not NULL in failing calls, not NULL in passing ones\n"));
	assert_non_null(strstr(text,
			       "  argument d: 18446744073709551615 in failing calls, not known "
			       "in passing ones\n"));
	assert_null(strstr(text, "argument p"));
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "an argument does"));
	free(text);
}

static void arguments_as_json(void **state)
{
	char *text = argued(true, false);

	(void)state;
	assert_non_null(strstr(
		text,
		"{\"name\":\"size\",\"kind\":\"signed\",\"failing\":{\"known\":8,\"min\":12288,"
		"\"max\":12288},\"passing\":{\"known\":8,\"min\":-4096,\"max\":8192},"
		"\"separates\":true}]"));
	assert_non_null(strstr(text, "\"passing\":null,\"separates\":false}"));
	free(text);
}

static void no_values_are_shown_where_none_are_wanted(void **state)
{
	(void)state;
	for (int json = 0; json < 2; json++) {
		char *text = argued(json, true);

		assert_null(strstr(text, "12288"));
		assert_null(strstr(text, "77"));
		assert_null(strstr(text, "an argument does"));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_from_the_least_to_the_greatest),
		cmocka_unit_test(values_that_are_no_numbers_are_left_out),
		cmocka_unit_test(what_may_be_chance_is_in_doubt),
		cmocka_unit_test(conditions_in_the_names_of_the_source_come_first),
		cmocka_unit_test(passing_calls_that_were_left_out_are_not_denied),
		cmocka_unit_test(an_errno_without_a_name_is_a_number),
		cmocka_unit_test(a_function_elsewhere_is_named_escaped),
		cmocka_unit_test(arguments_as_text),
		cmocka_unit_test(arguments_as_json),
		cmocka_unit_test(no_values_are_shown_where_none_are_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
