// SPDX-License-Identifier: GPL-2.0
/* test_new_file.c - what a new file replaces, and what it does not */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "util/file/new_file.h"

static char folder[] = "/tmp/test_new_file.XXXXXX";

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void assert_file(const char *path, const char *text)
{
	char got[64] = "";
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, in), strlen(text));
	fclose(in);
	assert_string_equal(got, text);
}

static void make(const char *path, const char *text)
{
	struct new_file file;

	assert_int_equal(new_file_open(path, &file), 0);
	assert_int_equal(write(file.fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(new_file_rename(&file), 0);
	close(file.fd);
	new_file_deinit(&file);
}

static void open_regular_stays_until_rename(void **state)
{
	struct new_file file;

	(void)state;
	write_file("old", "old");
	assert_int_equal(new_file_open("old", &file), 0);
	assert_int_equal(write(file.fd, "new", 3), 3);
	assert_file("old", "old");
	assert_int_equal(new_file_rename(&file), 0);
	close(file.fd);
	new_file_deinit(&file);
	assert_file("old", "new");
}

/* The file of @standard, by a name of its own and by that of the descriptor, opened with >>. */
static void check_standard(int standard, const char *name)
{
	int kept = dup(standard), fd;

	write_file("log", "before ");
	fd = open("log", O_WRONLY | O_APPEND);
	assert_true(fd >= 0 && kept >= 0);
	dup2(fd, standard);
	make("./log", "one ");
	make(name, "two ");
	assert_int_equal(write(fd, "after", 5), 5);
	dup2(kept, standard);
	close(kept);
	close(fd);
	assert_file("log", "before one two after");
}

static void open_standard_output_is_not_replaced(void **state)
{
	(void)state;
	check_standard(STDOUT_FILENO, "/dev/stdout");
}

static void open_standard_error_is_not_replaced(void **state)
{
	(void)state;
	check_standard(STDERR_FILENO, "/dev/stderr");
}

static void open_longest_name_is_made(void **state)
{
	char name[NAME_MAX + 1];

	(void)state;
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	make(name, "long");
	assert_file(name, "long");
}

static void open_link_to_nothing_makes_its_target(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("sub/link", "first"), 0);
	assert_int_equal(symlink("target", "sub/link"), 0);
	make("first", "text");
	assert_file("sub/target", "text");
	assert_int_equal(lstat("sub/link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void open_no_folder_fails(void **state)
{
	struct new_file file;

	(void)state;
	assert_int_equal(new_file_open("none/x", &file), -ENOENT);
	assert_int_equal(new_file_open("none/", &file), -ENOENT);
}

static void resolve_two_names_are_one_file(void **state)
{
	static const char *const names[] = {"./yet", "sub/../yet", "link"};
	char *one, *other;

	(void)state;
	assert_int_equal(symlink("./yet", "link"), 0);
	assert_int_equal(new_file_resolve("yet", &one), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(new_file_resolve(names[i], &other), 0);
		assert_string_equal(one, other);
		free(other);
	}
	free(one);
}

static int enter(void **state)
{
	(void)state;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int leave(void **state)
{
	char command[sizeof(folder) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_regular_stays_until_rename),
		cmocka_unit_test(open_standard_output_is_not_replaced),
		cmocka_unit_test(open_standard_error_is_not_replaced),
		cmocka_unit_test(open_longest_name_is_made),
		cmocka_unit_test(open_link_to_nothing_makes_its_target),
		cmocka_unit_test(open_no_folder_fails),
		cmocka_unit_test(resolve_two_names_are_one_file),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
