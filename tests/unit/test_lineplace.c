// SPDX-License-Identifier: GPL-2.0
/* Source lines to addresses, of programs that gcc compiles here; where functions are says nm. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/debug/dwarf.h"

static const char program[] =
	"static inline __attribute__((always_inline)) int twice(int x)\n" /* 1 */
	"{\n"
	"	return x * 2 + 7;\n" /* 3 */
	"}\n"
	"\n" /* 5 */
	"__attribute__((noinline)) int first(int x)\n"
	"{\n"
	"	return twice(x);\n" /* 8 */
	"}\n"
	"\n"
	"__attribute__((noinline)) int second(int x)\n" /* 11 */
	"{\n"
	"	return twice(x) / 3;\n"
	"}\n";

struct fixture {
	char dir[64];
	char path[128];
	struct lines *lines;
};

static void write_file(const struct fixture *f, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char command[1024];

	strcpy(f->dir, "/tmp/lbrsnoop-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(command, sizeof(command), "mkdir %s/a %s/b", f->dir, f->dir);
	if (system(command))
		return -1;
	write_file(f, "a/prog.c", program);
	write_file(f, "a/same.c", "int same_a(int x) { return x + 1; }\n");
	write_file(f, "b/same.c", "int same_b(int x) { return x + 2; }\n");
	write_file(f, "main.c", "int main(void) { return 0; }\n");
	snprintf(f->path, sizeof(f->path), "%s/prog", f->dir);
	snprintf(command, sizeof(command),
		 "cd %s && ${CC:-gcc} -O2 -g -fcf-protection=none -o prog a/prog.c a/same.c "
		 "b/same.c main.c",
		 f->dir);
	if (system(command))
		return -1;
	*state = f;
	return lines_open(&(struct lines_options){.vmlinux = f->path, .release = "none"},
			  &f->lines);
}

static int unmake(void **state)
{
	struct fixture *f = *state;
	char command[128];

	lines_close(f->lines);
	snprintf(command, sizeof(command), "rm -rf %s", f->dir);
	free(f);
	return system(command);
}

/* First and last address of a function. */
static void range_of(const struct fixture *f, const char *name, uint64_t *ret_from,
		     uint64_t *ret_to)
{
	char command[256];
	unsigned long long from = 0, size = 0;
	FILE *out;

	snprintf(command, sizeof(command), "nm -S %s | grep ' %s$'", f->path, name);
	out = popen(command, "r");
	assert_non_null(out);
	assert_int_equal(fscanf(out, "%llx %llx", &from, &size), 2);
	pclose(out);
	*ret_from = from;
	*ret_to = from + size;
}

static int find(const struct fixture *f, const char *file, int line, struct line_places *places)
{
	return lines_places(f->lines, "", file, line, places);
}

static void lines_places_of_a_function_is_its_entry(void **state)
{
	struct line_places places;
	uint64_t from, to;

	range_of(*state, "first", &from, &to);
	assert_int_equal(find(*state, "prog.c", 7, &places), 0);
	assert_int_equal(places.addr_count, 1);
	assert_int_equal(places.addrs[0], from);
}

static void lines_places_of_an_inlined_line_are_in_each_caller(void **state)
{
	struct line_places places;
	uint64_t first, first_end, second, second_end;

	range_of(*state, "first", &first, &first_end);
	range_of(*state, "second", &second, &second_end);
	assert_int_equal(find(*state, "a/prog.c", 3, &places), 0);
	assert_int_equal(places.addr_count, 2);
	assert_true(places.addrs[0] < places.addrs[1]);
	for (int i = 0; i < 2; i++)
		assert_true((places.addrs[i] >= first && places.addrs[i] < first_end) ^
			    (places.addrs[i] >= second && places.addrs[i] < second_end));
	assert_true((places.addrs[0] < first_end) != (places.addrs[1] < first_end) ||
		    (places.addrs[0] < second_end) != (places.addrs[1] < second_end));
}

static void lines_places_without_code_tells_the_next_line(void **state)
{
	struct line_places places;

	assert_int_equal(find(*state, "prog.c", 9 + 1, &places), 0);
	assert_int_equal(places.addr_count, 0);
	assert_int_equal(places.file_count, 1);
	assert_in_range(places.next_line, 11, 12);
	assert_int_equal(find(*state, "prog.c", 4000, &places), 0);
	assert_int_equal(places.addr_count, 0);
	assert_int_equal(places.next_line, 0);
}

static void lines_places_same_name_twice_names_both_files(void **state)
{
	struct line_places places;
	uint64_t from, to;

	assert_int_equal(find(*state, "same.c", 1, &places), 0);
	assert_int_equal(places.file_count, 2);
	assert_int_equal(places.addr_count, 0);
	range_of(*state, "same_b", &from, &to);
	assert_int_equal(find(*state, "b/same.c", 1, &places), 0);
	assert_int_equal(places.file_count, 1);
	assert_int_equal(places.addr_count, 1);
	assert_int_equal(places.addrs[0], from);
}

static void lines_places_unknown_file_is_enoent(void **state)
{
	struct line_places places;

	/* The end of a name is not the end of a path. */
	assert_int_equal(find(*state, "ame.c", 1, &places), -ENOENT);
	assert_int_equal(find(*state, "c/same.c", 1, &places), -ENOENT);
}

static int count_unit(const char *path, void *ctx)
{
	*(int *)ctx += strstr(path, "same.c") != NULL;
	return 0;
}

static void lines_for_each_unit_names_each(void **state)
{
	const struct fixture *f = *state;
	int count = 0;

	assert_int_equal(lines_for_each_unit(f->lines, "", count_unit, &count), 0);
	assert_int_equal(count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_places_of_a_function_is_its_entry),
		cmocka_unit_test(lines_places_of_an_inlined_line_are_in_each_caller),
		cmocka_unit_test(lines_places_without_code_tells_the_next_line),
		cmocka_unit_test(lines_places_same_name_twice_names_both_files),
		cmocka_unit_test(lines_places_unknown_file_is_enoent),
		cmocka_unit_test(lines_for_each_unit_names_each),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
