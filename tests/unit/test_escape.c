// SPDX-License-Identifier: GPL-2.0
/*
 * Expected: control characters are U+0000 to U+001F, U+007F to U+009F (ISO 6429: C0, DEL, C1);
 * what UTF-8 is: RFC 3629, section 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/escape.h"
#include "render/json.h"
#include "render/json_text.h"

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

static void utf8_text_control_characters_stay(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(utf8_text("a\x1b[31m\x7f\xc2\x9b", buf, sizeof(buf)),
			    "a\x1b[31m\x7f\xc2\x9b");
	assert_string_equal(utf8_text("\x9b\xff caf\xc3\xa9", buf, sizeof(buf)),
			    "\\x9b\\xff caf\xc3\xa9");
}

/* RFC 8259, section 7: what is escaped stands for the character itself. */
static void render_json_snapshot_name_with_escape_is_read_back(void **state)
{
	static const char *const names[] = {
		"a\x1b[31m", "tab\tnl\n", "quote\"back\\x1b", "csi\xc2\x9bm", "caf\xc3\xa9", "",
	};
	const struct path_json_options opts = {0};
	const struct lbr_info lbr = {.model = "skylake", .format = 5, .depth = 32};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct snapshot snap = {.lbr = &lbr, .filter = "any"};
		json_error_t error;
		char *line = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&line, &len);
		json_t *obj;

		assert_non_null(out);
		strncpy(snap.comm, names[i], sizeof(snap.comm) - 1);
		assert_int_equal(render_json_snapshot(out, &snap, NULL, &opts, 0), 0);
		assert_int_equal(fclose(out), 0);
		obj = json_loads(line, 0, &error);
		assert_non_null(obj);
		assert_string_equal(json_string_value(json_object_get(obj, "comm")), names[i]);
		/* a terminal that it is sent to gets nothing to obey */
		for (size_t at = 0; at + 1 < len; at++)
			assert_true(line[at] >= 0x20 && line[at] <= 0x7e);
		json_decref(obj);
		free(line);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escape_text_harmless_stays),
		cmocka_unit_test(escape_text_control_characters_are_written_out),
		cmocka_unit_test(escape_text_bytes_that_are_no_utf8_are_written_out),
		cmocka_unit_test(escape_text_small_buffer_is_cut_at_a_whole_character),
		cmocka_unit_test(utf8_text_control_characters_stay),
		cmocka_unit_test(render_json_snapshot_name_with_escape_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
