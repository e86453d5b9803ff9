// SPDX-License-Identifier: GPL-2.0
/* Sources as packages install them: made here, the archive by tar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/debug/source_file.h"
#include "symbolize/debug/sourcetree.h"

static char root[64];
static const struct source_version wanted = {6, 1, 192};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char command[1024];
	va_list args;
	int len = snprintf(command, sizeof(command), "cd %s && ", root);

	va_start(args, format);
	vsnprintf(command + len, sizeof(command) - (size_t)len, format, args);
	va_end(args);
	assert_int_equal(system(command), 0);
}

/* A tree of three files, of 6.1.@sublevel. */
static void make_tree(const char *name, int sublevel)
{
	run("mkdir -p %s/kernel %s/fs %s/arch/x86/entry", name, name, name);
	run("printf 'VERSION = 6\\nPATCHLEVEL = 1\\nSUBLEVEL = %d\\nEXTRAVERSION =\\n' "
	    ">%s/Makefile",
	    sublevel, name);
	run("echo 'fork one' >%s/kernel/fork.c", name);
	run("printf 'one\\n\\ttwo\\n' >%s/fs/namei.c", name);
	run("echo push >%s/arch/x86/entry/entry_64.S", name);
}

static void check_line(struct sources *sources, const char *file, int line, const char *text)
{
	size_t len = 0;
	const char *have = sources_line(sources, file, line, &len);

	assert_non_null(have);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(have, text, len);
}

static void source_version_of_debian_ubuntu_and_upstream(void **state)
{
	static const struct {
		struct utsname uts;
		const char *signature;
		struct source_version version;
	} kernels[] = {
		{{.release = "6.1.0-56-amd64",
		  .version = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)"},
		 "",
		 {6, 1, 192}},
		{{.release = "6.12.117+deb12-amd64",
		  .version = "#1 SMP PREEMPT_DYNAMIC Debian 6.12.117-1~deb12u1 (2026-11-14)"},
		 "",
		 {6, 12, 117}},
		{{.release = "6.8.0-45-generic", .version = "#45-Ubuntu SMP PREEMPT_DYNAMIC"},
		 "Ubuntu 6.8.0-45.45-generic 6.8.12",
		 {6, 8, 12}},
		{{.release = "6.18.3-arch1-1", .version = "#1 SMP PREEMPT_DYNAMIC"},
		 "",
		 {6, 18, 3}},
		{{.release = "unknown", .version = "#1"}, "", {0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct source_version have =
			source_version_of(&kernels[i].uts, kernels[i].signature);

		assert_memory_equal(&have, &kernels[i].version, sizeof(have));
	}
}

static void source_tree_find_prefers_a_tree_of_that_version(void **state)
{
	struct source_tree tree;
	char path[128];

	(void)state;
	assert_int_equal(source_tree_find("/nonexistent", &wanted, &tree), 0);
	assert_null(tree.dir);
	assert_null(tree.archive);
	/* another version; headers alone; another series */
	make_tree("linux-source-6.1", 190);
	run("mkdir -p linux-headers-6.1.0-56-amd64 && cp linux-source-6.1/Makefile "
	    "linux-headers-6.1.0-56-amd64 && touch linux-source-6.12.tar.xz");
	assert_int_equal(source_tree_find(root, &wanted, &tree), 0);
	assert_null(tree.dir);
	assert_null(tree.archive);
	run("touch linux-source-6.1.tar.xz");
	assert_int_equal(source_tree_find(root, &wanted, &tree), 0);
	assert_null(tree.dir);
	snprintf(path, sizeof(path), "%s/linux-source-6.1.tar.xz", root);
	assert_string_equal(tree.archive, path);
	assert_string_equal(tree.prefix, "linux-source-6.1");
	source_tree_deinit(&tree);
	make_tree("linux-6.1.192", 192);
	assert_int_equal(source_tree_find(root, &wanted, &tree), 0);
	snprintf(path, sizeof(path), "%s/linux-6.1.192", root);
	assert_string_equal(tree.dir, path);
	source_tree_deinit(&tree);
	run("rm -r linux*");
}

/* The archive of @sublevel, and of two of its lines asked for. */
static struct sources *ask(int sublevel)
{
	struct sources *sources = sources_create(NULL);
	struct source_tree tree;
	size_t len;

	assert_non_null(sources);
	make_tree("linux-source-6.1", sublevel);
	run("tar -czf linux-source-6.1.tar.gz linux-source-6.1 && rm -r linux-source-6.1");
	assert_int_equal(source_tree_find(root, &wanted, &tree), 0);
	assert_int_equal(sources_set_archive(sources, &tree, &wanted), 0);
	source_tree_deinit(&tree);
	assert_non_null(sources_archive(sources));
	assert_false(sources_waiting(sources));
	assert_null(sources_line(sources, "fs/namei.c", 2, &len));
	assert_null(sources_line(sources, "fs/nosuch.c", 1, &len));
	assert_null(
		sources_line(sources, "/build/linux-6.1.192/arch/x86/entry/entry_64.S", 1, &len));
	assert_true(sources_waiting(sources));
	return sources;
}

static void sources_fetch_reads_what_was_asked_for(void **state)
{
	struct sources *sources = ask(192);
	struct errmsg msg = {};
	size_t len;

	(void)state;
	assert_int_equal(sources_fetch(sources, &msg), 0);
	check_line(sources, "fs/namei.c", 2, "\ttwo");
	check_line(sources, "/build/linux-6.1.192/arch/x86/entry/entry_64.S", 1, "push");
	assert_null(sources_line(sources, "fs/nosuch.c", 1, &len));
	/* it is read once */
	assert_null(sources_line(sources, "kernel/fork.c", 1, &len));
	assert_false(sources_waiting(sources));
	assert_null(sources_archive(sources));
	sources_destroy(sources);
	run("rm linux*; ! ls -d lbrsnoop-source.* 2>/dev/null");
}

static void sources_fetch_another_version_is_refused(void **state)
{
	struct sources *sources = ask(190);
	struct errmsg msg = {};
	size_t len;

	(void)state;
	assert_int_equal(sources_fetch(sources, &msg), -ESTALE);
	assert_non_null(strstr(msg.text, "6.1.190; 6.1.192 runs here"));
	assert_null(sources_line(sources, "fs/namei.c", 2, &len));
	assert_false(sources_waiting(sources));
	sources_destroy(sources);
	run("rm linux*");
}

static void sources_fetch_no_archive_is_enoent(void **state)
{
	struct sources *sources = ask(192);
	struct errmsg msg = {};

	(void)state;
	run("echo text >linux-source-6.1.tar.gz");
	assert_int_equal(sources_fetch(sources, &msg), -ENOENT);
	assert_non_null(strstr(msg.text, "cannot be unpacked"));
	sources_destroy(sources);
	run("rm linux*; ! ls -d lbrsnoop-source.* 2>/dev/null");
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root, "/tmp/lbrsnoop-test.XXXXXX");
	/* what is unpacked, too */
	return !mkdtemp(root) || setenv("TMPDIR", root, 1);
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_version_of_debian_ubuntu_and_upstream),
		cmocka_unit_test(source_tree_find_prefers_a_tree_of_that_version),
		cmocka_unit_test(sources_fetch_reads_what_was_asked_for),
		cmocka_unit_test(sources_fetch_another_version_is_refused),
		cmocka_unit_test(sources_fetch_no_archive_is_enoent),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
