// SPDX-License-Identifier: GPL-2.0
/* src/why: what one run told of its calls that failed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "why/failures.h"
#include "why_events.h"

#define ROOT 100

static void failure_same_compares_strings_not_numbers(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_openat, ENOENT, "/a", 1);
	failed(&failures, ROOT + 1, SYS_openat, ENOENT, "/a", 1);
	failed(&failures, ROOT, SYS_openat, ENOENT, "/b", 1);
	failed(&failures, ROOT, SYS_openat, EACCES, "/a", 1);
	failures.items[1].call.args[0] = 77;
	assert_true(failure_same(&failures.items[0], &failures.items[1]));
	assert_false(failure_same(&failures.items[0], &failures.items[2]));
	assert_false(failure_same(&failures.items[0], &failures.items[3]));
	/* Q_GETINFO fills what its address leads to; what stands there before says nothing. */
	failed(&failures, ROOT, SYS_quotactl, ESRCH, "/dev/loop5", 1);
	failed(&failures, ROOT, SYS_quotactl, ESRCH, "/dev/loop5", 1);
	failed(&failures, ROOT, SYS_quotactl, ESRCH, "/dev/loop6", 1);
	for (size_t i = 4; i < 7; i++) {
		failures.items[i].call.args[0] = 0x80000500; /* QCMD(Q_GETINFO, USRQUOTA) */
		failures.items[i].call.args[1] = failures.items[i].call.args[3] = 0x1000;
		failures.items[i].call.blobs[3].status = SYSCALL_BLOB_READ;
		failures.items[i].call.blobs[3].len = 1;
		failures.items[i].call.bytes[3][0] = (char)('a' + i);
	}
	assert_true(failure_same(&failures.items[4], &failures.items[5]));
	/* One EINTR is the kernel's, one a handler's. */
	failures.items[5].signal = SIGALRM;
	assert_false(failure_same(&failures.items[4], &failures.items[5]));
	failures.items[4].signal = SIGUSR1;
	assert_true(failure_same(&failures.items[4], &failures.items[5]));
	assert_false(failure_same(&failures.items[4], &failures.items[6]));
	failures_clear(&failures);
}

/* mktemp -p /proc: a name of six random letters. */
static void failure_alike_is_in_the_same_directory(void **state)
{
	static const struct {
		const char *path;
		bool alike;
	} cases[] = {
		{"/proc/tmp.aaaaaa", true},   {"/proc/tmp.bbbbbb", true},
		{"/proc/tmp.bbbbbbb", false}, {"/prob/tmp.bbbbbb", false},
		{"/proc/tmp/bbbbbb", true},   {"tmp.aaaaaa", false},
	};
	struct failures failures = {};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		failed(&failures, ROOT, SYS_openat, ENOENT, "/proc/tmp.aaaaaa", 1);
		failed(&failures, ROOT, SYS_openat, ENOENT, cases[i].path, 1);
		assert_int_equal(failure_alike(&failures.items[0], &failures.items[1]),
				 cases[i].alike);
		failures.items[1].err = EACCES;
		assert_false(failure_alike(&failures.items[0], &failures.items[1]));
		failures_clear(&failures);
	}
	/* Without a directory nothing says that it is the same file but its name. */
	failed(&failures, ROOT, SYS_openat, ENOENT, "aa", 1);
	failed(&failures, ROOT, SYS_openat, ENOENT, "ab", 1);
	assert_false(failure_alike(&failures.items[0], &failures.items[1]));
	failures_clear(&failures);
}

static void logged(struct failures *failures, uint32_t tid, uint64_t mono_ns, const char *text)
{
	struct why_said event = {.head = {.kind = WHY_LOGGED, .tid = tid, .mono_ns = mono_ns},
				 .len = strlen(text)};

	memcpy(event.bytes, text, strlen(text));
	assert_int_equal(failures_add(failures, &event.head), 0);
}

static void failed_since(struct failures *failures, uint32_t tid, uint64_t begin_ns)
{
	struct why_failed event = {
		.head = {.kind = WHY_FAILED, .tid = tid}, .begin_ns = begin_ns, .err = EINVAL};

	assert_int_equal(failures_add(failures, &event.head), 0);
}

/* Of another thread, and of an earlier call that did not fail, are none of this call. */
static void failures_log_lines_go_to_their_call(void **state)
{
	struct failures failures = {};

	logged(&failures, 1, 10, "of a call that ended well");
	logged(&failures, 1, 30, "tmpfs: Bad value for 'size'\n");
	logged(&failures, 2, 31, "of another thread");
	logged(&failures, 1, 32, "second");
	failed_since(&failures, 1, 20);
	failed_since(&failures, 1, 40);
	failed_since(&failures, 2, 20);
	assert_string_equal(failures.items[0].log, "tmpfs: Bad value for 'size'\nsecond\n");
	assert_null(failures.items[1].log);
	assert_string_equal(failures.items[2].log, "of another thread\n");
	for (unsigned int i = 0; i < 1000; i++)
		logged(&failures, 3, 50, i ? "more" : "the first");
	failed_since(&failures, 3, 45);
	assert_null(strstr(failures.items[3].log, "the first"));
	failures_clear(&failures);
}

