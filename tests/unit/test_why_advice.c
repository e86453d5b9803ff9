// SPDX-License-Identifier: GPL-2.0
/* The command line of "lbrsnoop why" that a trace proposes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "cmd/advice.h"
#include "cmd/why/why_advice.h"
#include "util/cleanup.h"

/* What is proposed to one who typed "lbrsnoop ARGUMENTS" */
static void check(const char *const *arguments, const char *comm, const char *wanted)
{
	char *argv[16] = {"lbrsnoop"}, buf[WHY_ADVICE_MAX];
	struct trace_options opts;
	int argc = 1;

	for (; arguments[argc - 1]; argc++)
		argv[argc] = strdup(arguments[argc - 1]);
	assert_int_equal(trace_options_parse(argc, argv, TRACE_SHOW, &opts), 0);
	assert_string_equal(why_advice(&opts, comm, buf), wanted);
	trace_options_deinit(&opts);
	for (int i = 1; i < argc; i++)
		free(argv[i]);
}

#define CHECK(wanted, comm, ...) check((const char *const[]){__VA_ARGS__, NULL}, comm, wanted)

static void command_is_quoted(void **state)
{
	CHECK("lbrsnoop why -- cat '/x y' 'it'\\''s' '$HOME'", "cat", "do_sys_openat2", "--", "cat",
	      "/x y", "it's", "$HOME");
	/* Its children are followed, so -c has nothing to add. */
	CHECK("lbrsnoop why -- sh -c 'cat /x; true'", "cat", "-c", "cat", "do_sys_openat2", "--",
	      "sh", "-c", "cat /x; true");
}

static void errnos_are_kept(void **state)
{
	CHECK("lbrsnoop why -e ENOENT,EACCES -- cat", NULL, "-e", "EACCES,ENOENT", "f", "--",
	      "cat");
	CHECK("lbrsnoop why -e ENOENT,4000 -p 1", NULL, "-e", "ENOENT,4000", "-p", "1", "f");
	CHECK("lbrsnoop why -- cat", NULL, "-e", "any", "f", "--", "cat");
	CHECK("lbrsnoop why -- cat", NULL, "-e", "1,2,3,4,5,6,7,8,9", "f", "--", "cat");
}

static void no_command_process_or_name(void **state)
{
	CHECK("lbrsnoop why -p 1", "init", "-p", "1", "f");
	CHECK("lbrsnoop why -c 'my task'", "other", "-c", "my task", "f");
	CHECK("lbrsnoop why -c 'kworker/0:1;x'", "kworker/0:1;x", "f");
	CHECK("lbrsnoop why -c $'\\033[2J'", "\033[2J", "f");
	CHECK("lbrsnoop why -- COMMAND", NULL, "f");
	CHECK("lbrsnoop why -- COMMAND", "", "f");
}

static void long_command_is_not_quoted_in_part(void **state)
{
	_cleanup_free_ char *word = malloc(WHY_ADVICE_MAX + 1);
	size_t fits = WHY_ADVICE_MAX - sizeof("lbrsnoop why -- ");
	char wanted[WHY_ADVICE_MAX];

	assert_non_null(word);
	memset(word, 'x', WHY_ADVICE_MAX);
	word[fits] = '\0';
	snprintf(wanted, sizeof(wanted), "lbrsnoop why -- %s", word);
	CHECK(wanted, NULL, "f", "--", word);
	word[fits] = 'x';
	word[fits + 1] = '\0';
	CHECK("lbrsnoop why -- COMMAND", NULL, "f", "--", word);
}

#define BASE 0xffffffff81000000ULL

/* What is said of an error that f() got from a function that it called through a pointer. */
static void error_passed_on_command_is_named_once(void **state)
{
	static const uint8_t code[0x10] =
		"\xff\xd0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";
	static const struct text_bytes listing = {BASE, code, sizeof(code)};
	static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};
	static const char said[] =
		"lbrsnoop: -EIO was made further in than f(); where, and by which condition: "
		"lbrsnoop why -- cat '/x y'\n"
		"lbrsnoop: f() calls others through pointers alone: a file system's, a protocol's "
		"or a driver's\n";
	char *command[] = {"cat", "/x y", NULL}, buf[1024] = "";
	struct symbols *symbols = symbol_table("ffffffff81000000 T f\nffffffff81000010 T end\n");
	struct trigger trigger = {.function = "f", .func_addr = BASE};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct trace_options opts = {.command = command};
	struct advice advice = {};
	int terminal = dup(STDERR_FILENO), file = memfd_create("said", MFD_CLOEXEC);

	assert_non_null(symbols);
	assert_non_null(snap);
	assert_true(terminal >= 0 && file >= 0);
	snap->trigger = &trigger;
	snap->err = EIO;
	assert_true(dup2(file, STDERR_FILENO) == STDERR_FILENO);
	advice_say(&advice, &opts, snap, &text, symbols);
	advice_say(&advice, &opts, snap, &text, symbols);
	dup2(terminal, STDERR_FILENO);
	assert_true(pread(file, buf, sizeof(buf) - 1, 0) > 0);
	assert_string_equal(buf, said);
	close(terminal);
	close(file);
	advice_deinit(&advice);
	symbols_close(symbols);
	free(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_is_quoted),
		cmocka_unit_test(errnos_are_kept),
		cmocka_unit_test(no_command_process_or_name),
		cmocka_unit_test(long_command_is_not_quoted_in_part),
		cmocka_unit_test(error_passed_on_command_is_named_once),
	};

	return cmocka_run_group_tests_name("why_advice", tests, NULL, NULL);
}
