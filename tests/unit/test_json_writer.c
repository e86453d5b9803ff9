// SPDX-License-Identifier: GPL-2.0
/* Expected: what jansson writes of the same values. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/json_text.h"
#include "render/json_writer.h"
#include "util/cleanup.h"

/* The line that @w has, without its newline; free() it. */
static char *line_of(struct json_writer *w)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(json_writer_flush(w, out), 0);
	fclose(out);
	assert_true(len > 0 && text[len - 1] == '\n');
	text[len - 1] = '\0';
	return text;
}

static void assert_as_jansson(struct json_writer *w, json_t *value)
{
	char *wanted = json_dumps(value, JSON_LINE | JSON_ENCODE_ANY), *text = line_of(w);

	assert_non_null(wanted);
	assert_string_equal(text, wanted);
	free(text);
	free(wanted);
	json_decref(value);
}

static void jw_string_any_bytes_as_jansson(void **state)
{
	static const char *const texts[] = {
		"", "plain", "a\"b\\c/d", "\b\f\n\r\t", "\x01\x1b[2J\x1f\x7f",
		"caf\xc3\xa9 \xc2\x9b", "\xe2\x86\x92 \xef\xbf\xbf",
		"\xf0\x9f\x90\x9b\xf4\x8f\xbf\xbf\xf0\x90\x80\x80",
		/* no UTF-8 */
		"\xff\xfe", "cut \xe2\x86", "\xc0\x80\xed\xa0\x80", "\\x41 \xc3"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct json_writer w = {0};

		jw_string(&w, texts[i]);
		assert_as_jansson(&w, json_foreign(texts[i]));
	}
}

/* Each character that there is, but for NUL and surrogates. */
static void jw_string_every_character_as_jansson(void **state)
{
	(void)state;
	for (uint32_t c = 1; c <= 0x10ffff; c += c < 0x3000 ? 1 : 97) {
		struct json_writer w = {0};
		char text[5] = "";

		if (c >= 0xd800 && c < 0xe000)
			continue;
		if (c < 0x80)
			snprintf(text, sizeof(text), "%c", (int)c);
		else if (c < 0x800)
			snprintf(text, sizeof(text), "%c%c", 0xc0 | c >> 6, 0x80 | (c & 63));
		else if (c < 0x10000)
			snprintf(text, sizeof(text), "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 63),
				 0x80 | (c & 63));
		else
			snprintf(text, sizeof(text), "%c%c%c%c", 0xf0 | c >> 18,
				 0x80 | (c >> 12 & 63), 0x80 | (c >> 6 & 63), 0x80 | (c & 63));
		jw_string(&w, text);
		assert_as_jansson(&w, json_string(text));
	}
}

/* A command line, the registers and the kernel's log of a path: of many lines, or of bytes. */
static void jw_string_long_is_whole(void **state)
{
	static const struct {
		const char *unit;
		const char *said;
	} rows[] = {
		{"x", "x"},	   {"a line\n", "a line\n"},
		{"\"", "\""},	   {"\xe2\x86\x92", "\xe2\x86\x92"},
		{"\xff", "\\xff"},
	};
	char text[16000], wanted[16000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t count = 1; count < 2000; count += 199) {
			struct json_writer w = {0};

			text[0] = wanted[0] = '\0';
			for (size_t n = 0; n < count; n++) {
				strcat(text, rows[i].unit);
				strcat(wanted, rows[i].said);
			}
			jw_string(&w, text);
			assert_as_jansson(&w, json_string(wanted));
		}
}

static void jw_integer_and_address_ends_as_printf(void **state)
{
	static const int64_t values[] = {0, 1, -1, 9, 10, -10, INT32_MIN, INT64_MAX, INT64_MIN};
	struct json_writer w = {0};
	char wanted[64], *text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		jw_open(&w, '[');
		jw_integer(&w, values[i]);
		jw_address(&w, (uint64_t)values[i]);
		jw_close(&w, ']');
		snprintf(wanted, sizeof(wanted), "[%" PRId64 ",\"0x%" PRIx64 "\"]", values[i],
			 (uint64_t)values[i]);
		text = line_of(&w);
		assert_string_equal(text, wanted);
		free(text);
	}
}

static void jw_nested_as_jansson(void **state)
{
	struct json_writer w = {0};

	(void)state;
	jw_open(&w, '{');
	jw_key(&w, "none");
	jw_open(&w, '[');
	jw_close(&w, ']');
	jw_key(&w, "some");
	jw_open(&w, '[');
	jw_open(&w, '{');
	jw_close(&w, '}');
	jw_null(&w);
	jw_bool(&w, true);
	jw_open(&w, '{');
	jw_key(&w, "a");
	jw_bool(&w, false);
	jw_key(&w, "b");
	jw_string(&w, NULL);
	jw_close(&w, '}');
	jw_close(&w, ']');
	jw_key(&w, "last");
	jw_integer(&w, 7);
	jw_close(&w, '}');
	assert_as_jansson(&w, json_pack("{s:[], s:[{}, n, b, {s:b, s:n}], s:i}", "none", "some", 1,
					"a", 0, "b", "last", 7));
}

static void jw_real_as_jansson(void **state)
{
	static const double values[] = {0, 1, 0.5, 0.1, 1e-7, 2.0 / 3, 123456789012.5, -1e300};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct json_writer w = {0};

		jw_real(&w, values[i]);
		assert_as_jansson(&w, json_real(values[i]));
	}
}

static void jw_put_text_nothing_is_null(void **state)
{
	struct json_writer w = {0};

	(void)state;
	jw_open(&w, '{');
	jw_put_text(&w, "none", NULL);
	jw_put_text(&w, "empty", "");
	jw_put_text(&w, "some", "text");
	jw_close(&w, '}');
	assert_as_jansson(&w, json_pack("{s:n, s:n, s:s}", "none", "empty", "some", "text"));
}

static void jw_put_ident_has_16_digits(void **state)
{
	struct json_writer w = {0};

	(void)state;
	jw_open(&w, '{');
	jw_put_ident(&w, "small", 0x1a);
	jw_put_ident(&w, "large", UINT64_MAX);
	jw_close(&w, '}');
	assert_as_jansson(&w, json_pack("{s:s, s:s}", "small", "000000000000001a", "large",
					"ffffffffffffffff"));
}

/* More than is reserved at first. */
static void jw_large_as_jansson(void **state)
{
	json_t *array = json_array();
	struct json_writer w = {0};

	(void)state;
	jw_open(&w, '[');
	for (int i = 0; i < 50000; i++) {
		jw_integer(&w, i);
		json_array_append_new(array, json_integer(i));
	}
	jw_close(&w, ']');
	assert_as_jansson(&w, array);
}

static void json_writer_flush_full_disk_eio(void **state)
{
	FILE *full = fopen("/dev/full", "we");
	struct json_writer w = {0};

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	jw_null(&w);
	assert_int_equal(json_writer_flush(&w, full), -EIO);
	assert_null(w.buf);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jw_string_any_bytes_as_jansson),
		cmocka_unit_test(jw_string_every_character_as_jansson),
		cmocka_unit_test(jw_string_long_is_whole),
		cmocka_unit_test(jw_integer_and_address_ends_as_printf),
		cmocka_unit_test(jw_nested_as_jansson),
		cmocka_unit_test(jw_real_as_jansson),
		cmocka_unit_test(jw_put_text_nothing_is_null),
		cmocka_unit_test(jw_put_ident_has_16_digits),
		cmocka_unit_test(jw_large_as_jansson),
		cmocka_unit_test(json_writer_flush_full_disk_eio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