/* The ring holds the newest WHY_FUNCS_MAX entries; entry N stands at N modulo that. */
static void failures_functions_newest_first_each_once(void **state)
{
	struct why_failed *event = calloc(1, sizeof(*event));
	struct failures failures = {};

	assert_non_null(event);
	event->head.kind = WHY_FAILED;
	event->err = EINVAL;
	event->entered = 5;
	event->funcs[0] = 10;
	event->funcs[1] = 20;
	event->funcs[2] = 10;
	event->funcs[3] = 30;
	event->funcs[4] = 20;
	assert_int_equal(failures_add(&failures, &event->head), 0);
	assert_int_equal(failures.items[0].func_count, 3);
	assert_int_equal(failures.items[0].funcs[0], 20);
	assert_int_equal(failures.items[0].funcs[1], 30);
	assert_int_equal(failures.items[0].funcs[2], 10);
	assert_false(failures.items[0].cut);

	event->entered = WHY_FUNCS_MAX + 2;
	for (uint32_t i = 0; i < WHY_FUNCS_MAX; i++)
		event->funcs[i] = 1000 + i;
	assert_int_equal(failures_add(&failures, &event->head), 0);
	assert_int_equal(failures.items[1].func_count, WHY_FUNCS_MAX);
	assert_int_equal(failures.items[1].funcs[0], 1001);
	assert_int_equal(failures.items[1].funcs[1], 1000);
	assert_int_equal(failures.items[1].funcs[2], 1000 + WHY_FUNCS_MAX - 1);
	assert_int_equal(failures.items[1].funcs[WHY_FUNCS_MAX - 1], 1002);
	assert_true(failures.items[1].cut);
	failures_clear(&failures);
	free(event);
}

static void hit(struct failures *failures, uint64_t of, uint32_t order)
{
	struct why_hit_of *event = calloc(1, sizeof(*event));

	assert_non_null(event);
	event->head.kind = WHY_HIT;
	event->of = of;
	event->hit.order = order;
	assert_int_equal(failures_add(failures, &event->head), 0);
	free(event);
}

/* Events of two tasks in turns: each call gets its own. */
static void failures_hits_go_to_their_call_newest_first(void **state)
{
	struct failures failures = {};

	hit(&failures, next_seq + 1, 1);
	hit(&failures, next_seq, 3);
	hit(&failures, next_seq, 7);
	hit(&failures, next_seq, 5);
	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, NULL, 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, NULL, 0);
	assert_int_equal(failures.items[0].hit_count, 3);
	assert_int_equal(failures.items[0].hits[0].order, 7);
	assert_int_equal(failures.items[0].hits[1].order, 5);
	assert_int_equal(failures.items[0].hits[2].order, 3);
	assert_int_equal(failures.items[1].hit_count, 1);
	assert_int_equal(failures.items[2].hit_count, 0);
	/* Those whose call is never told take no room in the end. */
	for (int i = 0; i < 5000; i++)
		hit(&failures, UINT64_MAX, 1);
	hit(&failures, next_seq, 2);
	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	assert_int_equal(failures.items[3].hit_count, 1);
	/* A call has room for its own, whatever others wait for theirs. */
	assert_true(malloc_usable_size(failures.items[3].hits) < 2 * sizeof(struct why_hit));
	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	assert_null(failures.items[4].hits);
	failures_clear(&failures);
}

/*
 * A server that waits by trying: EAGAIN, 10,000 times a second. To move 9 MB for each of them took
 * more than 0.3 ms, which is half a minute for these.
 */
static void failures_many_are_taken_in_no_time(void **state)
{
	enum { MANY = 100000 };
	struct failures failures = {};
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < MANY; i++)
		failed(&failures, i, SYS_recvfrom, EAGAIN, NULL, 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin < 10000000000);
	assert_int_equal(failures.count + failures.dropped, MANY);
	assert_true(failures.count >= 4096);
	for (size_t i = 0; i < failures.count; i++)
		assert_int_equal(failures.items[i].tgid, failures.dropped + i);
	failures_clear(&failures);
}

static void failures_events_of_two_cpus_are_sorted(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_mkdir, EACCES, NULL, 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, NULL, 0);
	failures.items[0].seq += 10;
	failures_sort(&failures);
	assert_int_equal(failures.items[0].call.nr, SYS_rmdir);
	failures_clear(&failures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failure_same_compares_strings_not_numbers),
		cmocka_unit_test(failure_alike_is_in_the_same_directory),
		cmocka_unit_test(failures_log_lines_go_to_their_call),
		cmocka_unit_test(failures_functions_newest_first_each_once),
		cmocka_unit_test(failures_hits_go_to_their_call_newest_first),
		cmocka_unit_test(failures_many_are_taken_in_no_time),
		cmocka_unit_test(failures_events_of_two_cpus_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
