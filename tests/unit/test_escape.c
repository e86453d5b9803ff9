// SPDX-License-Identifier: GPL-2.0
/*
 * Expected: control characters are U+0000 to U+001F, U+007F to U+009F (ISO 6429: C0, DEL, C1);
 * what UTF-8 is: RFC 3629, section 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/escape.h"

static void check(const char *text, const char *expected)
{
	char buf[256];

	assert_string_equal(escape_text(text, buf, sizeof(buf)), expected);
}

static void escape_text_harmless_stays(void **state)
{
	(void)state;
	check("", "");
	check("kworker/0:1-eve~", "kworker/0:1-eve~");
	check("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
	      "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7");
}

static void escape_text_control_characters_are_written_out(void **state)
{
	(void)state;
	check("a\x1b[31m", "a\\x1b[31m");
	check("\t\r\n\x7f", "\\x09\\x0d\\x0a\\x7f");
	/* C1: U+009B is CSI, U+0085 the next line; U+00A0 is none of them */
	check("\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m");
	check("\xc2\x85", "\\xc2\\x85");
	check("\xc2\xa0", "\xc2\xa0");
}

static void escape_text_bytes_that_are_no_utf8_are_written_out(void **state)
{
	(void)state;
	check("\x9b", "\\x9b");
	check("\xff\xfe", "\\xff\\xfe");
	check("\xc0\xaf", "\\xc0\\xaf");		   /* overlong '/' */
	check("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");	   /* overlong */
	check("\xed\xa0\x80", "\\xed\\xa0\\x80");	   /* surrogate */
	check("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
	check("\xe2\x82", "\\xe2\\x82");		   /* cut off */
}

static void escape_text_small_buffer_is_cut_at_a_whole_character(void **state)
{
	char buf[6];

	(void)state;
	assert_string_equal(escape_text("abcdefgh", buf, sizeof(buf)), "abcde");
	assert_string_equal(escape_text("ab\x1b"
					"c",
					buf, sizeof(buf)),
			    "ab");
	assert_string_equal(escape_text("abcd\xc3\xa9", buf, sizeof(buf)), "abcd");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escape_text_harmless_stays),
		cmocka_unit_test(escape_text_control_characters_are_written_out),
		cmocka_unit_test(escape_text_bytes_that_are_no_utf8_are_written_out),
		cmocka_unit_test(escape_text_small_buffer_is_cut_at_a_whole_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
