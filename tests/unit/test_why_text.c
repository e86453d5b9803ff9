// SPDX-License-Identifier: GPL-2.0
/* render/why_text: what else failed, for a person */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "render/why_text.h"
#include "util/cleanup.h"
#include "why_events.h"

#define ONE 101
#define TWO 102

static void check(const struct answer *answer, bool all, const char *expected)
{
	const struct why_view view = {.all = all};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	render_why_others(out, answer, &view);
	fclose(out);
	assert_string_equal(text, expected);
}

/* A search path, a request that netlink refused, a completion, and the call to blame, twice. */
static void make(struct answer *answer)
{
	struct failures *failures = &answer->failures;

	failed(failures, ONE, SYS_rmdir, ENOENT, "/lib/x", 0);
	failed(failures, TWO, SYS_rmdir, ENOENT, "/lib/x", 0);
	failed(failures, ONE, SYS_rmdir, ENOENT, "/lib/y", 0);
	failed_via(failures, ONE, WHY_VIA_NETLINK, SYS_rmdir, ENOENT, "/lib/x", 0);
	failed_via(failures, ONE, WHY_VIA_IO_URING, SYS_close, ECANCELED, NULL, 0);
	failed(failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	failed(failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	strcpy(failures->items[3].text, "not \033 so");
	answer->call = &failures->items[6];
}

static void why_others_by_call_and_errno_and_way(void **state)
{
	struct answer answer = {};

	make(&answer);
	check(&answer, false,
	      "Other calls that failed on the way: 1 rmdir EBUSY, 1 io_uring ECANCELED, "
	      "1 netlink ENOENT, 3 rmdir ENOENT  (--all)\n");
	answer.call = NULL;
	check(&answer, false,
	      "Calls that failed: 2 rmdir EBUSY, 1 io_uring ECANCELED, 1 netlink ENOENT, "
	      "3 rmdir ENOENT  (--all)\n");
	answer_deinit(&answer);
	check(&answer, false, "");
}

static void why_all_identical_calls_are_counted(void **state)
{
	struct answer answer = {};

	make(&answer);
	check(&answer, true,
	      "All calls that failed:\n"
	      "       2 x rmdir(\"/lib/x\") = -1 ENOENT  [101] ...\n"
	      "       1 x rmdir(\"/lib/y\") = -1 ENOENT  [101]\n"
	      "       1 x rmdir(\"/lib/x\"): netlink answers -ENOENT \"not \\x1b so\"  [101]\n"
	      "       1 x close(0): io_uring completes with -ECANCELED  [101]\n"
	      "=>     2 x rmdir(\"/sys\") = -1 EBUSY  [101]\n");
	answer_deinit(&answer);
	check(&answer, true, "No call failed.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_others_by_call_and_errno_and_way),
		cmocka_unit_test(why_all_identical_calls_are_counted),
	};

	return cmocka_run_group_tests_name("why_text", tests, NULL, NULL);
}
