// SPDX-License-Identifier: GPL-2.0
/* Words for a shell: each one is given to bash, and has to come back as it was */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/shell_words.h"

static void plain_word_is_left_alone(void **state)
{
	static const char *const words[] = {"cat", "/none/x-1.so", "--size=many", "a,b:c@d%e+f"};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(shell_word(words[i], buf, sizeof(buf)), strlen(words[i]));
		assert_string_equal(buf, words[i]);
	}
}

static void special_words_are_quoted(void **state)
{
	static const char *const cases[][2] = {
		{"", "''"},
		{"/x y", "'/x y'"},
		{"it's", "'it'\\''s'"},
		{"$(reboot)", "'$(reboot)'"},
		{"~", "'~'"},
		{"=ls", "'=ls'"},
		{"Straße", "'Straße'"},
		{"a\nb", "$'a\\012b'"},
		{"a'\\\x1b]0;x\a", "$'a\\'\\\\\\033]0;x\\007'"},
		{"\xc2\x9b", "$'\\302\\233'"},
		{"\xff", "$'\\377'"},
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(shell_word(cases[i][0], buf, sizeof(buf)), strlen(cases[i][1]));
		assert_string_equal(buf, cases[i][1]);
	}
}

static void words_small_buffer_is_cut_and_length_told(void **state)
{
	static const char *const words[] = {"cat", "/x y", NULL};
	static const char whole[] = "cat '/x y'";
	char buf[16];

	for (size_t size = 0; size <= sizeof(buf); size++) {
		size_t shown = size > sizeof(whole) ? sizeof(whole) - 1 : size ? size - 1 : 0;

		memset(buf, '#', sizeof(buf));
		assert_int_equal(shell_words(words, buf, size), sizeof(whole) - 1);
		assert_memory_equal(buf, whole, shown);
		if (size)
			assert_int_equal(buf[shown], '\0');
		if (size < sizeof(buf))
			assert_int_equal(buf[size], '#');
	}
}

/* Every byte but NUL, alone and between others. */
static void any_word_bash_reads_it_back(void **state)
{
	enum { WORDS = 2 * 255 };
	static char bytes[WORDS][8];
	const char *words[WORDS + 1] = {};
	static char quoted[1 << 16];
	FILE *shell;

	for (int i = 0; i < WORDS; i++) {
		snprintf(bytes[i], sizeof(bytes[i]), i < 255 ? "%c" : "a%c\xc3\xa4'", i % 255 + 1);
		words[i] = bytes[i];
	}
	assert_true(shell_words(words, quoted, sizeof(quoted)) < sizeof(quoted));
	assert_true(setenv("WORDS", quoted, 1) == 0);
	shell = popen("exec bash -c 'eval \"printf %s\\\\\\\\0 $WORDS\"'", "re");
	assert_non_null(shell);
	for (int i = 0; i < WORDS; i++) {
		char got[8];
		size_t len = 0;
		int c;

		while ((c = getc(shell)) > 0 && len < sizeof(got) - 1)
			got[len++] = (char)c;
		got[len] = '\0';
		assert_string_equal(got, bytes[i]);
	}
	assert_int_equal(getc(shell), EOF);
	assert_int_equal(pclose(shell), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_word_is_left_alone),
		cmocka_unit_test(special_words_are_quoted),
		cmocka_unit_test(words_small_buffer_is_cut_and_length_told),
		cmocka_unit_test(any_word_bash_reads_it_back),
	};

	return cmocka_run_group_tests_name("shell_words", tests, NULL, NULL);
}
